//! Countermoves: the quiet move that last refuted the move of a piece to a square.
//!
//! Source: J. Uiterwijk, "The Countermove Heuristic", ICCA Journal 15(1), 1992.

use crate::types::{Move, Piece, Played, Square};

/// The countermoves of one worker.
#[derive(Debug)]
pub struct Countermoves {
    /// The reply by piece and to square of the prior move.
    replies: [[Move; Square::COUNT]; Piece::COUNT],
}

impl Countermoves {
    /// Creates an empty table.
    pub const fn new() -> Self {
        Self {
            replies: [[Move::NULL; Square::COUNT]; Piece::COUNT],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the reply to the prior move, or [`Move::NULL`] if there is none. It is quiet but
    /// need not be legal.
    #[inline(always)]
    pub fn reply(&self, prior: Played) -> Move {
        // Played::NONE is encoded as a white pawn's move to a1, which is impossible, so its entry
        // stays empty.
        self.replies[prior.piece.index()][prior.mv.to().index()]
    }

    /// Stores a quiet reply to the prior move that failed high.
    #[inline]
    pub fn store(&mut self, prior: Played, reply: Move) {
        debug_assert!(reply.is_quiet());
        if !prior.is_none() {
            self.replies[prior.piece.index()][prior.mv.to().index()] = reply;
        }
    }
}

impl Default for Countermoves {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::MoveKind;

    #[test]
    fn a_reply_belongs_to_piece_and_square() {
        let mut countermoves = Countermoves::new();
        let prior = |piece, from| Played {
            mv: Move::new(Square::new(from), Square::new(20), MoveKind::Quiet),
            piece,
            captured: None,
        };
        let reply = Move::new(Square::new(50), Square::new(42), MoveKind::Quiet);
        countermoves.store(prior(Piece::WhiteKnight, 3), reply);
        assert_eq!(countermoves.reply(prior(Piece::WhiteKnight, 5)), reply);
        assert!(countermoves.reply(prior(Piece::WhiteBishop, 5)).is_null());
        countermoves.clear();
        assert!(countermoves.reply(prior(Piece::WhiteKnight, 3)).is_null());
    }

    #[test]
    fn no_prior_move_has_no_reply() {
        let mut countermoves = Countermoves::new();
        let reply = Move::new(Square::new(50), Square::new(42), MoveKind::Quiet);
        countermoves.store(Played::NONE, reply);
        assert!(countermoves.reply(Played::NONE).is_null());
    }
}
