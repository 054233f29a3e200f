//! The loops that evaluation time goes into, compiled once for each set of CPU instructions and chosen at run time.
//!
//! Every kernel gives the same integers. Only what was measured to be worth it is written by hand.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod compiled;
mod plain;

use std::fmt;

use super::network::{Block, FIRST, GROUP, HeadBlocks, LANES, Layers, Network};

use compiled::KERNELS;

/// The code that runs the network, for one set of CPU instructions.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Functions);

/// The functions of a kernel.
struct Functions {
    name: &'static str,
    runs_here: fn() -> bool,
    follow: Follow,
    quiet: Update<1, 1>,
    capture: Update<1, 2>,
    castle: Update<2, 2>,
    direct: Direct,
    layered: Layered,
}

/// Makes the first slice of the second, with rows added and rows taken away.
type Update<const A: usize, const S: usize> =
    unsafe fn(&mut [Block], &[Block], [&[Block]; A], [&[Block]; S]);

/// Adds rows to the first slice and takes rows away from it.
type Follow = unsafe fn(&mut [Block], &[&[Block]], &[&[Block]]);

/// Gives the sum over both sides' hidden units with their weights.
type Direct = unsafe fn([&[Block]; 2], &[Block]) -> i32;

/// Gives the output of the layers behind both sides' hidden units.
type Layered = unsafe fn([&[Block]; 2], &Layers, &mut Scratch) -> i32;

/// Room for what comes between the layers: the products of a network's hidden units.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// `[H / GROUP]`: the products, the side to move's first, each at most [`QP`](super::network::QP).
    products: Box<[[u8; GROUP]]>,
    /// The places of the groups that are not all zero. There is room for one register more than there can be groups, as the places
    /// are written in whole registers.
    groups: Box<[u16]>,
}

impl Scratch {
    /// Makes room for this network.
    pub fn new(network: &Network) -> Self {
        let groups = match network.head() {
            HeadBlocks::Direct(_) => 0,
            HeadBlocks::Layered(_) => network.blocks() * LANES / GROUP,
        };
        Self {
            products: vec![[0; GROUP]; groups].into_boxed_slice(),
            groups: vec![0; groups + FIRST].into_boxed_slice(),
        }
    }

    /// Room for the products of the block with this number.
    #[inline(always)]
    fn block(&mut self, number: usize) -> &mut [[u8; GROUP]] {
        &mut self.products[number * GROUPS..][..GROUPS]
    }
}

/// The groups of products that come from one block of hidden units and its partner.
const GROUPS: usize = LANES / GROUP;

impl Kernel {
    /// The fastest kernel that this CPU can run.
    pub fn best() -> Self {
        let fitting = KERNELS
            .into_iter()
            .rev()
            .find(|kernel| (kernel.runs_here)());
        Self(fitting.unwrap_or(KERNELS[0]))
    }

    /// All kernels that this CPU can run, the plain one first.
    pub fn all() -> impl Iterator<Item = Self> {
        let fitting = KERNELS.into_iter().filter(|kernel| (kernel.runs_here)());
        fitting.map(Self)
    }

    /// The kernel of this name, if this CPU can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|kernel| kernel.name() == name)
    }

    /// The kernel's name: `plain`, or the instructions that it needs.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Adds rows to the sums `to` and takes rows away from them.
    #[inline(always)]
    pub fn follow(self, to: &mut [Block], add: &[&[Block]], sub: &[&[Block]]) {
        // SAFETY: a kernel is only handed out where `runs_here` has asked the CPU; so below.
        unsafe { (self.0.follow)(to, add, sub) }
    }

    /// Makes the sums `to` of the sums `from`, where one piece has moved.
    #[inline(always)]
    pub fn quiet(self, to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
        // SAFETY: as above.
        unsafe { (self.0.quiet)(to, from, [add], [sub]) }
    }

    /// Makes the sums `to` of the sums `from`, where one piece has moved and another has left the board.
    #[inline(always)]
    pub fn capture(self, to: &mut [Block], from: &[Block], add: &[Block], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.0.capture)(to, from, [add], sub) }
    }

    /// Makes the sums `to` of the sums `from`, where two pieces have moved.
    #[inline(always)]
    pub fn castle(self, to: &mut [Block], from: &[Block], add: [&[Block]; 2], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.0.castle)(to, from, add, sub) }
    }

    /// What a network's head makes of both sides' hidden units, the side to move first, in units of
    /// 1 / ([`QA_SQUARED`](super::network::QA_SQUARED) * [`QB`](super::network::QB)).
    #[inline(always)]
    pub fn output(
        self,
        head: &HeadBlocks,
        bucket: usize,
        hidden: [&[Block]; 2],
        scratch: &mut Scratch,
    ) -> i64 {
        match head {
            HeadBlocks::Direct(buckets) => {
                let (weights, bias) = &buckets[bucket];
                // SAFETY: as above.
                i64::from(unsafe { (self.0.direct)(hidden, weights) }) + i64::from(*bias)
            }
            HeadBlocks::Layered(buckets) => {
                let layers = &buckets[bucket];
                // SAFETY: as above.
                let output = unsafe { (self.0.layered)(hidden, layers, scratch) };
                i64::from(output) + i64::from(layers.last_bias)
            }
        }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name()).finish()
    }
}

