//! The judgment of a move: the winning chance it lost, and the mark for it.
//!
//! The winning chance is a side's expected result by the network's win-rate model, with a draw
//! counted as half a win.

use rejoinder::board::Board;
use rejoinder::eval::win_rate::{self, WinRate};
use rejoinder::params::Params;
use rejoinder::types::{Move, PieceType, Score, score};

use super::opinion::Opinion;

/// Least loss of winning chance, 0 to 1, that makes a move an inaccuracy, a mistake or a blunder.
pub(super) const INACCURACY: f64 = 0.07;
const MISTAKE: f64 = 0.13;
const BLUNDER: f64 = 0.22;
/// Least loss of winning chance of every other move, 0 to 1, that makes a move stand out.
const STANDS_OUT: f64 = 0.25;
/// Winning chance from which a move that stands out is marked as good; below it, the move is marked
/// as the only one.
const BETTER: f64 = 0.6;
/// Winning chance below which the game is lost anyway, so that no move stands out.
const LOST: f64 = 0.15;
/// Least number of legal moves from which one can stand out.
const FEWEST_MOVES: usize = 4;
/// Longest mate, in moves, that makes missing it at least an inaccuracy; missing a mate in one is a
/// mistake.
const NEAR_MATE: i32 = 3;

/// A mark for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Blunder,
    Mistake,
    Inaccuracy,
    OnlyMove,
    Good,
}

impl Mark {
    /// Returns the numeric annotation glyph of the mark.
    // Source: PGN standard, 10, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm
    pub const fn nag(self) -> u8 {
        match self {
            Self::Good => 1,
            Self::Mistake => 2,
            Self::Blunder => 4,
            Self::Inaccuracy => 6,
            Self::OnlyMove => 7,
        }
    }

    /// Returns the mark in its usual form, such as `?!`.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Good => "!",
            Self::Mistake => "?",
            Self::Blunder => "??",
            Self::Inaccuracy => "?!",
            Self::OnlyMove => "□",
        }
    }
}

/// The judgment of a move of the game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judgment {
    /// Winning chances of the side that moved, 0 to 1, before and after the move.
    pub before: f64,
    pub after: f64,
    /// The winning chance that the move lost, 0 to 1.
    pub loss: f64,
    pub mark: Option<Mark>,
}

/// Returns the expected result of a side, 0 to 1, for a score from its own point of view.
pub(super) fn chance(model: WinRate, score: Score, board: &Board) -> f64 {
    let [win, draw, _] = model.chances(score, win_rate::material(board));
    f64::from(win) / 1000.0 + f64::from(draw) / 2000.0
}

/// Returns the judgment of the move that leads from one position to the next.
pub(super) fn judge(model: WinRate, here: &Opinion, mv: Move, next: &Opinion) -> Judgment {
    let before = chance(model, here.score, &here.board);
    // By the material of the position before: a capture changes what a score means.
    let after = chance(model, -next.score, &here.board);
    let is_best = here.line.first() == Some(&mv);
    let loss = if is_best {
        0.0
    } else {
        (before - after).max(0.0)
    };
    let mark = if is_best {
        here.second.and_then(|second| {
            let second = chance(model, second, &here.board);
            // Both searches have to find the move good.
            standing_out(before.min(after), second)
        })
    } else {
        match loss {
            BLUNDER.. => Some(Mark::Blunder),
            MISTAKE.. => Some(Mark::Mistake),
            INACCURACY.. => Some(Mark::Inaccuracy),
            _ => None,
        }
        .or(missed_mate(here.score, -next.score))
    };
    Judgment {
        before,
        after,
        loss,
        mark,
    }
}

/// Returns the mark for a move that is the only good one, given the winning chances after it and
/// after the second-best move.
fn standing_out(chance: f64, second: f64) -> Option<Mark> {
    (chance >= LOST && chance - second >= STANDS_OUT).then_some(if chance >= BETTER {
        Mark::Good
    } else {
        Mark::OnlyMove
    })
}

/// Returns the mark for missing a mate in a position that stays won.
fn missed_mate(before: Score, after: Score) -> Option<Mark> {
    let missed = score::mate_distance(before).filter(|moves| *moves > 0)?;
    let remains = score::mate_distance(after).filter(|_| after > 0);
    match (missed, remains) {
        (1, None) => Some(Mark::Mistake),
        (1, Some(left)) if left > 0 => Some(Mark::Inaccuracy),
        (2..=NEAR_MATE, None) => Some(Mark::Inaccuracy),
        _ => None,
    }
}

