//! Static exchange evaluation (SEE): the material that a move wins if both sides keep capturing on
//! its target square with their least valuable piece. Pins are ignored.
// Source: https://www.chessprogramming.org/Static_Exchange_Evaluation

use super::Board;
use super::attacks::{bishop_attacks, rook_attacks};
use crate::params::Params;
use crate::types::{Move, PieceType};

/// Returns the value of a piece in an exchange, in centipawns. A king counts 0, because it cannot
/// be captured.
#[inline(always)]
pub fn see_value(p: &Params, kind: PieceType) -> i32 {
    // A `match` would become a jump that nobody can foresee.
    [
        p.see_pawn(),
        p.see_knight(),
        p.see_bishop(),
        p.see_rook(),
        p.see_queen(),
        0,
    ][kind.index()]
}

impl Board {
    /// Returns whether the exchange that a legal move starts wins at least `threshold` centipawns,
    /// which may be negative.
    pub fn see_ge(&self, p: &Params, mv: Move, threshold: i32) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        let (from, to) = (mv.from(), mv.to());
        let us = self.side_to_move;

        // How far the side that has just captured is beyond its goal.
        let mut surplus = -threshold;
        if let Some(kind) = self.captured(mv) {
            surplus += see_value(p, kind);
        }
        let mut exposed = match self.piece_on(from) {
            Some(piece) => see_value(p, piece.kind()),
            None => return false,
        };
        if let Some(kind) = mv.promotion() {
            surplus += see_value(p, kind) - see_value(p, PieceType::Pawn);
            exposed = see_value(p, kind);
        }
        if surplus < 0 {
            return false;
        }
        if surplus >= exposed {
            return true;
        }

        let mut occupied = self.occupied() & !from.bitboard() | to.bitboard();
        if mv.is_en_passant() {
            occupied &= !crate::types::Square::at(to.file(), from.rank()).bitboard();
        }
        let diagonal = self.kind(PieceType::Bishop) | self.kind(PieceType::Queen);
        let straight = self.kind(PieceType::Rook) | self.kind(PieceType::Queen);
        let mut attackers = self.attackers(to, occupied) & occupied;
        let mut side = !us;
        loop {
            let own = attackers & self.color(side);
            if own.is_empty() {
                break;
            }
            let Some(kind) = PieceType::ALL
                .into_iter()
                .find(|&kind| (own & self.kind(kind)).any())
            else {
                break;
            };
            if kind == PieceType::King {
                // A king captures last, and only a piece that is not defended.
                if (attackers & self.color(!side)).is_empty() {
                    side = !side;
                }
                break;
            }
            // The side wins the piece there, and need not go on if it then reaches its own goal
            // even after losing the capturing piece.
            surplus = exposed - surplus - 1;
            exposed = see_value(p, kind);
            side = !side;
            if surplus >= exposed {
                break;
            }
            occupied ^= (own & self.kind(kind)).lowest().bitboard();
            if kind != PieceType::Knight && kind != PieceType::Rook {
                attackers |= bishop_attacks(to, occupied) & diagonal;
            }
            if matches!(kind, PieceType::Rook | PieceType::Queen) {
                attackers |= rook_attacks(to, occupied) & straight;
            }
            attackers &= occupied;
        }
        // The side whose turn it would be to capture has lost the exchange.
        side != us
    }
}
