//! Draws by rule, the end of the stack, and the fifty-move rule's effect on TT scores.

use super::Search;
use crate::board::{Board, FIFTY_MOVES, repetition};
use crate::tt::TtEntry;
use crate::types::{MAX_PLY, Score, score};

/// The halfmove clock, in plies, from which a TT score neither ends a node by itself nor replaces
/// its evaluation: it does not take the fifty-move rule into account. Singular extensions and
/// reductions still use it.
const HIGH_HALFMOVE_CLOCK: u32 = 90;

impl Search<'_> {
    /// Returns the score of a node whose moves are not searched because it is a draw by rule or the
    /// deepest node of the stack; `None` for any other node.
    pub(super) fn terminal_score(&mut self, board: &Board, ply: usize) -> Option<Score> {
        if self.is_draw_by_rule(board, ply) {
            return Some(self.draw_score());
        }
        if ply >= MAX_PLY {
            return Some(if board.in_check() {
                score::DRAW
            } else {
                let raw = self.raw_eval(board, ply, None);
                self.corrected_eval(board, ply, raw).0
            });
        }
        None
    }

    /// Returns the TT entry of a node, if there is one. A mate that comes after the fifty-move rule
    /// becomes a score that is not decisive.
    // Source: Stockfish
    #[inline(always)]
    pub(super) fn probe_tt(&self, board: &Board, ply: usize) -> Option<TtEntry> {
        let mut tt_entry = self.tt.probe(board.key(), ply)?;
        tt_entry.score = within_fifty_moves(tt_entry.score, ply, board.halfmove_clock());
        Some(tt_entry)
    }

    /// Returns alpha raised to the score of a draw if the side to move can reach an upcoming
    /// repetition.
    // Source: Stockfish
    #[inline(always)]
    pub(super) fn alpha_with_upcoming_repetition(
        &self,
        board: &Board,
        alpha: Score,
        ply: usize,
    ) -> Score {
        if alpha < score::DRAW && repetition::can_repeat(board, &self.keys, ply) {
            score::DRAW
        } else {
            alpha
        }
    }

    /// Returns whether the position is a draw by insufficient material, repetition or the
    /// fifty-move rule. A mate takes precedence over the fifty-move rule.
    fn is_draw_by_rule(&self, board: &Board, ply: usize) -> bool {
        board.insufficient_material()
            || repetition::is_repetition(board, &self.keys, ply)
            || board.halfmove_clock() >= FIFTY_MOVES
                && !(board.in_check() && board.legal_moves().is_empty())
    }

    /// Returns the score of a draw, in centipawns, plus or minus 1 depending on the node count:
    /// with equal scores for all draws the search would overlook better alternatives.
    fn draw_score(&self) -> Score {
        score::DRAW + 1 - (self.nodes & 2) as Score
    }
}

/// Returns the score of a node, `ply` plies from the root and with this halfmove clock, limited to
/// what is not decisive if it is a mate that the fifty-move rule forestalls unless a pawn moves or a
/// piece is captured.
#[inline(always)]
fn within_fifty_moves(score: Score, ply: usize, halfmove_clock: u32) -> Score {
    let plies = score::MATE - score.abs() - ply as Score;
    if score::is_mate(score) && plies + halfmove_clock as Score > FIFTY_MOVES as Score {
        score::clamp_eval(score)
    } else {
        score
    }
}

/// Returns whether the halfmove clock is low enough for TT scores to be used.
pub(super) fn halfmove_clock_is_low(board: &Board) -> bool {
    board.halfmove_clock() < HIGH_HALFMOVE_CLOCK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_after_the_fifty_move_rule_is_not_decisive() {
        for ply in [0, 7] {
            let mate_in = |plies| score::mate_in(ply + plies);
            assert_eq!(within_fifty_moves(mate_in(20), ply, 80), mate_in(20));
            assert_eq!(within_fifty_moves(mate_in(21), ply, 80), score::EVAL_LIMIT);
            assert_eq!(within_fifty_moves(-mate_in(20), ply, 80), -mate_in(20));
            assert_eq!(
                within_fifty_moves(-mate_in(21), ply, 80),
                -score::EVAL_LIMIT
            );
        }
        for score in [0, -350, score::TB_WIN - 9, score::NONE] {
            assert_eq!(within_fifty_moves(score, 3, 99), score);
        }
    }
}
