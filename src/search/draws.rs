//! What the rules end or level: repetition, the fifty-move rule, bare kings.

use super::Search;
use crate::board::{Board, FIFTY_MOVES, repetition};
use crate::types::{Score, score};

/// Halfmove clock from which the table's scores, which know nothing of it, are no longer believed, plies.
const FIFTY_MOVES_NEAR: u32 = 90;

impl Search<'_> {
    /// Whether the rules end the game here, other than by mate or stalemate.
    pub(super) fn is_drawn(&self, board: &Board, ply: usize) -> bool {
        board.insufficient_material()
            || repetition::is_repetition(board, &self.keys, ply)
            || board.halfmove_clock() >= FIFTY_MOVES
                && !(board.in_check() && board.legal_moves().is_empty())
    }

    /// A draw, now and then a little better or worse: two draws of one value would hide the way to a third line.
    pub(super) fn draw_score(&self) -> Score {
        score::DRAW + 1 - (self.nodes & 2) as Score
    }
}

/// Whether the table's scores still hold.
pub(super) fn far_from_fifty(board: &Board) -> bool {
    board.halfmove_clock() < FIFTY_MOVES_NEAR
}