/// The sums of the first layer's units.
#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Sums([i32; FIRST]);

#[cfg(test)]
mod tests {
    use std::array;
    use std::collections::HashSet;

    use super::plain::ONE;
    use super::*;
    use crate::eval::features::OUTPUT_BUCKETS;
    use crate::eval::network::{
        Architecture, Head, HeadWeights, PAIR, QA, QA_SQUARED, QB, QP, SECOND, SECOND_INPUTS,
        Weights,
    };
    use crate::eval::win_rate::WinRate;
    use crate::types::Rng;

    fn row(blocks: usize, bound: usize, rng: &mut Rng) -> Vec<Block> {
        let mut number = |_| rng.below(2 * bound + 1) as i16 - bound as i16;
        (0..blocks)
            .map(|_| Block(array::from_fn(&mut number)))
            .collect()
    }

    #[test]
    fn all_kernels_give_the_same_integers() {
        let mut rng = Rng::new(1);
        for blocks in [1, 2, 3, 8, 13] {
            for _ in 0..50 {
                let rows: Vec<_> = (0..5).map(|_| row(blocks, 900, &mut rng)).collect();
                let results: Vec<_> = Kernel::all()
                    .map(|kernel| {
                        let mut to = vec![vec![Block::ZERO; blocks]; 5];
                        kernel.follow(&mut to[0], &[&rows[1], &rows[0]], &[]);
                        kernel.follow(&mut to[1], &[&rows[1]], &[&rows[2], &rows[3]]);
                        kernel.quiet(&mut to[2], &rows[0], &rows[1], &rows[2]);
                        kernel.capture(&mut to[3], &rows[0], &rows[1], [&rows[2], &rows[3]]);
                        let (add, sub) = ([&rows[1][..], &rows[2]], [&rows[3][..], &rows[4]]);
                        kernel.castle(&mut to[4], &rows[0], add, sub);
                        to
                    })
                    .collect();
                assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
                let lane = |row: &[Block]| i32::from(row[0].0[5]);
                let sum = lane(&rows[0]) + lane(&rows[1]) - lane(&rows[2]) - lane(&rows[3]);
                assert_eq!(results[0][3][0].0[5], sum as i16);
            }
        }
    }

    #[test]
    fn a_direct_head_clips_squares_and_weighs() {
        let hidden = |x| [Block([x; LANES])];
        let weights = [3, -5].map(|x| Block([x; LANES])).to_vec();
        let head = HeadBlocks::Direct(vec![(weights, 7)]);
        let mut scratch = Scratch::new(&Network::zero());
        for kernel in Kernel::all() {
            let mut out = |x, y| kernel.output(&head, 0, [&hidden(x), &hidden(y)], &mut scratch);
            assert_eq!(out(-7, 0), 7, "{kernel:?}");
            assert_eq!(out(80, -1), 7 + 32 * 3 * 100);
            assert_eq!(out(1000, 20), i64::from(7 + 32 * (3 * QA_SQUARED - 5 * 6)));
        }
    }

