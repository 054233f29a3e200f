//! `rejoinder-tools spsa`: tunes parameters of the engine by games against itself. docs/tuning.md
//! shows how it is used.

mod algorithm;
mod args;
mod checkpoint;
mod report;
mod rows;
mod run;

use crate::print::print;

use checkpoint::SpsaState;

pub use args::Args;

/// Tunes, or shows the result of an earlier run.
///
/// # Errors
/// If the arguments, the book, the file of the run or the directory for the games cannot be used,
/// or memory is short.
pub fn run(args: &Args) -> anyhow::Result<()> {
    Ok(print(report::text(&state(args)?))?)
}

/// Returns the state of the run that the arguments mean, after its last iteration unless it is only
/// to be shown.
fn state(args: &Args) -> anyhow::Result<SpsaState> {
    if let Some(iterations) = args.iterations {
        return run::tune(args, iterations);
    }
    // Only --show allows arguments without a number of iterations.
    let state = checkpoint::load(&args.out)?;
    report::draw(args.plot.as_deref(), &state)?;
    Ok(state)
}
