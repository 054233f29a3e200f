//! Rewrites a game so that `pgn-reader` loses nothing of it. That crate skips unknown words,
//! rest-of-line comments, and everything after an empty line; here they are turned into a form that
//! it keeps, or refused.

use pgn_reader::SanPlus;

/// A game in a form that `pgn-reader` reads without loss.
#[derive(Debug)]
pub(super) struct Tidy {
    pub text: String,
    /// Length of the longest line of tags, in bytes.
    pub longest_tag: usize,
}

/// Rewrites a game; `first_line` is the number of its first line in the file.
///
/// # Errors
/// Fails with the line number and the text that is neither a move nor a glyph, or that is not
/// closed.
pub(super) fn tidy(text: &str, first_line: u64) -> Result<Tidy, String> {
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    let mut line_number = first_line;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.trim().is_empty() && !line.trim_start().starts_with('[') {
            break;
        }
        let moves = write_tags(line, &mut out);
        if !moves.is_empty() {
            rest = &rest[line.len() - moves.len()..];
            break;
        }
        line_number += 1;
        rest = after;
    }
    let longest_tag = out.lines().map(str::len).max().unwrap_or(0);
    out.push('\n');
    let mut moves = Moves {
        rest,
        line: line_number,
        depth: 0,
        out,
    };
    moves.run()?;
    Ok(Tidy {
        text: moves.out,
        longest_tag,
    })
}

/// Writes the tags of a line, one on each line, with the quotes inside their values escaped.
/// Returns the rest of the line.
fn write_tags<'a>(line: &'a str, out: &mut String) -> &'a str {
    let mut rest = line;
    while let Some(tag) = rest.trim_start().strip_prefix('[') {
        let Some((name, value)) = tag.split_once('"') else {
            return "";
        };
        // The value may hold such an end itself, where another one follows that begins no tag.
        let (value, after) = match value.split_once("\"]") {
            Some((_, after)) if !after.trim_start().starts_with('[') && after.contains("\"]") => {
                value.rsplit_once("\"]").unwrap_or((value, ""))
            }
            Some(parts) => parts,
            None => {
                let open = value.trim_end().trim_end_matches(']');
                (open.trim_end_matches('"'), "")
            }
        };
        out.push('[');
        out.push_str(name.trim());
        out.push_str(" \"");
        let mut letters = value.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' if letters
                    .peek()
                    .is_some_and(|next| matches!(next, '\\' | '"')) =>
                {
                    out.push('\\');
                    out.extend(letters.next());
                }
                '\\' | '"' => out.extend(['\\', letter]),
                _ => out.push(letter),
            }
        }
        out.push_str("\"]\n");
        rest = after;
    }
    rest.trim_start()
}

/// State of the movetext while it is rewritten.
struct Moves<'a> {
    rest: &'a str,
    line: u64,
    /// Number of variations that enclose the current place.
    depth: usize,
    out: String,
}

