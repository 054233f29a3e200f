//! A game as it is kept in memory: tags, moves, and whatever stands between them.

use crate::board::Board;
use crate::types::Move;

/// What stands behind a move, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment without its braces.
    Comment(String),
    /// Other moves in place of the one before.
    Variation(Line),
}

/// A move and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ply {
    /// In SAN; as it was written where a variation has gone astray.
    pub san: String,
    /// What stands behind it.
    pub items: Vec<Item>,
}

/// Moves one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Plies from the first move of a game to the first of these.
    pub start: u32,
    /// What stands before the first move.
    pub head: Vec<Item>,
    /// The moves.
    pub plies: Vec<Ply>,
}

/// A game.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// In the order of the file.
    pub tags: Vec<(String, String)>,
    /// The position it starts from.
    pub start: Board,
    /// Whether castling follows the rules of Chess960.
    pub chess960: bool,
    /// The moves of the game, which are all legal, up to the first null move.
    pub moves: Vec<Move>,
    /// The same with all that stands between them.
    pub line: Line,
    /// The result behind the moves; `None` if it is missing.
    pub result: Option<&'static str>,
}

impl Record {
    /// The value of the first tag of this name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|(other, _)| other == name);
        tag.map(|(_, value)| value.as_str())
    }

    /// A player's name; "?" if it is not known.
    pub fn player(&self, name: &str) -> &str {
        self.tag(name)
            .filter(|name| !name.trim().is_empty())
            .unwrap_or("?")
    }

    /// The result behind the moves, or else that of the tag.
    pub fn outcome(&self) -> &str {
        let known = ["1-0", "0-1", "1/2-1/2", "*"];
        let tag = self.tag("Result").filter(|result| known.contains(result));
        self.result.or(tag).unwrap_or("*")
    }
}

/// Plies from the first move of a game to this position, as its counters say.
pub(super) fn ply_of(board: &Board) -> u32 {
    2 * (board.fullmove_number() - 1) + board.side_to_move().index() as u32
}
