//! `rejoinder-tools train`: trains a network on games, on the CPU alone.
//!
//! The quiet positions of all games are shuffled, and the network learns over several epochs to
//! predict a mix of the game's result and the score of the search. At the end its weights are
//! rounded to the integers of a network file.

mod args;
mod average;
mod batch;
mod benchmark;
mod checkpoint;
mod companion;
mod dropout;
mod head;
mod history;
pub(crate) mod loader;
mod model;
pub(crate) mod optimizer;
mod origin;
mod parallel;
mod piece_weights;
mod quantize;
mod refit;
mod run;
mod run_report;
mod sample;
mod shuffle;
mod trainer;
mod win_rate;

#[cfg(test)]
mod fixtures;

use model::Shape;

pub use args::Args;
pub use average::{AverageArgs, average, write_mean};
pub use checkpoint::CheckpointError;
pub use refit::{RefitArgs, refit};

/// Trains a network, or measures the speed of training.
///
/// # Errors
/// If a file cannot be read or written, the settings are impossible, or memory is short.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if args.benchmark {
        let shape = Shape(args.architecture(None)?);
        return Ok(benchmark::run(shape, args.batch as usize, args.threads())?);
    }
    run::run(args)
}
