//! The inner loops of the evaluation, compiled for several sets of CPU instructions and chosen at
//! run time.
//!
//! All kernels give the same integers. Only loops that are measurably faster that way are written
//! by hand.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod compiled;
mod plain;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

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

/// Sets the first slice to the second plus some rows and minus others.
type Update<const A: usize, const S: usize> =
    unsafe fn(&mut [Block], &[Block], [&[Block]; A], [&[Block]; S]);

/// Adds rows to the first slice and subtracts others from it.
type Follow = unsafe fn(&mut [Block], &[&[Block]], &[&[Block]]);

/// Returns the weighted sum over both sides' hidden units.
type Direct = unsafe fn([&[Block]; 2], &[Block]) -> i32;

/// Returns the output of the layers after both sides' hidden units.
type Layered = unsafe fn([&[Block]; 2], &Layers, &mut Scratch) -> i32;

/// Memory for the intermediate values of a layered head.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// The products of hidden units, `[H / GROUP]`, those of the side to move first, each at most
    /// [`QP`](super::network::QP).
    products: Box<[[u8; GROUP]]>,
    /// The positions of the groups that are not all zero. They are written in whole registers, so
    /// there is room for one register more than the number of groups.
    groups: Box<[u16]>,
}

impl Scratch {
    /// Allocates the memory for this network.
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

    /// Returns the products of the block with this number.
    #[inline(always)]
    fn block(&mut self, number: usize) -> &mut [[u8; GROUP]] {
        &mut self.products[number * GROUPS..][..GROUPS]
    }
}

/// The number of groups of products that come from a block of hidden units and its partner.
const GROUPS: usize = LANES / GROUP;

impl Kernel {
    /// Returns the fastest kernel that this CPU can run.
    pub fn best() -> Self {
        let fitting = KERNELS
            .into_iter()
            .rev()
            .find(|kernel| (kernel.runs_here)());
        Self(fitting.unwrap_or(KERNELS[0]))
    }

    /// Returns all kernels that this CPU can run, the plain one first.
    pub fn all() -> impl Iterator<Item = Self> {
        let fitting = KERNELS.into_iter().filter(|kernel| (kernel.runs_here)());
        fitting.map(Self)
    }

    /// Returns the kernel with this name, if this CPU can run it.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|kernel| kernel.name() == name)
    }

    /// Returns the kernel's name: `plain`, or the instructions that it uses.
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// Adds rows to the sums `to` and subtracts others from them.
    #[inline(always)]
    pub fn follow(self, to: &mut [Block], add: &[&[Block]], sub: &[&[Block]]) {
        // SAFETY: a kernel is only available if `runs_here` has confirmed that the CPU supports it.
        unsafe { (self.0.follow)(to, add, sub) }
    }

    /// Computes the sums `to` from the sums `from` after a piece has moved.
    #[inline(always)]
    pub fn quiet(self, to: &mut [Block], from: &[Block], add: &[Block], sub: &[Block]) {
        // SAFETY: as above.
        unsafe { (self.0.quiet)(to, from, [add], [sub]) }
    }

    /// Computes the sums `to` from the sums `from` after a piece has captured another.
    #[inline(always)]
    pub fn capture(self, to: &mut [Block], from: &[Block], add: &[Block], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.0.capture)(to, from, [add], sub) }
    }

    /// Computes the sums `to` from the sums `from` after two pieces have moved.
    #[inline(always)]
    pub fn castle(self, to: &mut [Block], from: &[Block], add: [&[Block]; 2], sub: [&[Block]; 2]) {
        // SAFETY: as above.
        unsafe { (self.0.castle)(to, from, add, sub) }
    }

    /// Computes the output of a network's head from both sides' hidden sums, the side to move
    /// first, in units of 1 / ([`QA_SQUARED`](super::network::QA_SQUARED) *
    /// [`QB`](super::network::QB)).
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

/// The positions of the set bits for every byte.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
static PLACES: [[u16; GROUPS]; 256] = {
    let mut places = [[0; GROUPS]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < GROUPS {
            if byte >> bit & 1 == 1 {
                places[byte][count] = bit as u16;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};

/// The sums of the first layer's units.
#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Sums([i32; FIRST]);

#[cfg(test)]
mod tests;
