//! Splits a stream of PGN into games. Errors in one game do not spread to the next: a line of tags
//! begins a new game even inside a comment that was never closed.
//!
//! A game has tags or moves. Comments and other text before its tags belong to it; behind the last
//! game of the file they belong to that one.

use std::io::{self, BufRead};

use super::encoding;
use super::lexer::{prose_length, word_length};
use super::tags::{self, Tag};
use super::words::{self, Body, begins_moves};

/// Largest size of a game in bytes. No real game comes near it; without a limit, a file without
/// line ends would fill the memory.
const LARGEST: usize = 16 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

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
    input: R,
    /// Number of bytes and lines read from the input.
    position: u64,
    lines: u64,
    /// Set if the last line ended with a carriage return, so that a line feed right after it
    /// belongs to the same line end.
    after_return: bool,
    /// A line already read that begins the next game, with its number.
    pending: Option<(Vec<u8>, u64)>,
    /// Text before that line that belongs to the next game, and the number of its first line.
    prelude: Option<(Vec<u8>, u64)>,
    number: u64,
}

impl<R: BufRead> Source<R> {
    pub fn new(input: R) -> Self {
        Self {
            input,
            position: 0,
            lines: 0,
            after_return: false,
            pending: None,
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
        loop {
            let before = self.position;
            let Some((line, number)) = self.take_line()? else {
                break;
            };
            let next = cutter.look_at(&line);
            let part = &line[..next.unwrap_or(line.len())];
            if start == 0 && !part.trim_ascii().is_empty() {
                start = number;
            }
            if start > 0 && next != Some(0) {
                cutter.add(part, number);
            }
            let Some(next) = next else { continue };
            self.pending = Some((line[next..].to_vec(), number));
            if cutter.is_game() {
                self.prelude = cutter.prelude.take();
                return Ok(Some(self.finish(cutter, start, before)));
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
        let end = self.position;
        Ok((cutter.is_game()).then(|| self.finish(cutter, start, end)))
    }

    fn finish(&mut self, cutter: Cutter, line: u64, end: u64) -> GameText {
        self.number += 1;
        GameText {
            number: self.number,
            line,
            end,
            bytes: cutter.text,
            too_large: cutter.too_large,
        }
    }

    /// Returns the number and the text of the next line. A line ends with a line feed, a carriage
    /// return, or both.
    fn take_line(&mut self) -> io::Result<Option<(Vec<u8>, u64)>> {
        if let Some(pending) = self.pending.take() {
            return Ok(Some(pending));
        }
        let mut line = Vec::new();
        let mut any = false;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if buffer.is_empty() {
                break;
            }
            if std::mem::take(&mut self.after_return) && buffer[0] == b'\n' {
                self.input.consume(1);
                self.position += 1;
                continue;
            }
            any = true;
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = &buffer[..end.unwrap_or(buffer.len())];
            // One byte too many marks a game as too large.
            let room = (LARGEST + 1).saturating_sub(line.len());
            line.extend_from_slice(&part[..part.len().min(room)]);
            let taken = part.len() + usize::from(end.is_some());
            self.after_return = end.is_some_and(|end| buffer[end] == b'\r');
            self.input.consume(taken);
            self.position += taken as u64;
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.lines += 1;
        if self.lines == 1 && (line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff")) {
            let reason = "this is UTF-16 text; save the file as UTF-8";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        if line.starts_with(BOM) {
            line.drain(..BOM.len());
        }
        Ok(Some((line, self.lines)))
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
    /// Set if a result of the main line was seen, and no move behind it.
    is_over: bool,
    /// Set if an empty line came behind that result.
    is_apart: bool,
    after_blank: bool,
    /// Text behind the result and an empty line, and the number of its first line. It belongs to the
    /// next game, if there is one.
    prelude: Option<(Vec<u8>, u64)>,
}

impl Cutter {
    fn is_game(&self) -> bool {
        self.in_movetext || !self.tags.is_empty()
    }

    /// Returns whether the game is over, so that text belongs to the next one, if there is one.
    fn is_behind(&self) -> bool {
        self.is_over && self.is_apart
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
            &mut self.text
        };
        if text.len() + line.len() > LARGEST {
            self.too_large = true;
        } else {
            text.extend_from_slice(if is_blank { b"" } else { line });
            text.push(b'\n');
        }
    }

    /// Scans a line. Returns the place in it where the next game begins, if it does.
    fn look_at(&mut self, line: &[u8]) -> Option<usize> {
        let is_blank = line
            .iter()
            .all(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
        let after_blank = std::mem::replace(&mut self.after_blank, is_blank);
        if is_blank {
            self.is_apart |= self.is_over;
            self.in_tag = false;
            return None;
        }
        if std::mem::take(&mut self.in_tag) && tags::closes(line) {
            return None;
        }
        if self.in_comment {
            if after_blank && tags::is_regular(line) && tags::name(line) == b"Event" {
                return Some(0);
            }
        } else if line[0] == b'%' {
            return None;
        }
        let next = if let Ok(text) = std::str::from_utf8(line) {
            self.scan(text, after_blank)
        } else {
            let text = encoding::decode(line.to_vec());
            let place = self.scan(&text, after_blank);
            // Each byte of such a line is a letter.
            place.map(|place| text[..place].chars().count())
        };
        if self.first_line_tags == 0 {
            self.first_line_tags = self.tags.len();
        }
        next
    }

    fn scan(&mut self, line: &str, after_blank: bool) -> Option<usize> {
        // As in the lexer: nothing but tags and comments, and no word but a number, came before.
        let (mut is_clean, mut is_first) = (true, true);
        // The first of these numbers.
        let mut first_number = None;
        let mut at = 0;
        while let Some(letter) = line[at..].chars().next() {
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
                ';' => return None,
                '[' => {
                    if self.begins_game(rest.as_bytes(), is_clean, after_blank) {
                        return Some(at);
                    }
                    if is_clean && !self.in_movetext && tags::is_tag(rest.as_bytes()) {
                        self.take_tag(rest)
                    } else {
                        is_clean = false;
                        let end = rest.find(']').map(|end| end + 1);
                        let end = end.or_else(|| rest.find(char::is_whitespace));
                        end.unwrap_or(rest.len())
                    }
                }
                _ if letter.is_whitespace() || letter.is_control() => letter.len_utf8(),
                '(' if self.is_game() && !self.is_behind() => {
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
                    let has_tags = !self.tags.is_empty() && !self.is_behind();
                    let goes_on = self.in_movetext && !self.is_behind();
                    is_clean = false;
                    if goes_on || begins_moves(&word, has_tags, is_first) {
                        if self.take_word(&rest[..length], &word) {
                            return first_number.filter(|_| !goes_on).or(Some(at));
                        }
                        length
                    } else {
                        let length = prose_length(rest);
                        is_first &= words::read(&rest[..length]).body == Body::Nothing;
                        first_number = first_number.or(is_first.then_some(at));
                        length
                    }
                }
            };
        }
        None
    }

    /// Returns whether the next game begins with this text in brackets.
    fn begins_game(&self, text: &[u8], is_clean: bool, after_blank: bool) -> bool {
        let name = tags::name(text);
        if !self.in_movetext {
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
        let length = tags::length(text.as_bytes());
        self.in_tag = tags::closed_length(text.as_bytes()).is_none();
        let tag = Tag::read(&text[..length]);
        if tag.is("Result") {
            self.result = Some(tag.value.trim().to_owned());
        }
        self.tags.push(tags::name(text.as_bytes()).to_vec());
        length
    }

    /// Takes a word of the movetext. Returns whether the next game begins with it.
    fn take_word(&mut self, text: &str, word: &words::Word) -> bool {
        self.in_movetext = true;
        if self.variations > 0 {
            return false;
        }
        let is_result = match &word.body {
            Body::Result(_) => true,
            // Castling with zeros is a result only where no move follows.
            Body::Move(_) => false,
            _ => self.result.as_deref() == Some(text),
        };
        let has_number = word.number.is_some_and(|number| number.dots > 0);
        if is_result {
            (self.is_over, self.is_apart) = (true, false);
        } else if has_number || matches!(word.body, Body::Move(_) | Body::Unread) {
            let is_first = has_number && word.number.is_some_and(|number| number.value == Some(1));
            if self.is_over && (self.is_apart || is_first) {
                return true;
            }
            (self.is_over, self.is_apart) = (false, false);
        }
        false
    }
}

#[cfg(test)]
mod tests {
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
