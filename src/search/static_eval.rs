//! The static evaluation of a node: the network's word, faded by the fifty-move rule, corrected by experience.

use super::Search;
use super::draws::far_from_fifty;
use crate::board::{Board, see_value};
use crate::params::Params;
use crate::tt::TtEntry;
use crate::types::{PieceType, Score, score};

/// Material of both sides at the start of a game, about, centipawns.
const FULL_MATERIAL: i32 = 8192;

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
        tt_entry: Option<&TtEntry>,
    ) -> Evaluated {
        let raw = match tt_entry {
            Some(tt_entry) if tt_entry.eval != score::NONE => tt_entry.eval,
            _ => self.evaluator.evaluate(board, ply),
        };
        let [last, before, ..] = self.stack.prior(ply);
        let correction = self.corrections.correction(&self.p, board, [last, before]);
        let horizon = self.p.fifty_horizon();
        let scaled = self.scaled(board, raw);
        let faded = scaled * (horizon - board.halfmove_clock() as i32).max(0) / horizon;
        Evaluated {
            raw,
            corrected: score::clamp_eval(faded + correction),
            correction,
        }
    }
}

impl Search<'_> {
    /// The network's word, more of it and more optimism the more material there is: who is ahead keeps the pieces, and
    /// a draw is nearer without them.
    // Source: Stockfish
    #[inline(always)]
    fn scaled(&self, board: &Board, raw: Score) -> Score {
        let p = &self.p;
        if p.material_slope() == 0 && p.optimism() == 0 {
            return raw;
        }
        let material: i32 = [
            PieceType::Pawn,
            PieceType::Knight,
            PieceType::Bishop,
            PieceType::Rook,
            PieceType::Queen,
        ]
        .into_iter()
        .map(|kind| board.kind(kind).count() as i32 * see_value(p, kind))
        .sum();
        let optimism = self.optimism[board.side_to_move().index()];
        let share = material * p.material_slope() / 1024;
        raw * (p.material_base() + share) / 1024 + optimism * material / FULL_MATERIAL
    }
}

/// A static evaluation made better by the table's score, where its bound allows.
pub(super) fn refined(static_eval: Score, tt_entry: Option<&TtEntry>, board: &Board) -> Score {
    tt_entry
        .filter(|tt_entry| tt_entry.decides(static_eval, static_eval) && far_from_fifty(board))
        .map_or(static_eval, |tt_entry| tt_entry.score)
}

/// By how much a side with this score at the root is better off than its evaluation says, centipawns, before what is on
/// the board is counted.
// Source: Stockfish
pub(super) fn optimism(p: &Params, score: Score) -> Score {
    let score = score.clamp(-2000, 2000);
    p.optimism() * score / (score.abs() + p.optimism_half())
}
