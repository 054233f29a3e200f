//! Continuation history: the success of quiet moves after a given move one, two or four plies
//! before.
//!
//! Source: <https://www.chessprogramming.org/History_Heuristic>

use super::gravity;
use crate::memory::{Arena, Mapped};
use crate::types::{Piece, Played, Square};

/// The histories of the moves that follow one prior move, in points: `[piece][to]`.
pub type Row = [[i16; Square::COUNT]; Piece::COUNT];

/// The continuation history of one worker: a row for each piece and to square of a prior move.
///
/// One table serves all distances. The prior move one ply before is the opponent's and never shares
/// a row with the others, which are moves of the side to move.
#[derive(Debug)]
pub struct Continuation {
    rows: Mapped<Row>,
}

impl Continuation {
    /// Size of the table, in bytes.
    pub const BYTES: usize = Piece::COUNT * Square::COUNT * size_of::<Row>();

    /// Creates an empty history.
    pub fn new(memory: &mut Arena) -> Self {
        Self {
            rows: memory.take(Piece::COUNT * Square::COUNT),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.rows.as_flattened_mut().as_flattened_mut().fill(0);
    }

    /// Returns the row after a prior move. Without a prior move all its entries are 0.
    #[inline(always)]
    pub fn after(&self, prior: Played) -> &Row {
        &self.rows[index(prior)]
    }

    /// Gives a move after a prior move a bonus in points, or a malus if negative. Without a prior
    /// move nothing changes.
    #[inline]
    pub fn update(&mut self, prior: Played, played: Played, bonus: i32, limit: i32) {
        if !prior.is_none() {
            let row = &mut self.rows[index(prior)];
            let value = &mut row[played.piece.index()][played.mv.to().index()];
            gravity::update(value, bonus, limit);
        }
    }
}

/// Returns the index of the row. [`Played::NONE`] is encoded as a white pawn's move to a1, which is
/// impossible, so it has a row of its own that is never written.
#[inline(always)]
fn index(prior: Played) -> usize {
    prior.piece.index() * Square::COUNT + prior.mv.to().index()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, MoveKind};

    fn played(piece: Piece, to: u8) -> Played {
        Played {
            mv: Move::new(Square::new(1), Square::new(to), MoveKind::Quiet),
            piece,
            captured: None,
        }
    }

    #[test]
    fn a_value_belongs_to_both_moves() {
        let mut continuation = Continuation::new(&mut Arena::new(Continuation::BYTES));
        let prior = played(Piece::BlackKing, 63);
        let reply = played(Piece::WhiteQueen, 7);
        continuation.update(prior, reply, 250, 4096);
        let known = |prior, reply: Played| {
            continuation.after(prior)[reply.piece.index()][reply.mv.to().index()]
        };
        assert_eq!(known(prior, reply), 250);
        assert_eq!(known(played(Piece::BlackKing, 62), reply), 0);
        assert_eq!(known(prior, played(Piece::WhiteQueen, 8)), 0);
        continuation.clear();
        assert_eq!(continuation.after(prior), continuation.after(Played::NONE));
    }

    #[test]
    fn nothing_is_learned_after_no_move() {
        let mut continuation = Continuation::new(&mut Arena::new(Continuation::BYTES));
        continuation.update(Played::NONE, played(Piece::WhiteQueen, 7), 250, 4096);
        let row = continuation.after(Played::NONE);
        assert!(row.as_flattened().iter().all(|&value| value == 0));
    }
}
