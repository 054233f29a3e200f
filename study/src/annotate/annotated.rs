//! Games with annotations, read back: what a review says about each move, with the clock, the piece
//! and the phase of the game.

use rejoinder::board::Board;
use rejoinder::types::{Color, Piece, PieceType};

use super::judge::Mark;
use super::notes::eval_of;
use super::report::Eval;
use super::summary::Accuracies;
use super::{accuracy, openings};
use crate::pgn::{Item, Ply, Record};
use crate::scale;

/// Moves of each side that are the opening.
const OPENING: u32 = 12;
/// Most pieces beside kings and pawns in an endgame.
// Source: https://github.com/lichess-org/scalachess, Divider
const ENDGAME: u32 = 6;
/// White's centipawns at the start of a game, where a file has no score.
// Source: https://lichess.org/page/accuracy
const START: i32 = 15;

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Opening,
    Middlegame,
    Endgame,
}

/// A game with what its file says about it.
#[derive(Clone, Debug)]
pub(crate) struct AnnotatedGame {
    /// White and Black.
    pub players: [String; 2],
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
    /// The name of the opening, if it has one.
    pub opening: Option<String>,
    /// Whether the game has been reviewed: it has a summary, or a score behind each move.
    pub is_reviewed: bool,
    /// The accuracies of White and Black, 0 to 100.
    pub accuracies: [Option<f64>; 2],
    pub moves: Vec<AnnotatedMove>,
}

/// A move with what the file says about it.
#[derive(Clone, Debug)]
pub(crate) struct AnnotatedMove {
    pub color: Color,
    pub piece: PieceType,
    pub phase: Phase,
    pub mark: Option<Mark>,
    /// Seconds that are left on the clock after the move.
    pub clock: Option<f64>,
    /// The winning chance that the move lost, 0 to 1.
    pub loss: Option<f64>,
}

impl AnnotatedGame {
    pub fn of(record: &Record) -> Self {
        let mut board = record.start;
        let is_usual = board.key() == Board::startpos().key();
        let mut chances = vec![is_usual.then(|| scale::chance(START))];
        let mut moves = Vec::new();
        for (ply, &mv) in record.line.plies.iter().zip(&record.moves) {
            let color = board.side_to_move();
            let piece = board
                .piece_on(mv.from())
                .map_or(PieceType::King, Piece::kind);
            let phase = phase(&board);
            board.make(mv);
            let after = chance(ply, &board);
            let last = chances.last().copied().flatten();
            let loss = last.zip(after).map(|(before, after)| match color {
                Color::White => before - after,
                Color::Black => after - before,
            });
            chances.push(after);
            moves.push(AnnotatedMove {
                color,
                piece,
                phase,
                mark: mark(ply),
                clock: comments(&ply.items).find_map(clock_of),
                loss: loss.map(|loss| loss.max(0.0)),
            });
        }
        let summary = Accuracies::of(record).map(|accuracies| accuracies.sides);
        let known: Option<Vec<f64>> = chances.into_iter().collect();
        let known = known.filter(|_| !moves.is_empty());
        let computed = known.map(|chances| computed(record.start.side_to_move(), chances));
        let opening = openings::find(&record.start, &record.moves);
        let opening = opening.map(|opening| opening.name.to_owned());
        Self {
            players: ["White", "Black"].map(|name| record.player(name).trim().to_owned()),
            result: record.outcome().to_owned(),
            opening: opening.or_else(|| record.tag("Opening").map(str::to_owned)),
            is_reviewed: summary.is_some() || computed.is_some(),
            accuracies: summary.or(computed).unwrap_or_default(),
            moves,
        }
    }
}

/// Returns the accuracies of both sides by White's chances in each position.
fn computed(first: Color, chances: Vec<f64>) -> [Option<f64>; 2] {
    let own = |chance| match first {
        Color::White => chance,
        Color::Black => 1.0 - chance,
    };
    let own: Vec<f64> = chances.into_iter().map(own).collect();
    let [mover, other] = accuracy::of_game(&own);
    match first {
        Color::White => [mover, other],
        Color::Black => [other, mover],
    }
}

fn phase(board: &Board) -> Phase {
    let pieces = board.occupied() & !board.kind(PieceType::Pawn) & !board.kind(PieceType::King);
    if pieces.count() <= ENDGAME {
        Phase::Endgame
    } else if board.fullmove_number() <= OPENING {
        Phase::Opening
    } else {
        Phase::Middlegame
    }
}

