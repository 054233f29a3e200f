//! Splits a stream of PGN into games.

use std::io::{self, BufRead};

use super::cutter::{Cutter, LARGEST};
use super::window::Window;

/// Number of bytes that are looked at behind the place where a line is cut in memory. No word or tag
/// comes near it.
const AHEAD: usize = 1 << 12;

/// The text of one game of the file, with all line ends turned into line feeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameText {
    /// Number of the game in the file, from 1.
    pub number: u64,
    /// Number of the game's first line in the file, from 1.
    pub line: u64,
    /// Number of bytes of the file up to the end of this game.
    pub end: u64,
    /// The text of the game, in the encoding of the file.
    pub bytes: Vec<u8>,
    /// Set if the game is larger than the limit; its text is cut off there.
    pub too_large: bool,
}

impl GameText {
    /// Returns the approximate size of the game in the file, in bytes.
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
}

/// What a stream goes on with.
enum Cut {
    Game(GameText),
    /// Text that is no game, up to the end.
    End(Vec<u8>),
}

/// Splits a stream into games.
#[derive(Debug)]
pub struct Source<R> {
    window: Window<R>,
    /// Set if the rest of the line begins the next game.
    is_pending: bool,
    /// Text before that line that belongs to the next game, and the number of its first line.
    prelude: Option<(Vec<u8>, u64)>,
    number: u64,
    /// The game before, to which text belongs that turns out to be none.
    held: Option<GameText>,
    /// Why the input cannot be read behind that game.
    error: Option<io::Error>,
}

impl<R: BufRead> Source<R> {
    /// Reads from the beginning of an input.
    pub fn new(input: R) -> Self {
        Self {
            // One byte too many marks a game as too large.
            window: Window::new(input, LARGEST + 1 + AHEAD),
            is_pending: false,
            prelude: None,
            number: 0,
            held: None,
            error: None,
        }
    }

