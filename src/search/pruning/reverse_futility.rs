//! Reverse futility pruning: a node whose evaluation is far above beta is assumed to fail high.
// Source: https://www.chessprogramming.org/Reverse_Futility_Pruning

use super::move_toward_beta;
use crate::params::Params;
use crate::search::node::NodeState;
use crate::search::{Search, lmr};
use crate::types::{Score, score};

impl Search<'_> {
    /// Returns the score of a shallow node whose evaluation is so far above beta that no move of
    /// the opponent is expected to change that.
    pub(super) fn reverse_futility(&self, node: &NodeState) -> Option<Score> {
        let p = self.p;
        let worsening = (self.stack.evals_of_both_sides(node.ply)).is_some_and(|sum| sum > 0);
        if score::is_decisive(node.window.beta)
            || score::is_decisive(node.eval)
            || node.eval < node.window.beta + margin(p, node, worsening)?
        {
            return None;
        }
        Some(move_toward_beta(
            node.eval,
            node.window.beta,
            p.reverse_futility_toward_beta(),
        ))
    }
}

/// Returns the margin, in centipawns, by which the evaluation must exceed beta; `None` at depths
/// where the technique is not tried. `worsening` says whether the evaluation fell for the opponent
/// with its last move. A large correction makes the evaluation less reliable and the margin larger.
// Source: the terms are those of Stockfish and Reckless.
#[inline(always)]
fn margin(p: &Params, node: &NodeState, worsening: bool) -> Option<Score> {
    let less = lmr::sum(&[
        (node.improving(), p.reverse_futility_improving()),
        (worsening, p.reverse_futility_worsening()),
    ]);
    let uncertainty = node.correction.abs() * p.reverse_futility_correction() / 1024;
    (node.depth <= p.reverse_futility_depth())
        .then(|| (p.reverse_futility_margin() * node.depth - less).max(0) + uncertainty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::window::Window;

    #[test]
    fn the_margin_grows_with_depth_and_correction() {
        let p = &Params::default();
        let node = |depth| NodeState::new(Window::zero_below(1), depth, 3, false);
        let plain = margin(p, &node(5), false);
        assert!(plain > margin(p, &node(4), false));
        assert!(plain > margin(p, &node(5), true));
        let mut improving = node(5);
        improving.improvement = 1;
        assert!(plain > margin(p, &improving, false));
        let mut corrected = node(5);
        corrected.correction = -40;
        assert!(plain < margin(p, &corrected, false));
        assert_eq!(margin(p, &node(99), false), None);
    }
}
