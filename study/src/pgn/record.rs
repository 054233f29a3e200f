//! A game in memory: tags, moves, comments and variations.

use rejoinder::board::{Board, FenError};
use rejoinder::types::Move;

use super::tags::Tag;
use super::words::known_result;

/// A glyph, comment or variation after a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment without its braces.
    Comment(String),
    /// Other moves in place of the one before.
    Variation(Line),
}

impl Item {
    /// Returns a part of a game that is kept as text, which is a comment. It says nothing about the
    /// move that it stands behind, so its commands are none any more.
    pub fn kept(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ").replace("[%", "[");
        Self::Comment(text.replace('{', "(").replace('}', ")"))
    }
}

/// A move and the items after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move in SAN, or `--` for a null move.
    pub san: String,
    /// The items after the move, in the order of the file.
    pub items: Vec<Item>,
}

/// A sequence of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Number of plies from the beginning of the game to the first move of the line.
    pub start: u32,
    /// The items before the first move.
    pub head: Vec<Item>,
    /// The moves of the line.
    pub plies: Vec<Ply>,
}

/// A game of a PGN file.
#[derive(Clone, Debug)]
pub struct Record {
    /// The tags, in the order of the file.
    pub tags: Vec<Tag>,
    /// The position the game starts from.
    pub start: Board,
    /// Whether castling follows the rules of Chess960.
    pub chess960: bool,
    /// What was dropped from the FEN that the game starts from.
    pub dropped: Vec<FenError>,
    /// The moves of the game up to the first null move or to what cannot be read, all of them legal.
    pub moves: Vec<Move>,
    /// The moves with all items among them.
    pub line: Line,
    /// The result at the end of the moves; `None` if it is missing.
    pub result: Option<&'static str>,
    /// What could not be read and was kept as text; `None` if everything was.
    pub fault: Option<String>,
    /// The variations that were kept as text, in whole or from some move on, in words; eight at most.
    pub remarks: Vec<String>,
}

impl Record {
    /// Returns the value of the first tag of this name, in whatever case.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|tag| tag.is(name));
        tag.map(|tag| tag.value.as_str())
    }

    /// A player's name; "?" if it is not known.
    pub fn player(&self, name: &str) -> &str {
        self.tag(name)
            .filter(|name| !name.trim().is_empty())
            .unwrap_or("?")
    }

    /// Returns the players and the result, as in `Morphy - Isouard 1-0`.
    pub fn title(&self) -> String {
        let [white, black] = ["White", "Black"].map(|name| self.player(name));
        format!("{white} - {black} {}", self.outcome())
    }

    /// The result behind the moves, or else that of the tag.
    pub fn outcome(&self) -> &str {
        let tag = self.tag("Result").and_then(known_result);
        self.result.or(tag).unwrap_or("*")
    }
}

/// Returns the number of the move at a ply, counted from the first move of a game, such as `12...`.
pub fn number_of(ply: u32) -> String {
    let dots = if ply.is_multiple_of(2) { "." } else { "..." };
    format!("{}{dots}", ply / 2 + 1)
}

/// Plies from the first move of a game to this position, as its counters say.
pub fn ply_of(board: &Board) -> u32 {
    2 * (board.fullmove_number() - 1) + board.side_to_move().index() as u32
}
