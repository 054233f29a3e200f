//! Scans one game, just closely enough to see where it ends. Errors in one game do not spread to the
//! next: a line of tags begins a new game even inside a comment that was never closed.
//!
//! A game has tags or moves. Comments and other text before its tags belong to it; behind the last
//! game of the file they belong to that one.

mod border;

use super::extent::{prose_length, word_length};
use super::tags::{self, Tag};
use super::words::{self, Body, is_invisible};

/// Largest size of a game in bytes. No real game comes near it; without a limit, a file without
/// line ends would fill the memory.
pub(super) const LARGEST: usize = 16 << 20;

/// How much of a text belongs to a game.
pub(super) struct Seen {
    /// In bytes.
    pub length: usize,
    /// Set if the next game begins there.
    pub is_next: bool,
}

impl Seen {
    fn all(text: &str) -> Self {
        Self {
            length: text.len(),
            is_next: false,
        }
    }

    fn until_next(length: usize) -> Self {
        Self {
            length,
            is_next: true,
        }
    }
}

/// What the text of a game so far has shown.
#[derive(Default)]
pub(super) struct Cutter {
    pub text: Vec<u8>,
    pub too_large: bool,
    /// Names of the tags.
    tags: Vec<Vec<u8>>,
    /// Number of tags in the first line that has any, once the line is read.
    first_line_tags: usize,
    /// Value of the tag `Result`.
    result: Option<String>,
    /// Set if the last line began a tag that it did not close.
    in_tag: bool,
    in_movetext: bool,
    in_comment: bool,
    variations: usize,
    /// Set if one of them has quotes, so that it is no other text in brackets.
    is_tagged: bool,
    /// Number of moves of the main line.
    plies: u32,
    /// Set if one of them has a number.
    is_numbered: bool,
    /// Set if a result of the main line was seen, and no move behind it.
    is_over: bool,
    /// Set behind an empty line behind that result, or behind one that prose follows, until moves
    /// go on.
    is_apart: bool,
    /// Set if the current line is empty, and if the one before it is.
    is_blank: bool,
    after_blank: bool,
    /// Set if the rest of the line holds nothing to look at.
    is_passed: bool,
    /// As in the lexer: nothing but tags and comments, and no word but a number, stands before the
    /// current place in its line.
    is_clean: bool,
    is_first: bool,
    /// Text behind the result and an empty line, and the number of its first line. It belongs to the
    /// next game, if there is one.
    pub prelude: Option<(Vec<u8>, u64)>,
}

impl Cutter {
    /// Begins a game behind text that belongs to it.
    pub fn after(text: Vec<u8>) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Takes the text behind the game; a comment that it leaves open ends there, so that it does not
    /// swallow the next game.
    pub fn take_prelude(&mut self) -> Option<(Vec<u8>, u64)> {
        let (mut text, line) = self.prelude.take()?;
        if self.in_comment {
            text.extend_from_slice(b"}\n");
        }
        Some((text, line))
    }

    pub fn is_game(&self) -> bool {
        self.in_movetext || self.is_tagged
    }

    /// Returns whether text belongs to the next game, if there is one.
    fn is_behind(&self) -> bool {
        self.is_apart
    }

    /// Adds a line, which was looked at before, to the game or to the text behind it.
    pub fn add(&mut self, line: &[u8], number: u64) {
        let is_blank = line.trim_ascii().is_empty();
        let text = if self.is_behind() {
            if is_blank && self.prelude.is_none() {
                return;
            }
            &mut self.prelude.get_or_insert((Vec::new(), number)).0
        } else {
            if let Some((text, _)) = self.prelude.take() {
                self.text.extend(text);
            }
            &mut self.text
        };
        if text.len() + line.len() > LARGEST {
            self.too_large = true;
        } else {
            text.extend_from_slice(if is_blank { b"" } else { line });
            text.push(b'\n');
        }
    }

