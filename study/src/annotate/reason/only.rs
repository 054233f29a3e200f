//! Only moves: what every other move loses.

use rejoinder::board::Board;
use rejoinder::types::{Move, Score, score};

use super::material::{balance, captures_to_rest};

/// Says what the other moves lose, given the score of the best of them; `None` if they lose neither the
/// king nor material that can be taken at once.
pub fn find(board: &Board, mv: Move, second: Score) -> Option<String> {
    if score::mate_distance(second).is_some_and(|moves| moves < 0) {
        return Some("The only move: every other one allows mate.".to_owned());
    }
    let now = balance(board, board.side_to_move());
    let kept = after(board, mv)?;
    let mut least = i32::MAX;
    for other in board.legal_moves() {
        if other != mv {
            least = least.min(now.min(kept) - after(board, other)?);
        }
    }
    let thing = match least {
        ..3 => return None,
        3..5 => "a piece",
        5..9 => "a rook",
        9.. => "the queen",
    };
    Some(format!(
        "The only move: every other one loses {thing} or more."
    ))
}

/// Returns the balance of the side to move when a move and the captures behind it are made. A side that
/// is mated has none.
fn after(board: &Board, mv: Move) -> Option<i32> {
    let us = board.side_to_move();
    let mut board = *board;
    board.make(mv);
    for capture in captures_to_rest(&board)? {
        board.make(capture);
    }
    Some(balance(&board, us))
}
