//! Splits a stream of PGN into games. Errors in one game do not spread to the next: a line of tags
//! begins a new game even inside a comment that was never closed.
//!
//! A game has tags or moves. Comments and other text before its tags belong to it; behind the last
//! game of the file they belong to that one.

use std::io::{self, BufRead};

use super::extent::{prose_length, word_length};
use super::prose::{begins_moves, is_opening, is_prose_line};
use super::tags::{self, Tag};
use super::window::Window;
use super::words::{self, Body, is_invisible};

/// Largest size of a game in bytes. No real game comes near it; without a limit, a file without
/// line ends would fill the memory.
const LARGEST: usize = 16 << 20;

/// Number of bytes that are looked at behind the place where a line is cut in memory. No word or tag
/// comes near it.
const AHEAD: usize = 1 << 12;

/// The text of one game of the file, with all line ends turned into line feeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GameText {
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

/// Splits a stream into games.
pub(super) struct Source<R> {
    window: Window<R>,
    /// Set if the rest of the line begins the next game.
    is_pending: bool,
    /// Text before that line that belongs to the next game, and the number of its first line.
    prelude: Option<(Vec<u8>, u64)>,
    number: u64,
}

impl<R: BufRead> Source<R> {
    pub fn new(input: R) -> Self {
        Self {
            // One byte too many marks a game as too large.
            window: Window::new(input, LARGEST + 1 + AHEAD),
            is_pending: false,
            prelude: None,
            number: 0,
        }
    }

    /// Returns the next game; `None` at the end of the input.
    pub fn next_game(&mut self) -> io::Result<Option<GameText>> {
        let mut cutter = Cutter::default();
        let mut start = 0;
        if let Some((text, line)) = self.prelude.take() {
            (cutter.text, start) = (text, line);
        }
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
                self.prelude = cutter.prelude.take();
                return Ok(Some(self.finish(cutter, start)));
            }
            // Only text came before, in a comment that does not end.
            cutter.text.extend_from_slice(b"}\n");
            cutter = Cutter {
                text: cutter.text,
                ..Cutter::default()
            };
        }
        if let Some((text, _)) = cutter.prelude.take() {
            cutter.text.extend(text);
        }
        Ok((cutter.is_game()).then(|| self.finish(cutter, start)))
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

/// How much of a text belongs to a game.
struct Seen {
    /// In bytes.
    length: usize,
    /// Set if the next game begins there.
    is_next: bool,
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

/// Scans one game, just closely enough to see where it ends.
#[derive(Default)]
struct Cutter {
    text: Vec<u8>,
    too_large: bool,
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
    prelude: Option<(Vec<u8>, u64)>,
}

impl Cutter {
    fn is_game(&self) -> bool {
        self.in_movetext || self.is_tagged
    }

    /// Returns whether text belongs to the next game, if there is one.
    fn is_behind(&self) -> bool {
        self.is_apart
    }

