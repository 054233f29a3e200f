//! Checks single moves for legality: stored moves, moves of users, castling and en passant
//! captures.

use super::Board;
use super::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, queen_attacks,
    rook_attacks,
};
use crate::types::{Bitboard, CastlingSide, Move, MoveKind, Piece, PieceType, Played, Square};

impl Board {
    /// Returns whether these 16 bits, which may be arbitrary, are a legal move here.
    pub fn is_legal(&self, mv: Move) -> bool {
        let Some(kind) = mv.kind() else { return false };
        let us = self.side_to_move;
        let (from, to) = (mv.from(), mv.to());
        let Some(piece) = self.piece_on(from).filter(|piece| piece.color() == us) else {
            return false;
        };
        if kind == MoveKind::Castle {
            return !self.in_check()
                && CastlingSide::ALL
                    .into_iter()
                    .any(|wing| self.castle(wing) == Some(mv));
        }
        if kind == MoveKind::EnPassant {
            return piece.kind() == PieceType::Pawn
                && self.en_passant == Some(to)
                && pawn_attacks(us, from).has(to)
                && self.en_passant_is_safe(from, to);
        }
        let target = self.piece_on(to);
        let fits = if mv.is_capture() {
            target.is_some_and(|piece| piece.color() != us && piece.kind() != PieceType::King)
        } else {
            target.is_none()
        };
        if !fits || !self.reaches(piece.kind(), mv, kind) {
            return false;
        }
        let king = self.king(us);
        if piece.kind() == PieceType::King {
            return self.king_is_safe_on(to);
        }
        let answers_check = self.checkers.is_empty()
            || !self.checkers.more_than_one()
                && (between(king, self.checkers.lowest()) | self.checkers).has(to);
        answers_check && (!self.pinned.has(from) || line(king, from).has(to))
    }

    /// Returns whether a piece of this kind can make this pseudo-legal move.
    fn reaches(&self, piece: PieceType, mv: Move, kind: MoveKind) -> bool {
        let us = self.side_to_move;
        let (from, to) = (mv.from(), mv.to());
        let occupied = self.occupied();
        if piece == PieceType::Pawn {
            let ahead = from.bitboard().forward(us);
            let squares = match kind {
                MoveKind::DoublePush => {
                    (ahead & !occupied & Bitboard::relative_rank(us, 2)).forward(us)
                }
                _ if mv.is_capture() => pawn_attacks(us, from),
                _ => ahead,
            };
            return squares.has(to) && mv.is_promotion() == (to.relative_rank(us) == 7);
        }
        let squares = match piece {
            PieceType::Knight => knight_attacks(from),
            PieceType::Bishop => bishop_attacks(from, occupied),
            PieceType::Rook => rook_attacks(from, occupied),
            PieceType::Queen => queen_attacks(from, occupied),
            _ => king_attacks(from),
        };
        matches!(kind, MoveKind::Quiet | MoveKind::Capture) && squares.has(to)
    }

    /// Returns whether the king of the side to move would be safe on a square next to it.
    #[inline(always)]
    pub(super) fn king_is_safe_on(&self, to: Square) -> bool {
        let us = self.side_to_move;
        // Sliders also attack squares behind the king, which leaves its square.
        let occupied = self.occupied() & !self.pieces(us, PieceType::King);
        !self.is_attacked(to, !us, occupied)
    }

    /// Returns the castling move to this side, if it is legal. The king must not be in check.
    pub(super) fn castle(&self, wing: CastlingSide) -> Option<Move> {
        let us = self.side_to_move;
        let rook = self.castling_rook(us, wing)?;
        let king = self.king(us);
        let king_to = Square::at(wing.king_file(), king.rank());
        let rook_to = Square::at(wing.rook_file(), king.rank());
        let king_way = between(king, king_to) | king_to.bitboard();
        let rook_way = between(rook, rook_to) | rook_to.bitboard();
        let others = self.occupied() & !king.bitboard() & !rook.bitboard();
        // In Chess960 the rook may shield the king from a check on its back rank.
        if ((king_way | rook_way) & others).any() || self.pinned.has(rook) {
            return None;
        }
        let attacked = king_way
            .into_iter()
            .any(|square| self.is_attacked(square, !us, self.occupied()));
        (!attacked).then(|| Move::new(king, rook, MoveKind::Castle))
    }

    /// Returns whether the king is safe after an en passant capture. Pins do not tell, because two
    /// pawns leave a rank at once.
    pub(super) fn en_passant_is_safe(&self, from: Square, to: Square) -> bool {
        let us = self.side_to_move;
        let king = self.king(us);
        let taken = Square::at(to.file(), from.rank()).bitboard();
        let occupied = (self.occupied() & !from.bitboard() & !taken) | to.bitboard();
        (bishop_attacks(king, occupied) & self.diagonal_sliders(!us)).is_empty()
            && (rook_attacks(king, occupied) & self.straight_sliders(!us)).is_empty()
            && (knight_attacks(king) & self.pieces(!us, PieceType::Knight)).is_empty()
            && (pawn_attacks(us, king) & self.pieces(!us, PieceType::Pawn) & !taken).is_empty()
    }

    /// Returns the kind of piece that a legal move captures.
    #[inline(always)]
    pub fn captured(&self, mv: Move) -> Option<PieceType> {
        if mv.is_en_passant() {
            Some(PieceType::Pawn)
        } else if mv.is_capture() {
            self.piece_on(mv.to()).map(Piece::kind)
        } else {
            None
        }
    }

    /// Returns a legal move together with the pieces involved; [`Played::NONE`] for the null move.
    #[inline]
    pub fn describe(&self, mv: Move) -> Played {
        match self.piece_on(mv.from()) {
            Some(piece) if !mv.is_null() => Played {
                mv,
                piece,
                captured: self.captured(mv),
            },
            _ => Played::NONE,
        }
    }
}
