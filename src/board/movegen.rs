//! Generates legal moves, captures and quiet moves separately.

use super::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, line, pawn_attacks, queen_attacks,
    rook_attacks,
};
use super::{Board, Threats};
use crate::types::{Bitboard, CastlingSide, Move, MoveKind, MoveList, PieceType, Square};

/// Receives generated moves. A sink that only counts them need not look at each move.
pub(crate) trait MoveSink {
    /// Receives one move.
    fn push(&mut self, mv: Move);

    /// Receives the moves of one piece to each of the targets.
    #[inline(always)]
    fn push_targets(&mut self, from: Square, targets: Bitboard, kind: MoveKind) {
        for to in targets {
            self.push(Move::new(from, to, kind));
        }
    }

    /// Receives the moves of several pawns that all advance by `step` square indices to the
    /// targets.
    #[inline(always)]
    fn push_pawns(&mut self, targets: Bitboard, step: i8, kind: MoveKind) {
        for to in targets {
            self.push(Move::new(to.offset(-step), to, kind));
        }
    }
}

impl MoveSink for MoveList {
    #[inline(always)]
    fn push(&mut self, mv: Move) {
        Self::push(self, mv);
    }
}

/// Counts moves without looking at them, for the leaves of perft.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MoveCounter(pub u64);

impl MoveSink for MoveCounter {
    #[inline(always)]
    fn push(&mut self, _mv: Move) {
        self.0 += 1;
    }

    #[inline(always)]
    fn push_targets(&mut self, _from: Square, targets: Bitboard, _kind: MoveKind) {
        self.0 += u64::from(targets.count());
    }

    #[inline(always)]
    fn push_pawns(&mut self, targets: Bitboard, _step: i8, _kind: MoveKind) {
        self.0 += u64::from(targets.count());
    }
}

const QUEEN_FIRST: [PieceType; 4] = [
    PieceType::Queen,
    PieceType::Knight,
    PieceType::Rook,
    PieceType::Bishop,
];

