//! The subcommands of the program: measurements, test suites, and lists for test frameworks.

pub mod bench;
pub mod epd;
pub(crate) mod genfens;
pub(crate) mod kernels;
mod ordering_quality;
pub mod tunables;
