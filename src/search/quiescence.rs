//! Quiescence: only captures and promotions that do not lose material, until the position is quiet.
// Source: https://www.chessprogramming.org/Quiescence_Search

use super::Search;
use super::node::{Node, NonPv, Pv, far_from_fifty, is_cut_by, refined};
use crate::board::Board;
use crate::ordering::Picker;
use crate::tt::{Bound, Hit};
use crate::types::{MAX_PLY, Move, Score, score};

impl Search<'_> {
    /// The value of a position when both sides may stop capturing at any time.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        self.pv.clear(ply);
        if self.enter(ply) || self.is_drawn(board, ply) {
            return self.draw_score();
        }
        if ply >= MAX_PLY {
            return self.evaluator.evaluate(board, ply);
        }
        let hit = self.table.probe(board.key(), ply);
        if let Some(hit) = &hit
            && !N::PV
            && is_cut_by(hit, alpha, beta)
            && far_from_fifty(board)
        {
            return hit.score;
        }

        let static_eval = self.static_eval(board, ply, hit.as_ref());
        self.stack.at(ply).static_eval = static_eval;
        let stand_pat = refined(static_eval, hit.as_ref());
        let mut best_score = stand_pat;
        let mut best_move = Move::NULL;
        let mut raised = alpha.max(stand_pat);
        if raised < beta {
            let futility = stand_pat + self.p.quiescence_futility();
            let ctx = self.context(board, ply);
            let mut picker = Picker::quiescence(hit.map_or(Move::NULL, |hit| hit.mv));
            while let Some(mv) = picker.next(&self.p, &ctx, self.stores) {
                // Too far below alpha for an exchange that wins nothing.
                if futility <= raised && !board.see(&self.p, mv, 1) {
                    best_score = best_score.max(futility);
                    continue;
                }
                let mut child = *board;
                let change = child.make(mv);
                self.table.prefetch(child.key());
                self.evaluator.enter(ply + 1, Some(change));
                self.stack.at(ply).played = board.describe(mv);
                self.keys.push(board.key());
                // A child in check is a node of the main search: it looks at every answer.
                let score = if N::PV {
                    -self.node::<Pv>(&child, -beta, -raised, 0, ply + 1, false)
                } else {
                    -self.node::<NonPv>(&child, -beta, -raised, 0, ply + 1, false)
                };
                self.keys.pop();
                if self.aborted {
                    return score::DRAW;
                }
                if score > best_score {
                    best_score = score;
                    if score > raised {
                        raised = score;
                        best_move = mv;
                        if N::PV {
                            self.pv.update(ply, mv);
                        }
                        if score >= beta {
                            break;
                        }
                    }
                }
            }
        }
        let entry = Hit {
            mv: best_move,
            score: best_score,
            eval: static_eval,
            depth: 0,
            bound: Bound::of(best_score, alpha, beta),
            pv: N::PV,
        };
        self.table.store(board.key(), ply, entry);
        best_score
    }
}