    /// Scans a line, or the part of it behind the one that was scanned before. Up to this length,
    /// nothing is left for the next part.
    pub fn look_at(&mut self, text: &str, length: usize, goes_on: bool) -> Seen {
        if !goes_on {
            let line = text.as_bytes();
            let is_blank = line
                .iter()
                .all(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
            self.after_blank = std::mem::replace(&mut self.is_blank, is_blank);
            (self.is_clean, self.is_first) = (true, true);
            let is_tag_end = std::mem::take(&mut self.in_tag) && tags::closes(line);
            self.is_passed = !is_blank && (is_tag_end || (!self.in_comment && line[0] == b'%'));
            if is_blank {
                self.is_apart |= self.is_over;
            } else if self.in_comment && !is_tag_end {
                let is_event = tags::is_regular(line) && tags::name(line) == b"Event";
                if self.after_blank && is_event {
                    return Seen::until_next(0);
                }
            }
        }
        if self.is_passed {
            return Seen::all(text);
        }
        let seen = self.scan(text, length);
        if self.first_line_tags == 0 {
            self.first_line_tags = self.tags.len();
        }
        seen
    }

    fn scan(&mut self, line: &str, length: usize) -> Seen {
        // The first of the numbers that nothing else came before.
        let mut first_number = None;
        let mut at = 0;
        while at < length
            && let Some(letter) = line[at..].chars().next()
        {
            let rest = &line[at..];
            at += match letter {
                _ if self.in_comment => {
                    let end = rest.find('}');
                    self.in_comment = end.is_none();
                    end.map_or(rest.len(), |end| end + 1)
                }
                '{' => {
                    self.in_comment = true;
                    1
                }
                ';' => {
                    self.is_passed = true;
                    return Seen::all(line);
                }
                '[' => {
                    if self.begins_game(rest.as_bytes()) {
                        return Seen::until_next(at);
                    }
                    if self.is_clean && !self.in_movetext && tags::is_tag(rest.as_bytes()) {
                        self.take_tag(rest)
                    } else {
                        self.is_clean = false;
                        let end = rest.find(']').map(|end| end + 1);
                        let end = end.or_else(|| rest.find(char::is_whitespace));
                        end.unwrap_or(rest.len())
                    }
                }
                _ if letter.is_whitespace() || letter.is_control() || is_invisible(letter) => {
                    letter.len_utf8()
                }
                '(' if self.is_open_to_moves(rest) => {
                    self.in_movetext = true;
                    self.variations += 1;
                    1
                }
                ')' if self.in_movetext && !self.is_behind() => {
                    self.variations = self.variations.saturating_sub(1);
                    1
                }
                _ => {
                    let length = word_length(rest);
                    let word = words::read(&rest[..length]);
                    self.is_apart |= self.is_prose_below(rest);
                    let has_tags = self.is_tagged && !self.is_behind();
                    let goes_on = self.in_movetext && !self.is_behind();
                    self.is_clean = false;
                    if goes_on || self.begins(rest, has_tags) {
                        if self.take_word(rest, &word) {
                            let first = first_number.filter(|_| !goes_on);
                            return Seen::until_next(first.unwrap_or(at));
                        }
                        self.is_first &= word.body == Body::Nothing;
                        length
                    } else {
                        let length = prose_length(rest);
                        self.is_first &= words::read(&rest[..length]).body == Body::Nothing;
                        first_number = first_number.or(self.is_first.then_some(at));
                        length
                    }
                }
            };
        }
        Seen {
            length: at,
            is_next: false,
        }
    }

    /// Takes the tag that a text begins with. Returns its length.
    fn take_tag(&mut self, text: &str) -> usize {
        let closed = tags::closed_length(text.as_bytes());
        let length = closed.unwrap_or(text.len());
        self.in_tag = closed.is_none();
        let tag = Tag::read(&text[..length]);
        self.is_tagged |= tag.is_quoted();
        if tag.is("Result") {
            self.result = Some(tag.value.trim().to_owned());
        }
        self.tags.push(tags::name(text.as_bytes()).to_vec());
        length
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::pgn::testing::{games, texts};

    #[test]
    fn comments_and_variations_hide_results_and_tags() {
        let text = b"1. e4 { 1-0\n\n[Site \"x\"]\n} (1. d4 *\n\n) e5 ; 0-1\n\n2. Nf3 *\n\n1. c4 *";
        assert_eq!(texts(text).len(), 2);
    }

    #[test]
    fn text_before_the_tags_belongs_to_the_game() {
        for text in [
            "; note\n% note\n{a\n\nb}\n\nPrinted on a4 paper, 1-0.\n[Event \"a\"]\n\n1. e4 *",
            "[Event \"a\"]\n; note\n[Site \"b\"]\n{note}\n\n{note}\n\n[Date \"c\"]\n\n1. e4 *",
            "{note} [Event \"a\"]\n[BlackType: \"x\"]\n\n[White-Elo \"1\"]\n[E]\n[D open\"]\n1. e4 *",
            "[Event \"a\nb\"]\n[Site \"c\"]\n\n*",
        ] {
            let two = format!("{text}\n\n{text}\n\n");
            let found = texts(two.as_bytes());
            let found: Vec<_> = (found.iter())
                .map(|text| text.replace("{note} \n", "{note} "))
                .collect();
            assert_eq!(found, [text, text]);
        }
    }

    #[test]
    fn text_behind_a_game_belongs_to_it_where_nothing_follows() {
        for text in [
            "1. e4 *\n\n{the end}",
            "1. e4 *\n; the end",
            "[A \"1\"]\n\n; the end",
        ] {
            let one = format!("{text}\n\n");
            assert_eq!(texts(one.as_bytes()), [text.replace("*\n\n{", "*\n{")]);
        }
    }

    #[test]
    fn what_has_neither_moves_nor_tags_is_no_game() {
        for text in [
            "# Title\n\n[Rust](https://rust-lang.org) is fast.\n\n[Rust] 1. install it\n",
            "[dependencies]\na = \"1\"\n\n[dependencies]\n",
            "[]",
        ] {
            assert!(games(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn many_games_in_a_line_take_no_longer_than_in_many_lines() {
        for game in [
            "[Event \"a\"] [Result \"1-0\"] 1. e4 e5 1-0",
            "[Event \"ü\"] 1. e4 [#] e5 *",
            "1. e4 {x} *",
        ] {
            let latin = |text: &str| text.chars().map(|letter| letter as u8).collect::<Vec<_>>();
            let time = |between: &str| {
                let text = latin(&vec![game; 10_000].join(between));
                let start = Instant::now();
                assert_eq!(games(&text).len(), 10_000);
                start.elapsed()
            };
            // A busy machine may take its time once, but not each time.
            let is_linear = || {
                let (lines, line) = (time("\n"), time(" "));
                line < 5 * lines + Duration::from_millis(500)
            };
            assert!((0..5).any(|_| is_linear()), "{game}");
        }
    }
}
