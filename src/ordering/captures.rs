//! Ordering of captures and promotions: most valuable victim and least valuable attacker (MVV-LVA),
//! and capture history.
//!
//! Source: <https://www.chessprogramming.org/MVV-LVA>,
//! <https://www.chessprogramming.org/History_Heuristic>

use super::gravity;
use crate::board::see_value;
use crate::params::Params;
use crate::types::{Move, Piece, PieceType, Played, Square};

/// Capture history: the success of captures and promotions by piece, to square and captured piece.
#[derive(Debug)]
pub(crate) struct CaptureHistory {
    /// The histories in points: `[piece][to][captured]`. The last index is [`PieceType::COUNT`] for
    /// promotions without a capture.
    table: [[[i16; PieceType::COUNT + 1]; Square::COUNT]; Piece::COUNT],
}

impl CaptureHistory {
    /// Creates an empty history.
    pub const fn new() -> Self {
        Self {
            table: [[[0; PieceType::COUNT + 1]; Square::COUNT]; Piece::COUNT],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// Returns the history of a capture or promotion, in points from `-history_limit` to
    /// `history_limit`.
    #[inline(always)]
    pub fn get(&self, played: Played) -> i32 {
        self.table[played.piece.index()][played.mv.to().index()][victim(played)] as i32
    }

    /// Gives a capture or promotion a bonus in points, or a malus if negative.
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

/// The score of an underpromotion, in points: below all others, because a queen is nearly always
/// better.
const UNDERPROMOTION: i32 = -(1 << 24);

/// Returns whether the move promotes a pawn to a knight, bishop or rook.
#[inline(always)]
pub fn is_underpromotion(mv: Move) -> bool {
    mv.promotion().is_some_and(|kind| kind != PieceType::Queen)
}

/// Returns the score of a capture or promotion without its history, in points: the values of the
/// captured piece and of the promotion, less a little for a more valuable attacker.
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
        // An underpromotion stays last whatever its history.
        assert!(scores[5] + p.history_limit() < scores[4] - p.history_limit());
    }

    #[test]
    fn histories_belong_to_piece_square_and_victim() {
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
