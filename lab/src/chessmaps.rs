//! `rejoinder-lab learn-chessmaps`: trains the network of the chessmaps experiment on the moves
//! that the engine found best in games against itself.

use crate::techniques::chessmaps::{HIDDEN, SHAPE, influence, inputs};
use rejoinder::types::Move;
use rejoinder_tools::policy::{Args, learn};

/// Trains the network.
///
/// # Errors
/// If a file cannot be read or written, or the games have too few positions.
pub fn run(args: &Args) -> anyhow::Result<()> {
    learn::<HIDDEN>(args, SHAPE, |seen, dataset| {
        let board = seen.board;
        // The experiment does not order evasions.
        if board.in_check() {
            return;
        }
        let outputs = |&mv: &Move| {
            let squares = influence(board, board.describe(mv).piece, mv);
            squares.into_iter().map(|square| square.index() as u16)
        };
        dataset.push(inputs(board), seen.quiets.iter().map(outputs), seen.best);
    })
}
