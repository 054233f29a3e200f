//! The subcommands of the program: measurements, test suites, annotated games and lists for test frameworks.

pub mod annotate;
pub mod bench;
pub mod epd;
pub(crate) mod genfens;
pub(crate) mod kernels;
mod ordering_quality;
mod progress;
pub mod tunables;
