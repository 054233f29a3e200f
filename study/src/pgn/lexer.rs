//! Splits the text of a game into its tags and tokens. Nothing is dropped but white space, brackets
//! without a partner, and signs that the moves imply: what is no PGN becomes a token of its own.
//!
//! The crates that read PGN skip the words they do not know, and drop comments and tags of unusual
//! form with them. Here all of it must come out again, so the text is read by hand.

use super::extent::{prose_length, word_length};
use super::prose::{begins_moves, is_prose, is_prose_line, is_word};
use super::tags::{self, Tag};
use super::words::{self, Body, Number, is_invisible};

/// A part of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    /// Its place in the text, in bytes.
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number(Number),
    /// A move in the form of SAN; it need not be legal.
    Move(String),
    /// A move in a notation that is not read.
    Unread(String),
    Nag(u8),
    Comment(String),
    /// Words that are no comment in braces, but mean nothing else.
    Words(String),
    /// A result; `None` for one that PGN does not know.
    Result(Option<&'static str>),
    /// The beginning of a variation.
    Open,
    /// The end of a variation.
    Close,
}

/// A game as tags and tokens.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub tags: Vec<Tag>,
    pub tokens: Vec<Token>,
    /// What is wrong, in words.
    pub faults: Vec<String>,
}

/// Splits the text of a game; `first_line` is the number of its first line in the file.
pub(crate) fn lex(text: &str, first_line: u64) -> Lexed {
    let mut lexer = Lexer {
        text,
        first_line,
        at: 0,
        depth: 0,
        has_begun: false,
        has_result: false,
        is_first: true,
        is_clean: true,
        found: Lexed::default(),
    };
    lexer.run();
    lexer.found
}

