//! The static evaluation of a node: the network's evaluation, scaled by material and the fifty-move
//! rule, plus the correction histories.

use super::Search;
use super::draws::halfmove_clock_is_low;
use crate::board::{Board, see_value};
use crate::tt::TtEntry;
use crate::types::{PieceType, Score, score};

impl Search<'_> {
    /// Returns the network's evaluation of a position that is not in check, in centipawns. It comes
    /// from the TT entry if that has one.
    #[inline(always)]
    pub(super) fn raw_eval(
        &mut self,
        board: &Board,
        ply: usize,
        tt_entry: Option<&TtEntry>,
    ) -> Score {
        match tt_entry {
            Some(tt_entry) if tt_entry.eval != score::NONE => tt_entry.eval,
            _ => self.evaluator.evaluate(board, ply),
        }
    }

    /// Returns the static evaluation of a position with this evaluation by the network, and the
    /// part of it that the correction histories added; all in centipawns.
    pub(super) fn corrected_eval(&self, board: &Board, ply: usize, raw: Score) -> (Score, Score) {
        let correction = (self.corrections).correction(self.p, board, self.stack.prior(ply));
        let horizon = self.p.fifty_horizon();
        let scaled = self.scale_by_material(board, raw);
        let scaled = scaled * (horizon - board.halfmove_clock() as i32).max(0) / horizon;
        (score::clamp_eval(scaled + correction), correction)
    }

    /// Returns the network's evaluation, scaled up with the material on the board: the side that is
    /// ahead keeps the pieces, because exchanges bring a draw nearer.
    // Source: Stockfish
    #[inline(always)]
    fn scale_by_material(&self, board: &Board, raw: Score) -> Score {
        let p = self.p;
        let material: i32 = (PieceType::ALL.into_iter())
            .map(|kind| board.kind(kind).count() as i32 * see_value(p, kind))
            .sum();
        let scale_1024 = p.material_base() + material * p.material_slope() / 1024;
        raw * scale_1024 / 1024
    }
}

/// Returns the static evaluation, or the TT score if its bound makes it the better estimate, in
/// centipawns.
pub(super) fn tt_adjusted_eval(
    static_eval: Score,
    tt_entry: Option<&TtEntry>,
    board: &Board,
) -> Score {
    tt_entry
        .filter(|tt_entry| {
            tt_entry.decides(static_eval, static_eval) && halfmove_clock_is_low(board)
        })
        .map_or(static_eval, |tt_entry| tt_entry.score)
}
