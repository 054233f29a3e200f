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
mod scratch;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

use std::fmt;

#[cfg(target_arch = "x86_64")]
use super::network::FIRST;
use super::network::{Block, GROUP, HeadBlocks, LANES, Layers, Network, Rows};
use super::snapshot::Changes;

use compiled::KERNELS;
pub use scratch::Scratch;

/// The code that runs the network, for one set of CPU instructions.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Functions);

/// The functions of a kernel.
struct Functions {
    name: &'static str,
    runs_here: fn() -> bool,
    update: Update,
    direct: Direct,
    layered: Layered,
}

/// Sets the first slice to the second plus the rows of added features, minus those of removed ones.
type Update = unsafe fn(Rows<'_>, &mut [Block], &[Block], &Changes);

/// Returns the weighted sum over both sides' hidden units.
type Direct = unsafe fn([&[Block]; 2], &[Block]) -> i32;

/// Returns the output of the layers after both sides' hidden units.
type Layered = unsafe fn([&[Block]; 2], &Layers, &mut Scratch) -> i32;

impl Scratch {
    /// Allocates the memory for this network.
    pub fn new(network: &Network) -> Self {
        Self::with_groups(match network.head() {
            HeadBlocks::Direct(_) => 0,
            HeadBlocks::Layered(_) => network.blocks() * LANES / GROUP,
        })
    }
}

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

    /// Computes the sums `to` from the sums `from`, plus the rows of the features that were added
    /// since, and minus those of the features that were removed.
    #[inline(always)]
    pub fn update(self, rows: Rows<'_>, to: &mut [Block], from: &[Block], changes: &Changes) {
        // SAFETY: a kernel is only available if `runs_here` has confirmed that the CPU supports it.
        unsafe { (self.0.update)(rows, to, from, changes) }
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

/// The sums of the first layer's units.
#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Sums([i32; FIRST]);

#[cfg(test)]
mod tests;
