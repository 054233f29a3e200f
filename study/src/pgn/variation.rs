//! A variation while it is read.

use super::draft_line::DraftLine;
use super::numbering::{Numbering, joined};
use super::prose::{is_mostly_prose, is_prose};
use super::record::Item;
use super::words::Number;

/// A variation under construction.
pub(crate) struct Variation {
    pub line: DraftLine,
    /// The place of its bracket in the text of the game.
    at: usize,
    /// The last move number, if no move followed yet.
    number: Option<Number>,
    /// Set if there is prose before its first move.
    is_prose: bool,
    /// Set if its first move then has no number either.
    is_doubtful: bool,
    /// Set if it is kept as text: its first number is not that of the move it would replace, as where
    /// it goes on behind that move, and PGN has no such variation; or its first move is one that
    /// prose speaks of.
    is_text: bool,
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
            is_prose: false,
            is_doubtful: false,
            is_text: false,
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
        let number = self.number.take();
        if line.line.plies.is_empty() {
            let can_play = line.can_play(san);
            self.is_doubtful = number.is_none() && self.is_prose;
            self.is_text = match number {
                Some(number) => !numbering.fits(number, line.ply(), can_play),
                None => self.is_doubtful && !can_play,
            };
        }
        line.try_play(san);
    }

    /// Takes words that mean nothing.
    pub fn take_words(&mut self, words: &str) {
        self.is_prose |= self.line.line.plies.is_empty() && is_prose(words);
    }

    /// Ends the variation, whose part of the text of the game ends there. Without moves it is text in
    /// brackets.
    pub fn close(self, text: &str, end: usize) -> Item {
        let text = &text[self.at..end];
        let is_prose = self.is_doubtful && is_mostly_prose(text);
        if self.is_text || is_prose || self.line.line.plies.is_empty() {
            Item::kept(text)
        } else {
            Item::Variation(self.line.line)
        }
    }
}
