//! ProbCut: a capture that beats beta by a margin in a shallow search would beat beta in a deep one.
// Source: M. Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta Algorithm", ICCA Journal 18(2), 1995;
// https://www.chessprogramming.org/ProbCut

use crate::board::Board;
use crate::ordering::{Context, Picker};
use crate::params::Params;
use crate::search::Search;
use crate::search::node::{NodeState, NonPv};
use crate::tt::{Bound, TtEntry};
use crate::types::{Move, Score, score};

impl Search<'_> {
    /// The score of a node where the table or a shallow search of the captures beats beta by a margin.
    pub(super) fn probcut(&mut self, board: &Board, node: &NodeState) -> Option<Score> {
        if score::is_decisive(node.beta) {
            return None;
        }
        if let Some(score) = self.small_probcut(node) {
            return Some(score);
        }
        let (p, depth) = (&self.p, node.depth);
        let goal = node.beta + margin(p, node.improving);
        let shallow = depth - p.probcut_reduction();
        let refuted = |entry: &TtEntry| entry.depth >= shallow && entry.score < goal;
        if depth < p.probcut_depth() || node.tt_entry.as_ref().is_some_and(refuted) {
            return None;
        }
        self.try_captures(board, node, goal, shallow)
    }

    /// The same without a search: a lower bound of the table, little shallower than the node, beats beta by far.
    // Source: Stockfish
    fn small_probcut(&self, node: &NodeState) -> Option<Score> {
        let goal = node.beta + self.p.small_probcut_margin();
        let deep = node.depth - self.p.small_probcut_reduction();
        node.tt_entry
            .filter(|entry| {
                entry.bound == Bound::Lower
                    && entry.depth >= deep
                    && entry.score >= goal
                    && !score::is_decisive(entry.score)
            })
            .map(|_| goal)
    }

    /// The searches of the captures: quiescence first, and what passes it to the shallow depth. Out of line, because few
    /// nodes come so far.
    #[inline(never)]
    fn try_captures(
        &mut self,
        board: &Board,
        node: &NodeState,
        goal: Score,
        shallow: i32,
    ) -> Option<Score> {
        let ply = node.ply;
        let ctx = Context::captures_only(board, ply, self.stack.prior(ply)).with_tt(self.tt);
        let mut picker = Picker::quiescence(node.tt_move);
        while let Some(mv) = picker.next(&self.p, &ctx, self.histories) {
            if mv == node.excluded || !board.see(&self.p, mv, goal - node.static_eval) {
                continue;
            }
            let mut child = *board;
            self.make(board, &mut child, mv, ply);
            let mut score = -self.quiescence::<NonPv>(&child, -goal, 1 - goal, ply + 1);
            if score >= goal && shallow > 1 {
                let expected = !node.cut_node;
                score =
                    -self.node::<NonPv>(&child, -goal, 1 - goal, shallow - 1, ply + 1, expected);
            }
            self.keys.pop();
            if self.aborted {
                return None;
            }
            if score >= goal {
                self.remember_capture(board, node, mv, score, shallow);
                return Some(if score::is_decisive(score) {
                    score
                } else {
                    score - (goal - node.beta)
                });
            }
        }
        None
    }

    fn remember_capture(
        &self,
        board: &Board,
        node: &NodeState,
        mv: Move,
        score: Score,
        depth: i32,
    ) {
        let entry = TtEntry {
            mv,
            score,
            eval: node.raw_eval,
            depth,
            bound: Bound::Lower,
            pv: node.tt_pv,
        };
        self.tt.store(board.key(), node.ply, entry);
    }
}

/// By how much a capture's shallow search must beat beta.
fn margin(p: &Params, improving: bool) -> Score {
    let less = if improving { p.probcut_improving() } else { 0 };
    (p.probcut_margin() - less).max(1)
}