impl Moves<'_> {
    fn run(&mut self) -> Result<(), String> {
        let begin = self.line;
        while let Some(letter) = self.rest.chars().next() {
            let tail = &self.rest[letter.len_utf8()..];
            match letter {
                '\n' => self.line += 1,
                _ if letter.is_whitespace() || matches!(letter, '}' | '\u{feff}') => {}
                '{' => {
                    let Some((comment, tail)) = tail.split_once('}') else {
                        return Err(format!("line {}: this comment does not end", self.line));
                    };
                    self.comment(comment);
                    self.line += comment.matches('\n').count() as u64;
                    self.rest = tail;
                    continue;
                }
                ';' => {
                    let end = tail.find('\n').unwrap_or(tail.len());
                    self.comment(&tail[..end].replace('}', ")"));
                    self.rest = &tail[end..];
                    continue;
                }
                '(' => {
                    self.depth += 1;
                    self.word("(");
                }
                ')' if self.depth > 0 => {
                    self.depth -= 1;
                    self.word(")");
                }
                ')' => {}
                '*' => self.word("*"),
                '$' => {
                    let is_digit = |letter: char| !letter.is_ascii_digit();
                    let digits = &tail[..tail.find(is_digit).unwrap_or(tail.len())];
                    if let Ok(nag) = digits.parse::<u8>() {
                        self.word(&format!("${nag}"));
                    }
                    self.rest = &tail[digits.len()..];
                    continue;
                }
                '!' | '?' => {
                    let marks = &self.rest[..self
                        .rest
                        .find(|l| !matches!(l, '!' | '?'))
                        .unwrap_or(self.rest.len())];
                    self.rest = &self.rest[marks.len()..];
                    self.word(judgment(marks));
                    continue;
                }
                _ => {
                    let ends =
                        |letter: char| letter.is_whitespace() || "{}();*$!?".contains(letter);
                    let word = &self.rest[..self.rest.find(ends).unwrap_or(self.rest.len())];
                    self.rest = &self.rest[word.len()..];
                    self.take(word)?;
                    continue;
                }
            }
            self.rest = tail;
        }
        if self.depth > 0 {
            return Err(format!(
                "line {begin}: a variation of this game does not end"
            ));
        }
        self.out.push('\n');
        Ok(())
    }

    fn word(&mut self, word: &str) {
        self.out.push_str(word);
        self.out.push(' ');
    }

    fn comment(&mut self, text: &str) {
        let mut words = text.split_whitespace().peekable();
        if words.peek().is_none() {
            return;
        }
        self.out.push('{');
        for word in words {
            self.word(word);
        }
        self.out.pop();
        self.word("}");
    }

    /// Rewrites a word: a move number, a result, a move, or a separate glyph.
    fn take(&mut self, word: &str) -> Result<(), String> {
        if let Some(result) = result(word) {
            self.word(result);
            return Ok(());
        }
        let mut text = word;
        let number = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_castling = castling(word).is_some();
        if !is_castling && (number.is_empty() || number.starts_with(['.', '…'])) {
            text = number;
        }
        let text = text.trim_start_matches(['.', '…']);
        if text.is_empty() || ["e.p.", "e.p", "ep", "+", "++", "#", "ch", "dbl"].contains(&text) {
            return Ok(());
        }
        if let Some(nag) = sign(text) {
            self.word(nag);
            return Ok(());
        }
        let whole = text;
        let (text, nag) = split_sign(text);
        let plain = plain_move(text);
        // A drop (`N@f3`) is passed on, so that the game is refused for its variant.
        let is_drop = plain.contains('@');
        if SanPlus::from_ascii(plain.as_bytes()).is_ok() && !(is_drop && self.depth > 0) {
            self.word(&plain);
        } else if self.depth > 0 {
            // People write words into variations.
            self.comment(whole);
            return Ok(());
        } else {
            return Err(format!("line {}: '{word}' is not a move", self.line));
        }
        if let Some(nag) = nag {
            self.word(nag);
        }
        Ok(())
    }
}

/// Returns the result that a word stands for.
fn result(word: &str) -> Option<&'static str> {
    Some(match word.replace(['–', '—'], "-").as_str() {
        "1-0" => "1-0",
        "0-1" => "0-1",
        "1/2-1/2" | "1/2" | "½-½" | "½" | "0.5-0.5" => "1/2-1/2",
        _ => return None,
    })
}

/// Returns the numeric glyph for a mark such as `?!`; three or more signs count as two.
fn judgment(marks: &str) -> &'static str {
    match marks {
        "!" => "$1",
        "?" => "$2",
        _ if marks.starts_with("!!") => "$3",
        _ if marks.starts_with("??") => "$4",
        _ if marks.starts_with('!') => "$5",
        _ => "$6",
    }
}

/// Returns the numeric glyph for a mark that is written as a word.
fn sign(word: &str) -> Option<&'static str> {
    Some(match word {
        "□" => "$7",
        "=" => "$10",
        "∞" | "~" => "$13",
        "+=" | "+/=" | "⩲" => "$14",
        "=+" | "=/+" | "⩱" => "$15",
        "+/-" | "±" => "$16",
        "-/+" | "∓" => "$17",
        "+-" | "+−" => "$18",
        "-+" | "−+" => "$19",
        "N" => "$146",
        "D" => "$220",
        _ => return None,
    })
}

/// Splits the longest mark that is not a letter off the end of a move, as in `Nf3±`, and returns its
/// numeric glyph.
fn split_sign(word: &str) -> (&str, Option<&'static str>) {
    (word.char_indices().skip(2))
        .filter(|(at, _)| !word[*at..].starts_with(|letter: char| letter.is_ascii_alphabetic()))
        .find_map(|(at, _)| Some((&word[..at], Some(sign(&word[at..])?))))
        .unwrap_or((word, None))
}

/// Recognizes castling written with zeros, lower-case letters or other dashes.
fn castling(word: &str) -> Option<&'static str> {
    let plain = word.replace(['0', 'o'], "O").replace(['–', '—'], "-");
    match plain.trim_end_matches(['+', '#']) {
        "O-O" => Some("O-O"),
        "O-O-O" => Some("O-O-O"),
        _ => None,
    }
}

