//! Every margin and depth limit by which nodes and moves are left out, as small pure functions.
//! Depths are in plies, margins and scores in centipawns.

use crate::params::Params;
use crate::types::{Score, score};

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
) -> Option<Score> {
    let less = if improving {
        p.reverse_futility_improving()
    } else {
        0
    };
    (depth <= p.reverse_futility_depth())
        .then(|| beta + (p.reverse_futility_margin() * depth - less).max(0))
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
pub fn futility_margin(p: &Params, reduced_depth: i32) -> Option<Score> {
    (reduced_depth <= p.futility_depth())
        .then(|| p.futility_base() + p.futility_margin() * reduced_depth.max(0))
}

/// What a move may lose by SEE and still be tried. `None` at depths where that is not asked.
#[inline(always)]
pub fn see_margin(p: &Params, depth: i32, quiet: bool) -> Option<Score> {
    let margin = if quiet {
        p.see_quiet_margin()
    } else {
        p.see_capture_margin()
    };
    (depth <= p.see_pruning_depth()).then_some(-margin * depth)
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
            reverse_futility_threshold(p, 0, 5, false) > reverse_futility_threshold(p, 0, 5, true)
        );
        assert!(see_margin(p, 3, true) > see_margin(p, 4, true));
        assert_eq!(futility_margin(p, 99), None);
    }
}
