//! The moves that a node has searched, from which the histories learn.

use arrayvec::ArrayVec;

use crate::types::Move;

/// The moves that a node has searched.
#[derive(Clone, Debug, Default)]
pub struct SearchedMoves {
    /// Number of all moves searched, including those for which the lists have no room.
    pub count: i32,
    /// The first quiet moves.
    pub quiets: ArrayVec<Move, 64>,
    /// The first captures and promotions.
    pub captures: ArrayVec<Move, 32>,
}

impl SearchedMoves {
    /// Adds a move that did not fail high to its list.
    pub fn add(&mut self, mv: Move) {
        // Moves for which there is no room came too late to matter.
        let _ = if mv.is_quiet() {
            self.quiets.try_push(mv)
        } else {
            self.captures.try_push(mv)
        };
    }
}

impl FromIterator<Move> for SearchedMoves {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        let mut searched = Self::default();
        for mv in moves {
            searched.count += 1;
            searched.add(mv);
        }
        searched
    }
}
