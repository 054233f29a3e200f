//! Which moves give check, seen before they are made.

use super::Board;
use super::attacks::{between, bishop_attacks, knight_attacks, line, pawn_attacks, rook_attacks};
use crate::types::{Bitboard, Color, Move, MoveKind, PieceType, Square};

/// From where the side to move gives check; found once for all moves of a position.
#[derive(Clone, Copy, Debug)]
pub struct CheckInfo {
    /// Squares each kind of piece would check from. A king's are empty.
    squares: [Bitboard; PieceType::COUNT],
    /// Own pieces that stand between an own slider and the enemy king.
    discoverers: Bitboard,
    king: Square,
}

impl Board {
    /// Where checks come from in this position.
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

    /// Whether a legal move gives check.
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
    /// Nothing gives check: for where nobody asks.
    pub const NONE: Self = Self {
        squares: [Bitboard::EMPTY; PieceType::COUNT],
        discoverers: Bitboard::EMPTY,
        king: Square::new(0),
    };

    /// Squares from where a piece of this kind would check.
    #[inline(always)]
    pub const fn squares(&self, kind: PieceType) -> Bitboard {
        self.squares[kind.index()]
    }

    /// Whether a legal move of the position gives check.
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

    /// Two pieces leave or arrive at once: look at the lines of the position after the move.
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