    /// Returns the next game; `None` at the end of the input.
    ///
    /// # Errors
    /// Fails if the input cannot be read or is no text in UTF-8 or Windows-1252.
    pub fn next_game(&mut self) -> io::Result<Option<GameText>> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        loop {
            match self.cut() {
                Ok(Cut::Game(game)) => {
                    if let Some(before) = self.held.replace(game) {
                        return Ok(Some(before));
                    }
                }
                Ok(Cut::End(rest)) => {
                    let mut last = self.held.take();
                    if let Some(game) = &mut last {
                        game.bytes.extend(rest);
                        game.end = self.window.position();
                    }
                    return Ok(last);
                }
                Err(error) if self.held.is_none() => return Err(error),
                Err(error) => {
                    self.error = Some(error);
                    return Ok(self.held.take());
                }
            }
        }
    }

    /// Cuts off the next game.
    fn cut(&mut self) -> io::Result<Cut> {
        let (text, mut start) = self.prelude.take().unwrap_or_default();
        let mut cutter = Cutter::after(text);
        let mut goes_on = false;
        loop {
            if std::mem::take(&mut self.is_pending) || goes_on {
                self.window.refill()?;
            } else if !self.window.next_line()? {
                break;
            }
            let number = self.window.line();
            let text = self.window.text();
            // What the window cuts off may decide what the text before it is.
            let ahead = if self.window.is_open() { AHEAD } else { 0 };
            let seen = cutter.look_at(text, text.len() - ahead, goes_on);
            goes_on = self.window.is_open() && !seen.is_next;
            let part = self.window.take(seen.length);
            if start == 0 && !part.trim_ascii().is_empty() {
                start = number;
            }
            if start > 0 && !(seen.is_next && part.is_empty()) {
                cutter.add(part, number);
            }
            if !seen.is_next {
                continue;
            }
            self.is_pending = true;
            if cutter.is_game() {
                self.prelude = cutter.take_prelude();
                return Ok(Cut::Game(self.finish(cutter, start)));
            }
            // Only text came before, in a comment that does not end.
            cutter.text.extend_from_slice(b"}\n");
            cutter = Cutter::after(cutter.text);
        }
        if let Some((text, _)) = cutter.prelude.take() {
            cutter.text.extend(text);
        }
        Ok(if cutter.is_game() {
            Cut::Game(self.finish(cutter, start))
        } else {
            Cut::End(cutter.text)
        })
    }

    fn finish(&mut self, cutter: Cutter, line: u64) -> GameText {
        self.number += 1;
        GameText {
            number: self.number,
            line,
            end: self.window.position(),
            bytes: cutter.text,
            too_large: cutter.too_large,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::testing::{games, texts};

    #[test]
    fn games_end_where_tags_begin_or_after_a_result() {
        let text = b"[Event \"a\"]\n[Site \"b\"]\n\n1. e4\n\ne5 1-0\n\n1. d4 *\n\n\n[Event \"c\"]\n\n[Event \"d\"]\n1. c4 [odd 0-1\n";
        assert_eq!(
            texts(text),
            [
                "[Event \"a\"]\n[Site \"b\"]\n\n1. e4\n\ne5 1-0",
                "1. d4 *",
                "[Event \"c\"]",
                "[Event \"d\"]\n1. c4 [odd 0-1"
            ]
        );
        let lines: Vec<_> = games(text)
            .iter()
            .map(|game| (game.number, game.line))
            .collect();
        assert_eq!(lines, [(1, 1), (2, 8), (3, 11), (4, 13)]);
        assert_eq!(games(text)[3].end, text.len() as u64);
        assert!(games(text).is_sorted_by_key(|game| game.end));
    }

    #[test]
    fn what_turns_out_to_be_no_game_belongs_to_the_one_before() {
        for text in [
            "1. e4 * 1... Sf3 was played",
            "1. e4 *\n1... [x] $17 e4 Sf3",
        ] {
            assert_eq!(
                texts(text.as_bytes()).join("").replace('\n', ""),
                text.replace('\n', "")
            );
        }
        let text = b"1. e4 *\n\n{oh\n\n[Event \"x\"]\n\n1. d4 *";
        let wanted = ["1. e4 *", "{oh\n\n}\n[Event \"x\"]\n\n1. d4 *"];
        assert_eq!(texts(text), wanted);
    }

    #[test]
    fn line_ends_are_of_every_kind() {
        for text in [
            &b"\xef\xbb\xbf[Event \"a\"]\r\n\r\n1. e4 *\r\n\r\n% escaped\r\n1. d4 *\r\n"[..],
            b"[Event \"a\"]\r\r1. e4 *\r\r1. d4 *",
            b"[Event \"a\"]\n\n1. e4 *\n \t\n1. d4 *\n\x1a",
        ] {
            let plain: Vec<_> = (texts(text).iter())
                .map(|text| {
                    text.replace("% escaped\n", "")
                        .replace('\x1a', "")
                        .trim()
                        .to_owned()
                })
                .collect();
            assert_eq!(plain, ["[Event \"a\"]\n\n1. e4 *", "1. d4 *"]);
        }
    }

    #[test]
    fn there_may_be_no_game() {
        for text in [
            &b""[..],
            b"\n\n \r\n",
            b"\xef\xbb\xbf\n",
            b"% nothing\n",
            b"{ a }\n\n; b",
        ] {
            assert!(games(text).is_empty());
        }
        let error = Source::new(&b"\xff\xfe[\0"[..])
            .next_game()
            .expect_err("UTF-16");
        assert!(error.to_string().contains("UTF-16"));
    }

    #[test]
    fn a_comment_that_never_ends_costs_one_game() {
        let text = b"[Event \"a\"]\n\n1. e4 { oh *\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(texts(text)[1], "[Event \"b\"]\n\n1. d4 *");
        let text = b"{ oh\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(texts(text), ["{ oh\n\n}\n[Event \"b\"]\n\n1. d4 *"]);
    }

    #[test]
    fn a_line_larger_than_the_largest_game_holds_games() {
        let words = "word ".repeat(200_000);
        let game =
            |number| format!("[Event \"{number}\"] [Result \"1-0\"] 1. e4 {{{words}}} e5 1-0");
        let line: Vec<String> = (0..24).map(game).collect();
        assert_eq!(texts(line.join(" ").as_bytes()), line);
        let large = format!("[Event \"x\"] 1. e4 {{{}}} *", words.repeat(20));
        let text = [&*game(1), &large, &game(2), "1. d4 *"].join(" ");
        let found = games(text.as_bytes());
        let large: Vec<_> = found.iter().map(|game| game.too_large).collect();
        assert_eq!(large, [false, true, false, false]);
        assert_eq!(found[2].bytes.trim_ascii(), game(2).as_bytes());
        assert_eq!(found[3].bytes.trim_ascii(), b"1. d4 *");
        let ends: Vec<_> = found.iter().map(|game| game.end).collect();
        assert_eq!(ends[0], game(1).len() as u64 + 1);
        assert_eq!(ends[3], text.len() as u64);
        // A comment up to the end of the line is one to its very end.
        let text = format!("1. e4 ; {words}{}[Event \"x\"] *\n*", words.repeat(16));
        assert_eq!(games(text.as_bytes()).len(), 1);
    }

    #[test]
    fn a_game_without_end_does_not_fill_the_memory() {
        let text = [
            b"1. e4 ",
            vec![b'x'; LARGEST + 10].as_slice(),
            b"\n\n[Event \"b\"]\n*",
        ]
        .concat();
        let games = games(&text);
        assert_eq!(games.len(), 2);
        assert!(games[0].too_large && !games[1].too_large);
    }
}
