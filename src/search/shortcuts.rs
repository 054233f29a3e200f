//! Scores a node may have without a search of all its moves, from the surest to the boldest.

use super::node::{Facts, NonPv};
use super::{Search, pruning};
use crate::board::{Board, repetition};
use crate::ordering::{Context, Picker};
use crate::tt::{Bound, Hit};
use crate::types::{MAX_PLY, Move, Played, Score, score};

impl Search<'_> {
    /// Draws, the end of the stack, and windows that no mate or repetition leaves open.
    pub(super) fn known_without_search(
        &mut self,
        board: &Board,
        node: &mut Facts,
    ) -> Option<Score> {
        if self.is_drawn(board, node.ply) {
            return Some(self.draw_score());
        }
        if node.ply >= MAX_PLY {
            return Some(if board.in_check() {
                score::DRAW
            } else {
                self.static_eval(board, node.ply, None).corrected
            });
        }
        // Mate distance pruning: the best there can be is mate at the next ply.
        // Source: https://www.chessprogramming.org/Mate_Distance_Pruning
        node.alpha = node.alpha.max(score::mated_in(node.ply));
        node.beta = node.beta.min(score::mate_in(node.ply + 1));
        if node.alpha < score::DRAW && repetition::can_repeat(board, &self.keys, node.ply) {
            node.alpha = score::DRAW;
        }
        (node.alpha >= node.beta).then_some(node.alpha)
    }

    /// Razoring: so far below alpha only captures could help, and they do not.
    pub(super) fn razoring(&mut self, board: &Board, node: &Facts) -> Option<Score> {
        let threshold = pruning::razoring_threshold(&self.p, node.alpha, node.depth)?;
        if node.eval >= threshold {
            return None;
        }
        let score = self.quiescence::<NonPv>(board, node.alpha, node.alpha + 1, node.ply);
        (score <= node.alpha).then_some(score)
    }

    /// Reverse futility: so far above beta the opponent is expected to find nothing.
    pub(super) fn reverse_futility(&self, node: &Facts) -> Option<Score> {
        let (beta, eval) = (node.beta, node.eval);
        let quiet = node.tt_move.is_quiet() && !node.tt_move.is_null();
        if node.tt_pv && self.p.reverse_futility_tt_pv() == 0
            || quiet && self.p.reverse_futility_quiet() == 0
        {
            return None;
        }
        let threshold = pruning::reverse_futility_threshold(
            &self.p,
            beta,
            node.depth,
            node.improving,
            node.correction,
        )?;
        let cut = eval >= threshold && pruning::is_ordinary(beta) && pruning::is_ordinary(eval);
        cut.then(|| pruning::blend(eval, beta, self.p.reverse_futility_blend()))
    }

    /// Null move: if even passing keeps the node above beta, a move will. Deep down that is verified by a search
    /// without null moves, as in zugzwang passing is the best one could do. If it fails, the piece that
    /// the refutation takes is noted.
    // Source: https://www.chessprogramming.org/Null_Move_Pruning
    pub(super) fn null_move(&mut self, board: &Board, node: &mut Facts) -> Option<Score> {
        let &mut Facts {
            beta, depth, ply, ..
        } = node;
        let worth = depth >= self.p.null_move_depth()
            && ply >= self.null_move_from
            && (node.cut_node || self.p.null_move_cut_only() == 0)
            && node.eval >= beta
            && node.static_eval >= pruning::null_move_threshold(&self.p, beta, depth)
            && pruning::is_ordinary(beta)
            && !self.stack.prior(ply)[0].is_none()
            && board.has_pieces(board.side_to_move());
        if worth { self.pass(board, node) } else { None }
    }

    /// The search of a null move that is worth one.
    #[inline(never)]
    fn pass(&mut self, board: &Board, node: &mut Facts) -> Option<Score> {
        let &mut Facts {
            beta, depth, ply, ..
        } = node;
        let reduced = depth - pruning::null_move_reduction(&self.p, depth, node.eval - beta);
        let mut child = *board;
        child.make_null();
        self.evaluator.enter(ply + 1, None);
        self.table.prefetch(child.key());
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
            let hit = self.table.probe(child.key(), ply + 1);
            let refutation = hit.map_or(Move::NULL, |hit| hit.mv);
            node.threatened = refutation.is_capture().then(|| refutation.to());
            self.stores.lab.pass_refuted(ply, refutation);
            return None;
        }
        // A mate after a pass is no proof.
        let score = if score::is_decisive(score) {
            beta
        } else {
            score
        };
        if depth < self.p.null_move_verify() || self.null_move_from > 0 {
            return Some(score);
        }
        self.null_move_from = ply + pruning::null_move_ban(reduced);
        let verified = self.node::<NonPv>(board, beta - 1, beta, reduced, ply, false);
        self.null_move_from = 0;
        (verified >= beta && !self.aborted).then_some(score)
    }

    /// ProbCut: a capture that beats beta by a margin in a shallow search would do so in a deep one.
    // Source: M. Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta Algorithm", ICCA Journal 18(2), 1995;
    // https://www.chessprogramming.org/ProbCut
    pub(super) fn probcut(&mut self, board: &Board, node: &Facts) -> Option<Score> {
        let depth = node.depth;
        let margin = self.p.small_probcut_margin();
        if let Some(hit) = &node.hit
            && hit.bound == Bound::Lower
            && hit.depth >= depth - self.p.small_probcut_reduction()
            && hit.score >= node.beta + margin
            && pruning::is_ordinary(hit.score)
            && pruning::is_ordinary(node.beta)
        {
            return Some(node.beta + margin);
        }
        if !node.cut_node && self.p.probcut_cut_only() != 0 {
            return None;
        }
        let goal = pruning::probcut_goal(&self.p, node.beta, node.improving);
        let shallow = depth - self.p.probcut_reduction();
        let refuted = |hit: &Hit| hit.depth >= shallow && hit.score < goal;
        if depth < self.p.probcut_depth()
            || !pruning::is_ordinary(node.beta)
            || node.hit.as_ref().is_some_and(refuted)
        {
            return None;
        }
        self.try_captures(board, node, goal, shallow)
    }

    /// ProbCut's searches: out of line, as few nodes come so far.
    #[inline(never)]
    fn try_captures(
        &mut self,
        board: &Board,
        node: &Facts,
        goal: Score,
        shallow: i32,
    ) -> Option<Score> {
        let ply = node.ply;
        let ctx = Context::captures_only(board, ply, self.stack.prior(ply)).with_table(self.table);
        let mut picker = Picker::quiescence(node.tt_move);
        while let Some(mv) = picker.next(&self.p, &ctx, self.stores) {
            if mv == node.excluded || !board.see(&self.p, mv, goal - node.static_eval) {
                continue;
            }
            let mut child = *board;
            self.make(board, &mut child, mv, ply);
            let window = (-goal, 1 - goal);
            let mut score = -self.quiescence::<NonPv>(&child, window.0, window.1, ply + 1);
            if score >= goal && shallow > 1 {
                let expected = !node.cut_node;
                score =
                    -self.node::<NonPv>(&child, window.0, window.1, shallow - 1, ply + 1, expected);
            }
            self.keys.pop();
            if self.aborted {
                return None;
            }
            if score >= goal {
                self.remember_probcut(board, node, mv, score, shallow);
                return Some(if score::is_decisive(score) {
                    score
                } else {
                    score - (goal - node.beta)
                });
            }
        }
        None
    }

    fn remember_probcut(&self, board: &Board, node: &Facts, mv: Move, score: Score, depth: i32) {
        let entry = Hit {
            mv,
            score,
            eval: node.raw_eval,
            depth,
            bound: Bound::Lower,
            pv: node.tt_pv,
        };
        self.table.store(board.key(), node.ply, entry);
    }
}
