//! Null move pruning: if a node fails high even after its side to move passes, it would also fail
//! high after its best move.
// Source: https://www.chessprogramming.org/Null_Move_Pruning

use crate::board::Board;
use crate::params::Params;
use crate::search::Search;
use crate::search::node::{NodeState, NonPv};
use crate::search::window::Window;
use crate::types::{Played, Score, score};

impl Search<'_> {
    /// Returns the score of a node that fails high by a reduced search after a null move.
    pub(super) fn null_move(&mut self, board: &Board, node: &mut NodeState) -> Option<Score> {
        let &mut NodeState { depth, ply, .. } = node;
        let beta = node.window.beta;
        let p = self.p;
        let promising = depth >= p.null_move_depth()
            && ply >= self.null_move_from
            && node.eval >= beta
            && node.static_eval >= beta + p.null_move_offset() - p.null_move_margin() * depth
            && !score::is_decisive(beta)
            && !self.stack.prior(ply)[0].is_none()
            && board.has_non_pawn_material(board.side_to_move());
        if promising {
            self.search_null_move(board, node)
        } else {
            None
        }
    }

    /// Prefetches the TT entry of the position after a null move, if one is likely: the evaluation
    /// comes first, and hides the wait.
    #[inline(always)]
    pub(in crate::search) fn prefetch_null_move(&self, board: &Board, node: &NodeState) {
        if node.cut_node && node.depth >= self.p.null_move_depth() && !board.in_check() {
            self.tt.prefetch(board.null_key());
        }
    }

    /// Searches the null move. At high depth a fail high is verified by a search without null
    /// moves, because in zugzwang a null move would be better than any legal move.
    #[inline(never)]
    fn search_null_move(&mut self, board: &Board, node: &mut NodeState) -> Option<Score> {
        let &mut NodeState { depth, ply, .. } = node;
        let beta = node.window.beta;
        let reduced = depth - reduction(self.p, depth, node.eval - beta);
        let mut child = *board;
        child.make_null();
        self.evaluator.pass(ply + 1);
        let frame = self.stack.at(ply);
        frame.played = Played::NONE;
        frame.reduction = 0;
        self.keys.push(board.key());
        let window = Window::zero_below(beta);
        let score = -self.node::<NonPv>(&child, window.negated(), reduced, ply + 1, !node.cut_node);
        self.keys.pop();
        if self.aborted {
            return None;
        }
        if score < beta {
            return None;
        }
        // A mate found after a null move is not proven.
        let score = if score::is_decisive(score) {
            beta
        } else {
            score
        };
        if depth < self.p.null_move_verify() || self.null_move_from > 0 {
            return Some(score);
        }
        self.null_move_from = ply + verification_plies(reduced);
        // The reduction of the move before has been judged already.
        self.stack.at(ply - 1).reduction = 0;
        let verified = self.node::<NonPv>(board, window, reduced, ply, false);
        self.null_move_from = 0;
        (verified >= beta && !self.aborted).then_some(score)
    }
}

/// Returns the reduction of the search after a null move, in plies. `above_beta` is the distance of
/// the evaluation from beta, in centipawns.
fn reduction(p: &Params, depth: i32, above_beta: Score) -> i32 {
    let by_eval = (above_beta * p.null_move_eval()).clamp(0, p.null_move_eval_max());
    (p.null_move_base() + depth * p.null_move_slope() + by_eval) / 1024
}

/// Returns the number of plies from its root on in which a verification search of `reduced` plies
/// makes no null moves.
fn verification_plies(reduced: i32) -> usize {
    (3 * reduced / 4).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_nodes_and_higher_evaluations_reduce_more() {
        let p = &Params::default();
        for depth in 1..60 {
            assert!(reduction(p, depth + 1, 0) >= reduction(p, depth, 0));
            assert!(reduction(p, depth, 300) >= reduction(p, depth, 0));
        }
    }
}