    /// Adds a line, which was looked at before, to the game or to the text behind it.
    fn add(&mut self, line: &[u8], number: u64) {
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
    fn look_at(&mut self, text: &str, length: usize, goes_on: bool) -> Seen {
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

    /// Returns whether the next game begins with this text in brackets.
    fn begins_game(&self, text: &[u8]) -> bool {
        let (is_clean, after_blank) = (self.is_clean, self.after_blank);
        let name = tags::name(text);
        if !self.in_movetext {
            if !self.is_tagged {
                return false;
            }
            let is_new_header = self.first_line_tags > 1 && self.tags[0] == name;
            let is_apart = after_blank || is_new_header;
            return is_clean && is_apart && self.tags.iter().any(|tag| tag == name);
        }
        let is_regular = tags::is_regular(text);
        let is_open = self.variations > 0;
        if is_clean {
            let is_apart = after_blank || self.is_over;
            let is_last = self.is_over && tags::is_tag(text) && text.trim_ascii().ends_with(b"]");
            is_regular || is_last || (is_apart && tags::is_bracketed(text))
        } else {
            is_regular && !is_open && (self.is_over || name == b"Event")
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

    /// Returns whether a round bracket begins a variation.
    fn is_open_to_moves(&self, text: &str) -> bool {
        let is_movetext = self.in_movetext || begins_moves(text, self.is_tagged, self.is_first);
        is_movetext && !self.is_behind()
    }

    /// Returns whether prose begins with this word of the movetext, below an empty line. It belongs
    /// to the next game, unless moves go on behind it.
    fn is_prose_below(&self, text: &str) -> bool {
        let is_below = self.in_movetext && self.after_blank && self.is_clean;
        is_below && self.variations == 0 && is_prose_line(text)
    }

    /// Returns whether the moves, or those behind prose, begin with this text.
    fn begins(&self, text: &str, has_tags: bool) -> bool {
        let goes_on = self.is_apart && !self.is_over && self.is_first;
        begins_moves(text, has_tags || goes_on, self.is_first)
    }

    /// Takes a word of the movetext, with which a text begins. Returns whether the next game begins
    /// with it.
    fn take_word(&mut self, text: &str, word: &words::Word) -> bool {
        self.in_movetext = true;
        if self.variations > 0 {
            return false;
        }
        let length = word_length(text);
        let is_result = match &word.body {
            Body::Result(_) => true,
            // Castling with zeros is a result only where no move follows.
            Body::Move(_) => false,
            _ => self.result.as_deref() == Some(&text[..length]),
        };
        let has_number = word.number.is_some_and(|number| number.dots > 0);
        let is_move = matches!(word.body, Body::Move(_) | Body::Unread);
        if is_result {
            (self.is_over, self.is_apart) = (true, false);
        } else if has_number || is_move || self.is_first {
            let is_first = has_number && word.number.is_some_and(|number| number.value == Some(1));
            if self.is_over && (self.is_apart || is_first) || self.begins_anew(text, word) {
                return true;
            }
            if has_number || is_move {
                (self.is_over, self.is_apart) = (false, false);
            }
            self.plies += u32::from(is_move);
            self.is_numbered |= has_number;
        }
        false
    }

    /// Returns whether another game begins with this word, though no result or empty line ends the
    /// one before: its number is that of White's first move again; or moves without numbers begin a
    /// line behind a result.
    fn begins_anew(&self, text: &str, word: &words::Word) -> bool {
        let may_begin = match word.number {
            Some(number) => self.plies > 0 && number.value == Some(1) && number.dots <= 1,
            None => self.is_first && self.is_over && !self.is_numbered,
        };
        if !may_begin {
            return false;
        }
        let behind = text[word_length(text)..].trim_start();
        let next = words::read(&behind[..word_length(behind)]);
        let body = if word.body == Body::Nothing {
            &next.body
        } else {
            &word.body
        };
        let is_opening = matches!(body, Body::Move(san) if is_opening(san));
        is_opening && (word.number.is_some() || begins_moves(text, false, true))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn games(text: &[u8]) -> Vec<GameText> {
        let mut source = Source::new(text);
        std::iter::from_fn(|| source.next_game().expect("a readable text")).collect()
    }

    fn texts(text: &[u8]) -> Vec<String> {
        let trimmed = |game: &GameText| String::from_utf8_lossy(&game.bytes).trim().to_owned();
        games(text).iter().map(trimmed).collect()
    }

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
    fn a_line_may_hold_a_whole_game_or_several() {
        let one = "[Event \"a\"] [Result \"1-0\"] 1. e4 e5 { [Event \"x\"] 1-0 1. } 1-0";
        for between in ["\n", "\n\n", " "] {
            let text = [one, one, one].join(between);
            assert_eq!(texts(text.as_bytes()), [one, one, one], "{between:?}");
        }
        assert_eq!(
            texts(b"1. e4 1-0 1. d4 0-1\n1.c4 *\n"),
            ["1. e4 1-0", "1. d4 0-1", "1.c4 *"]
        );
        let twice = "[Event \"a\"]\n[Result \"1-0\"]\n[Event \"b\"]\n[White \"c\"]\n[White \"d\"]";
        assert_eq!(texts(twice.as_bytes()), [twice], "tags may be given twice");
        let bare = b"[Event \"a\"] [Result \"1-0\"]\n[Event \"b\"] [Result \"0-1\"]\n";
        assert_eq!(texts(bare).len(), 2);
    }

    #[test]
    fn a_game_begins_at_the_first_move_though_the_last_one_has_no_result() {
        for games in [
            &["1. e4 e5", "1. d4 d5", "1. c4 c5"][..],
            &["1.e4 e5", "1.d4", "1.Nf3 d5 2.g3"],
            &["1. e4", "1. d4 d5", "1.\u{200b}c4"],
            &["1 e4 e5 2 Nf3", "1 d4 d5"],
            &["[A \"1\"]\n\n1. e4 e5 (1... c5)", "1. d4 d5 {x}", "1. c4"],
        ] {
            for between in ["\n", "\n\n", "\r\n"] {
                let text = games.join(between);
                let found: Vec<_> = texts(text.as_bytes())
                    .iter()
                    .map(|text| text.replace("\r\n", "\n"))
                    .collect();
                assert_eq!(found, games, "{text}");
            }
        }
        assert_eq!(texts(b"1. e4 e5 1. d4 d5 1.c4").len(), 3);
        for one in [
            "1. e4 1. e5 2. Nf3 2. Nc6 *",
            "1. e4\n1... e5\n2. Nf3",
            "1. e4 (1. d4 d5) e5",
            "1. e4 e5 {1. d4 d5} ; 1. c4\n2. Nf3 1-0",
            "1. e4\n1. ... e5",
        ] {
            assert_eq!(texts(one.as_bytes()), [one]);
        }
    }

    #[test]
    fn a_line_of_moves_behind_a_result_is_a_game() {
        let games = ["e4 e5 Nf3 1-0", "d4 d5 0 - 1", "c4 1/2-1/2", "Nf3 d5 *"];
        assert_eq!(texts(games.join("\n").as_bytes()), games);
        for one in [
            "e4 e5 1-0\na4 paper was used",
            "e4 e5 1-0\nWhite played d4 d5",
            "1. e4 e5 1-0\nd5 d4",
        ] {
            assert_eq!(texts(one.as_bytes()), [one]);
        }
    }

    #[test]
    fn prose_below_the_moves_belongs_to_the_next_game() {
        let prose = [
            "Game 2\nHere Black might have replied\na6 at once! They met again (in March).",
            "a6 was played later",
            "Nf3 was his favourite;\nhe won 1-0 with it\n\nand lost none",
        ];
        for (prose, result) in prose
            .iter()
            .flat_map(|prose| [(prose, ""), (prose, " 1-0")])
        {
            let first = format!("[White \"A\"]\n\n1. e4 e5 2. Nf3{result}");
            let second = format!("{prose}\n\n[White \"B\"]\n\n1. d4 d5");
            let found = texts(format!("{first}\n\n{second}\n").as_bytes());
            assert_eq!(found, [first, second]);
        }
        for one in [
            "1. e4 e5\n\nNow Black may choose.\n\n2. Nf3 Nc6\n\nd6 is passive.\n2... Nc6 *",
            "1. e4 e5\n\nWhite resigned.\n\n0-1",
        ] {
            assert_eq!(
                texts(format!("{one}\n\n[A \"1\"]\n").as_bytes())[0].replace('\n', ""),
                one.replace('\n', "")
            );
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
    fn brackets_among_the_moves_begin_no_game() {
        for text in [
            "1. e4 e5\n[#]\n2. Nf3 [Diagram]\n[%eval 0.1]\n\n[Diagram 2]\n2... Nc6 *",
            "[Event \"a\"]\n[Result \"0-0\"]\n\n1. e4 e5 2. 0-0",
            "1. e4 1-0 (forfeit) e5",
        ] {
            assert_eq!(texts(text.as_bytes()), [text]);
        }
        // In Latin-1, the half is a byte of its own.
        let latin = texts(b"1. e4 \xbd-\xbd 1. d4 *");
        assert_eq!(latin.len(), 2);
        assert_eq!(latin[1], "1. d4 *");
    }

    #[test]
    fn a_comment_that_never_ends_costs_one_game() {
        let text = b"[Event \"a\"]\n\n1. e4 { oh *\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(texts(text)[1], "[Event \"b\"]\n\n1. d4 *");
        let text = b"{ oh\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(texts(text), ["{ oh\n\n}\n[Event \"b\"]\n\n1. d4 *"]);
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
            let (lines, line) = (time("\n"), time(" "));
            let most = 5 * lines + Duration::from_millis(500);
            assert!(line < most, "{game}: {line:?} instead of {lines:?}");
        }
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
