//! Position to score: one network, its incremental accumulator, and the kernels that run it.

pub mod features;
mod first;
pub mod network;
pub mod win_rate;

pub use first::{evaluate, explain};
