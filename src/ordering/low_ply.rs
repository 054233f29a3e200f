//! Low-ply history: the success of quiet moves near the root, by ply, from square and to square. It
//! lasts for one search.
//!
//! Source: Stockfish

use super::gravity;
use crate::types::{Move, Square};

/// The boards of all plies, in points: `[ply][from][to]`.
type Boards = [Board; PLIES];
/// The board of one ply, in points: `[from][to]`.
pub type Board = [[i16; Square::COUNT]; Square::COUNT];
/// Number of plies, from the root on, that have a board.
const PLIES: usize = 5;

/// The low-ply history of one worker.
#[derive(Debug)]
pub struct LowPlyHistory {
    boards: Boards,
}

impl LowPlyHistory {
    /// Creates an empty history.
    pub const fn new() -> Self {
        Self {
            boards: [[[0; Square::COUNT]; Square::COUNT]; PLIES],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the board of a ply; `None` at greater plies.
    #[inline(always)]
    pub fn at(&self, ply: usize) -> Option<&Board> {
        self.boards.get(ply)
    }

    /// Gives a quiet move at this ply a bonus in points, or a malus if negative. Greater plies learn
    /// nothing.
    #[inline]
    pub fn update(&mut self, ply: usize, mv: Move, bonus: i32, limit: i32) {
        if let Some(board) = self.boards.get_mut(ply) {
            gravity::update(&mut board[mv.from().index()][mv.to().index()], bonus, limit);
        }
    }
}

impl Default for LowPlyHistory {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::MoveKind;

    #[test]
    fn plies_are_kept_apart_and_great_ones_have_none() {
        let mut history = LowPlyHistory::new();
        let mv = Move::new(Square::new(12), Square::new(28), MoveKind::DoublePush);
        for ply in [2, PLIES] {
            history.update(ply, mv, 300, 4096);
        }
        let known = |history: &LowPlyHistory, ply| history.at(ply).map(|board| board[12][28]);
        assert_eq!(known(&history, 2), Some(300));
        assert_eq!(known(&history, 3), Some(0));
        assert_eq!(known(&history, PLIES), None);
        history.clear();
        assert_eq!(known(&history, 2), Some(0));
    }
}