impl Board {
    /// Returns all legal moves.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate_captures(&mut list);
        self.generate_quiets(&mut list);
        list
    }

    /// Returns all legal captures and promotions.
    pub fn captures(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate_captures(&mut list);
        list
    }

    /// Returns all legal moves that neither capture nor promote.
    pub fn quiets(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate_quiets(&mut list);
        list
    }

    /// Generates all legal captures and promotions.
    #[inline]
    pub(crate) fn generate_captures<S: MoveSink>(&self, sink: &mut S) {
        let us = self.side_to_move;
        let their = self.color(!us);
        self.generate_king(their, None, MoveKind::Capture, sink);
        let Some(mask) = self.check_mask() else {
            return;
        };
        self.generate_pawn_captures(mask, sink);
        self.generate_pieces(their & mask, MoveKind::Capture, sink);
    }

    /// Generates all legal moves that neither capture nor promote.
    #[inline]
    pub(crate) fn generate_quiets<S: MoveSink>(&self, sink: &mut S) {
        self.generate_quiets_knowing(None, sink);
    }

    /// Generates all legal moves that neither capture nor promote, faster if the threats are known.
    #[inline]
    pub(crate) fn generate_quiets_knowing<S: MoveSink>(
        &self,
        threats: Option<&Threats>,
        sink: &mut S,
    ) {
        let empty = !self.occupied();
        self.generate_king(empty, threats, MoveKind::Quiet, sink);
        let Some(mask) = self.check_mask() else {
            return;
        };
        self.generate_pawn_pushes(mask, sink);
        self.generate_pieces(empty & mask, MoveKind::Quiet, sink);
        if !self.in_check() && self.castling.any(self.side_to_move) {
            for wing in CastlingSide::ALL {
                if let Some(mv) = self.castle(wing) {
                    sink.push(mv);
                }
            }
        }
    }

    /// Returns the squares where pieces other than the king may move: all squares, or in check
    /// those between king and checker and the checker's own. `None` in double check, when only the
    /// king can move.
    #[inline(always)]
    fn check_mask(&self) -> Option<Bitboard> {
        if self.checkers.is_empty() {
            Some(Bitboard::FULL)
        } else if self.checkers.more_than_one() {
            None
        } else {
            let king = self.king(self.side_to_move);
            Some(between(king, self.checkers.lowest()) | self.checkers)
        }
    }

    #[inline(always)]
    fn generate_king<S: MoveSink>(
        &self,
        targets: Bitboard,
        threats: Option<&Threats>,
        kind: MoveKind,
        sink: &mut S,
    ) {
        let king = self.king(self.side_to_move);
        let mut safe = Bitboard::EMPTY;
        match threats {
            // No slider attacks through a king that is not in check.
            Some(threats) if !self.in_check() => {
                safe = king_attacks(king) & targets & !threats.all;
            }
            _ => {
                for to in king_attacks(king) & targets {
                    if self.king_is_safe_on(to) {
                        safe |= to.bitboard();
                    }
                }
            }
        }
        sink.push_targets(king, safe, kind);
    }

    #[inline(always)]
    fn generate_pieces<S: MoveSink>(&self, targets: Bitboard, kind: MoveKind, sink: &mut S) {
        let us = self.side_to_move;
        let our = self.color(us);
        let occupied = self.occupied();

        // A pinned knight never moves.
        for from in self.kind(PieceType::Knight) & our & !self.pinned {
            sink.push_targets(from, knight_attacks(from) & targets, kind);
        }
        for from in self.kind(PieceType::Bishop) & our & !self.pinned {
            sink.push_targets(from, bishop_attacks(from, occupied) & targets, kind);
        }
        for from in self.kind(PieceType::Rook) & our & !self.pinned {
            sink.push_targets(from, rook_attacks(from, occupied) & targets, kind);
        }
        for from in self.kind(PieceType::Queen) & our & !self.pinned {
            sink.push_targets(from, queen_attacks(from, occupied) & targets, kind);
        }
        if ((self.diagonal_sliders(us) | self.straight_sliders(us)) & self.pinned).any() {
            self.generate_pinned(targets, kind, sink);
        }
    }

    /// Generates moves of pinned sliders, which stay on the line to their king. Few positions have
    /// one.
    #[cold]
    #[inline(never)]
    fn generate_pinned<S: MoveSink>(&self, targets: Bitboard, kind: MoveKind, sink: &mut S) {
        let us = self.side_to_move;
        let king = self.king(us);
        let occupied = self.occupied();
        for from in self.diagonal_sliders(us) & self.pinned {
            let way = bishop_attacks(from, occupied) & line(king, from);
            sink.push_targets(from, way & targets, kind);
        }
        for from in self.straight_sliders(us) & self.pinned {
            let way = rook_attacks(from, occupied) & line(king, from);
            sink.push_targets(from, way & targets, kind);
        }
    }

    /// The code is the same for both colors, because two copies would evict each other from the
    /// instruction cache.
    #[inline(always)]
    fn generate_pawn_captures<S: MoveSink>(&self, mask: Bitboard, sink: &mut S) {
        let us = self.side_to_move;
        let up = self.up();
        let pawns = self.pieces(us, PieceType::Pawn);
        let free = pawns & !self.pinned;
        let targets = self.color(!us) & mask;
        let last = Bitboard::relative_rank(us, 7);

        for (edge, side) in [(Bitboard::FILE_A, -1), (Bitboard::FILE_H, 1)] {
            let reach = (free & !edge).rotate(up + side) & targets;
            sink.push_pawns(reach & !last, up + side, MoveKind::Capture);
            if (reach & last).any() {
                push_promotions(reach & last, up + side, MoveKind::CapturePromotion, sink);
            }
        }
        let before_last = Bitboard::relative_rank(us, 6);
        if (free & before_last).any() {
            let reach = (free & before_last).rotate(up) & !self.occupied() & mask;
            push_promotions(reach, up, MoveKind::Promotion, sink);
        }
        if (pawns & self.pinned).any() || self.en_passant.is_some() {
            self.generate_rare_pawn_captures(targets, sink);
        }
    }

    /// Generates captures of pinned pawns and en passant captures.
    #[cold]
    #[inline(never)]
    fn generate_rare_pawn_captures<S: MoveSink>(&self, targets: Bitboard, sink: &mut S) {
        let us = self.side_to_move;
        let king = self.king(us);
        let pawns = self.pieces(us, PieceType::Pawn);
        let last = Bitboard::relative_rank(us, 7);
        // A pinned pawn cannot promote by a push: it would have to be pinned along its file, with
        // the pinning piece in its way.
        for from in pawns & self.pinned {
            let reach = pawn_attacks(us, from) & targets & line(king, from);
            sink.push_targets(from, reach & !last, MoveKind::Capture);
            if (reach & last).any() {
                for piece in QUEEN_FIRST {
                    sink.push_targets(from, reach & last, MoveKind::CapturePromotion(piece));
                }
            }
        }
        if let Some(to) = self.en_passant {
            for from in pawn_attacks(!us, to) & pawns {
                if self.en_passant_is_safe(from, to) {
                    sink.push(Move::new(from, to, MoveKind::EnPassant));
                }
            }
        }
    }

    #[inline(always)]
    fn generate_pawn_pushes<S: MoveSink>(&self, mask: Bitboard, sink: &mut S) {
        let us = self.side_to_move;
        let up = self.up();
        let empty = !self.occupied();
        let king = self.king(us);
        // A pawn that is pinned along its file may advance.
        let on_king_file = Bitboard::file(king.file());
        let pawns = self.pieces(us, PieceType::Pawn)
            & (!self.pinned | on_king_file)
            & !Bitboard::relative_rank(us, 6);
        let once = pawns.rotate(up) & empty;
        let twice = (once & Bitboard::relative_rank(us, 2)).rotate(up) & empty;
        sink.push_pawns(once & mask, up, MoveKind::Quiet);
        sink.push_pawns(twice & mask, up * 2, MoveKind::DoublePush);
    }

    /// Returns the index difference of a pawn's single step.
    #[inline(always)]
    const fn up(&self) -> i8 {
        8 - 16 * self.side_to_move as i8
    }
}

/// Generates the promotions of several pawns that all advance by `step` square indices to the
/// targets.
#[cold]
#[inline(never)]
fn push_promotions<S: MoveSink>(
    targets: Bitboard,
    step: i8,
    kind: fn(PieceType) -> MoveKind,
    sink: &mut S,
) {
    for piece in QUEEN_FIRST {
        sink.push_pawns(targets, step, kind(piece));
    }
}
