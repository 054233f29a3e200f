//! Reverse futility pruning: a node whose evaluation is far above beta is assumed to fail high.
// Source: https://www.chessprogramming.org/Reverse_Futility_Pruning

use super::move_toward_beta;
use crate::params::Params;
use crate::search::Search;
use crate::search::node::NodeState;
use crate::types::{Score, score};

impl Search<'_> {
    /// Returns the score of a shallow node whose evaluation is so far above beta that no move of
    /// the opponent is expected to change that.
    pub(super) fn reverse_futility(&self, node: &NodeState) -> Option<Score> {
        let p = self.p;
        if score::is_decisive(node.window.beta)
            || score::is_decisive(node.eval)
            || node.eval
                < node.window.beta + margin(p, node.depth, node.improving(), node.correction)?
        {
            return None;
        }
        Some(move_toward_beta(
            node.eval,
            node.window.beta,
            p.reverse_futility_blend(),
        ))
    }
}

/// Returns the margin, in centipawns, by which the evaluation must exceed beta; `None` at depths
/// where the technique is not tried. A large correction makes the evaluation less reliable and the
/// margin larger.
#[inline(always)]
fn margin(p: &Params, depth: i32, improving: bool, correction: Score) -> Option<Score> {
    let less = if improving {
        p.reverse_futility_improving()
    } else {
        0
    };
    let uncertainty = correction.abs() * p.reverse_futility_correction() / 1024;
    (depth <= p.reverse_futility_depth())
        .then(|| (p.reverse_futility_margin() * depth - less).max(0) + uncertainty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_grows_with_depth_and_correction() {
        let p = &Params::default();
        assert!(margin(p, 5, false, 0) > margin(p, 4, false, 0));
        assert!(margin(p, 5, false, 0) > margin(p, 5, true, 0));
        assert!(margin(p, 5, false, -40) > margin(p, 5, false, 0));
        assert_eq!(margin(p, 99, false, 0), None);
    }
}
