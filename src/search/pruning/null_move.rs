//! Null move pruning: a node that stays above beta even after passing would do so after its best move, too.
// Source: https://www.chessprogramming.org/Null_Move_Pruning

use crate::board::Board;
use crate::params::Params;
use crate::search::Search;
use crate::search::node::{NodeState, NonPv};
use crate::types::{Played, Score, score};

impl Search<'_> {
    /// The score of a node where a reduced search after a null move stays at or above beta.
    pub(super) fn null_move(&mut self, board: &Board, node: &mut NodeState) -> Option<Score> {
        let &mut NodeState {
            beta, depth, ply, ..
        } = node;
        let p = &self.p;
        let promising = depth >= p.null_move_depth()
            && ply >= self.null_move_from
            && node.eval >= beta
            && node.static_eval >= beta + p.null_move_offset() - p.null_move_margin() * depth
            && !score::is_decisive(beta)
            && !self.stack.prior(ply)[0].is_none()
            && board.has_pieces(board.side_to_move());
        if promising {
            self.pass(board, node)
        } else {
            None
        }
    }

    /// Searches the null move. Its success is verified deep down by a search without null moves, because in zugzwang
    /// passing is the best one could do.
    #[inline(never)]
    fn pass(&mut self, board: &Board, node: &mut NodeState) -> Option<Score> {
        let &mut NodeState {
            beta, depth, ply, ..
        } = node;
        let reduced = depth - reduction(&self.p, depth, node.eval - beta);
        let mut child = *board;
        child.make_null();
        self.evaluator.enter(ply + 1, None);
        self.tt.prefetch(child.key());
        let frame = self.stack.at(ply);
        frame.played = Played::NONE;
        frame.reduction = 0;
        self.keys.push(board.key());
        let score = -self.node::<NonPv>(&child, -beta, 1 - beta, reduced, ply + 1, !node.cut_node);
        self.keys.pop();
        if self.aborted {
            return None;
        }
        if score < beta {
            return None;
        }
        // A mate after a pass proves nothing.
        let score = if score::is_decisive(score) {
            beta
        } else {
            score
        };
        if depth < self.p.null_move_verify() || self.null_move_from > 0 {
            return Some(score);
        }
        self.null_move_from = ply + ban(reduced);
        let verified = self.node::<NonPv>(board, beta - 1, beta, reduced, ply, false);
        self.null_move_from = 0;
        (verified >= beta && !self.aborted).then_some(score)
    }
}

/// By how many plies the search after a null move is reduced.
fn reduction(p: &Params, depth: i32, above_beta: Score) -> i32 {
    let by_eval = (above_beta * p.null_move_eval()).clamp(0, p.null_move_eval_max());
    (p.null_move_base() + depth * p.null_move_slope() + by_eval) / 1024
}

/// For how many plies a verification search of `reduced` plies makes no null moves.
fn ban(reduced: i32) -> usize {
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