    fn network(hidden: usize, rng: &mut Rng) -> Network {
        let architecture = Architecture {
            king_buckets: 1,
            hidden,
            head: Head::Layered,
        };
        let mut number = |bound: usize| rng.below(2 * bound + 1) as i32 - bound as i32;
        let mut small = |count: usize, bound| (0..count).map(|_| number(bound) as i16).collect();
        let (second, last) = (
            small(OUTPUT_BUCKETS * SECOND_INPUTS * SECOND, 1500),
            small(OUTPUT_BUCKETS * SECOND, 2000),
        );
        let mut wide = |count: usize, bound| (0..count).map(|_| number(bound)).collect();
        let weights = Weights {
            architecture,
            feature_weights: vec![0; architecture.inputs() * hidden],
            feature_biases: vec![0; hidden],
            head: HeadWeights::Layered {
                first_biases: wide(OUTPUT_BUCKETS * FIRST, 40_000),
                second,
                second_biases: wide(OUTPUT_BUCKETS * SECOND, 1 << 21),
                last,
                last_biases: wide(OUTPUT_BUCKETS, 1 << 21),
                first: (0..OUTPUT_BUCKETS * hidden * FIRST)
                    .map(|_| number(127) as i8)
                    .collect(),
            },
            scale: 400,
            win_rate: WinRate::DEFAULT,
        };
        Network::new(&weights).expect("a network")
    }

    /// The output of the layers in floating point, which knows no rounding.
    fn exact(hidden: [&[Block]; 2], layers: &Layers) -> f64 {
        let mut products = Vec::new();
        for hidden in hidden {
            let values: Vec<i16> = hidden.iter().flat_map(|block| block.0).collect();
            let value = |at: usize| f64::from(values[at].clamp(0, QA as i16)) / f64::from(QA);
            let half = values.len() / 2;
            // The products are rounded in the layers, too; far too coarsely to leave that out.
            products
                .extend((0..half).map(|at| (value(at) * value(at + half) * f64::from(QP)).round()));
        }
        let first = |unit: usize| {
            let weight = |at: usize| f64::from(layers.first[at / GROUP].0[unit][at % GROUP]);
            let sum: f64 = products
                .iter()
                .enumerate()
                .map(|(at, x)| x * weight(at))
                .sum();
            (sum + f64::from(layers.first_biases[unit])) / f64::from(ONE)
        };
        let first: Vec<f64> = (0..FIRST).map(first).collect();
        let squares = first.iter().map(|x| (x * x).min(1.0));
        let inputs: Vec<f64> = squares
            .chain(first.iter().map(|x| x.clamp(0.0, 1.0)))
            .collect();
        let second = |unit: usize| {
            let weight = |at: usize| f64::from(layers.second[at / PAIR].0[unit][at % PAIR]);
            let terms = inputs.iter().enumerate();
            let sum: f64 = terms.map(|(at, x)| weight(at) / f64::from(QB) * x).sum();
            let sum = sum + f64::from(layers.second_biases[unit]) / f64::from(QA_SQUARED * QB);
            sum.clamp(0.0, 1.0).powi(2) * f64::from(layers.last[unit]) / f64::from(QB)
        };
        (0..SECOND).map(second).sum::<f64>()
            + f64::from(layers.last_bias) / f64::from(QA_SQUARED * QB)
    }

    #[test]
    fn a_layered_head_is_the_same_in_all_kernels() {
        let mut rng = Rng::new(2);
        for hidden in [64, 128, 320] {
            let network = network(hidden, &mut rng);
            let HeadBlocks::Layered(layers) = network.head() else {
                panic!("another head")
            };
            let mut scratch = Scratch::new(&network);
            let mut outputs = HashSet::new();
            for round in 0..200 {
                let bucket = round % OUTPUT_BUCKETS;
                let bound = [30, 200, 900][round % 3];
                let sides = [(); 2].map(|()| row(hidden / LANES, bound, &mut rng));
                let sides = sides.each_ref().map(Vec::as_slice);
                let all: Vec<i64> = Kernel::all()
                    .map(|kernel| kernel.output(network.head(), bucket, sides, &mut scratch))
                    .collect();
                assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
                let output = all[0] as f64 / f64::from(QA_SQUARED * QB);
                let exact = exact(sides, &layers[bucket]);
                assert!((output - exact).abs() < 0.05, "{output} {exact}");
                outputs.insert(all[0]);
            }
            assert!(outputs.len() > 100);
        }
    }

    #[test]
    fn kernels_go_by_name() {
        assert_eq!(Kernel::named("plain").map(Kernel::name), Some("plain"));
        assert!(Kernel::named("nothing").is_none());
        assert!(Kernel::all().any(|kernel| kernel.name() == Kernel::best().name()));
    }
}
