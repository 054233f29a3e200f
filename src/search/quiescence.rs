//! Quiescence: only captures and promotions that do not lose material, until the position is quiet; in check, answers to it.
// Source: https://www.chessprogramming.org/Quiescence_Search

use super::Search;
use super::draws::far_from_fifty;
use super::node::{Node, NonPv, Pv};
use super::pruning::blend;
use super::static_eval::{Evaluated, refined};
use crate::board::{Board, repetition};
use crate::ordering::{Context, Picker};
use crate::tt::{Bound, TtEntry};
use crate::types::{MAX_PLY, Move, Score, score};

/// Where a side stands before its first capture.
#[derive(Clone, Copy)]
struct Stand {
    /// Alpha, or the score of standing pat.
    raised: Score,
    /// Of standing pat; nothing in check.
    best_score: Score,
    /// What an exchange that wins nothing may reach.
    futility: Score,
    tt_move: Move,
}

impl Search<'_> {
    /// The value of a position when both sides may stop capturing at any time, unless in check.
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
        let check = board.in_check();
        if ply >= MAX_PLY {
            return if check {
                score::DRAW
            } else {
                self.static_eval(board, ply, None).corrected
            };
        }
        let mut raised = alpha;
        if raised < score::DRAW && repetition::can_repeat(board, &self.keys, ply) {
            raised = score::DRAW;
            if raised >= beta {
                return raised;
            }
        }
        let tt_entry = self.tt.probe(board.key(), ply);
        if let Some(tt_entry) = &tt_entry
            && !N::PV
            && tt_entry.decides(raised, beta)
            && far_from_fifty(board)
        {
            return tt_entry.score;
        }
        if let Some(tt_entry) = &tt_entry {
            self.tt.prefetch(board.key_hint(tt_entry.mv));
        }
        let tt_pv = N::PV || tt_entry.as_ref().is_some_and(|tt_entry| tt_entry.pv);

        let evaluated = if check {
            Evaluated::NONE
        } else {
            self.static_eval(board, ply, tt_entry.as_ref())
        };
        self.stack.at(ply).static_eval = evaluated.corrected;
        let mut best_score = -score::INFINITE;
        let mut futility = -score::INFINITE;
        if !check {
            // In a principal variation a mate needs its moves, and the table has only the score.
            let hint = tt_entry.as_ref();
            let hint = hint.filter(|tt_entry| !N::PV || !score::is_decisive(tt_entry.score));
            best_score = refined(evaluated.corrected, hint, board);
            if best_score >= beta {
                let blended = self.quiescence_cut(best_score, beta);
                if !tt_entry.as_ref().is_some_and(TtEntry::has_score) {
                    let outcome = (blended, Move::NULL, Bound::Lower);
                    self.store_quiescence(board, ply, evaluated.raw, outcome, tt_pv);
                }
                return blended;
            }
            raised = raised.max(best_score);
            futility = best_score + self.p.quiescence_futility();
        }

        let stand = Stand {
            raised,
            best_score,
            futility,
            tt_move: tt_entry.map_or(Move::NULL, |tt_entry| tt_entry.mv),
        };
        let Some((score, mv)) = self.quiescence_moves::<N>(board, beta, ply, stand) else {
            return score::DRAW;
        };
        let outcome = (score, mv, Bound::of(score, alpha, beta));
        self.store_quiescence(board, ply, evaluated.raw, outcome, tt_pv);
        score
    }

    /// The best of the captures, or of the answers to a check, and its score; `None` of an aborted search.
    ///
    /// Most nodes stand pat: they are not to pay for its stack.
    #[inline(never)]
    fn quiescence_moves<N: Node>(
        &mut self,
        board: &Board,
        beta: Score,
        ply: usize,
        stand: Stand,
    ) -> Option<(Score, Move)> {
        let Stand {
            mut raised,
            mut best_score,
            futility,
            tt_move,
        } = stand;
        let check = board.in_check();
        let prior = self.stack.prior(ply);
        let (ctx, mut picker) = if check {
            (
                Context::new(board, ply, prior).with_tt(self.tt),
                Picker::new(tt_move, 0),
            )
        } else {
            let ctx = Context::captures_only(board, ply, prior).with_tt(self.tt);
            (ctx, Picker::quiescence(tt_move))
        };
        self.stack.at(ply).threats = ctx.threats;
        let mut best_move = Move::NULL;
        let mut tried = 0;
        while let Some(mv) = picker.next(&self.p, &ctx, self.histories) {
            if best_score > -score::DECISIVE {
                if check {
                    // One answer to the check is enough to know that there is one.
                    if mv.is_quiet() && tried > 0 {
                        picker.skip_quiets();
                        continue;
                    }
                } else {
                    if tried >= self.p.quiescence_moves() {
                        break;
                    }
                    // Too far below alpha for an exchange that wins nothing.
                    if futility <= raised && !board.see(&self.p, mv, 1) {
                        best_score = best_score.max(futility);
                        continue;
                    }
                }
            }
            if mv.is_quiet() {
                ctx.prefetch(mv);
            }
            tried += 1;
            let mut child = *board;
            self.make(board, &mut child, mv, ply);
            let score = if N::PV {
                -self.quiescence::<Pv>(&child, -beta, -raised, ply + 1)
            } else {
                -self.quiescence::<NonPv>(&child, -beta, -raised, ply + 1)
            };
            self.keys.pop();
            if self.aborted {
                return None;
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
        if check && tried == 0 {
            return Some((score::mated_in(ply), Move::NULL));
        }
        if best_score >= beta {
            best_score = self.quiescence_cut(best_score, beta);
        }
        Some((best_score, best_move))
    }

    /// The score of a cut, drawn to beta.
    fn quiescence_cut(&self, score: Score, beta: Score) -> Score {
        if score::is_decisive(score) {
            score
        } else {
            blend(score, beta, self.p.quiescence_blend())
        }
    }

    fn store_quiescence(
        &self,
        board: &Board,
        ply: usize,
        eval: Score,
        (score, mv, bound): (Score, Move, Bound),
        pv: bool,
    ) {
        let entry = TtEntry {
            mv,
            score,
            eval,
            depth: 0,
            bound,
            pv,
        };
        self.tt.store(board.key(), ply, entry);
    }
}
