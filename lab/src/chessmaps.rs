//! `rejoinder learn-chessmaps`: the network of the ordering laboratory's chessmaps, from the moves that the engine found best in
//! games against itself.

use crate::techniques::chessmaps::{HIDDEN, SHAPE, influence, inputs};
use rejoinder::types::Move;
use rejoinder_tools::policy::{Args, PolicyError, learn};

/// Learns the network.
///
/// # Errors
/// Names the file that cannot be read or written.
pub fn run(args: &Args) -> Result<(), PolicyError> {
    learn::<HIDDEN>(args, SHAPE, |seen, lessons| {
        let board = seen.board;
        // The technique says nothing of evasions.
        if board.in_check() {
            return;
        }
        let outputs = |&mv: &Move| {
            let squares = influence(board, board.describe(mv).piece, mv);
            squares.into_iter().map(|square| square.index() as u16)
        };
        lessons.push(inputs(board), seen.quiets.iter().map(outputs), seen.best);
    })
}
