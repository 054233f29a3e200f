//! Captures and promotions: most valuable victim, least valuable attacker, and capture history.
//!
//! Source: <https://www.chessprogramming.org/MVV-LVA>, <https://www.chessprogramming.org/History_Heuristic>

use super::gravity;
use crate::board::see_value;
use crate::params::Params;
use crate::types::{Move, Piece, PieceType, Played, Square};

/// How captures and promotions fared before: `[piece][to][captured]`, the last index one more than the kinds
/// for promotions that take nothing.
#[derive(Debug)]
pub struct CaptureHistory {
    table: [[[i16; PieceType::COUNT + 1]; Square::COUNT]; Piece::COUNT],
}

impl CaptureHistory {
    /// Nothing learnt.
    pub const fn new() -> Self {
        Self {
            table: [[[0; PieceType::COUNT + 1]; Square::COUNT]; Piece::COUNT],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// What is known of a capture or promotion, in `-history_limit..=history_limit`.
    #[inline(always)]
    pub fn get(&self, played: Played) -> i32 {
        self.table[played.piece.index()][played.mv.to().index()][victim(played)] as i32
    }

    /// Learns from one move; see `gravity::update`.
    #[inline]
    pub fn update(&mut self, played: Played, bonus: i32, limit: i32) {
        let value = &mut self.table[played.piece.index()][played.mv.to().index()][victim(played)];
        gravity::update(value, bonus, limit);
    }
}

impl Default for CaptureHistory {
    fn default() -> Self {
        Self::new()
    }
}

#[inline(always)]
fn victim(played: Played) -> usize {
    played.captured.map_or(PieceType::COUNT, PieceType::index)
}

/// Below every other score: an underpromotion is nearly always a worse queen.
const UNDERPROMOTION: i32 = -(1 << 24);

/// Whether a pawn becomes something less than a queen.
#[inline(always)]
pub fn is_underpromotion(mv: Move) -> bool {
    mv.promotion().is_some_and(|kind| kind != PieceType::Queen)
}

/// Where a capture or promotion stands among the others before anything is learnt: what it gains at first
/// sight, and from which piece.
#[inline(always)]
pub fn mvv_lva(p: &Params, played: Played) -> i32 {
    let taken = played.captured.map_or(0, |kind| see_value(p, kind));
    let promoted = match played.mv.promotion() {
        None => 0,
        Some(PieceType::Queen) => p.see_queen() - p.see_pawn(),
        Some(_) => return UNDERPROMOTION + taken,
    };
    let attacker = played.piece.kind().index() as i32;
    (taken + promoted) * p.capture_victim_weight() - attacker * p.capture_attacker_weight()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::MoveKind;

    fn played(piece: Piece, kind: MoveKind, captured: Option<PieceType>) -> Played {
        Played {
            mv: Move::new(Square::new(48), Square::new(57), kind),
            piece,
            captured,
        }
    }

    #[test]
    fn victims_first_then_attackers_then_underpromotions() {
        let p = Params::default();
        let takes = |piece, captured| played(piece, MoveKind::Capture, Some(captured));
        let order = [
            played(
                Piece::WhitePawn,
                MoveKind::CapturePromotion(PieceType::Queen),
                Some(PieceType::Rook),
            ),
            takes(Piece::WhiteKing, PieceType::Queen),
            takes(Piece::WhitePawn, PieceType::Knight),
            takes(Piece::WhiteRook, PieceType::Knight),
            takes(Piece::WhiteKing, PieceType::Pawn),
            played(
                Piece::WhitePawn,
                MoveKind::CapturePromotion(PieceType::Knight),
                Some(PieceType::Rook),
            ),
            played(
                Piece::WhitePawn,
                MoveKind::Promotion(PieceType::Knight),
                None,
            ),
        ];
        let scores = order.map(|played| mvv_lva(&p, played));
        assert!(scores.is_sorted_by(|a, b| a > b), "{scores:?}");
        // No history lifts an underpromotion among the others.
        assert!(scores[5] + p.history_limit() < scores[4] - p.history_limit());
    }

    #[test]
    fn learns_by_man_square_and_victim() {
        let mut history = CaptureHistory::new();
        let promotion = MoveKind::Promotion(PieceType::Queen);
        let quiet = played(Piece::WhitePawn, promotion, None);
        let takes = played(Piece::WhitePawn, MoveKind::Capture, Some(PieceType::Queen));
        history.update(quiet, -200, 4096);
        history.update(takes, 100, 4096);
        assert_eq!((history.get(quiet), history.get(takes)), (-200, 100));
        history.clear();
        assert_eq!((history.get(quiet), history.get(takes)), (0, 0));
    }
}