/// Strips a move of notation that not every reader accepts: check signs, colons, a pawn's letter,
/// figurines.
fn plain_move(word: &str) -> String {
    if let Some(castling) = castling(word) {
        return castling.to_owned();
    }
    if ["--", "Z0", "null", "NULL", "pass", "@@@@", "0000"].contains(&word) {
        return "--".to_owned();
    }
    let figurine = |letter| match letter {
        '♔' | '♚' => 'K',
        '♕' | '♛' => 'Q',
        '♖' | '♜' => 'R',
        '♗' | '♝' => 'B',
        '♘' | '♞' => 'N',
        '♙' | '♟' => 'P',
        ':' | '×' => 'x',
        '–' | '—' => '-',
        _ => letter,
    };
    let word = word.trim_end_matches("e.p.").trim_end_matches("ep");
    let mut text: String = word
        .trim_end_matches(['+', '#', '='])
        .chars()
        .map(figurine)
        .collect();
    text.retain(|letter| letter != '-');
    if text.starts_with('P') && text.len() > 2 {
        text.remove(0);
    }
    // `e7e8q`, `e8(Q)` without its brackets, `e8Q`.
    if let [
        ..,
        b'1' | b'8',
        piece @ (b'q' | b'r' | b'b' | b'n' | b'Q' | b'R' | b'B' | b'N'),
    ] = text.as_bytes()
    {
        let piece = char::from(piece.to_ascii_uppercase());
        text.pop();
        text.extend(['=', piece]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(text: &str) -> String {
        let tidy = tidy(&format!("{text}\n"), 1).expect(text);
        tidy.text.trim().to_owned()
    }

    #[test]
    fn tags_are_written_one_a_line() {
        let text = r#"[A "1"] [B "2"]

[C "the "big" \"one\" \ [x]"]
[D "open]
[E]
[F ""] e4 *
"#;
        let wanted = r#"[A "1"]
[B "2"]
[C "the \"big\" \"one\" \\ [x]"]
[D "open"]
[F ""]

e4 * 
"#;
        let tidy = tidy(text, 1).expect("tags");
        assert_eq!(tidy.text, wanted);
        assert_eq!(tidy.longest_tag, wanted.lines().nth(2).map_or(0, str::len));
    }

    #[test]
    fn many_ways_to_write_become_one() {
        for (text, wanted) in [
            ("1.e4 e5 2. Nf3++ Nc6# 1-0", "e4 e5 Nf3 Nc6 1-0"),
            ("12...Nf6 13 . Bb5 ... O-O", "Nf6 Bb5 O-O"),
            ("0-0 o-o-o+ O–O 1–0", "O-O O-O-O O-O 1-0"),
            (
                "e8=Q+ e8Q e7e8q ♘f3 N:d5 Pe4 exd6e.p. exd6 e.p.",
                "e8=Q e8=Q e7e8=Q Nf3 Nxd5 e4 exd6 exd6",
            ),
            (
                "e4!!! e5?!? Nf3 $14$5 Nc6 += $999 N",
                "e4 $3 e5 $6 Nf3 $14 $5 Nc6 $14 $146",
            ),
            (
                "Nf3± Qh5++- O-O∞ d4+= Nc3= e4+/- Rd1□ Bb5+ Qg7#",
                "Nf3 $16 Qh5 $18 O-O $13 d4 $14 Nc3 $10 e4 $16 Rd1 $7 Bb5 Qg7",
            ),
            (
                "e4 ; the {king's} pawn\ne5 {two\nlines} *",
                "e4 {the {king's) pawn} e5 {two lines} *",
            ),
            (
                "e4 { } } ) (1. d4 perhaps -- Z0) ½-½",
                "e4 ( d4 {perhaps} -- -- ) 1/2-1/2",
            ),
        ] {
            assert_eq!(moves(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, says) in [
            (
                "[A \"1\"]\n\n1. e4\n2. Qz9 *\n",
                "line 13: 'Qz9' is not a move",
            ),
            (
                "e4 {a\nb} e5 { open\n*\n",
                "line 11: this comment does not end",
            ),
            (
                "\ne4 (d4 *\n",
                "line 11: a variation of this game does not end",
            ),
        ] {
            let error = tidy(text, 10).expect_err(text);
            assert_eq!(error, says);
        }
    }
}
