//! Splits a stream of PGN into games. Errors in one game do not spread to the next: a line of tags
//! begins a new game even inside a comment that was never closed.

use std::io::{self, BufRead};

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
    /// A line already read that begins the next game.
    pending: Option<(Vec<u8>, u64)>,
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
            number: 0,
        }
    }

    /// Returns the next game; `None` at the end of the input.
    pub fn next_game(&mut self) -> io::Result<Option<GameText>> {
        let mut cutter = Cutter::default();
        let mut start = 0;
        loop {
            let begins_before = self.position;
            let Some((line, number)) = self.take_line()? else {
                break;
            };
            match cutter.look_at(&line) {
                Verdict::Next => {
                    self.pending = Some((line, number));
                    return Ok(Some(self.finish(cutter, start, begins_before)));
                }
                Verdict::Blank if cutter.is_over && cutter.after_blank => {
                    let end = self.position;
                    return Ok(Some(self.finish(cutter, start, end)));
                }
                Verdict::Blank if start > 0 => cutter.add(b""),
                Verdict::Blank => {}
                Verdict::Part => {
                    if start == 0 {
                        start = number;
                    }
                    cutter.add(&line);
                }
            }
        }
        let end = self.position;
        Ok((start > 0).then(|| self.finish(cutter, start, end)))
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

/// The role of a line in the game that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Part,
    /// The line holds nothing of the game.
    Blank,
    Next,
}

/// Scans one game, just closely enough to see where it ends.
#[derive(Default)]
struct Cutter {
    text: Vec<u8>,
    too_large: bool,
    tags: Vec<Vec<u8>>,
    in_movetext: bool,
    in_comment: bool,
    variations: usize,
    /// Set if the last word of the main line was a result.
    is_over: bool,
    after_blank: bool,
}

impl Cutter {
    fn add(&mut self, line: &[u8]) {
        if self.text.len() + line.len() > LARGEST {
            self.too_large = true;
        } else {
            self.text.extend_from_slice(line);
            self.text.push(b'\n');
        }
    }

    fn look_at(&mut self, line: &[u8]) -> Verdict {
        let trimmed = line.trim_ascii();
        let after_blank = std::mem::replace(&mut self.after_blank, trimmed.is_empty());
        if trimmed.is_empty() {
            return Verdict::Blank;
        }
        let tag = tag_name(trimmed);
        if self.in_comment {
            if after_blank && tag == Some(b"Event") {
                return Verdict::Next;
            }
            self.follow(line);
            return Verdict::Part;
        }
        if line[0] == b'%' {
            return Verdict::Blank;
        }
        if let Some(name) = tag {
            let again = after_blank && self.tags.iter().any(|tag| tag == name);
            if self.in_movetext || again {
                return Verdict::Next;
            }
            self.tags.push(name.to_vec());
            return Verdict::Part;
        }
        self.in_movetext = true;
        self.follow(line);
        Verdict::Part
    }

    /// Scans a line of movetext for comments, variations and results.
    fn follow(&mut self, line: &[u8]) {
        let mut rest = line;
        while let Some(&first) = rest.first() {
            if self.in_comment {
                let Some(end) = rest.iter().position(|&byte| byte == b'}') else {
                    return;
                };
                self.in_comment = false;
                rest = &rest[end + 1..];
                continue;
            }
            let ends_word = |byte: &u8| byte.is_ascii_whitespace() || b"{}();".contains(byte);
            let length = rest.iter().position(ends_word).unwrap_or(rest.len());
            match first {
                b';' => return,
                b'{' => self.in_comment = true,
                b'(' => self.variations += 1,
                b')' => self.variations = self.variations.saturating_sub(1),
                _ if length > 0 => {
                    self.is_over = self.variations == 0 && is_result(&rest[..length]);
                }
                _ => {}
            }
            rest = &rest[length.max(1)..];
        }
    }
}

/// Returns the name of the tag at the beginning of a line such as `[Event "…"]`.
fn tag_name(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"[")?.trim_ascii_start();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = rest.iter().position(|byte| !is_letter(byte))?;
    let (name, value) = rest.split_at(length);
    let quoted = value.trim_ascii_start().starts_with(b"\"");
    (quoted && !name.is_empty()).then_some(name)
}

fn is_result(word: &[u8]) -> bool {
    let known: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];
    known.contains(&word)
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
    fn a_comment_that_never_ends_costs_one_game() {
        let text = b"[Event \"a\"]\n\n1. e4 { oh *\n\n[Event \"b\"]\n\n1. d4 *\n";
        assert_eq!(texts(text)[1], "[Event \"b\"]\n\n1. d4 *");
    }

    #[test]
    fn line_ends_are_of_every_kind() {
        for text in [
            &b"\xef\xbb\xbf[Event \"a\"]\r\n\r\n1. e4 *\r\n\r\n% escaped\r\n1. d4 *\r\n"[..],
            b"[Event \"a\"]\r\r1. e4 *\r\r1. d4 *",
            b"[Event \"a\"]\n\n1. e4 *\n \t\n1. d4 *\n",
        ] {
            assert_eq!(texts(text), ["[Event \"a\"]\n\n1. e4 *", "1. d4 *"]);
        }
    }

    #[test]
    fn there_may_be_no_game() {
        for text in [&b""[..], b"\n\n \r\n", b"\xef\xbb\xbf\n", b"% nothing\n"] {
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
