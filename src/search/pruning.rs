//! Every margin and depth limit by which nodes and moves are left out, as small pure functions.
//! Depths are in plies, margins and scores in centipawns.

use crate::params::Params;
use crate::types::{Score, score};

/// Half width of the first aspiration window around a score, centipawns, for the worker with this number.
// Source: https://www.chessprogramming.org/Aspiration_Windows
pub fn aspiration_delta(p: &Params, worker: usize, score: Score) -> Score {
    let by_score = match p.aspiration_square() {
        0 => 0,
        divisor => score.abs().min(1000).pow(2) / divisor,
    };
    p.aspiration_delta() + p.aspiration_worker() * (worker % 8) as i32 + by_score
}

/// By how much a side with this score at the root is better off than its evaluation says, centipawns, before what is on
/// the board is counted.
// Source: Stockfish
pub fn optimism(p: &Params, score: Score) -> Score {
    let score = score.clamp(-2000, 2000);
    p.optimism() * score / (score.abs() + p.optimism_half())
}

/// Below this evaluation only quiescence could save the node. `None` at depths where that is not asked.
// Source: https://www.chessprogramming.org/Razoring
#[inline(always)]
pub fn razoring_threshold(p: &Params, alpha: Score, depth: i32) -> Option<Score> {
    (depth <= p.razoring_depth()).then(|| alpha - p.razoring_margin() * depth)
}

/// From this evaluation on the opponent is expected to find nothing. `None` at depths where that is not asked.
// Source: https://www.chessprogramming.org/Reverse_Futility_Pruning
#[inline(always)]
pub fn reverse_futility_threshold(
    p: &Params,
    beta: Score,
    depth: i32,
    improving: bool,
    correction: Score,
) -> Option<Score> {
    let less = if improving {
        p.reverse_futility_improving()
    } else {
        0
    };
    let doubt = correction.abs() * p.reverse_futility_correction() / 1024;
    (depth <= p.reverse_futility_depth())
        .then(|| beta + (p.reverse_futility_margin() * depth - less).max(0) + doubt)
}

/// Fail-middle: a score drawn towards beta by a share of the way, /1024: how far a cut is above beta is less sure than that it is.
#[inline(always)]
pub fn blend(score: Score, beta: Score, share_1024: i32) -> Score {
    score + (beta - score) * share_1024 / 1024
}

/// The static evaluation from which a null move is tried.
#[inline(always)]
pub fn null_move_threshold(p: &Params, beta: Score, depth: i32) -> Score {
    beta + p.null_move_offset() - p.null_move_margin() * depth
}

/// For how many plies a verification of `reduced` plies makes no null moves.
#[inline(always)]
pub fn null_move_ban(reduced: i32) -> usize {
    (3 * reduced / 4).max(1) as usize
}

/// What a capture's shallow search must reach in ProbCut.
#[inline(always)]
pub fn probcut_goal(p: &Params, beta: Score, improving: bool) -> Score {
    let less = if improving { p.probcut_improving() } else { 0 };
    beta + (p.probcut_margin() - less).max(1)
}

/// What the other moves must stay below for the TT move to be singular. `tt_pv`: of a node that is in no PV now.
#[inline(always)]
pub fn singular_goal(p: &Params, entry: Score, depth: i32, tt_pv: bool) -> Score {
    let margin = p.singular_margin() + if tt_pv { p.singular_pv() } else { 0 };
    entry - margin * depth / 1024
}

/// Plies that a singular move is extended by, 1 to 3: how far the others stay behind their goal decides.
#[inline(always)]
pub fn singular_extension(p: &Params, behind: Score, pv: bool, quiet: bool) -> i32 {
    let least = p.double_margin() + if pv { p.double_pv_margin() } else { 0 };
    let double = behind > least;
    let triple = double && quiet && behind > least + p.triple_margin();
    1 + i32::from(double) + i32::from(triple)
}

/// How much deeper or less deep a node is searched, seen from the reduction that led to it and both sides' evaluations of
/// themselves: if neither likes its position, something was missed; if both do, less is at stake.
#[inline(always)]
pub fn hindsight(p: &Params, reduction: i32, before: Score, now: Score) -> i32 {
    if before == score::NONE || now == score::NONE {
        return 0;
    }
    let both = before + now;
    if reduction >= p.hindsight_deeper() && both < 0 {
        1
    } else if reduction >= p.hindsight_shallower() && both > p.hindsight_margin() {
        -1
    } else {
        0
    }
}

/// What the change of the evaluation teaches about the move that made it, points; `both` is the sum of what the two
/// sides thought of their own positions before and after it.
#[inline(always)]
pub fn evaluation_lesson(p: &Params, both: Score) -> i32 {
    (-both * p.prior_eval_slope()).clamp(-p.prior_eval_max(), p.prior_eval_max())
}

