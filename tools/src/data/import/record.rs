//! A game of PGN as training data.

use std::fmt;

use rejoinder::board::{Board, Outcome};
use rejoinder::eval::win_rate::WinRate;
use rejoinder::types::score;
use rejoinder_study::pgn::games::PgnGame;
use rejoinder_study::pgn_writer;

use crate::score_text;
use crate::selfplay::GameRecord;

/// A game that is not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    Damaged(String),
    /// It is sound, but there is nothing to learn from it.
    LeftOut(Reason),
}

/// The reason why there is nothing to learn from a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// It has no result.
    Unfinished,
    /// Something else than the position decided it.
    Fault,
    /// No move has a score.
    NoScore,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unfinished => "without a result",
            Self::Fault => "lost on time or by another fault",
            Self::NoScore => "without scores",
        })
    }
}

/// Parts of the values of the tag `Termination` that tell of a fault of a program or a machine.
const FAULTS: [&str; 10] = [
    "abandon",
    "death",
    "disconnect",
    "emergency",
    "forfeit",
    "illegal",
    "infraction",
    "stall",
    "timeout",
    "unterminated",
];

/// Turns a game into a record. The win-rate model is that of the network that played.
///
/// # Errors
/// If the game is damaged, or there is nothing to learn from it.
pub(super) fn of(game: &PgnGame, model: WinRate) -> Result<GameRecord, Refused> {
    let outcome = match game.result {
        "1-0" => Outcome::WhiteWin,
        "0-1" => Outcome::BlackWin,
        "1/2-1/2" => Outcome::Draw,
        _ => return Err(Refused::LeftOut(Reason::Unfinished)),
    };
    let termination = game.tag("Termination").unwrap_or_default().to_lowercase();
    if FAULTS.iter().any(|fault| termination.contains(fault)) {
        return Err(Refused::LeftOut(Reason::Fault));
    }
    let mut board = game.start;
    let mut moves = Vec::with_capacity(game.moves.len());
    for (mv, comment) in &game.moves {
        let score = score_text::read(comment, &board, model).unwrap_or(score::NONE);
        moves.push((*mv, score_text::turned(score, &board)));
        board.make(*mv);
    }
    if let Some(other) = verdict(&board).filter(|verdict| *verdict != outcome) {
        let text = format!(
            "its result is {}, but its last move makes it {}",
            game.result,
            pgn_writer::result(other)
        );
        return Err(Refused::Damaged(text));
    }
    if moves.iter().all(|(_, score)| *score == score::NONE) {
        return Err(Refused::LeftOut(Reason::NoScore));
    }
    Ok(GameRecord {
        opening: game.start,
        moves,
        outcome,
    })
}

/// Returns the result if the side to move is mated or stalemated.
fn verdict(board: &Board) -> Option<Outcome> {
    let outcome = if board.in_check() {
        Outcome::win(!board.side_to_move())
    } else {
        Outcome::Draw
    };
    board.legal_moves().is_empty().then_some(outcome)
}
