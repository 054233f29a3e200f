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

use super::changes::Changes;
use super::network::{Block, Output, Rows};

use compiled::KERNELS;

/// The code that runs the network, for one set of CPU instructions.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Functions);

/// The functions of a kernel.
struct Functions {
    name: &'static str,
    runs_here: fn() -> bool,
    update: Update,
    weigh: Weigh,
}

/// Sets the first slice to the second plus the rows of added features, minus those of removed ones.
type Update = unsafe fn(Rows<'_>, &mut [Block], &[Block], &Changes);

/// Returns the weighted sum over both sides' hidden units.
type Weigh = unsafe fn([&[Block]; 2], &[Block]) -> i32;

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

    /// Computes a network's output from both sides' hidden sums, the side to move first, in units of
    /// 1 / ([`QA_SQUARED`](super::network::QA_SQUARED) * [`QB`](super::network::QB)).
    #[inline(always)]
    pub fn output(self, (weights, bias): &Output, hidden: [&[Block]; 2]) -> i64 {
        // SAFETY: as above.
        i64::from(unsafe { (self.0.weigh)(hidden, weights) }) + i64::from(*bias)
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests;
