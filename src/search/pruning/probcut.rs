//! ProbCut: a capture that beats beta by a margin in a shallow search is expected to beat beta in a
//! deep one.
// Source: M. Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta Algorithm",
// ICCA Journal 18(2), 1995; https://www.chessprogramming.org/ProbCut

use crate::board::Board;
use crate::ordering::{Context, Picker};
use crate::params::Params;
use crate::search::Search;
use crate::search::node::{NodeState, NonPv};
use crate::search::window::Window;
use crate::tt::{Bound, TtEntry};
use crate::types::{Score, score};

impl Search<'_> {
    /// Returns the score of a node where a shallow search of a capture beats beta by a margin.
    pub(super) fn probcut(&mut self, board: &Board, node: &NodeState) -> Option<Score> {
        if score::is_decisive(node.window.beta) {
            return None;
        }
        let (p, depth) = (self.p, node.depth);
        let probcut_beta = node.window.beta + margin(p, node.improving());
        let reduced = depth - p.probcut_reduction();
        let is_refuted = |entry: &TtEntry| entry.depth >= reduced && entry.score < probcut_beta;
        if depth < p.probcut_depth() || node.tt_entry.as_ref().is_some_and(is_refuted) {
            return None;
        }
        self.probcut_captures(board, node, probcut_beta, reduced)
    }

    /// Searches the captures by quiescence search, and those that beat `probcut_beta` also to the
    /// reduced depth in plies. It is not inlined, because few nodes get here.
    #[inline(never)]
    fn probcut_captures(
        &mut self,
        board: &Board,
        node: &NodeState,
        probcut_beta: Score,
        reduced: i32,
    ) -> Option<Score> {
        let ply = node.ply;
        let ctx = Context::captures_only(board, ply, self.stack.prior(ply)).with_tt(self.tt);
        let mut picker = Picker::quiescence(node.tt_move, 0);
        while let Some(mv) = picker.next(self.p, &ctx, self.histories) {
            if !board.see_ge(self.p, mv, probcut_beta - node.static_eval) {
                continue;
            }
            let mut child = *board;
            self.make(board, &mut child, mv, ply);
            let window = Window::zero_below(probcut_beta).negated();
            let mut score = -self.quiescence::<NonPv>(&child, window, ply + 1);
            if score >= probcut_beta && reduced > 1 {
                let cut_node = !node.cut_node;
                score = -self.node::<NonPv>(&child, window, reduced - 1, ply + 1, cut_node);
            }
            self.keys.pop();
            if self.aborted {
                return Some(score::DRAW);
            }
            if score >= probcut_beta {
                let entry = node.new_tt_entry(mv, score, reduced.max(1), Bound::Lower);
                self.tt.store(board.key(), ply, entry);
                return Some(if score::is_decisive(score) {
                    score
                } else {
                    score - (probcut_beta - node.window.beta)
                });
            }
        }
        None
    }
}

/// Returns the margin, in centipawns, by which the shallow search of a capture must beat beta.
fn margin(p: &Params, improving: bool) -> Score {
    let less = if improving { p.probcut_improving() } else { 0 };
    (p.probcut_margin() - less).max(1)
}
