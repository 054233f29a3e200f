//! The squares that the opponent attacks, by the kind of attacker.

use super::Board;
use super::attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks};
use crate::types::{Bitboard, PieceType, Square};

/// The squares that the side not to move attacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Squares attacked by any piece.
    pub all: Bitboard,
    /// The squares where a piece of each kind would be attacked by a less valuable one.
    pub by_lesser: [Bitboard; PieceType::COUNT],
}

impl Board {
    /// Finds the squares that the side not to move attacks.
    // Source: https://www.chessprogramming.org/Square_Attacked_By
    #[inline]
    pub fn threats(&self) -> Threats {
        let them = !self.side_to_move;
        let occupied = self.occupied();
        let pawns = self.pieces(them, PieceType::Pawn).pawn_attacks(them);
        let mut minors = pawns;
        for from in self.pieces(them, PieceType::Knight) {
            minors |= knight_attacks(from);
        }
        for from in self.pieces(them, PieceType::Bishop) {
            minors |= bishop_attacks(from, occupied);
        }
        let mut rooks = minors;
        for from in self.pieces(them, PieceType::Rook) {
            rooks |= rook_attacks(from, occupied);
        }
        let mut all = rooks | king_attacks(self.king(them));
        for from in self.pieces(them, PieceType::Queen) {
            all |= bishop_attacks(from, occupied) | rook_attacks(from, occupied);
        }
        let none = Bitboard::EMPTY;
        Threats {
            all,
            by_lesser: [none, pawns, pawns, minors, rooks, none],
        }
    }
}

impl Threats {
    /// Returns whether a piece on this square is attacked.
    #[inline(always)]
    pub const fn has(&self, square: Square) -> bool {
        self.all.has(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rng;

    #[test]
    fn agrees_with_asking_for_each_square() {
        let mut random = Rng::new(7);
        for _ in 0..200 {
            let mut board = Board::startpos();
            for _ in 0..random.below(80) {
                let moves = board.legal_moves();
                if moves.is_empty() {
                    break;
                }
                board.make(moves[random.below(moves.len())]);
            }
            let threats = board.threats();
            let them = !board.side_to_move();
            let none = Bitboard::EMPTY;
            for square in Bitboard::FULL {
                let attackers = board.attackers(square, board.occupied()) & board.color(them);
                let by = |kinds: &[PieceType]| {
                    kinds.iter().fold(none, |all, &kind| all | board.kind(kind)) & attackers
                };
                let (pawn, knight, bishop) =
                    (PieceType::Pawn, PieceType::Knight, PieceType::Bishop);
                assert_eq!(threats.has(square), attackers.any(), "{board:?} {square:?}");
                for (kind, lesser) in [
                    (PieceType::Pawn, &[][..]),
                    (knight, &[pawn]),
                    (bishop, &[pawn]),
                    (PieceType::Rook, &[pawn, knight, bishop]),
                    (PieceType::Queen, &[pawn, knight, bishop, PieceType::Rook]),
                    (PieceType::King, &[]),
                ] {
                    let found = threats.by_lesser[kind.index()].has(square);
                    assert_eq!(found, by(lesser).any(), "{board:?} {kind:?} {square:?}");
                }
            }
        }
    }
}
