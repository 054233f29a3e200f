//! Pawn history: the success of quiet moves in positions with the same pawns.
//!
//! Source: <https://www.chessprogramming.org/History_Heuristic>

use super::continuation::Row;
use super::gravity;
use crate::memory::{Arena, Mapped};
use crate::types::Played;

/// Number of rows. Pawn structures that share a row share their history.
const STRUCTURES: usize = 512;

/// The pawn history of one worker: a row for each pawn structure.
#[derive(Debug)]
pub struct PawnHistory {
    rows: Mapped<Row>,
}

impl PawnHistory {
    /// Size of the table, in bytes.
    pub const BYTES: usize = STRUCTURES * size_of::<Row>();

    /// Creates an empty history.
    pub fn new(memory: &mut Arena) -> Self {
        Self {
            rows: memory.take(STRUCTURES),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.rows.as_flattened_mut().as_flattened_mut().fill(0);
    }

    /// Returns the row of a pawn structure.
    #[inline(always)]
    pub fn with(&self, pawn_key: u64) -> &Row {
        &self.rows[pawn_key as usize % STRUCTURES]
    }

    /// Gives a move with these pawns a bonus in points, or a malus if negative.
    #[inline]
    pub fn update(&mut self, pawn_key: u64, played: Played, bonus: i32, limit: i32) {
        let row = &mut self.rows[pawn_key as usize % STRUCTURES];
        let value = &mut row[played.piece.index()][played.mv.to().index()];
        gravity::update(value, bonus, limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, MoveKind, Piece, Square};

    #[test]
    fn a_value_belongs_to_the_pawns_and_the_move() {
        let mut history = PawnHistory::new(&mut Arena::new(PawnHistory::BYTES));
        let played = Played {
            mv: Move::new(Square::new(1), Square::new(18), MoveKind::Quiet),
            piece: Piece::WhiteKnight,
            captured: None,
        };
        history.update(77, played, 250, 4096);
        let known = |key| history.with(key)[Piece::WhiteKnight.index()][18];
        assert_eq!(known(77), 250);
        assert_eq!(known(78), 0);
        history.clear();
        assert_eq!(history.with(77), history.with(78));
    }
}
