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
    pub at: usize,
    /// The last move number, if no move followed yet.
    number: Option<Number>,
    /// Set if there is prose before its first move.
    is_prose: bool,
    /// Set if its first move then has no number either.
    is_doubtful: bool,
    /// Set if it is kept as text: its first number is not that of the move it would replace, as where
    /// it goes on behind that move, and PGN has no such variation; or its first move cannot be played.
    is_text: bool,
    /// A word that is no move, as long as no move number has shown that it stands for none.
    doubt: Option<Doubt>,
    /// Where its moves end, if they end before the variation does.
    end: Option<Place>,
}

/// A place in a variation.
#[derive(Clone, Copy)]
struct Place {
    /// In the text of the game.
    at: usize,
    /// Number of moves before it, and of items after the last of them.
    plies: usize,
    items: usize,
}

struct Doubt {
    place: Place,
    /// Set if there is prose among the words, which may name moves in notations that are not read.
    is_prose: bool,
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
            doubt: None,
            end: None,
        }
    }

    /// Takes a move number.
    pub fn take_number(&mut self, number: Number) {
        self.number = Some(joined(self.number, number));
    }

    /// Adds a move, which stands at this place with its number. The numbers of the game tell whether
    /// the first one belongs there. Where one cannot be played, the moves end; before it may stand a
    /// word that was a move.
    pub fn play(&mut self, san: &str, at: usize, numbering: &Numbering) {
        let number = self.number.take();
        if self.end.is_some() {
            return;
        }
        let step = self.line.step(san);
        if self.line.line.plies.is_empty() {
            self.is_doubtful = number.is_none() && self.is_prose;
            let fits = |number| numbering.fits(number, self.line.ply(), step.is_some());
            self.is_text = step.is_none() || !number.is_none_or(fits);
        }
        let is_other = |number| !numbering.fits(number, self.line.ply(), true);
        let Some(step) = step.filter(|_| self.doubt.is_none() || !number.is_some_and(is_other))
        else {
            return self.stop(at);
        };
        if number.is_some() {
            self.doubt = None;
        }
        self.line.push(step);
    }

    /// Takes a word that stands for a move in a notation that is not read. The moves end there, unless
    /// it is one of a prose that has no number.
    pub fn take_unread(&mut self, word: &str, at: usize) {
        let is_prose = self.doubt.as_ref().is_some_and(|doubt| doubt.is_prose);
        if self.number.take().is_some() || !is_prose {
            self.is_text |= self.line.line.plies.is_empty();
            self.stop(at);
        }
        self.add(Item::Comment(word.to_owned()));
    }

    /// Takes words that mean nothing.
    pub fn take_words(&mut self, words: &str, at: usize) {
        let is_prose = is_prose(words);
        self.is_prose |= self.line.line.plies.is_empty() && is_prose;
        let place = self.place(at);
        let new = || Doubt {
            place,
            is_prose: false,
        };
        self.doubt.get_or_insert_with(new).is_prose |= is_prose;
        self.add(Item::Comment(words.to_owned()));
    }

    /// Adds a glyph, comment or variation.
    pub fn add(&mut self, item: Item) {
        self.line.items().push(item);
    }

    fn place(&mut self, at: usize) -> Place {
        Place {
            at,
            plies: self.line.line.plies.len(),
            items: self.line.items().len(),
        }
    }

    /// Ends the moves at this place, or at the words in doubt before it.
    fn stop(&mut self, at: usize) {
        let place = self.place(at);
        let place = self.doubt.take().map_or(place, |doubt| doubt.place);
        self.end.get_or_insert(place);
    }

    /// Returns whether its moves end before it does, or are none.
    pub fn is_kept(&self) -> bool {
        self.is_text || (self.end.is_some() && !self.line.line.plies.is_empty())
    }

    /// Ends the variation, whose part of the text of the game ends there, behind its bracket if it has
    /// one. Without moves it is text in brackets.
    pub fn close(mut self, text: &str, end: usize, has_bracket: bool) -> Item {
        let whole = &text[self.at..end];
        let is_prose = self.is_doubtful && is_mostly_prose(whole);
        if let Some(end) = self.end {
            self.line.cut(end.plies, end.items);
        }
        if self.is_text || is_prose || self.line.line.plies.is_empty() {
            return Item::kept(whole);
        }
        if let Some(place) = self.end {
            let rest = &text[place.at..end - usize::from(has_bracket)];
            self.add(Item::kept(rest));
        }
        Item::Variation(self.line.line)
    }
}