/// How bad the history of a quiet move must be for it to be left out. `None` at depths where that is not asked.
#[inline(always)]
pub fn history_threshold(p: &Params, depth: i32) -> Option<i32> {
    (depth <= p.history_pruning_depth()).then(|| -p.history_pruning_margin() * depth)
}

/// What a capture may be expected to gain beside the piece it takes. `None` at depths where that is not asked.
#[inline(always)]
pub fn capture_futility_margin(p: &Params, reduced_depth: i32, history: i32) -> Option<Score> {
    (reduced_depth <= p.capture_futility_depth()).then(|| {
        p.capture_futility_base()
            + p.capture_futility_margin() * reduced_depth.max(0)
            + history * p.capture_futility_history() / 1024
    })
}

/// Plies less for the moves after one that raised alpha.
#[inline(always)]
pub fn after_raised_alpha(p: &Params, depth: i32) -> i32 {
    let less = if depth <= p.raised_alpha_depth() {
        p.raised_alpha()
    } else {
        0
    };
    (depth - less).max(1)
}

/// By how many plies a null move is searched shallower.
// Source: https://www.chessprogramming.org/Null_Move_Pruning
#[inline(always)]
pub fn null_move_reduction(p: &Params, depth: i32, above_beta: Score) -> i32 {
    let by_eval = (above_beta * p.null_move_eval()).clamp(0, p.null_move_eval_max());
    (p.null_move_base() + depth * p.null_move_slope() + by_eval) / 1024
}

/// How many quiet moves are tried at this depth.
// Source: https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning
#[inline(always)]
pub fn late_move_limit(p: &Params, depth: i32, improving: bool) -> i32 {
    let depth = depth.min(64);
    let limit = p.late_move_base() + depth * depth * p.late_move_slope() / 1024;
    if improving {
        limit
    } else {
        limit * p.late_move_stagnant() / 1024
    }
}

/// What a quiet move may be expected to gain at most. `None` at depths where that is not asked.
// Source: https://www.chessprogramming.org/Futility_Pruning
#[inline(always)]
pub fn futility_margin(p: &Params, reduced_depth: i32, history: i32) -> Option<Score> {
    (reduced_depth <= p.futility_depth()).then(|| {
        p.futility_base()
            + p.futility_margin() * reduced_depth.max(0)
            + history * p.futility_history() / 1024
    })
}

/// The reduction by which a move with this history is judged, 1/1024 ply.
#[inline(always)]
pub fn with_history(p: &Params, quiet: bool, reduction: i32, history: i32) -> i32 {
    if quiet && p.pruning_history() > 0 {
        reduction - history * 1024 / p.pruning_history().max(1)
    } else {
        reduction
    }
}

/// What a move may lose by SEE and still be tried, at most 0, at a node of this depth and this reduced depth. `None` at depths where that is not asked.
#[inline(always)]
pub fn see_margin(
    p: &Params,
    (depth, reduced): (i32, i32),
    quiet: bool,
    history: i32,
) -> Option<Score> {
    let margin = if quiet {
        p.see_quiet_margin() * depth
            + p.see_quiet_square() * reduced * reduced
            + history * p.see_quiet_history() / 1024
    } else {
        p.see_capture_margin() * depth
    };
    (depth <= p.see_pruning_depth()).then_some(-margin.max(0))
}

/// The score of a node that was cut, drawn towards beta: the shallower the node, the more.
#[inline(always)]
pub fn fail_middle(score: Score, beta: Score, depth: i32) -> Score {
    if is_ordinary(score) && is_ordinary(beta) {
        (score * depth + beta) / (depth + 1)
    } else {
        score
    }
}

/// Whether a window's bound is an ordinary score, so that evaluations may be set against it.
#[inline(always)]
pub const fn is_ordinary(bound: Score) -> bool {
    !score::is_decisive(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_means_more() {
        let p = &Params::default();
        for depth in 1..60 {
            assert!(null_move_reduction(p, depth + 1, 0) >= null_move_reduction(p, depth, 0));
            assert!(late_move_limit(p, depth + 1, true) >= late_move_limit(p, depth, true));
            assert!(late_move_limit(p, depth, true) >= late_move_limit(p, depth, false));
        }
        assert!(razoring_threshold(p, 0, 1) > razoring_threshold(p, 0, 2));
        assert!(
            reverse_futility_threshold(p, 0, 5, false, 0)
                > reverse_futility_threshold(p, 0, 5, true, 0)
        );
        assert!(see_margin(p, (3, 3), true, 0) > see_margin(p, (4, 4), true, 0));
        assert_eq!(futility_margin(p, 99, 0), None);
    }
}
