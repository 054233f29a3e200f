//! Which games of the input are asked for, so that several machines can share one file.

use std::fmt;
use std::io::{self, BufRead};
use std::str::FromStr;

use crate::pgn::{GameText, Source};

/// A range of games, counted from 1 in the order of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    first: u64,
    last: u64,
}

/// Reads `17`, `1001-2000`, `1001-` or `-2000`.
impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str, missing: u64| match text.trim() {
            "" => Some(missing),
            text => text.parse().ok(),
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = number(first, 1).zip(number(last, u64::MAX));
        let range = range.filter(|(first, last)| (1..=*last).contains(first));
        let (first, last) = range
            .filter(|_| text.contains(|letter: char| letter.is_ascii_digit()))
            .ok_or("give numbers from 1, as in 17, 1001-2000 or 1001-")?;
        Ok(Self { first, last })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-", self.first)?;
        match self.last {
            u64::MAX => Ok(()),
            last => write!(f, "{last}"),
        }
    }
}

impl Range {
    /// The number of the first game.
    pub(super) fn first(self) -> u64 {
        self.first
    }

    /// Returns the number of games; `None` if the end of the input is the end of the range.
    pub(super) fn length(self) -> Option<u64> {
        (self.last < u64::MAX).then(|| self.last - self.first + 1)
    }
}

/// The games of a stream that are in a range.
pub(super) struct Selection<R> {
    source: Source<R>,
    range: Range,
    /// Number of games of the input before the next one of them.
    passed: u64,
    /// Number of bytes of the input before it.
    position: u64,
}

impl<R: BufRead> Selection<R> {
    /// Passes over the games before the range.
    ///
    /// # Errors
    /// Fails if the stream cannot be read.
    pub fn new(source: Source<R>, range: Range) -> io::Result<Self> {
        let mut selection = Self {
            source,
            range,
            passed: 0,
            position: 0,
        };
        while selection.passed + 1 < range.first && selection.take()?.is_some() {}
        Ok(selection)
    }

    /// Returns the next game; `None` at the end of the range or of the input.
    ///
    /// # Errors
    /// Fails if the stream cannot be read.
    pub fn next_game(&mut self) -> io::Result<Option<GameText>> {
        if self.passed >= self.range.last {
            return Ok(None);
        }
        self.take()
    }

    fn take(&mut self) -> io::Result<Option<GameText>> {
        let game = self.source.next_game()?;
        if let Some(game) = &game {
            (self.passed, self.position) = (game.number, game.end);
        }
        Ok(game)
    }

    /// Returns the number of games of the input before the next one.
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// Returns the number of bytes of the input before the next game.
    pub fn position(&self) -> u64 {
        self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_may_be_open() {
        for (text, first, last) in [
            ("17", 17, 17),
            ("1001-2000", 1001, 2000),
            (" 5 - 5 ", 5, 5),
            ("1001-", 1001, u64::MAX),
            ("-2000", 1, 2000),
        ] {
            assert_eq!(text.parse(), Ok(Range { first, last }), "{text}");
        }
        for text in [
            "", "-", "0", "0-5", "6-5", "1-2-3", "a", "1.5", "1..5", "+-",
        ] {
            assert!(text.parse::<Range>().is_err(), "{text}");
        }
        for text in ["1-", "3-7"] {
            let range: Range = text.parse().expect("a range");
            assert_eq!(range.to_string(), text);
        }
    }

    #[test]
    fn the_games_of_a_range_keep_their_numbers() {
        let games = "1. e4 *\n\n".repeat(5);
        let numbers = |range: &str| {
            let source = Source::new(games.as_bytes());
            let range = range.parse().expect("a range");
            let mut selection = Selection::new(source, range).expect("games");
            let before = selection.passed();
            let all = std::iter::from_fn(|| selection.next_game().expect("a game"));
            let all: Vec<u64> = all.map(|game| game.number).collect();
            assert_eq!(selection.next_game().expect("games"), None);
            (before, all)
        };
        assert_eq!(numbers("1-"), (0, vec![1, 2, 3, 4, 5]));
        assert_eq!(numbers("2-3"), (1, vec![2, 3]));
        assert_eq!(numbers("4-9"), (3, vec![4, 5]));
        assert_eq!(numbers("9-"), (5, vec![]));
    }
}
