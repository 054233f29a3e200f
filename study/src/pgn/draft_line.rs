//! A line of moves while it is read.

use rejoinder::board::coordinates::parse_move;
use rejoinder::board::{Board, san};
use rejoinder::types::Move;

use super::record::{Item, Line, Ply, number_of};
use super::words::NULL;

/// A line of a game under construction: the main line or a variation.
pub(crate) struct DraftLine {
    pub line: Line,
    /// The positions after and before the last move.
    pub board: Board,
    pub before: Board,
}

/// A move that can be played.
pub(crate) struct Step {
    /// `None` for a null move.
    pub mv: Option<Move>,
    san: String,
    after: Board,
}

impl DraftLine {
    /// Begins a line at this position and at this ply of the game.
    pub fn new(board: Board, start: u32) -> Self {
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

    /// Returns the next move that a text stands for, which may be a null move; `None` if it cannot be
    /// played.
    pub fn step(&self, text: &str) -> Option<Step> {
        let mut after = self.board;
        if text == NULL {
            if after.in_check() {
                return None;
            }
            after.make_null();
            return Some(Step {
                mv: None,
                san: text.to_owned(),
                after,
            });
        }
        let mv = move_of(&self.board, text)?;
        after.make(mv);
        Some(Step {
            mv: Some(mv),
            san: san::to_san(&self.board, mv),
            after,
        })
    }

    /// Adds the next move.
    pub fn push(&mut self, step: Step) {
        self.before = std::mem::replace(&mut self.board, step.after);
        self.line.plies.push(Ply {
            san: step.san,
            items: Vec::new(),
        });
    }

    /// Returns whether a text stands for a move that can be played as the next one.
    pub fn can_play(&self, text: &str) -> bool {
        self.step(text).is_some()
    }

    /// Drops all moves behind so many, and all items behind so many of the last one of them.
    pub fn cut(&mut self, plies: usize, items: usize) {
        self.line.plies.truncate(plies);
        self.items().truncate(items);
    }

    /// Returns the ply of the next move, counted from the beginning of the game.
    pub fn ply(&self) -> u32 {
        self.line.start + self.line.plies.len() as u32
    }

    /// Returns the number of the next move, such as `12...`.
    pub fn number(&self) -> String {
        number_of(self.ply())
    }
}

/// Parses a move in SAN or in coordinate notation (`g1f3`, `e7e8=Q`; castling as the king's move or
/// as king takes rook).
pub(crate) fn move_of(board: &Board, text: &str) -> Option<Move> {
    san::parse(board, text).or_else(|| parse_move(board, &text.replacen('=', "", 1)))
}
