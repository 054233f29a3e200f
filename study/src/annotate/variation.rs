//! A variation while it is read.

use super::draft_line::DraftLine;
use super::numbering::{Numbering, joined};
use super::record::Item;
use super::words::Number;

/// A variation under construction.
pub(super) struct Variation {
    pub line: DraftLine,
    /// The place of its bracket in the text of the game.
    at: usize,
    /// The last move number, if no move followed yet.
    number: Option<Number>,
    /// Set if its first number is not that of the move it would replace, as where it goes on behind
    /// that move. PGN has no such variation, so it is kept as text.
    is_misplaced: bool,
}

impl Variation {
    /// Opens a variation on the last move of this line; its bracket is at this place in the text of
    /// the game.
    pub fn of(around: &DraftLine, at: usize) -> Self {
        let start = around.ply().saturating_sub(1).max(around.line.start);
        Self {
            line: DraftLine::new(around.before, start),
            at,
            number: None,
            is_misplaced: false,
        }
    }

    /// Takes a move number.
    pub fn take_number(&mut self, number: Number) {
        self.number = Some(joined(self.number, number));
    }

    /// Forgets the last move number, which was that of a word that is not read as a move.
    pub fn forget_number(&mut self) {
        self.number = None;
    }

    /// Adds a move. The numbers of the game tell whether the first one belongs there.
    pub fn play(&mut self, san: &str, numbering: &Numbering) {
        let line = &mut self.line;
        if let Some(number) = self.number.take()
            && line.line.plies.is_empty()
        {
            self.is_misplaced = !numbering.fits(number, line.ply(), line.can_play(san));
        }
        line.try_play(san);
    }

    /// Ends the variation, whose part of the text of the game ends there.
    pub fn close(self, text: &str, end: usize) -> Item {
        if self.is_misplaced {
            Item::kept(&text[self.at..end])
        } else {
            Item::Variation(self.line.line)
        }
    }
}
