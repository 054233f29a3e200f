//! The two loops that evaluation time goes into, compiled once for each set of CPU instructions and chosen at run time.
//!
//! The bodies are plain Rust over whole cache lines, which the compiler turns into the vectors of the target feature at
//! hand. Sums wrap, so the order in which a CPU adds does not matter: every kernel gives the same integers. Only the output
//! layer is written by hand, where that was measured to be worth it.

use std::fmt;

use super::network::{Block, LANES, QA};

/// Which code runs the network.
#[derive(Clone, Copy)]
pub struct Kernel {
    name: &'static str,
    runs_here: fn() -> bool,
    add: unsafe fn(&mut [Block], &[Block]),
    remove: unsafe fn(&mut [Block], &[Block]),
    quiet: Update<1, 1>,
    capture: Update<1, 2>,
    castle: Update<2, 2>,
    output: Output,
}

/// `to` becomes `from` with rows added and taken away.
type Update<const A: usize, const S: usize> =
    unsafe fn(&mut [Block], &[Block], [&[Block]; A], [&[Block]; S]);

/// The sum over both sides' hidden layers with their weights.
type Output = unsafe fn([&[Block]; 2], [&[Block]; 2]) -> i32;

impl Kernel {
    /// The fastest that this CPU can run.
    pub fn best() -> Self {
        let fitting = KERNELS.iter().rev().find(|kernel| (kernel.runs_here)());
        *fitting.unwrap_or(&KERNELS[0])
    }

    /// All that this CPU can run, the plain one first.
    pub fn all() -> impl Iterator<Item = Self> {
        KERNELS.into_iter().filter(|kernel| (kernel.runs_here)())
    }

    /// The one of this name, if this CPU can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|kernel| kernel.name == name)
    }

    /// `plain`, or the instructions it needs.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Adds a row.
    #[inline(always)]
    pub fn add(&self, to: &mut [Block], row: &[Block]) {
        // SAFETY: a kernel is only handed out where `runs_here` has asked the CPU; so below.
        unsafe { (self.add)(to, row) }
    }

    /// Takes a row away.
    #[inline(always)]
    pub fn remove(&self, to: &mut [Block], row: &[Block]) {
        // SAFETY: as above.
        unsafe { (self.remove)(to, row) }
    }

    /// A man moves.
    #[inline(always)]
    pub fn quiet(&self, to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
        // SAFETY: as above.
        unsafe { (self.quiet)(to, from, [add], [sub]) }
    }

    /// A man moves, another leaves.
    #[inline(always)]
    pub fn capture(&self, to: &mut [Block], from: &[Block], add: &[Block], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.capture)(to, from, [add], sub) }
    }

    /// Two men move.
    #[inline(always)]
    pub fn castle(&self, to: &mut [Block], from: &[Block], add: [&[Block]; 2], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.castle)(to, from, add, sub) }
    }

    /// The sum over both sides' hidden layers, clipped, squared and weighted; the side to move first.
    #[inline(always)]
    pub fn output(&self, hidden: [&[Block]; 2], weights: [&[Block]; 2]) -> i32 {
        // SAFETY: as above.
        unsafe { (self.output)(hidden, weights) }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name).finish()
    }
}

#[inline(always)]
fn update<const A: usize, const S: usize>(
    to: &mut [Block],
    from: &[Block],
    add: [&[Block]; A],
    sub: [&[Block]; S],
) {
    // Equal lengths, said in a way that drops the bounds checks.
    let from = &from[..to.len()];
    let add = add.map(|row| &row[..to.len()]);
    let sub = sub.map(|row| &row[..to.len()]);
    for (i, to) in to.iter_mut().enumerate() {
        let mut block = from[i].0;
        for row in add {
            for (sum, &x) in block.iter_mut().zip(&row[i].0) {
                *sum = sum.wrapping_add(x);
            }
        }
        for row in sub {
            for (sum, &x) in block.iter_mut().zip(&row[i].0) {
                *sum = sum.wrapping_sub(x);
            }
        }
        to.0 = block;
    }
}

#[inline(always)]
fn each(to: &mut [Block], row: &[Block], change: fn(i16, i16) -> i16) {
    for (to, row) in to.iter_mut().zip(row) {
        for (sum, &x) in to.0.iter_mut().zip(&row.0) {
            *sum = change(*sum, x);
        }
    }
}

