//! What the histories and corrections learn when a node is done.

use super::Search;
use super::node::{Node, NodeState};
use super::tried::Tried;
use crate::board::Board;
use crate::ordering::hook::NodeOutcome;
use crate::ordering::{Context, OrderingHook, Surprise};
use crate::params::Params;
use crate::tt::{Bound, TtEntry};
use crate::types::{Move, Score, score};

/// From the number after this on the move before a node came late, so that it is a surprise if it was good.
const LATE_MOVE: i32 = 8;
/// Up to this number it came early, so that it is one if it was bad.
const EARLY_MOVE: i32 = 2;
/// A score so far below the static evaluation is a surprise, centipawns.
const BELOW_EVAL: Score = 80;
/// A score so far above what the mover thought of its own position is one, centipawns.
const ABOVE_PARENT_EVAL: Score = 50;

impl Search<'_> {
    /// The table's move has cut the node again, if its score is above beta: a lesson like that of a search.
    pub(super) fn learn_from_table(&mut self, board: &Board, node: &NodeState, score: Score) {
        let mv = node.tt_entry.map_or(Move::NULL, |tt_entry| tt_entry.mv);
        if score < node.beta || !mv.is_quiet() || self.p.tt_cut_bonus() == 0 || !board.is_legal(mv)
        {
            return;
        }
        let ctx = Context::new(board, node.ply, self.stack.prior(node.ply));
        let part = self.p.tt_cut_bonus();
        self.histories
            .learn_from_tt_cutoff(&self.p, &ctx, mv, node.depth, part);
    }

    /// Rewards the move before if the evaluation fell for the side that now moves, and punishes it if it rose.
    // Source: https://www.chessprogramming.org/History_Heuristic
    pub(super) fn learn_from_evaluation(&mut self, board: &Board, node: &NodeState) {
        let parent = self.stack.parent(node.ply);
        if parent.static_eval == score::NONE || self.stack.prior(node.ply)[0].is_none() {
            return;
        }
        let amount = evaluation_bonus(&self.p, parent.static_eval + node.static_eval);
        let threats = parent.threats;
        let prior = self.stack.prior(node.ply);
        self.histories
            .learn_evaluated(&self.p, board, prior[0], &threats, amount);
    }

    /// Teaches the histories and corrections what came of the node's moves.
    pub(super) fn learn(
        &mut self,
        ctx: &Context,
        node: &NodeState,
        (score, best): (Score, Move),
        tried: &Tried,
    ) {
        let &NodeState { alpha, beta, .. } = node;
        let outcome = NodeOutcome {
            best,
            score,
            fails_high: score >= beta,
            depth: node.depth,
            quiets: &tried.quiets,
        };
        self.histories.hook.learn(ctx, outcome);
        if best.is_null() {
            let parent = *self.stack.parent(node.ply);
            let far_below = |eval: Score, by: Score| eval != score::NONE && score <= eval - by;
            let surprise = Surprise {
                late: parent.move_number > LATE_MOVE,
                below_eval: far_below(node.static_eval, BELOW_EVAL),
                above_parent_eval: parent.static_eval != score::NONE
                    && far_below(-parent.static_eval, ABOVE_PARENT_EVAL),
            };
            self.histories
                .learn_refuted(&self.p, ctx, &parent.threats, node.depth, surprise);
        } else {
            self.histories.learn_reply(&self.p, ctx, best);
            if score >= beta {
                let surprise = score > beta + self.p.bonus_margin();
                let depth = node.depth + i32::from(surprise);
                self.histories.learn_cutoff(
                    &self.p,
                    ctx,
                    best,
                    &tried.quiets,
                    &tried.captures,
                    depth,
                );
                if self.stack.parent(node.ply).move_number <= EARLY_MOVE {
                    let threats = self.stack.parent(node.ply).threats;
                    self.histories
                        .learn_early_refuted(&self.p, ctx, &threats, depth);
                }
            }
        }
        let bound = Bound::of(score, alpha, beta);
        let learnable = !ctx.board.in_check()
            && (best.is_null() || best.is_quiet())
            && !score::is_decisive(score)
            && !(bound == Bound::Lower && score <= node.static_eval)
            && !(bound == Bound::Upper && score >= node.static_eval);
        if learnable {
            let [last, before, ..] = ctx.prior;
            let error = score - node.static_eval;
            self.corrections
                .learn(&self.p, ctx.board, [last, before], node.depth, error);
        }
    }

    /// Stores what was found out about the node in the transposition table.
    pub(super) fn store<N: Node>(
        &self,
        node: &NodeState,
        key: u64,
        best_score: Score,
        best_move: Move,
    ) {
        // The best move of a second line is not the best move of the position.
        if N::ROOT && self.line > 0 {
            return;
        }
        let entry = TtEntry {
            mv: best_move,
            score: best_score,
            eval: node.raw_eval,
            depth: node.depth,
            bound: Bound::of(best_score, node.alpha, node.beta),
            pv: node.tt_pv,
        };
        self.tt.store(key, node.ply, entry);
    }
}

/// What the change of the evaluation teaches about the quiet move that made it, in points. `both` is the sum of what the
/// two sides thought of their own positions before and after it, in centipawns.
fn evaluation_bonus(p: &Params, both: Score) -> i32 {
    (-both * p.prior_eval_slope()).clamp(-p.prior_eval_max(), p.prior_eval_max())
}
