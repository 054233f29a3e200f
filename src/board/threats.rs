//! The squares that the opponent attacks, by the kind of attacker.

use super::Board;
use super::attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks};
use crate::types::{Bitboard, PieceType, Square};

/// The squares that the side not to move attacks with its pieces up to some kind. Each set includes
/// the ones before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Threats {
    /// Squares attacked by pawns.
    pub pawns: Bitboard,
    /// Squares attacked by pawns, knights or bishops.
    pub minors: Bitboard,
    /// Squares attacked by anything but queens and the king.
    pub rooks: Bitboard,
    /// Squares attacked by any piece.
    pub all: Bitboard,
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
        Threats {
            pawns,
            minors,
            rooks,
            all,
        }
    }
}

impl Threats {
    /// Returns the squares where a piece of this kind would be attacked by a less valuable one.
    #[inline(always)]
    pub(crate) const fn by_lesser(&self, kind: PieceType) -> Bitboard {
        match kind {
            PieceType::Knight | PieceType::Bishop => self.pawns,
            PieceType::Rook => self.minors,
            PieceType::Queen => self.rooks,
            PieceType::Pawn | PieceType::King => Bitboard::EMPTY,
        }
    }

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
                assert_eq!(threats.pawns.has(square), by(&[pawn]).any());
                assert_eq!(
                    threats.minors.has(square),
                    by(&[pawn, knight, bishop]).any()
                );
                let lesser = by(&[pawn, knight, bishop, PieceType::Rook]).any();
                assert_eq!(threats.by_lesser(PieceType::Queen).has(square), lesser);
            }
            assert_eq!(threats.by_lesser(PieceType::King), none);
        }
    }
}
