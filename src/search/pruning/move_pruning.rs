//! Pruning of single moves: late move pruning, futility pruning, history pruning and SEE pruning.
// Source: https://www.chessprogramming.org/Futility_Pruning

use crate::board::{Board, see_value};
use crate::ordering::{Context, Picker, Stage};
use crate::params::Params;
use crate::search::move_info::MoveInfo;
use crate::search::node::{Node, NodeState};
use crate::search::{Search, lmr};
use crate::types::{PieceType, Score, score};

impl Search<'_> {
    /// Returns whether moves of the node may be pruned: only after a move was found that does not
    /// lose by force.
    #[inline(always)]
    pub(in crate::search) fn may_prune<N: Node>(&self, board: &Board, best_score: Score) -> bool {
        !N::ROOT
            && !self.proves_mate
            && best_score > -score::DECISIVE
            && board.has_non_pawn_material(board.side_to_move())
    }

    /// Returns whether a move is pruned. May also tell the picker to skip all remaining quiet
    /// moves.
    pub(in crate::search) fn prune_move(
        &self,
        ctx: &Context,
        node: &NodeState,
        picker: &mut Picker,
        info: &MoveInfo,
    ) -> bool {
        let &MoveInfo {
            mv,
            number,
            stage,
            check,
            history,
            ..
        } = info;
        let (p, depth, alpha) = (self.p, node.depth, node.window.alpha);
        let quiet = info.is_quiet();
        let reduced = (depth - info.reduction / lmr::PLY).clamp(0, depth + 2);
        // Any move is better than a forced loss.
        let may_be_futile = !check && !ctx.board.in_check() && alpha > -score::DECISIVE;
        if quiet {
            let remaining_mass = picker.remaining_mass_1024();
            if number > move_limit(p, depth, node.improving(), remaining_mass) {
                picker.skip_quiets();
                if !check {
                    return true;
                }
            }
            if may_be_futile
                && let Some(margin) = futility_margin(p, reduced, history)
                && node.static_eval + margin <= alpha
            {
                picker.skip_quiets();
                return true;
            }
            if stage == Stage::Quiet
                && !check
                && history_threshold(p, depth).is_some_and(|least| history < least)
            {
                return true;
            }
        } else if may_be_futile && stage != Stage::TtMove && mv.promotion().is_none() {
            let captured = ctx.board.describe(mv).captured;
            let gain = captured.map_or(0, |kind: PieceType| see_value(p, kind));
            if capture_futility_margin(p, reduced, history)
                .is_some_and(|margin| node.static_eval + gain + margin <= alpha)
            {
                return true;
            }
        }
        // Good captures have already passed the SEE test of the picker.
        if stage == Stage::GoodCapture {
            return false;
        }
        let Some(loss) = max_see_loss(p, depth, reduced, quiet, history) else {
            return false;
        };
        let holds = if quiet {
            ctx.quiet_holds(p, mv, loss)
        } else {
            ctx.board.see_ge(p, mv, -loss)
        };
        !holds
    }
}

/// Late move pruning: returns the number of moves searched at this depth before quiet moves are
/// skipped. It is smaller where the best quiet move is hardly one of those to come.
// Source: https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning
#[inline(always)]
fn move_limit(p: &Params, depth: i32, improving: bool, remaining_mass_1024: i32) -> i32 {
    let depth = depth.min(64);
    let mut limit = p.late_move_base() + depth * depth * p.late_move_slope() / 1024;
    if !improving {
        limit = limit * p.late_move_stagnant() / 1024;
    }
    let by_mass = p.late_move_mass() * (remaining_mass_1024 - 512) / 512;
    limit * (1024 + by_mass) / 1024
}

/// Futility pruning: returns the most that a quiet move is expected to gain, in centipawns; `None`
/// at depths where it is not tried.
#[inline(always)]
fn futility_margin(p: &Params, reduced_depth: i32, history: i32) -> Option<Score> {
    (reduced_depth <= p.futility_depth()).then(|| {
        p.futility_base()
            + p.futility_margin() * reduced_depth
            + history * p.futility_history() / 1024
    })
}

/// Futility pruning of captures: returns the most that a capture is expected to gain besides the
/// captured piece, in centipawns; `None` at depths where it is not tried.
#[inline(always)]
fn capture_futility_margin(p: &Params, reduced_depth: i32, history: i32) -> Option<Score> {
    (reduced_depth <= p.capture_futility_depth()).then(|| {
        p.capture_futility_base()
            + p.capture_futility_margin() * reduced_depth
            + history * p.capture_futility_history() / 1024
    })
}

/// History pruning: returns the history, in points, below which a quiet move is pruned; `None` at
/// depths where it is not tried.
#[inline(always)]
fn history_threshold(p: &Params, depth: i32) -> Option<i32> {
    (depth <= p.history_pruning_depth()).then(|| -p.history_pruning_margin() * depth)
}

/// SEE pruning: returns the most material, in centipawns, that a move may lose at a node of this
/// depth when it would be searched to this reduced depth; `None` at depths where it is not tried.
#[inline(always)]
fn max_see_loss(p: &Params, depth: i32, reduced: i32, quiet: bool, history: i32) -> Option<Score> {
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
    fn deeper_nodes_prune_less() {
        let p = &Params::default();
        for depth in 1..60 {
            let limit = |depth, improving| move_limit(p, depth, improving, 300);
            assert!(limit(depth + 1, true) >= limit(depth, true));
            assert!(limit(depth, true) >= limit(depth, false));
            assert!(move_limit(p, depth, true, 0) <= limit(depth, true));
        }
        assert!(max_see_loss(p, 4, 4, true, 0) > max_see_loss(p, 3, 3, true, 0));
        assert_eq!(futility_margin(p, 99, 0), None);
    }

    #[test]
    fn a_good_history_prunes_less() {
        let p = &Params::default();
        assert!(futility_margin(p, 3, 8000) >= futility_margin(p, 3, -8000));
    }
}