struct Lexer<'a> {
    text: &'a str,
    first_line: u64,
    at: usize,
    /// Number of variations that enclose the current place.
    depth: usize,
    /// Set behind the first move, move number or result; there are no tags any more.
    has_begun: bool,
    /// Set behind a result.
    has_result: bool,
    /// Set if no word but a number stands before the current place in its line.
    is_first: bool,
    /// Set if nothing but tags and comments stands before the current place in its line.
    is_clean: bool,
    found: Lexed,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        self.escaped_line();
        while let Some(letter) = self.rest().chars().next() {
            match letter {
                '\n' => {
                    self.at += 1;
                    (self.is_clean, self.is_first) = (true, true);
                    self.escaped_line();
                }
                '}' => self.at += 1,
                _ if letter.is_whitespace() || letter.is_control() || is_invisible(letter) => {
                    self.at += letter.len_utf8();
                }
                '{' => self.braces(),
                ';' => self.rest_of_line(1),
                '(' | '[' if self.takes_result_in_brackets() => {}
                '[' => self.bracket(),
                _ if !self.has_begun && !self.begins() => self.prose(),
                '(' => {
                    self.depth += 1;
                    self.push(Kind::Open, 1);
                }
                ')' if self.depth > 0 => {
                    self.depth -= 1;
                    self.push(Kind::Close, 1);
                }
                ')' | '!' | '?' | '*' if self.is_glued() => self.other(1),
                '!' | '?' if self.is_behind_result() => self.other(1),
                ')' => self.at += 1,
                '$' => self.glyph(),
                _ if self.is_prose_below() => {
                    let line = self.rest().lines().next().unwrap_or_default();
                    self.other(line.find(['{', ';']).unwrap_or(line.len()));
                }
                '!' | '?' => {
                    let end = self.rest().find(|mark| !matches!(mark, '!' | '?'));
                    let marks = &self.rest()[..end.unwrap_or(self.rest().len())];
                    self.push(Kind::Nag(words::judgment(marks)), marks.len());
                }
                '*' if self.rest()[1..]
                    .starts_with(|next: char| next.is_alphabetic() || next == '*') =>
                {
                    self.other(1);
                }
                '*' => self.push(Kind::Result(Some("*")), 1),
                _ => self.word(),
            }
        }
        if self.depth > 0 {
            let fault = "a variation of this game does not end";
            self.found.faults.push(fault.to_owned());
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, length: usize) {
        let at = self.at;
        self.is_clean &= matches!(kind, Kind::Comment(_));
        self.has_result |= matches!(kind, Kind::Result(_));
        self.found.tokens.push(Token { kind, at });
        self.at += length;
    }

    /// Takes a comment up to its brace.
    fn braces(&mut self) {
        let inner = &self.rest()[1..];
        let length = inner.find('}');
        if length.is_none() {
            let line = self.first_line + self.text[..self.at].matches('\n').count() as u64;
            let fault = format!("line {line}: this comment does not end");
            self.found.faults.push(fault);
        }
        let length = length.unwrap_or(inner.len());
        self.comment(&inner[..length], length + 1);
    }

    /// Takes a line that begins with a percent sign, which PGN leaves to other programs.
    fn escaped_line(&mut self) {
        if self.rest().starts_with('%') {
            self.rest_of_line(0);
        }
    }

    /// Takes the rest of the line as a comment, without its first bytes.
    fn rest_of_line(&mut self, mark: usize) {
        let rest = self.rest();
        let end = rest.find('\n').unwrap_or(rest.len());
        self.comment(&rest[mark..end], end);
    }

    fn comment(&mut self, text: &str, length: usize) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            self.at += length;
        } else {
            self.push(Kind::Comment(words.join(" ").replace('}', ")")), length);
        }
    }

    /// Takes a tag before the moves; elsewhere, a text in brackets.
    fn bracket(&mut self) {
        let rest = self.rest();
        if self.is_clean && !self.has_begun && tags::is_tag(rest.as_bytes()) {
            let length = tags::length(rest.as_bytes());
            self.found.tags.push(Tag::read(&rest[..length]));
            self.at += length;
            return;
        }
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let length = line.find(']').map(|end| end + 1);
        let length = length.or_else(|| line.find(char::is_whitespace));
        self.other(length.unwrap_or(line.len()));
    }

    /// Takes a result in brackets at the end of a game that has no other, neither there nor, a
    /// different one, in its tags. Returns whether there is one.
    fn takes_result_in_brackets(&mut self) -> bool {
        if !self.has_begun || self.depth > 0 || self.has_result {
            return false;
        }
        let rest = &self.rest()[1..];
        let near = &rest[..rest.floor_char_boundary(words::LONGEST)];
        let Some(end) = near.find([')', ']']) else {
            return false;
        };
        let (inner, behind) = (&rest[..end], &rest[end + 1..]);
        let known = words::known_result(inner).filter(|known| *known != "*");
        let mut behind = behind.trim_start();
        while let Some(comment) = behind.strip_prefix('{') {
            let end = comment.find('}').map_or(comment.len(), |end| end + 1);
            behind = comment[end..].trim_start();
        }
        let tag = self.found.tags.iter().find(|tag| tag.is("Result"));
        let told = tag.and_then(|tag| words::known_result(&tag.value));
        let contradicts = told.is_some_and(|told| told != "*" && known != Some(told));
        if known.is_some() && behind.is_empty() && !contradicts {
            self.push(Kind::Result(known), inner.len() + 2);
            return true;
        }
        false
    }

    /// Takes a glyph with a number; one that PGN does not know stays a word.
    fn glyph(&mut self) {
        let digits = &self.rest()[1..];
        let end = digits.find(|letter: char| !letter.is_ascii_digit());
        let (digits, behind) = digits.split_at(end.unwrap_or(digits.len()));
        // As in $0.15.
        let fraction = behind.strip_prefix(['.', ',']).unwrap_or_default();
        let is_sum = fraction.starts_with(|letter: char| letter.is_ascii_digit());
        match digits.parse() {
            Ok(nag) if !is_sum => self.push(Kind::Nag(nag), digits.len() + 1),
            _ => self.other(digits.len() + 1),
        }
    }

    /// Returns whether the moves begin here.
    fn begins(&mut self) -> bool {
        let has_tags = self.found.tags.iter().any(Tag::is_quoted);
        self.has_begun = begins_moves(self.rest(), has_tags, self.is_first);
        self.has_begun
    }

    /// Returns whether prose begins here, below an empty line among the moves.
    fn is_prose_below(&self) -> bool {
        if self.depth > 0 || !self.is_clean {
            return false;
        }
        let above = self.text[..self.at].rsplit('\n');
        let is_empty = |line: &str| {
            line.chars()
                .all(|letter| letter.is_whitespace() || is_invisible(letter))
        };
        let blank = above.take(2).filter(|line| is_empty(line)).count();
        blank == 2 && is_prose_line(self.rest())
    }

    /// Takes a word before the moves begin.
    fn prose(&mut self) {
        let length = prose_length(self.rest());
        let word = words::read(&self.rest()[..length]);
        self.is_first &= word.body == Body::Nothing;
        match word.number {
            // The move behind it will tell whether the moves begin here.
            Some(number) if self.is_first && (number.dots > 0 || self.is_number(length)) => {
                self.push(Kind::Number(number), length);
            }
            _ => self.other(length),
        }
    }

    /// Returns whether the moves begin behind digits of this length.
    fn is_number(&self, length: usize) -> bool {
        begins_moves(self.rest()[length..].trim_start(), false, true)
    }

    /// The words right before the current place, if they mean nothing.
    fn words_before(&self) -> Option<&str> {
        match self.found.tokens.last().map(|token| &token.kind) {
            Some(Kind::Words(words)) => Some(words),
            _ => None,
        }
    }

    /// Returns whether such words go on at the current place without a space.
    fn is_glued(&self) -> bool {
        self.words_before().is_some() && !self.text[..self.at].ends_with(char::is_whitespace)
    }

    /// Returns whether the last token is the result of the game.
    fn is_behind_result(&self) -> bool {
        let last = self.found.tokens.last();
        self.depth == 0 && last.is_some_and(|token| matches!(token.kind, Kind::Result(_)))
    }

    /// Takes a text that means nothing, together with such a text right before it.
    fn other(&mut self, length: usize) {
        let words: Vec<&str> = self.rest()[..length].split_whitespace().collect();
        let text = words.join(" ").replace('}', ")");
        let is_glued = self.is_glued();
        self.is_clean = false;
        if let Some(Token {
            kind: Kind::Words(words),
            ..
        }) = self.found.tokens.last_mut()
        {
            if !is_glued {
                words.push(' ');
            }
            words.push_str(&text);
            self.at += length;
        } else {
            self.push(Kind::Words(text), length);
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let text = &rest[..word_length(rest)];
        let word = words::read(text);
        let is_last = rest[text.len()..].trim().is_empty();
        if self.depth == 0 && is_last && self.is_result_tag(text) {
            let known = match word.body {
                Body::Result(result) => result,
                _ => None,
            };
            return self.push(Kind::Result(known), text.len());
        }
        if self.is_text(&word, text) {
            return self.other(text.len());
        }
        if let Some(number) = word.number {
            self.push(Kind::Number(number), word.number_length);
        }
        let length = text.len() - word.number_length;
        let behind = self.at + length;
        match word.body {
            Body::Nothing => {}
            Body::Nag(nag) => self.push(Kind::Nag(nag), length),
            Body::Move(san) => self.push(Kind::Move(san), length),
            Body::Unread => {
                let unread = self.rest()[..length].to_owned();
                self.push(Kind::Unread(unread), length);
            }
            Body::Result(result) => {
                if result.is_none() {
                    self.other(length);
                    self.at -= length;
                }
                self.push(Kind::Result(result), length);
            }
            Body::Other => self.other(length),
        }
        self.at = behind;
        if let Some(nag) = word.nag {
            self.push(Kind::Nag(nag), 0);
        }
    }

    /// Returns whether a word that may be a number or a sign is text like its neighbors. Digits are a
    /// number only before a move, dots behind text as well.
    fn is_text(&self, word: &words::Word, text: &str) -> bool {
        let before = self.words_before();
        let behind = self.rest()[text.len()..].trim_start();
        match (word.number, &word.body) {
            (Some(number), Body::Nothing) if number.value.is_some() => {
                let next = words::read(&behind[..word_length(behind)]);
                let is_move = matches!(next.body, Body::Move(_) | Body::Unread)
                    || next.number.is_some_and(|number| number.value.is_none())
                    || behind.starts_with(['{', '(', '$']);
                let is_bare = number.dots == 0;
                !is_move && (is_bare || before.is_some()) || is_bare && before.is_some()
            }
            (None, Body::Nothing) if text.starts_with(char::is_alphabetic) && is_word(behind) => {
                true
            }
            (None, Body::Nothing) => {
                let last = self.found.tokens.last().map(|token| &token.kind);
                !matches!(last, Some(Kind::Move(_) | Kind::Unread(_) | Kind::Nag(_)))
            }
            (None, Body::Nag(_)) => before.is_some_and(is_prose),
            (None, Body::Move(san)) if san == words::NULL => before.is_some_and(is_prose),
            _ => false,
        }
    }

    /// Returns whether a word is the value of the tag `Result`.
    fn is_result_tag(&self, word: &str) -> bool {
        let tag = self.found.tags.iter().find(|tag| tag.is("Result"));
        tag.is_some_and(|tag| tag.value.trim() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a text, in short.
    fn short(text: &str) -> String {
        let show = |token: Token| match token.kind {
            Kind::Number(number) => format!("#{}", number.value.unwrap_or(0)),
            Kind::Move(san) => san,
            Kind::Unread(word) => format!("‹{word}›"),
            Kind::Nag(nag) => format!("${nag}"),
            Kind::Comment(text) => format!("{{{text}}}"),
            Kind::Words(text) => format!("<{text}>"),
            Kind::Result(result) => result.unwrap_or("end").to_owned(),
            Kind::Open => "(".to_owned(),
            Kind::Close => ")".to_owned(),
        };
        let lexed = lex(text, 1);
        let tags = lexed.tags.iter().map(|tag| tag.raw.clone());
        let shown: Vec<String> = tags.chain(lexed.tokens.into_iter().map(show)).collect();
        shown.join(" ")
    }

    #[test]
    fn tags_of_every_form_are_found() {
        let text = "[A \"1\"] [B \"2\"]\n\n[BlackType: \"x\"]\n[White-Elo \"1\"]\n[D \"open]\n[E]\n; note\n[F \"in\ntwo\"]\n1.e4 *\n";
        assert_eq!(
            short(text),
            "[A \"1\"] [B \"2\"] [BlackType: \"x\"] [White-Elo \"1\"] [D \"open] [E] [F \"in two\"] {note} #1 e4 *"
        );
    }

    #[test]
    fn everything_between_the_moves_is_found() {
        for (text, wanted) in [
            (
                "e4!!! e5?!? Nf3 $14$5 Nc6 += $999 N",
                "e4 $3 e5 $6 Nf3 $14 $5 Nc6 $14 <$999> $146",
            ),
            ("12...Nf6 13 . Bb5 ... O-O", "#12 Nf6 #13 #0 Bb5 #0 O-O"),
            ("Nf3± exd6 e.p. Bb5+ + Qg7#", "Nf3 $16 exd6 Bb5 Qg7"),
            (
                "e4 ; the {king's} pawn\ne5 {two\nlines} *",
                "e4 {the {king's) pawn} e5 {two lines} *",
            ),
            (
                "e4 { } } ) (1. d4 [#] -- Z0) ½-½",
                "e4 ( #1 d4 <[#]> -- -- ) 1/2-1/2",
            ),
            (
                "e4 [#] RR ⨀ 2024 e5 [Diagram 1] [%eval 0.1]",
                "e4 <[#] RR ⨀ 2024> e5 <[Diagram 1] [%eval 0.1]>",
            ),
            (
                "a8(Q) bxa1(N)+ a8=(Q)# c8/Q (c8Q)",
                "a8=Q bxa1=N a8=Q c8=Q ( c8=Q )",
            ),
            ("e4 0000 <> e5", "e4 -- -- e5"),
            ("e4\n% escaped\ne5", "e4 {% escaped} e5"),
            ("1. e4 Sf3 P-K4", "#1 e4 ‹Sf3› ‹P-K4›"),
            ("e4 ½-0", "e4 <½-0> end"),
            ("e4 1-0!! $10", "e4 1-0 <!!> $10"),
            ("e4 $0.15 e5 $14,50 d4 $1", "e4 <$0.15> e5 <$14,50> d4 $1"),
            ("e4 (1-0)", "e4 1-0"),
            ("e4 [ ½ - ½ ] {x}", "e4 1/2-1/2 {x}"),
            ("e4 (1-0) e5 (0-1", "e4 ( 1-0 ) e5 ( 0-1"),
            ("e4 (d4 (1-0)) *", "e4 ( d4 ( 1-0 ) ) *"),
            ("e4 +:- \x1a", "e4 <+:-> end"),
            ("e4 [a\tb]  RR", "e4 <[a b] RR>"),
        ] {
            assert_eq!(short(text), wanted, "{text}");
        }
    }

    #[test]
    fn text_before_the_moves_is_no_move() {
        for (text, wanted) in [
            (
                "{ a } Printed (on a4) 1-0 *\n; b\n% c\n[A \"1\"]\nDiagram\n1. e4",
                "[A \"1\"] {a} <Printed (on a4) 1-0 *> {b} {% c} <Diagram> #1 e4",
            ),
            (
                "[A \"1\"]\n\n[#] (1. d4) 1. e4",
                "[A \"1\"] <[#]> ( #1 d4 ) #1 e4",
            ),
            ("e4 e5", "e4 e5"),
        ] {
            assert_eq!(short(text), wanted, "{text}");
        }
    }

    #[test]
    fn the_value_of_the_result_tag_ends_the_moves() {
        for result in ["+/-", "won", "0-0", "½-0", "1-0"] {
            let text = format!("[Result \"{result}\"]\n\n1. e4 {result}\n");
            let end = if result == "1-0" { "1-0" } else { "end" };
            assert!(short(&text).ends_with(&format!("#1 e4 {end}")), "{text}");
        }
    }

    #[test]
    fn what_does_not_end_is_named_with_its_line() {
        let lexed = lex("e4 {a\nb} e5 (d5 { open\n*\n", 10);
        assert_eq!(
            lexed.faults,
            [
                "line 11: this comment does not end",
                "a variation of this game does not end"
            ]
        );
        assert!(
            matches!(&lexed.tokens.last(), Some(Token { kind: Kind::Comment(text), .. }) if text == "open *")
        );
    }
}
