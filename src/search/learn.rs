//! The updates of histories and correction histories when a node is finished.

use super::Search;
use super::node::NodeState;
use crate::board::Board;
use crate::ordering::{Context, NodeKind, NodeOutcome, SearchedMoves};
use crate::params::Params;
use crate::tt::Bound;
use crate::types::{Move, Score};

/// The move before a node was searched early if its number, from 1, is at most this one.
const EARLY_MOVE: i32 = 2;

impl Search<'_> {
    /// Gives the quiet TT move a bonus if its entry alone made the node fail high with this score.
    pub(super) fn learn_from_tt_cutoff(&mut self, board: &Board, node: &NodeState, score: Score) {
        let mv = node.tt_entry.map_or(Move::NULL, |tt_entry| tt_entry.mv);
        let share_1024 = self.p.tt_cut_bonus();
        if score < node.window.beta || !mv.is_quiet() || share_1024 == 0 || !board.is_legal(mv) {
            return;
        }
        let ctx = Context::new(board, node.ply, self.stack.prior(node.ply));
        self.histories
            .learn_from_tt_cutoff(self.p, &ctx, mv, node.depth, share_1024);
    }

    /// Gives the move before the node a bonus if the static evaluation rose for the side that made
    /// it, and a malus if it fell.
    // Source: https://www.chessprogramming.org/History_Heuristic
    pub(super) fn learn_from_eval_change(&mut self, board: &Board, node: &NodeState) {
        let prior = self.stack.prior(node.ply);
        let Some(sum) = (self.stack.evals_of_both_sides(node.ply)).filter(|_| !prior[0].is_none())
        else {
            return;
        };
        let bonus = eval_change_bonus(self.p, sum);
        let attacked = self.stack.parent(node.ply).attacked;
        self.histories
            .learn_from_eval_change(self.p, board, prior[0], attacked, bonus);
    }

    /// Updates histories and correction histories with the result of the node, whose best score is
    /// exact or a bound.
    pub(super) fn learn(
        &mut self,
        ctx: &Context,
        node: &NodeState,
        kind: NodeKind,
        bound: Bound,
        searched: &SearchedMoves,
    ) {
        let outcome = NodeOutcome {
            kind,
            tt_move: node.tt_move,
            best: node.best_move,
            score: node.best_score,
            fails_high: bound == Bound::Lower,
            depth: node.depth,
            searched,
        };
        self.histories.learn(self.p, ctx, &outcome);
        if node.best_move.is_null() {
            if node.depth >= self.p.fail_low_depth() {
                let attacked = self.stack.parent(node.ply).attacked;
                self.histories
                    .learn_from_fail_low(self.p, ctx, attacked, node.depth);
            }
        } else if bound == Bound::Lower {
            self.learn_from_fail_high(ctx, node, searched);
        }
        self.correct_static_eval(ctx, node, bound);
    }

    fn learn_from_fail_high(&mut self, ctx: &Context, node: &NodeState, searched: &SearchedMoves) {
        let far_above_beta = node.best_score > node.window.beta + self.p.bonus_margin();
        let depth = node.depth + i32::from(far_above_beta);
        self.histories
            .learn_cutoff(self.p, ctx, node.best_move, searched, depth);
        // The root's parent made no move in this search, and its number is 0.
        if (1..=EARLY_MOVE).contains(&self.stack.parent(node.ply).move_number) {
            let attacked = self.stack.parent(node.ply).attacked;
            self.histories
                .learn_early_move_refuted(self.p, ctx, attacked, depth);
        }
    }

    /// Teaches the correction histories the difference between the score and the static evaluation,
    /// if the score says that the evaluation was wrong and no capture explains the difference.
    fn correct_static_eval(&mut self, ctx: &Context, node: &NodeState, bound: Bound) {
        let &NodeState {
            best_move,
            best_score,
            ..
        } = node;
        let shows_an_error = !ctx.board.in_check()
            && (best_move.is_null() || best_move.is_quiet())
            && !(bound == Bound::Lower && best_score <= node.static_eval)
            && !(bound == Bound::Upper && best_score >= node.static_eval);
        if shows_an_error {
            let error = best_score - node.static_eval;
            self.corrections
                .learn(self.p, ctx.board, ctx.prior, node.depth, error);
        }
    }
}

/// Returns the bonus of a quiet move for the change of the static evaluation, in points, or its
/// malus if negative. `sum` is the static evaluation before the move plus the one after it, in
/// centipawns and each from its side to move: the evaluation rose for the side that moved if the
/// sum is negative.
fn eval_change_bonus(p: &Params, sum: Score) -> i32 {
    (-sum * p.prior_eval_slope()).clamp(-p.prior_eval_max(), p.prior_eval_max())
}
