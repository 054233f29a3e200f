//! Quiescence search: captures and promotions that lose little material, until the position is quiet;
//! in check, evasions.
// Source: https://www.chessprogramming.org/Quiescence_Search

use super::Search;
use super::draws::halfmove_clock_is_low;
use super::node::{Node, NonPv, Pv};
use super::pruning::move_toward_beta;
use super::static_eval::tt_adjusted_eval;
use super::window::Window;
use crate::board::Board;
use crate::ordering::{Context, Picker};
use crate::tt::{Bound, TtEntry};
use crate::types::{MAX_PLY, Move, Score, score};

impl Search<'_> {
    /// Searches a position in which either side may stop capturing at any time, unless it is in
    /// check, and returns its score: exact if it is inside the window, else a bound. The score of
    /// an aborted search is meaningless.
    pub(super) fn quiescence<N: Node>(
        &mut self,
        board: &Board,
        mut window: Window,
        ply: usize,
    ) -> Score {
        debug_assert!(!window.is_empty() && (N::PV || window.width() == 1) && ply <= MAX_PLY);
        self.pv.clear(ply);
        if self.enter(ply) {
            return score::DRAW;
        }
        if let Some(score) = self.terminal_score(board, ply) {
            return score;
        }
        window.alpha = self.alpha_with_upcoming_repetition(board, window.alpha, ply);
        if window.is_empty() {
            return window.alpha;
        }
        let Window { alpha, beta } = window;
        let tt_entry = self.probe_tt(board, ply);
        if let Some(tt_entry) = &tt_entry
            && !N::PV
            && tt_entry.decides(alpha, beta)
            && halfmove_clock_is_low(board)
        {
            return tt_entry.score;
        }
        if let Some(tt_entry) = &tt_entry {
            self.tt.prefetch(board.key_hint(tt_entry.mv));
        }
        let tt_pv = N::PV || tt_entry.as_ref().is_some_and(|tt_entry| tt_entry.pv);

        let check = board.in_check();
        let (raw_eval, static_eval) = if check {
            (score::NONE, score::NONE)
        } else {
            let raw_eval = self.raw_eval(board, ply, tt_entry.as_ref());
            (raw_eval, self.corrected_eval(board, ply, raw_eval).0)
        };
        self.stack.at(ply).static_eval = static_eval;
        let new_tt_entry = |mv, score, bound| TtEntry {
            mv,
            score,
            eval: raw_eval,
            depth: 0,
            bound,
            pv: tt_pv,
        };
        let mut best_score = -score::INFINITE;
        if !check {
            // On a principal variation no mate or tablebase score is taken from the transposition
            // table, because the moves that lead there would be missing.
            let usable = |tt_entry: &&TtEntry| !N::PV || !score::is_decisive(tt_entry.score);
            best_score = tt_adjusted_eval(static_eval, tt_entry.as_ref().filter(usable), board);
            if best_score >= beta {
                let moved = self.quiescence_fail_high(best_score, beta);
                if !tt_entry.as_ref().is_some_and(TtEntry::has_score) {
                    let entry = new_tt_entry(Move::NULL, moved, Bound::Lower);
                    self.tt.store(board.key(), ply, entry);
                }
                return moved;
            }
            window.alpha = window.alpha.max(best_score);
        }

        let tt_move = tt_entry.map_or(Move::NULL, |tt_entry| tt_entry.mv);
        let Some((score, mv)) = self.quiescence_moves::<N>(board, window, ply, best_score, tt_move)
        else {
            return score::DRAW;
        };
        let entry = new_tt_entry(mv, score, Bound::of(score, alpha, beta));
        self.tt.store(board.key(), ply, entry);
        score
    }

    /// Searches the captures, or in check the evasions, and returns the best score and its move;
    /// `None` if the search is aborted. The move is [`Move::NULL`] if none raised alpha. The best
    /// score is that of standing pat before the first move; `-INFINITE` in check.
    ///
    /// It is not inlined, because most nodes stand pat and need no room on the stack for it.
    #[inline(never)]
    fn quiescence_moves<N: Node>(
        &mut self,
        board: &Board,
        mut window: Window,
        ply: usize,
        mut best_score: Score,
        tt_move: Move,
    ) -> Option<(Score, Move)> {
        let check = board.in_check();
        // The highest score that an exchange without gain may reach.
        let futility = best_score + self.p.quiescence_futility();
        let prior = self.stack.prior(ply);
        let (ctx, mut picker) = if check {
            (
                Context::new(board, ply, prior).with_tt(self.tt),
                Picker::new(tt_move, 0),
            )
        } else {
            let ctx = Context::captures_only(board, ply, prior).with_tt(self.tt);
            (ctx, Picker::quiescence(tt_move, self.p.quiescence_loss()))
        };
        self.stack.at(ply).attacked = ctx.threats.all;
        let mut best_move = Move::NULL;
        let mut searched = 0;
        while let Some(mv) = picker.next(self.p, &ctx, self.histories) {
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
                    if futility <= window.alpha && !board.see_ge(self.p, mv, 1) {
                        best_score = best_score.max(futility);
                        continue;
                    }
                }
            }
            searched += 1;
            let mut child = *board;
            self.make(board, &mut child, mv, ply);
            let score = if N::PV {
                -self.quiescence::<Pv>(&child, window.negated(), ply + 1)
            } else {
                -self.quiescence::<NonPv>(&child, window.negated(), ply + 1)
            };
            self.keys.pop();
            if self.aborted {
                return None;
            }
            if score > best_score {
                best_score = score;
                if score > window.alpha {
                    window.alpha = score;
                    best_move = mv;
                    if N::PV {
                        self.pv.update(ply, mv);
                    }
                    if window.is_empty() {
                        break;
                    }
                }
            }
        }
        if check && searched == 0 {
            return Some((score::mated_in(ply), Move::NULL));
        }
        if best_score >= window.beta {
            best_score = self.quiescence_fail_high(best_score, window.beta);
        }
        Some((best_score, best_move))
    }

    /// Returns the score of a node that fails high, moved toward beta unless it is decisive.
    fn quiescence_fail_high(&self, score: Score, beta: Score) -> Score {
        if score::is_decisive(score) {
            score
        } else {
            move_toward_beta(score, beta, self.p.quiescence_toward_beta())
        }
    }
}
