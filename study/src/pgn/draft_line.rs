//! A line of moves while it is read.

use rejoinder::board::coordinates::parse_move;
use rejoinder::board::{Board, san};
use rejoinder::types::Move;

use super::record::{Item, Line, Ply};
use super::words::NULL;

/// A line of a game under construction: the main line or a variation.
pub(crate) struct DraftLine {
    pub line: Line,
    /// The positions after and before the last move; `None` after a move that cannot be played.
    pub board: Option<Board>,
    pub before: Option<Board>,
}

impl DraftLine {
    /// Begins a line at this position, if it is known, and at this ply of the game.
    pub fn new(board: Option<Board>, start: u32) -> Self {
        Self {
            line: Line {
                start,
                ..Line::default()
            },
            board,
            before: board,
        }
    }

    /// Returns the list that a comment at this place is added to.
    pub fn items(&mut self) -> &mut Vec<Item> {
        match self.line.plies.last_mut() {
            Some(ply) => &mut ply.items,
            None => &mut self.line.head,
        }
    }

    /// Adds a move and the position after it.
    pub fn push(&mut self, san: String, board: Option<Board>) {
        self.before = self.board;
        self.board = board;
        let items = Vec::new();
        self.line.plies.push(Ply { san, items });
    }

    /// Adds a move of a variation, which may be a null move. A move that cannot be played is kept
    /// as written.
    pub fn try_play(&mut self, san: &str) {
        let Some(board) = self.board else {
            return self.push(san.to_owned(), None);
        };
        let mut after = board;
        if can_pass(&board, san) {
            after.make_null();
            self.push(san.to_owned(), Some(after));
        } else if let Some(mv) = move_of(&board, san) {
            after.make(mv);
            self.push(san::to_san(&board, mv), Some(after));
        } else {
            self.push(san.to_owned(), None);
        }
    }

    /// Returns whether a move of a variation, which may be a null move, can be played as the next
    /// one.
    pub fn can_play(&self, san: &str) -> bool {
        (self.board).is_some_and(|board| can_pass(&board, san) || move_of(&board, san).is_some())
    }

    /// Returns the ply of the next move, counted from the beginning of the game.
    pub fn ply(&self) -> u32 {
        self.line.start + self.line.plies.len() as u32
    }

    /// Returns the number of the next move, such as `12...`.
    pub fn number(&self) -> String {
        let ply = self.ply();
        let dots = if ply.is_multiple_of(2) { "." } else { "..." };
        format!("{}{dots}", ply / 2 + 1)
    }
}

/// Returns whether a text is a null move that can be played.
fn can_pass(board: &Board, san: &str) -> bool {
    san == NULL && !board.in_check()
}

/// Parses a move in SAN or in coordinate notation (`g1f3`, `e7e8=Q`; castling as the king's move or
/// as king takes rook).
pub(crate) fn move_of(board: &Board, text: &str) -> Option<Move> {
    san::parse(board, text).or_else(|| parse_move(board, &text.replacen('=', "", 1)))
}