/// Weight times value still fits into 16 bits, so the square costs one multiplication that adds up pairs.
// Source: known as "Lizard SCReLU", after the engine that first had it.
#[inline(always)]
fn output(hidden: [&[Block]; 2], weights: [&[Block]; 2]) -> i32 {
    let mut sums = [0_i32; LANES];
    for (hidden, weights) in hidden.into_iter().zip(weights) {
        for (block, weights) in hidden.iter().zip(weights) {
            for ((sum, &x), &weight) in sums.iter_mut().zip(&block.0).zip(&weights.0) {
                let value = x.clamp(0, QA as i16);
                let weighted = value.wrapping_mul(weight);
                *sum = sum.wrapping_add(i32::from(weighted) * i32::from(value));
            }
        }
    }
    sums.into_iter().fold(0, i32::wrapping_add)
}

/// A kernel whose bodies are compiled with these instructions.
macro_rules! kernel {
    ($module:ident, $name:literal, $runs_here:expr, [$($feature:literal)?], $output:path) => {
        mod $module {
            use super::{Block, Kernel};

            macro_rules! updating {
                ($function:ident, $adds:literal, $subs:literal) => {
                    $(#[target_feature(enable = $feature)])?
                    fn $function(
                        to: &mut [Block],
                        from: &[Block],
                        add: [&[Block]; $adds],
                        sub: [&[Block]; $subs],
                    ) {
                        super::update(to, from, add, sub);
                    }
                };
            }
            updating!(quiet, 1, 1);
            updating!(capture, 1, 2);
            updating!(castle, 2, 2);

            $(#[target_feature(enable = $feature)])?
            fn add(to: &mut [Block], row: &[Block]) {
                super::each(to, row, i16::wrapping_add);
            }

            $(#[target_feature(enable = $feature)])?
            fn remove(to: &mut [Block], row: &[Block]) {
                super::each(to, row, i16::wrapping_sub);
            }

            $(#[target_feature(enable = $feature)])?
            fn output(hidden: [&[Block]; 2], weights: [&[Block]; 2]) -> i32 {
                $output(hidden, weights)
            }

            pub const KERNEL: Kernel = Kernel {
                name: $name,
                runs_here: $runs_here,
                add,
                remove,
                quiet,
                capture,
                castle,
                output,
            };
        }
    };
}

kernel!(plain, "plain", || true, [], super::output);
#[cfg(target_arch = "x86_64")]
kernel!(
    avx2,
    "avx2",
    || is_x86_feature_detected!("avx2"),
    ["avx2"],
    super::by_hand::avx2
);
#[cfg(target_arch = "x86_64")]
kernel!(
    avx512,
    "avx512",
    || is_x86_feature_detected!("avx512bw"),
    ["avx512bw"],
    super::by_hand::avx512
);

/// From the slowest to the fastest.
#[cfg(target_arch = "x86_64")]
const KERNELS: [Kernel; 3] = [plain::KERNEL, avx2::KERNEL, avx512::KERNEL];
#[cfg(not(target_arch = "x86_64"))]
const KERNELS: [Kernel; 1] = [plain::KERNEL];

#[cfg(target_arch = "x86_64")]
mod by_hand {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_load_si256, _mm256_madd_epi16, _mm256_max_epi16,
        _mm256_min_epi16, _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
        _mm256_store_si256, _mm512_add_epi32, _mm512_load_si512, _mm512_madd_epi16,
        _mm512_max_epi16, _mm512_min_epi16, _mm512_mullo_epi16, _mm512_reduce_add_epi32,
        _mm512_set1_epi16, _mm512_setzero_si512,
    };

    use super::{Block, LANES, QA};

    /// Numbers in a register.
    const WIDTH: usize = LANES / 2;

    /// The same as [`super::output`]; the compiler's own code makes an evaluation a fifth slower.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub fn avx2(hidden: [&[Block]; 2], weights: [&[Block]; 2]) -> i32 {
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
        let mut sums = [zero; 2];
        for (hidden, weights) in hidden.into_iter().zip(weights) {
            for (block, weights) in hidden.iter().zip(weights) {
                for (half, sum) in sums.iter_mut().enumerate() {
                    let value = load(block, half);
                    let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
                    let weighted = _mm256_mullo_epi16(value, load(weights, half));
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(weighted, value));
                }
            }
        }
        let mut parts = Parts([0; 8]);
        // SAFETY: the array is as large and as aligned as the register.
        unsafe {
            let sum = _mm256_add_epi32(sums[0], sums[1]);
            _mm256_store_si256((&raw mut parts).cast::<__m256i>(), sum);
        }
        parts.0.into_iter().fold(0, i32::wrapping_add)
    }

    /// The same.
    #[target_feature(enable = "avx512bw")]
    #[inline]
    pub fn avx512(hidden: [&[Block]; 2], weights: [&[Block]; 2]) -> i32 {
        let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
        let mut sums = [zero; 2];
        for ((hidden, weights), sum) in hidden.into_iter().zip(weights).zip(&mut sums) {
            for (block, weights) in hidden.iter().zip(weights) {
                // SAFETY: a block is as large and as aligned as the register.
                let [value, weight] = [block, weights]
                    .map(|block| unsafe { _mm512_load_si512((&raw const block.0).cast()) });
                let value = _mm512_min_epi16(_mm512_max_epi16(value, zero), one);
                let weighted = _mm512_mullo_epi16(value, weight);
                *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(weighted, value));
            }
        }
        _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
    }

    #[repr(C, align(32))]
    struct Parts([i32; 8]);

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(block: &Block, half: usize) -> __m256i {
        let numbers: &[i16; WIDTH] = &block.0.as_chunks().0[half];
        // SAFETY: sixteen numbers, and both halves of a block are aligned to 32 bytes.
        unsafe { _mm256_load_si256(numbers.as_ptr().cast()) }
    }
}

