//! Tells which moves give check before they are made.

#[cfg(target_feature = "avx512f")]
use super::attack_sets::attack_sets;
use super::attacks::{between, bishop_attacks, knight_attacks, line, pawn_attacks, rook_attacks};
use super::{Board, Threats};
use crate::types::{Bitboard, Color, Move, MoveKind, PieceType, Square};

/// The squares from which the side to move gives check, computed once for all moves of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckInfo {
    /// The squares from which each kind of piece would give check; none for a king.
    squares: [Bitboard; PieceType::COUNT],
    /// Pieces of the side to move that stand between one of its sliders and the enemy king.
    discoverers: Bitboard,
    king: Square,
}

impl Board {
    /// Finds the squares from which the side to move gives check.
    #[inline]
    pub fn check_info(&self) -> CheckInfo {
        let us = self.side_to_move;
        let king = self.king(!us);
        let occupied = self.occupied();
        let diagonal = bishop_attacks(king, occupied);
        let straight = rook_attacks(king, occupied);
        CheckInfo {
            squares: [
                pawn_attacks(!us, king),
                knight_attacks(king),
                diagonal,
                straight,
                diagonal | straight,
                Bitboard::EMPTY,
            ],
            discoverers: self.discoverers(us, king),
            king,
        }
    }

    /// Finds the squares that the side not to move attacks, and those from which the side to move
    /// gives check: [`threats`](Self::threats) and [`check_info`](Self::check_info).
    #[cfg(not(target_feature = "avx512f"))]
    #[inline(always)]
    pub(crate) fn threats_and_checks(&self) -> (Threats, CheckInfo) {
        (self.threats(), self.check_info())
    }

    /// The same from all lines of the board at once, without loops over pieces.
    #[cfg(target_feature = "avx512f")]
    #[inline(always)]
    pub(crate) fn threats_and_checks(&self) -> (Threats, CheckInfo) {
        let (us, them) = (self.side_to_move.index(), (!self.side_to_move).index());
        let found = attack_sets(&self.colors, &self.kinds);
        let [pawns, knights, bishops, rooks, queens, kings] =
            found.by_kind.map(|pair| pair.sets()[them]);
        let [diagonal, straight, knight, shields] = [
            found.king_diagonals,
            found.king_straights,
            found.king_knights,
            found.shields,
        ]
        .map(|pair| pair.sets()[us]);
        let minors = pawns | knights | bishops;
        let king = self.king(!self.side_to_move);
        let none = Bitboard::EMPTY;
        let threats = Threats {
            all: minors | rooks | queens | kings,
            by_lesser: [none, pawns, pawns, minors, minors | rooks, none],
        };
        let checks = CheckInfo {
            squares: [
                pawn_attacks(!self.side_to_move, king),
                knight,
                diagonal,
                straight,
                diagonal | straight,
                none,
            ],
            discoverers: shields & self.colors[us],
            king,
        };
        (threats, checks)
    }

    /// Returns whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        self.check_info().gives_check(self, mv)
    }

    fn discoverers(&self, us: Color, king: Square) -> Bitboard {
        let occupied = self.occupied();
        let mut found = Bitboard::EMPTY;
        for sniper in self.snipers(king, us) {
            let shield = between(king, sniper) & occupied;
            if !shield.more_than_one() {
                found |= shield;
            }
        }
        found
    }
}

impl CheckInfo {
    /// No checking squares, for nodes that do not ask for them.
    pub(crate) const NONE: Self = Self {
        squares: [Bitboard::EMPTY; PieceType::COUNT],
        discoverers: Bitboard::EMPTY,
        king: Square::new(0),
    };

    /// Returns the squares from which a piece of this kind would give check.
    #[inline(always)]
    pub(crate) const fn squares(&self, kind: PieceType) -> Bitboard {
        self.squares[kind.index()]
    }

    /// Returns whether a legal move of the position gives check.
    #[inline]
    pub fn gives_check(&self, board: &Board, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        match mv.kind() {
            Some(MoveKind::Castle | MoveKind::EnPassant) => {
                return self.rare_move_gives_check(board, mv);
            }
            Some(MoveKind::Promotion(_) | MoveKind::CapturePromotion(_)) => {
                let occupied = board.occupied() & !from.bitboard();
                let attacks = match mv.promotion() {
                    Some(PieceType::Knight) => knight_attacks(to),
                    Some(PieceType::Bishop) => bishop_attacks(to, occupied),
                    Some(PieceType::Rook) => rook_attacks(to, occupied),
                    _ => bishop_attacks(to, occupied) | rook_attacks(to, occupied),
                };
                if attacks.has(self.king) {
                    return true;
                }
            }
            _ => {
                let Some(piece) = board.piece_on(from) else {
                    return false;
                };
                if self.squares[piece.kind().index()].has(to) {
                    return true;
                }
            }
        }
        self.discoverers.has(from) && !line(self.king, from).has(to)
    }

    /// Returns whether castling or an en passant capture gives check. Two squares become empty at
    /// once, so this looks at the position after the move.
    fn rare_move_gives_check(&self, board: &Board, mv: Move) -> bool {
        let us = board.side_to_move();
        let mut after = *board;
        after.make(mv);
        let occupied = after.occupied();
        (pawn_attacks(!us, self.king) & after.pieces(us, PieceType::Pawn)).any()
            || (bishop_attacks(self.king, occupied) & after.diagonal_sliders(us)).any()
            || (rook_attacks(self.king, occupied) & after.straight_sliders(us)).any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rng;

    #[test]
    fn found_together_are_those_found_alone() {
        let mut rng = Rng::new(8);
        let mut discoverers = 0;
        for _ in 0..200 {
            let mut board = Board::startpos();
            for _ in 0..100 {
                let (threats, checks) = (board.threats(), board.check_info());
                assert_eq!(board.threats_and_checks(), (threats, checks), "{board:?}");
                discoverers += checks.discoverers.count();
                let Some(mv) = rng.choose(&board.legal_moves()) else {
                    break;
                };
                board.make(mv);
            }
        }
        assert!(discoverers > 100, "{discoverers}");
    }
}
