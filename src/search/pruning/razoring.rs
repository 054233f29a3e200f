//! Razoring: a node whose evaluation is far below alpha is searched by quiescence search only.
// Source: https://www.chessprogramming.org/Razoring

use crate::board::Board;
use crate::params::Params;
use crate::search::Search;
use crate::search::node::{NodeState, NonPv};
use crate::types::Score;

impl Search<'_> {
    /// Returns the score of a shallow node whose evaluation is far below alpha and that fails low
    /// in quiescence search.
    pub(super) fn razoring(&mut self, board: &Board, node: &NodeState) -> Option<Score> {
        let alpha = node.window.alpha;
        if node.eval >= threshold(self.p, alpha, node.depth)? {
            return None;
        }
        let score = self.quiescence::<NonPv>(board, node.window.zero(), node.ply);
        (score <= alpha).then_some(score)
    }
}

/// Returns the evaluation, in centipawns, below which razoring is tried; `None` at depths where it
/// is not.
fn threshold(p: &Params, alpha: Score, depth: i32) -> Option<Score> {
    (depth <= p.razoring_depth()).then(|| alpha - p.razoring_margin() * depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_grows_with_depth() {
        let p = &Params::default();
        assert!(threshold(p, 0, 1) > threshold(p, 0, 2));
        assert_eq!(threshold(p, 0, 99), None);
    }
}