#[cfg(test)]
mod tests {
    use std::array;

    use super::*;
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
        for blocks in [1, 2, 3, 8] {
            for _ in 0..50 {
                let rows: Vec<_> = (0..5).map(|_| row(blocks, 900, &mut rng)).collect();
                let weights: Vec<_> = (0..2).map(|_| row(blocks, 127, &mut rng)).collect();
                let results: Vec<_> = Kernel::all()
                    .map(|kernel| {
                        let mut to = vec![vec![Block::ZERO; blocks]; 5];
                        kernel.add(&mut to[0], &rows[1]);
                        kernel.remove(&mut to[1], &rows[1]);
                        kernel.quiet(&mut to[2], &rows[0], &rows[1], &rows[2]);
                        kernel.capture(&mut to[3], &rows[0], &rows[1], [&rows[2], &rows[3]]);
                        let (add, sub) = ([&rows[1][..], &rows[2]], [&rows[3][..], &rows[4]]);
                        kernel.castle(&mut to[4], &rows[0], add, sub);
                        let out = kernel.output([&to[0], &to[3]], [&weights[0], &weights[1]]);
                        (to, out)
                    })
                    .collect();
                assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
                let lane = |row: &[Block]| i32::from(row[0].0[5]);
                let sum = lane(&rows[0]) + lane(&rows[1]) - lane(&rows[2]) - lane(&rows[3]);
                assert_eq!(results[0].0[3][0].0[5], sum as i16);
            }
        }
    }

    #[test]
    fn clipped_squared_and_weighted() {
        let hidden = |x| [Block([x; LANES])];
        let weights = |x| [Block([x; LANES])];
        for kernel in Kernel::all() {
            let out = |x, y| kernel.output([&hidden(x), &hidden(y)], [&weights(3), &weights(-5)]);
            assert_eq!(out(-7, 0), 0, "{kernel:?}");
            assert_eq!(out(10, -1), 32 * 3 * 100);
            assert_eq!(out(1000, 2), 32 * (3 * 255 * 255 - 5 * 4));
        }
    }

    #[test]
    fn kernels_go_by_name() {
        assert_eq!(Kernel::named("plain").map(|k| k.name()), Some("plain"));
        assert!(Kernel::named("nothing").is_none());
        assert!(Kernel::all().any(|kernel| kernel.name() == Kernel::best().name()));
    }
}
