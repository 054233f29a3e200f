//! An analyzed game with the judgments of its moves, and the summary of each side.

use std::fmt;

use rejoinder::eval::win_rate;
use rejoinder::types::{Color, score};

use super::accuracy;
use super::evaluation::{Analysis, Evaluation};
use super::judge::{self, Judgment, Mark};
use super::openings::{self, Opening};
use super::reason::{self, Reason};
use crate::pgn::Record;
use crate::scale::Ruler;

/// The first words of the summary.
pub(super) const SUMMARY: &str = "White: accuracy ";

/// An analyzed game.
#[derive(Clone, Debug)]
pub(super) struct Report {
    /// Number of the game in the file, from 1; skipped games count.
    pub number: u64,
    pub record: Record,
    /// The evaluations of the position before each move and of the last one; empty for a game without
    /// moves.
    pub evaluations: Vec<Evaluation>,
    /// How often the effort was doubled at each of these positions.
    pub doublings: Vec<u32>,
    /// The judgment of each move.
    pub judgments: Vec<Judgment>,
    /// The summaries of White and Black.
    pub sides: [Side; 2],
    /// Why a move has its mark, for each move.
    pub reasons: Vec<Option<Reason>>,
    /// The opening, if the game has a name for it.
    pub opening: Option<Opening>,
    /// Turns scores into winning chances.
    pub ruler: Ruler,
}

/// The summary of a side's play.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Side {
    pub moves: u64,
    /// Accuracy, 0 to 100; `None` for a side without moves.
    pub accuracy: Option<f64>,
    pub inaccuracies: u64,
    pub mistakes: u64,
    pub blunders: u64,
}

/// The positions of a game that were searched with more than the usual effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deeper {
    /// Their number.
    pub positions: usize,
    /// The greatest effort at one of them, in usual ones; 1 if there are none.
    pub times: u64,
}

/// A score in an annotation, from White's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Eval {
    Centipawns(i32),
    /// Number of moves to the mate, negative if White is mated.
    Mate(i32),
}

/// Writes the score in the form of `[%eval 0.25]` and `[%eval #-3]`.
impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centipawns(score) => write!(f, "{:.2}", f64::from(*score) / 100.0),
            Self::Mate(moves) => write!(f, "#{moves}"),
        }
    }
}

impl Eval {
    /// Returns the score as people write it, such as `+0.25` and `#-3`.
    pub fn signed(self) -> String {
        match self {
            Self::Centipawns(score) => format!("{:+.2}", f64::from(score) / 100.0),
            Self::Mate(moves) => format!("#{moves}"),
        }
    }
}

impl Report {
    pub fn new(number: u64, record: Record, analysis: Analysis, ruler: Ruler) -> Self {
        let Analysis {
            evaluations,
            doublings,
            ..
        } = analysis;
        let moves = || record.moves.iter().zip(evaluations.windows(2));
        let judgments: Vec<Judgment> = moves()
            .map(|(mv, pair)| judge::judge(ruler, &pair[0], *mv, &pair[1]))
            .collect();
        let reasons = (moves().zip(&judgments))
            .map(|((mv, pair), judgment)| reason::find(&pair[0], *mv, &pair[1], judgment, ruler))
            .collect();
        let opening = openings::find(&record.start, &record.moves);
        let first = record.start.side_to_move();
        let mut sides = [Side::default(); 2];
        for (ply, judgment) in judgments.iter().enumerate() {
            let side = &mut sides[first.index() ^ (ply % 2)];
            side.moves += 1;
            match judgment.mark {
                Some(Mark::Inaccuracy) => side.inaccuracies += 1,
                Some(Mark::Mistake) => side.mistakes += 1,
                Some(Mark::Blunder) => side.blunders += 1,
                _ => {}
            }
        }
        let mut report = Self {
            number,
            record,
            evaluations,
            doublings,
            judgments,
            sides,
            reasons,
            opening,
            ruler,
        };
        let chances: Vec<f64> = (report.white_chances().into_iter())
            .map(|chance| {
                if first == Color::White {
                    chance
                } else {
                    1.0 - chance
                }
            })
            .collect();
        let accuracies = accuracy::of_game(&chances);
        report.sides[first.index()].accuracy = accuracies[0];
        report.sides[(!first).index()].accuracy = accuracies[1];
        report
    }

    /// Returns how much deeper than usual the game was searched.
    pub fn deeper(&self) -> Deeper {
        let doublings = || self.doublings.iter().copied();
        Deeper {
            positions: doublings().filter(|doublings| *doublings > 0).count(),
            times: 1 << doublings().max().unwrap_or_default(),
        }
    }

    /// Returns White's winning chance in each position, 0 to 1.
    pub fn white_chances(&self) -> Vec<f64> {
        let of = |evaluation: &Evaluation| {
            let chance = self.ruler.chance(evaluation.score, &evaluation.board);
            match evaluation.board.side_to_move() {
                Color::White => chance,
                Color::Black => 1.0 - chance,
            }
        };
        self.evaluations.iter().map(of).collect()
    }

    /// Returns the score of a position, from White's point of view; `None` after checkmate.
    pub fn eval(&self, evaluation: &Evaluation) -> Option<Eval> {
        let score = evaluation.score;
        let sign = match evaluation.board.side_to_move() {
            Color::White => 1,
            Color::Black => -1,
        };
        match score::mate_distance(score) {
            Some(0) => None,
            Some(moves) => Some(Eval::Mate(sign * moves)),
            None => {
                let material = win_rate::material(&evaluation.board);
                Some(Eval::Centipawns(
                    sign * self.ruler.model.centipawns(score, material),
                ))
            }
        }
    }

    /// Returns the summary of both sides for the comment before the first move.
    pub fn summary(&self) -> String {
        let [white, black] = self.sides;
        format!("{SUMMARY}{white}. Black: accuracy {black}.")
    }

    /// Returns the summary in short form: `White 94.6% 0?! 1? 0??, Black …`.
    pub fn short_summary(&self) -> String {
        let short = |side: &Side| {
            let accuracy = side
                .accuracy
                .map_or("-".to_owned(), |accuracy| format!("{accuracy:.1}%"));
            let Side {
                inaccuracies,
                mistakes,
                blunders,
                ..
            } = side;
            format!("{accuracy} {inaccuracies}?! {mistakes}? {blunders}??")
        };
        let [white, black] = &self.sides;
        format!("White {}, Black {}", short(white), short(black))
    }

    /// Returns the summary in one line for the terminal.
    pub fn line(&self) -> String {
        let record = &self.record;
        let players = format!("{}: {}", self.number, record.title());
        if record.moves.is_empty() {
            return format!("{players}  no moves, copied as it is");
        }
        let Deeper { positions, times } = self.deeper();
        let deeper = match positions {
            0 => String::new(),
            _ => format!("  ({positions} searched up to {times} times as long)"),
        };
        format!("{players}  {}{deeper}", self.short_summary())
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(accuracy) = self.accuracy else {
            return write!(f, "-");
        };
        write!(
            f,
            "{accuracy:.1}%, {}, {}, {}",
            counted(self.inaccuracies, "inaccuracy", "inaccuracies"),
            counted(self.mistakes, "mistake", "mistakes"),
            counted(self.blunders, "blunder", "blunders")
        )
    }
}

/// Returns a number with its noun in singular or plural.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