/// Returns whether a move may be marked as the only good one: it is the best move, is not forced,
/// and is not obvious, such as a recapture, the capture of a hanging piece, or a mate in one.
pub(super) fn may_stand_out(here: &Opinion, mv: Move, last: Option<&Move>) -> bool {
    let board = &here.board;
    if here.line.first() != Some(&mv) || board.legal_moves().len() < FEWEST_MOVES {
        return false;
    }
    let takes_back = last.is_some_and(|last| last.is_capture() && last.to() == mv.to());
    let wins_piece = mv.is_capture() && board.see_ge(&Params::default(), mv, 1);
    let queens = mv.promotion() == Some(PieceType::Queen);
    let mates = score::mate_distance(here.score) == Some(1);
    let is_lost = score::is_decisive(here.score.min(0));
    !(takes_back || wins_piece || queens || mates || is_lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(fen: &str, score: Score, best: &str) -> Opinion {
        let board = Board::from_fen(fen).expect("a position");
        let line = rejoinder::board::san::parse(&board, best);
        Opinion {
            board,
            score,
            line: line.into_iter().collect(),
            second: None,
        }
    }

    const QUIET: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

    fn mark(before: Score, after: Score) -> Option<Mark> {
        let here = opinion(QUIET, before, "Bb5");
        let mv = rejoinder::board::san::parse(&here.board, "Bc4").expect("a move");
        let next = opinion(QUIET, -after, "");
        judge(WinRate::DEFAULT, &here, mv, &next).mark
    }

    #[test]
    fn the_more_is_lost_the_worse_the_mark() {
        for (after, wanted) in [
            (0, None),
            (-100, None),
            (-150, Some(Mark::Inaccuracy)),
            (-230, Some(Mark::Mistake)),
            (-330, Some(Mark::Blunder)),
        ] {
            assert_eq!(mark(0, after), wanted, "{after}");
        }
        // A game that is won by far stays won.
        assert_eq!(mark(2000, 1500), None);
    }

    #[test]
    fn a_mate_that_is_missed_is_marked_though_the_game_stays_won() {
        let mate = score::mate_in;
        assert_eq!(mark(mate(1), 2000), Some(Mark::Mistake));
        assert_eq!(mark(mate(1), mate(3)), Some(Mark::Inaccuracy));
        assert_eq!(mark(mate(5), 2000), Some(Mark::Inaccuracy));
        assert_eq!(mark(mate(9), 2000), None);
        assert_eq!(mark(mate(3), mate(6)), None);
        assert_eq!(mark(mate(1), mate(0)), None, "another mate");
        assert_eq!(mark(mate(1), 0), Some(Mark::Blunder));
    }

    #[test]
    fn only_the_best_move_stands_out() {
        let mut here = opinion(QUIET, 500, "Bb5");
        let next = opinion(QUIET, -500, "");
        let mv = here.line[0];
        let judged = |here: &Opinion| judge(WinRate::DEFAULT, here, mv, &next);
        assert!(may_stand_out(&here, mv, None));
        assert_eq!(judged(&here).mark, None, "nobody has asked for the second");
        here.second = Some(0);
        assert_eq!(
            (judged(&here).mark, judged(&here).loss),
            (Some(Mark::Good), 0.0)
        );
        here.second = Some(490);
        assert_eq!(judged(&here).mark, None);
        assert_eq!(standing_out(0.5, 0.1), Some(Mark::OnlyMove));
        assert_eq!(standing_out(0.1, 0.0), None);
        here.line.clear();
        assert!(!may_stand_out(&here, mv, None));
    }

    #[test]
    fn what_anybody_would_play_does_not_stand_out() {
        let fen = "4k3/8/8/3q4/4P3/8/3PP3/4K3 w - - 0 1";
        let here = opinion(fen, 900, "exd5");
        assert!(!may_stand_out(&here, here.line[0], None));
        let mut mate = opinion("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1", 900, "Ra8#");
        assert!(may_stand_out(&mate, mate.line[0], None));
        mate.score = score::mate_in(1);
        assert!(!may_stand_out(&mate, mate.line[0], None));
        let fen = "4k3/p7/1p6/2p5/1P6/8/3PP3/4K3 w - - 0 1";
        let here = opinion(fen, 0, "bxc5");
        let mv = here.line[0];
        assert!(may_stand_out(&here, mv, None));
        assert!(!may_stand_out(&here, mv, Some(&mv)), "it takes back");
    }
}
