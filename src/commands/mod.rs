//! The subcommands of the program: measurements, test suites, annotated games and lists for test frameworks.

pub mod annotate;
pub mod bench;
pub mod book;
pub mod epd;
pub(crate) mod genfens;
pub(crate) mod kernels;
mod limit_args;
mod ordering_quality;
pub mod overrides;
pub mod parallel;
pub mod player;
mod progress;
pub mod runner;
pub mod tunables;
