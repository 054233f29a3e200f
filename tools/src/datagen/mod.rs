//! `rejoinder-tools datagen`: the engine plays itself and stores whole games for training.

mod args;
mod labels;
mod mixture_args;
mod play;
mod run;
mod summary;
#[cfg(test)]
mod tests;

use crate::print::print;

pub use args::{Args, NODES};
pub use mixture_args::MixtureArgs;
pub(crate) use play::generate;
pub(crate) use run::seeds;

/// Plays the games and prints a summary.
///
/// # Errors
/// If the run cannot begin or continue, a file cannot be written, or memory is short.
pub fn run(args: &Args) -> anyhow::Result<()> {
    Ok(print(generate(args)?)?)
}
