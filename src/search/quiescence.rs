//! Quiescence search: captures and promotions that lose no material, until the position is quiet;
//! in check, evasions.
// Source: https://www.chessprogramming.org/Quiescence_Search

use super::Search;
use super::draws::halfmove_clock_is_low;
use super::node::{Node, NonPv, Pv};
use super::pruning::move_toward_beta;
use super::static_eval::{Evaluated, tt_adjusted_eval};
use crate::board::Board;
use crate::ordering::{Context, Picker};
use crate::tt::{Bound, TtEntry};
use crate::types::{MAX_PLY, Move, Score, score};

/// The state of a node before its first move is searched, in centipawns.
#[derive(Clone, Copy)]
struct StandPat {
    /// Alpha, raised to the score of standing pat.
    alpha: Score,
    beta: Score,
    /// The score of standing pat; `-INFINITE` in check.
    best_score: Score,
    /// The highest score that an exchange without gain may reach.
    futility: Score,
    tt_move: Move,
}

impl Search<'_> {
    /// Searches a position in which either side may stop capturing at any time, unless it is in
    /// check, and returns its score: exact if it is inside the window, else a bound. The score of
    /// an aborted search is meaningless.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        ply: usize,
    ) -> Score {
        debug_assert!(alpha < beta && (N::PV || beta == alpha + 1) && ply <= MAX_PLY);
        self.pv.clear(ply);
        if self.enter(ply) {
            return score::DRAW;
        }
        if let Some(score) = self.terminal_score(board, ply) {
            return score;
        }
        let mut raised_alpha = self.alpha_with_upcoming_repetition(board, alpha, ply);
        if raised_alpha >= beta {
            return raised_alpha;
        }
        let tt_entry = self.tt.probe(board.key(), ply);
        if let Some(tt_entry) = &tt_entry
            && !N::PV
            && tt_entry.decides(raised_alpha, beta)
            && halfmove_clock_is_low(board)
        {
            return tt_entry.score;
        }
        if let Some(tt_entry) = &tt_entry {
            self.tt.prefetch(board.key_hint(tt_entry.mv));
        }
        let tt_pv = N::PV || tt_entry.as_ref().is_some_and(|tt_entry| tt_entry.pv);

        let check = board.in_check();
        let evaluated = if check {
            Evaluated::NONE
        } else {
            self.static_eval(board, ply, tt_entry.as_ref())
        };
        self.stack.at(ply).static_eval = evaluated.corrected;
        let new_tt_entry = |mv, score, bound| TtEntry {
            mv,
            score,
            eval: evaluated.raw,
            depth: 0,
            bound,
            pv: tt_pv,
        };
        let mut best_score = -score::INFINITE;
        let mut futility = -score::INFINITE;
        if !check {
            // On a principal variation a mate score is not taken from the transposition table,
            // because the moves of the mate would be missing.
            let usable = |tt_entry: &&TtEntry| !N::PV || !score::is_decisive(tt_entry.score);
            best_score =
                tt_adjusted_eval(evaluated.corrected, tt_entry.as_ref().filter(usable), board);
            if best_score >= beta {
                let blended = self.quiescence_fail_high(best_score, beta);
                if !tt_entry.as_ref().is_some_and(TtEntry::has_score) {
                    let entry = new_tt_entry(Move::NULL, blended, Bound::Lower);
                    self.tt.store(board.key(), ply, entry);
                }
                return blended;
            }
            raised_alpha = raised_alpha.max(best_score);
            futility = best_score + self.p.quiescence_futility();
        }

        let stand_pat = StandPat {
            alpha: raised_alpha,
            beta,
            best_score,
            futility,
            tt_move: tt_entry.map_or(Move::NULL, |tt_entry| tt_entry.mv),
        };
        let Some((score, mv)) = self.quiescence_moves::<N>(board, ply, stand_pat) else {
            return score::DRAW;
        };
        let entry = new_tt_entry(mv, score, Bound::of(score, alpha, beta));
        self.tt.store(board.key(), ply, entry);
        score
    }

    /// Searches the captures, or in check the evasions, and returns the best score and its move;
    /// `None` if the search is aborted. The move is [`Move::NULL`] if none raised alpha.
    ///
    /// It is not inlined, because most nodes stand pat and need no room on the stack for it.
    #[inline(never)]
    fn quiescence_moves<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        stand_pat: StandPat,
    ) -> Option<(Score, Move)> {
        let StandPat {
            mut alpha,
            beta,
            mut best_score,
            futility,
            tt_move,
        } = stand_pat;
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
        let mut searched = 0;
        while let Some(mv) = picker.next(&self.p, &ctx, self.histories) {
            if best_score > -score::DECISIVE {
                if check {
                    // One evasion is enough to show that there is no mate.
                    if mv.is_quiet() && searched > 0 {
                        picker.skip_quiets();
                        continue;
                    }
                } else {
                    if searched >= self.p.quiescence_moves() {
                        break;
                    }
                    // Futility pruning: an exchange without gain would not reach alpha.
                    if futility <= alpha && !board.see_ge(&self.p, mv, 1) {
                        best_score = best_score.max(futility);
                        continue;
                    }
                }
            }
            if mv.is_quiet() {
                ctx.prefetch(mv);
            }
            searched += 1;
            let mut child = *board;
            self.make(board, &mut child, mv, ply);
            let score = if N::PV {
                -self.quiescence::<Pv>(&child, -beta, -alpha, ply + 1)
            } else {
                -self.quiescence::<NonPv>(&child, -beta, -alpha, ply + 1)
            };
            self.keys.pop();
            if self.aborted {
                return None;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    alpha = score;
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
        if check && searched == 0 {
            return Some((score::mated_in(ply), Move::NULL));
        }
        if best_score >= beta {
            best_score = self.quiescence_fail_high(best_score, beta);
        }
        Some((best_score, best_move))
    }

    /// Returns the score of a node that fails high, moved toward beta unless it is decisive.
    fn quiescence_fail_high(&self, score: Score, beta: Score) -> Score {
        if score::is_decisive(score) {
            score
        } else {
            move_toward_beta(score, beta, self.p.quiescence_blend())
        }
    }
}