/// Returns White's winning chance, 0 to 1, by the score behind a move.
fn chance(ply: &Ply, board: &Board) -> Option<f64> {
    if board.in_check() && board.legal_moves().is_empty() {
        let sign = if board.side_to_move() == Color::White {
            -1
        } else {
            1
        };
        return Some(scale::chance(sign * scale::HIGHEST));
    }
    Some(match comments(&ply.items).find_map(eval_of)? {
        Eval::Centipawns(score) => scale::chance(score),
        Eval::Mate(moves) => scale::chance(moves.signum() * scale::HIGHEST),
    })
}

fn mark(ply: &Ply) -> Option<Mark> {
    ply.items.iter().find_map(|item| match item {
        Item::Nag(nag) => Mark::of_nag(*nag),
        _ => None,
    })
}

fn comments(items: &[Item]) -> impl Iterator<Item = &str> {
    items.iter().filter_map(|item| match item {
        Item::Comment(text) => Some(text.as_str()),
        _ => None,
    })
}

/// Returns the seconds in a comment such as `[%clk 0:09:57.7]`.
fn clock_of(comment: &str) -> Option<f64> {
    let (_, command) = comment.split_once("[%clk")?;
    let (value, _) = command.split_once(']')?;
    let mut seconds = 0.0;
    for part in value.trim().split(':') {
        let part: f64 = part.parse().ok()?;
        seconds = 60.0 * seconds + part;
    }
    (seconds.is_finite() && seconds >= 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::{self, Source};

    fn game(text: &str) -> AnnotatedGame {
        let game = Source::new(text.as_bytes()).next_game();
        let game = game.expect("a text").expect("a game");
        AnnotatedGame::of(&pgn::read(game).expect("a record"))
    }

    #[test]
    fn a_summary_marks_scores_and_clocks_are_read() {
        let game = game(
            "[White \" A \"]\n[Black \"B\"]\n\n{ White: accuracy 91.5%, 1 inaccuracy, 0 mistakes, 0\n\
             blunders. Black: accuracy 40.0%, 0 inaccuracies. } 1. f3 $6 { [%eval -0.80] [%clk 0:01:00.5] }\n\
             e5 { [%eval -0.7] [%clk 1:00:59] } 2. g4 $4 { [%eval #-1] } Qh4# 0-1\n",
        );
        assert!(game.is_reviewed);
        assert_eq!(game.players, ["A", "B"]);
        assert_eq!(game.accuracies, [Some(91.5), Some(40.0)]);
        assert_eq!(game.opening.as_deref(), Some("Barnes Opening: Fool's Mate"));
        let clocks: Vec<_> = game.moves.iter().map(|mv| mv.clock).collect();
        assert_eq!(clocks, [Some(60.5), Some(3659.0), None, None]);
        let marks: Vec<_> = game
            .moves
            .iter()
            .map(|mv| mv.mark.map(Mark::sign))
            .collect();
        assert_eq!(marks, [Some("?!"), None, Some("??"), None]);
        let losses: Vec<_> = game
            .moves
            .iter()
            .map(|mv| mv.loss.unwrap_or(-1.0))
            .collect();
        assert!(losses[0] > 0.08 && losses[1] < 0.02 && losses[2] > 0.3 && losses[3] == 0.0);
        assert_eq!(game.moves[3].piece, PieceType::Queen);
    }

    #[test]
    fn scores_alone_are_a_review_and_nothing_is_none() {
        let reviewed = game("1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } 1-0\n");
        assert!(reviewed.is_reviewed && reviewed.accuracies[1] == Some(100.0));
        let one = game("1. e4 { [%eval 0.3] } e5 1-0\n");
        assert!(!one.is_reviewed && one.accuracies == [None, None]);
        assert!(!game("[Event \"?\"]\n\n*\n").is_reviewed);
    }

    #[test]
    fn a_game_has_three_phases() {
        for (fen, phase) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 12",
                Phase::Opening,
            ),
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 13",
                Phase::Middlegame,
            ),
            (
                "r2qk2r/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R w KQkq - 0 9",
                Phase::Endgame,
            ),
        ] {
            assert_eq!(
                super::phase(&Board::from_fen(fen).expect("a position")),
                phase
            );
        }
    }
}
