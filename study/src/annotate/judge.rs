//! The judgment of a move: the winning chance it lost, and the mark for it.

use rejoinder::params::Params;
use rejoinder::types::{Move, PieceType, Score, score};

use super::evaluation::Evaluation;
use super::sacrifice::is_sacrifice;
use crate::scale::{Ruler, Scale};

/// Winning chance from which a move that stands out is marked as good; below it, the move is marked
/// as the only one.
const BETTER: f64 = 0.6;
/// Winning chance below which the game is lost anyway, so that no move stands out.
const LOST: f64 = 0.15;
/// Winning chances between which a sacrifice holds the game, so that it deserves a mark.
const HOLDS: std::ops::RangeInclusive<f64> = 0.4..=0.9;
/// Fewest legal moves from which one can stand out.
const FEWEST_MOVES: usize = 4;
/// Longest mate, in moves, that makes missing it at least an inaccuracy on the engine's scale;
/// missing a mate in one is a mistake.
const NEAR_MATE: i32 = 3;
/// Centipawns above which a game is won even without the mate that was missed, and above which
/// missing it is no blunder, on the scale of Lichess. A mate that was allowed is judged likewise.
const WON: [i32; 2] = [999, 700];

/// A mark for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Blunder,
    Mistake,
    Inaccuracy,
    OnlyMove,
    Interesting,
    Good,
    Brilliant,
}

impl Mark {
    /// Returns the numeric annotation glyph of the mark.
    // Source: PGN standard, 10, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm
    pub const fn nag(self) -> u8 {
        match self {
            Self::Good => 1,
            Self::Mistake => 2,
            Self::Brilliant => 3,
            Self::Blunder => 4,
            Self::Interesting => 5,
            Self::Inaccuracy => 6,
            Self::OnlyMove => 7,
        }
    }

    /// Returns the mark of a glyph; `None` if the glyph is another one.
    pub const fn of_nag(nag: u8) -> Option<Self> {
        Some(match nag {
            1 => Self::Good,
            2 => Self::Mistake,
            3 => Self::Brilliant,
            4 => Self::Blunder,
            5 => Self::Interesting,
            6 => Self::Inaccuracy,
            7 | 8 => Self::OnlyMove,
            _ => return None,
        })
    }

    /// Returns the mark in its usual form, such as `?!`.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Good => "!",
            Self::Mistake => "?",
            Self::Blunder => "??",
            Self::Inaccuracy => "?!",
            Self::OnlyMove => "□",
            Self::Interesting => "!?",
            Self::Brilliant => "!!",
        }
    }

    /// Returns whether the mark finds fault with the move.
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::Blunder | Self::Mistake | Self::Inaccuracy)
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

/// Returns the judgment of the move that leads from one position to the next.
pub(super) fn judge(ruler: Ruler, here: &Evaluation, mv: Move, next: &Evaluation) -> Judgment {
    let before = ruler.chance(here.score, &here.board);
    // By the material of the position before: a capture changes what a score means.
    let after = ruler.chance(-next.score, &here.board);
    let is_best = here.line.first() == Some(&mv);
    let loss = if is_best {
        0.0
    } else {
        (before - after).max(0.0)
    };
    let fault = (!is_best)
        .then(|| fault(ruler, here, -next.score, loss))
        .flatten();
    // Both searches have to find the move good.
    let mark = fault.or_else(|| praise(ruler, here, mv, before.min(after)));
    Judgment {
        before,
        after,
        loss,
        mark,
    }
}

/// Returns whether the scores before and after a move can both be right: the first choice changes the
/// winning chance by less than an inaccuracy, and no other move gains as much.
pub(super) fn agree(ruler: Ruler, here: &Evaluation, mv: Move, next: &Evaluation) -> bool {
    let before = ruler.chance(here.score, &here.board);
    let after = ruler.chance(-next.score, &here.board);
    let is_best = here.line.first() == Some(&mv);
    let change = if is_best {
        (after - before).abs()
    } else {
        after - before
    };
    change < ruler.scale.thresholds().inaccuracy
}

