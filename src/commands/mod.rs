//! The subcommands of the program: measurements, and lists for test frameworks.

pub mod bench;
pub(crate) mod genfens;
pub(crate) mod kernels;
pub mod params;
