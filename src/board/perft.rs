//! Perft counts the leaves of the tree of legal moves, to verify the move generator and to measure
//! its speed.
// Source: https://www.chessprogramming.org/Perft

use crate::board::{Board, MoveCounter};
use crate::types::Move;

/// Returns the number of positions `depth` plies below a position. Moves are made as in a search,
/// including keys, but those of the last ply are only counted.
///
/// ```
/// use rejoinder::board::{Board, perft::perft};
///
/// assert_eq!(perft(&Board::startpos(), 4), 197_281);
/// ```
pub fn perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => {
            let mut counter = MoveCounter::default();
            board.generate_captures(&mut counter);
            board.generate_quiets(&mut counter);
            counter.0
        }
        _ => board
            .legal_moves()
            .into_iter()
            .map(|mv| perft(&after(board, mv), depth - 1))
            .sum(),
    }
}

/// Returns the number of positions `depth` plies below a position, at least 1, for each legal move,
/// in the order of generation.
pub(crate) fn divide(board: &Board, depth: u32) -> Vec<(Move, u64)> {
    let below = |mv| perft(&after(board, mv), depth.saturating_sub(1));
    board
        .legal_moves()
        .into_iter()
        .map(|mv| (mv, below(mv)))
        .collect()
}

fn after(board: &Board, mv: Move) -> Board {
    let mut child = *board;
    child.make(mv);
    child
}
