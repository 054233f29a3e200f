//! Pruning of single moves: late move pruning, futility pruning, history pruning and SEE pruning.
// Source: https://www.chessprogramming.org/Futility_Pruning

use crate::board::{Board, see_value};
use crate::ordering::{Context, Picker, Stage};
use crate::params::Params;
use crate::search::node::{Node, NodeState};
use crate::search::{Search, lmr};
use crate::types::{Move, PieceType, Score, score};

/// A move that may be pruned.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct LateMove {
    pub mv: Move,
    /// Whether it gives check.
    pub check: bool,
    /// Its history, in points.
    pub history: i32,
    /// Moves of the node that were searched before it.
    pub tried: i32,
}

impl Search<'_> {
    /// Whether moves of the node may be pruned: not before one was found that does not lose by force.
    #[inline(always)]
    pub(in crate::search) fn may_prune<N: Node>(&self, board: &Board, best_score: Score) -> bool {
        !N::ROOT
            && !self.proves_mate
            && best_score > -score::DECISIVE
            && board.has_pieces(board.side_to_move())
    }

    /// Whether a move is not worth a search at this depth. May also tell the picker to leave out all quiet moves that are still to come.
    pub(in crate::search) fn prune_move(
        &self,
        ctx: &Context,
        node: &NodeState,
        alpha: Score,
        picker: &mut Picker,
        late: LateMove,
    ) -> bool {
        let LateMove {
            mv,
            check,
            history,
            tried,
        } = late;
        let (p, depth) = (&self.p, node.depth);
        let quiet = mv.is_quiet();
        let reduced = reduced_depth(p, quiet, depth, tried + 1, history);
        let calm = !check && !ctx.board.in_check() && !score::is_decisive(alpha);
        if quiet {
            if tried >= move_limit(p, depth, node.improving) {
                picker.skip_quiets();
                if !check {
                    return true;
                }
            }
            if calm
                && let Some(margin) = futility_margin(p, reduced, history)
                && node.static_eval + margin <= alpha
            {
                picker.skip_quiets();
                return true;
            }
            if picker.stage() == Stage::Quiet
                && history_threshold(p, depth).is_some_and(|least| history < least)
            {
                return true;
            }
        } else if calm && picker.stage() != Stage::TtMove && mv.promotion().is_none() {
            let victim = ctx.board.describe(mv).captured;
            let gain = victim.map_or(0, |kind: PieceType| see_value(p, kind));
            if capture_futility_margin(p, reduced, history)
                .is_some_and(|margin| node.static_eval + gain + margin <= alpha)
            {
                return true;
            }
        }
        // The picker has already seen that good captures win or hold.
        if picker.stage() == Stage::GoodCapture {
            return false;
        }
        let Some(loss) = see_loss(p, (depth, reduced), quiet, history) else {
            return false;
        };
        let holds = if quiet {
            ctx.quiet_holds(p, mv, loss)
        } else {
            ctx.board.see(p, mv, -loss)
        };
        !holds
    }
}

/// The depth to which a move at this place would be searched, about: a good history counts as depth.
#[inline(always)]
fn reduced_depth(p: &Params, quiet: bool, depth: i32, number: i32, history: i32) -> i32 {
    let mut reduction = lmr::base(p, quiet, depth, number);
    if quiet && p.pruning_history() > 0 {
        reduction -= history * lmr::PLY / p.pruning_history().max(1);
    }
    (depth - reduction / lmr::PLY).max(0)
}

/// Late move pruning: how many moves are tried at this depth before quiet moves are skipped.
// Source: https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning
#[inline(always)]
fn move_limit(p: &Params, depth: i32, improving: bool) -> i32 {
    let depth = depth.min(64);
    let limit = p.late_move_base() + depth * depth * p.late_move_slope() / 1024;
    if improving {
        limit
    } else {
        limit * p.late_move_stagnant() / 1024
    }
}

/// Futility pruning: what a quiet move may be expected to gain at most; `None` at depths where it is not tried.
#[inline(always)]
fn futility_margin(p: &Params, reduced_depth: i32, history: i32) -> Option<Score> {
    (reduced_depth <= p.futility_depth()).then(|| {
        p.futility_base()
            + p.futility_margin() * reduced_depth
            + history * p.futility_history() / 1024
    })
}

/// Futility pruning of captures: what one may be expected to gain besides its victim; `None` at depths where it is not
/// tried.
#[inline(always)]
fn capture_futility_margin(p: &Params, reduced_depth: i32, history: i32) -> Option<Score> {
    (reduced_depth <= p.capture_futility_depth()).then(|| {
        p.capture_futility_base()
            + p.capture_futility_margin() * reduced_depth
            + history * p.capture_futility_history() / 1024
    })
}

/// History pruning: the history below which a quiet move is left out; `None` at depths where it is not tried.
#[inline(always)]
fn history_threshold(p: &Params, depth: i32) -> Option<i32> {
    (depth <= p.history_pruning_depth()).then(|| -p.history_pruning_margin() * depth)
}

/// SEE pruning: what a move may lose at most at a node of this depth and this reduced depth; `None` at depths where it is
/// not tried.
#[inline(always)]
fn see_loss(p: &Params, (depth, reduced): (i32, i32), quiet: bool, history: i32) -> Option<Score> {
    let loss = if quiet {
        p.see_quiet_margin() * depth
            + p.see_quiet_square() * reduced * reduced
            + history * p.see_quiet_history() / 1024
    } else {
        p.see_capture_margin() * depth
    };
    (depth <= p.see_pruning_depth()).then_some(loss.max(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_nodes_try_more() {
        let p = &Params::default();
        for depth in 1..60 {
            assert!(move_limit(p, depth + 1, true) >= move_limit(p, depth, true));
            assert!(move_limit(p, depth, true) >= move_limit(p, depth, false));
        }
        assert!(see_loss(p, (4, 4), true, 0) > see_loss(p, (3, 3), true, 0));
        assert_eq!(futility_margin(p, 99, 0), None);
    }

    #[test]
    fn a_good_history_saves_a_move() {
        let p = &Params::default();
        assert!(reduced_depth(p, true, 8, 10, 16000) >= reduced_depth(p, true, 8, 10, -16000));
        assert!(futility_margin(p, 3, 8000) >= futility_margin(p, 3, -8000));
    }
}
