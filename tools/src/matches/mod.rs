//! `rejoinder-tools match`: two settings of the engine play mirrored pairs of games at a fixed
//! number of nodes a move.

mod args;
mod draw;
mod openings;
mod pgn_file;
mod run;
mod summary;
#[cfg(test)]
mod tests;

use anyhow::bail;

use crate::print::print;
use crate::progress::Progress;

pub use args::Args;
pub use openings::{Openings, from_book};
pub use run::{ADJUDICATION, HASH, Match, Side};
pub(crate) use run::{half_points, play_pair};
pub use summary::MatchSummary;

/// Plays the match and prints the result.
///
/// # Errors
/// If the arguments, the book or the directory for the games cannot be used, or memory is short.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let contest = args.to_match()?;
    if contest.sides[0] == contest.sides[1] {
        bail!(
            "A and B are the same player, so that every pair would be a draw: give one of them \
             another network (--network-b), number of nodes (--nodes-b), hash (--hash-b) or, in a \
             build with `FEATURES=tune`, other parameters (--b)"
        );
    }
    Ok(print(play(&contest)?)?)
}

fn play(contest: &Match) -> anyhow::Result<MatchSummary> {
    let progress = Progress::new(2 * contest.openings.count(), "games");
    let summary = contest.play(|summary| {
        progress.update(2 * summary.pairs.count(), summary.brief());
    })?;
    progress.finish();
    Ok(summary)
}
