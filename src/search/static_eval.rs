//! The static evaluation of a node: the network's word, faded by the fifty-move rule, corrected by experience.

use super::Search;
use super::draws::far_from_fifty;
use crate::board::Board;
use crate::tt::Hit;
use crate::types::{Score, score};

/// What a node's static evaluation is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluated {
    /// The network's word, as the table keeps it; [`score::NONE`] in check.
    pub raw: Score,
    /// Faded and corrected; [`score::NONE`] in check.
    pub corrected: Score,
    /// What the corrections changed, centipawns.
    pub correction: Score,
}

impl Evaluated {
    /// Of a node in check, which has no static evaluation.
    pub const NONE: Self = Self {
        raw: score::NONE,
        corrected: score::NONE,
        correction: 0,
    };
}

impl Search<'_> {
    /// The static evaluation, the network's part from the table if it has it. Not in check.
    pub(super) fn static_eval(
        &mut self,
        board: &Board,
        ply: usize,
        hit: Option<&Hit>,
    ) -> Evaluated {
        let raw = match hit {
            Some(hit) if hit.eval != score::NONE => hit.eval,
            _ => self.evaluator.evaluate(board, ply),
        };
        let [last, before, ..] = self.stack.prior(ply);
        let correction = self.corrections.correction(&self.p, board, [last, before]);
        let horizon = self.p.fifty_horizon();
        let faded = raw * (horizon - board.halfmove_clock() as i32).max(0) / horizon;
        Evaluated {
            raw,
            corrected: score::clamp_eval(faded + correction),
            correction,
        }
    }
}

/// A static evaluation made better by the table's score, where its bound allows.
pub(super) fn refined(static_eval: Score, hit: Option<&Hit>, board: &Board) -> Score {
    hit.filter(|hit| hit.decides(static_eval, static_eval) && far_from_fifty(board))
        .map_or(static_eval, |hit| hit.score)
}
