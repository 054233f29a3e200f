//! Forward pruning: one file for each technique, with its condition, margin and search.
//!
//! Margins and scores are in centipawns, depths in plies. The parameters are in `params.rs`.

mod move_pruning;
mod null_move;
mod probcut;
mod razoring;
mod reverse_futility;

use super::Search;
use super::node::NodeState;
use crate::board::Board;
use crate::types::{Score, score};

impl Search<'_> {
    /// Returns the score of a non-PV node whose moves need not be searched. The cheapest techniques
    /// are tried first.
    #[inline(always)]
    pub(super) fn prune_node(&mut self, board: &Board, node: &mut NodeState) -> Option<Score> {
        if let Some(score) = self.razoring(board, node) {
            return Some(score);
        }
        if let Some(score) = self.reverse_futility(node) {
            return Some(score);
        }
        if let Some(score) = self.null_move(board, node) {
            return Some(score);
        }
        if self.aborted {
            return Some(score::DRAW);
        }
        self.probcut(board, node)
    }
}

/// Moves a score above beta toward beta by `share_1024`/1024 of the distance. A fail high reliably
/// says that the true score exceeds beta, but not by how much.
#[inline(always)]
pub(super) const fn move_toward_beta(score: Score, beta: Score, share_1024: i32) -> Score {
    score + (beta - score) * share_1024 / 1024
}