/// Returns the mark for what a move lost.
fn fault(ruler: Ruler, here: &Evaluation, after: Score, loss: f64) -> Option<Mark> {
    let least = ruler.scale.thresholds();
    let by_loss = if loss >= least.blunder {
        Some(Mark::Blunder)
    } else if loss >= least.mistake {
        Some(Mark::Mistake)
    } else {
        (loss >= least.inaccuracy).then_some(Mark::Inaccuracy)
    };
    match ruler.scale {
        Scale::Engine => by_loss.or(missed_mate(here.score, after)),
        Scale::Lichess if score::is_mate(here.score) || score::is_mate(after) => {
            mate_lost_or_allowed(ruler, here, after)
        }
        Scale::Lichess => by_loss,
    }
}

/// Returns the mark for missing a mate or allowing one, as Lichess gives it: the game may have been
/// won or lost without it.
// Source: https://lichess.org/page/accuracy leaves mates out; these are the rules of its analyses.
fn mate_lost_or_allowed(ruler: Ruler, here: &Evaluation, after: Score) -> Option<Mark> {
    let has_mate = |score: Score| score::is_mate(score) && score > 0;
    // The centipawns without the mate, for the side that it is good for.
    let rest = if has_mate(here.score) && !has_mate(after) {
        ruler.centipawns(after, &here.board)
    } else if has_mate(-after) && !has_mate(-here.score) {
        -ruler.centipawns(here.score, &here.board)
    } else {
        return None;
    };
    Some(if rest > WON[0] {
        Mark::Inaccuracy
    } else if rest > WON[1] {
        Mark::Mistake
    } else {
        Mark::Blunder
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

/// Returns the mark for a good move, given the winning chance after it.
fn praise(ruler: Ruler, here: &Evaluation, mv: Move, chance: f64) -> Option<Mark> {
    let least = ruler.scale.thresholds();
    let is_best = here.line.first() == Some(&mv);
    let second = here.second.filter(|_| is_best);
    // By how much every other move is worse.
    let lead = second.map_or(0.0, |second| chance - ruler.chance(second, &here.board));
    if is_sacrifice(&here.board, mv) {
        let mates = is_best && score::is_mate(here.score) && here.score > 0;
        return if lead >= least.sacrifice_stands_out && chance >= *HOLDS.start() {
            Some(Mark::Brilliant)
        } else if mates {
            Some(Mark::Good)
        } else {
            HOLDS.contains(&chance).then_some(Mark::Interesting)
        };
    }
    (lead >= least.stands_out && chance >= LOST).then_some(if chance >= BETTER {
        Mark::Good
    } else {
        Mark::OnlyMove
    })
}

/// Returns whether a move may be marked as the only good one: it is the best move, is not forced,
/// and is not obvious, such as a recapture, the capture of a hanging piece, or a mate in one.
pub(super) fn may_stand_out(here: &Evaluation, mv: Move, last: Option<&Move>) -> bool {
    let board = &here.board;
    if here.line.first() != Some(&mv) || board.legal_moves().len() < FEWEST_MOVES {
        return false;
    }
    let takes_back = last.is_some_and(|last| last.is_capture() && last.to() == mv.to());
    let wins_piece = mv.is_capture() && board.see_ge(&Params::default(), mv, 1);
    let queens = mv.promotion() == Some(PieceType::Queen);
    let mates = score::mate_distance(here.score) == Some(1);
    let is_lost = score::is_decisive(here.score.min(0));
    let is_obvious = takes_back || wins_piece || queens || mates;
    !is_lost && (!is_obvious || is_sacrifice(board, mv))
}

#[cfg(test)]
mod tests {
    use rejoinder::board::Board;
    use rejoinder::eval::win_rate::WinRate;

    use super::*;

    fn evaluation(fen: &str, score: Score, best: &str) -> Evaluation {
        let board = Board::from_fen(fen).expect("a position");
        let line = rejoinder::board::san::parse(&board, best);
        Evaluation {
            board,
            score,
            line: line.into_iter().collect(),
            second: None,
        }
    }

    const QUIET: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";

    fn ruler(scale: Scale) -> Ruler {
        let model = WinRate::DEFAULT;
        Ruler { scale, model }
    }

    fn marked(scale: Scale, before: Score, after: Score) -> Option<Mark> {
        let here = evaluation(QUIET, before, "Bb5");
        let mv = rejoinder::board::san::parse(&here.board, "Bc4").expect("a move");
        let next = evaluation(QUIET, -after, "");
        judge(ruler(scale), &here, mv, &next).mark
    }

    fn mark(before: Score, after: Score) -> Option<Mark> {
        marked(Scale::Engine, before, after)
    }

    #[test]
    fn marks_are_those_of_lichess() {
        let centipawns = |wanted: i32| 300 * wanted / 100;
        for (before, after, wanted) in [
            (203, 341, None),
            (199, 149, None),
            (112, 0, Some(Mark::Mistake)),
            (100, 0, Some(Mark::Inaccuracy)),
            (0, -60, Some(Mark::Inaccuracy)),
            (0, -50, None),
            (100, -120, Some(Mark::Blunder)),
        ] {
            let mark = marked(Scale::Lichess, centipawns(before), centipawns(after));
            assert_eq!(mark, wanted, "{before} {after}");
        }
        let mate = score::mate_in;
        for (before, after, wanted) in [
            (mate(5), mate(9), None),
            (mate(5), centipawns(1500), Some(Mark::Inaccuracy)),
            (mate(5), centipawns(800), Some(Mark::Mistake)),
            (mate(5), centipawns(500), Some(Mark::Blunder)),
            (centipawns(-1500), -mate(4), Some(Mark::Inaccuracy)),
            (centipawns(-800), -mate(4), Some(Mark::Mistake)),
            (0, -mate(4), Some(Mark::Blunder)),
            (-mate(4), -mate(2), None),
        ] {
            assert_eq!(
                marked(Scale::Lichess, before, after),
                wanted,
                "{before} {after}"
            );
        }
    }

    #[test]
    fn sacrifices_are_praised_by_what_else_there_was() {
        const FEN: &str = "b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 0 24";
        let judged = |score: Score, second: Option<Score>| {
            let mut here = evaluation(FEN, score, "Rxd4");
            here.second = second;
            let mv = here.line[0];
            assert!(may_stand_out(&here, mv, None));
            let next = evaluation(QUIET, -score, "");
            judge(ruler(Scale::Lichess), &here, mv, &next).mark
        };
        assert_eq!(judged(0, Some(-50)), Some(Mark::Interesting));
        assert_eq!(judged(0, Some(-600)), Some(Mark::Brilliant));
        assert_eq!(judged(-1500, Some(-1600)), None, "it does not hold");
        assert_eq!(judged(3000, Some(2900)), None, "anything wins");
        assert_eq!(judged(score::mate_in(7), Some(3000)), Some(Mark::Good));
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
        let mut here = evaluation(QUIET, 500, "Bb5");
        let next = evaluation(QUIET, -500, "");
        let mv = here.line[0];
        let judged = |here: &Evaluation| judge(ruler(Scale::Engine), here, mv, &next);
        assert!(may_stand_out(&here, mv, None));
        assert_eq!(judged(&here).mark, None, "nobody has asked for the second");
        here.second = Some(0);
        assert_eq!(
            (judged(&here).mark, judged(&here).loss),
            (Some(Mark::Good), 0.0)
        );
        here.second = Some(490);
        assert_eq!(judged(&here).mark, None);
        let praised = |second, chance| {
            let mut here = here.clone();
            here.second = Some(second);
            praise(ruler(Scale::Engine), &here, mv, chance)
        };
        assert_eq!(praised(-400, 0.5), Some(Mark::OnlyMove));
        assert_eq!(praised(score::mated_in(1), 0.1), None);
        here.line.clear();
        assert!(!may_stand_out(&here, mv, None));
    }

    #[test]
    fn what_anybody_would_play_does_not_stand_out() {
        let fen = "4k3/8/8/3q4/4P3/8/3PP3/4K3 w - - 0 1";
        let here = evaluation(fen, 900, "exd5");
        assert!(!may_stand_out(&here, here.line[0], None));
        let mut mate = evaluation("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1", 900, "Ra8#");
        assert!(may_stand_out(&mate, mate.line[0], None));
        mate.score = score::mate_in(1);
        assert!(!may_stand_out(&mate, mate.line[0], None));
        let fen = "4k3/p7/1p6/2p5/1P6/8/3PP3/4K3 w - - 0 1";
        let here = evaluation(fen, 0, "bxc5");
        let mv = here.line[0];
        assert!(may_stand_out(&here, mv, None));
        assert!(!may_stand_out(&here, mv, Some(&mv)), "it takes back");
    }
}
