//! Threats that are ignored: the opponent could already have done it, were it not the other's turn.

use rejoinder::board::Board;
use rejoinder::types::{Move, Square};

use super::material::exchange;

/// Returns whether a capture was threatened before a move was made that did not concern it: the same
/// piece, which has not moved, could have been taken with the same gain.
pub fn is_capture_ignored(before: &Board, mv: Move, after: &Board, reply: Move) -> bool {
    let is_same = |square: Square| before.piece_on(square) == after.piece_on(square);
    let stood = is_same(reply.to()) && is_same(reply.from()) && mv.to() != reply.to();
    stood
        && !mv.is_capture()
        && passed(before).is_some_and(|board| {
            board.is_legal(reply) && exchange(&board, reply) >= exchange(after, reply)
        })
}

/// Returns whether the mate that a move allows was threatened before it.
pub fn is_mate_ignored(before: &Board, reply: Move) -> bool {
    passed(before).is_some_and(|mut board| {
        board.is_legal(reply) && {
            board.make(reply);
            board.in_check() && board.legal_moves().is_empty()
        }
    })
}

/// Returns the position with the turn passed; `None` in check.
fn passed(board: &Board) -> Option<Board> {
    let mut passed = *board;
    (!board.in_check()).then(|| {
        passed.make_null();
        passed
    })
}
