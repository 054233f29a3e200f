//! Where a word of the movetext ends. A result may hold blanks, and a promotion blanks and brackets.

use super::words::{is_dash, is_invisible};

/// Returns the length of the word that a text begins with, at least one byte of it. The piece of a
/// promotion belongs to its move, as in `e8(Q)+` and `e8 = Q`, and so do the blanks of a result, as
/// in `1 - 0`.
pub(crate) fn word_length(text: &str) -> usize {
    let ends = |letter: char| {
        letter.is_whitespace() || letter.is_control() || "{}();*$!?[".contains(letter)
    };
    let first = text.chars().next().map_or(0, char::len_utf8);
    let end = |from: usize| text[from..].find(ends).map_or(text.len(), |at| from + at);
    if let Some(length) = spaced_result(text) {
        return length;
    }
    let length = end(first);
    let piece = promotion(&text[..length], &text[length..]);
    let length = piece.map_or(length, |piece| end(length + piece));
    // A result may stand right behind a check or mate.
    let results = ["1-0", "0-1", "1/2-1/2"];
    let is_glued = |result: &&&str| {
        let before = text[..length].strip_suffix(**result);
        before.is_some_and(|word| word.len() > 1 && word.ends_with(['+', '#']))
    };
    let glued = results.iter().find(is_glued).map_or(0, |glued| glued.len());
    length - glued
}

/// Returns the length of the word of prose that a text begins with, at least one byte of it.
pub(crate) fn prose_length(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    let ends = |letter: char| letter.is_whitespace() || "{;".contains(letter);
    text[first..].find(ends).map_or(text.len(), |at| first + at)
}

/// Returns whether a character may stand between the parts of a word, in the same line.
fn is_blank(letter: char) -> bool {
    letter != '\n' && (letter.is_whitespace() || is_invisible(letter))
}

/// Returns the length of a result, or castling in zeros, that is written with blanks.
fn spaced_result(text: &str) -> Option<usize> {
    // The longer ones first.
    const POINTS: [&str; 12] = [
        "1/2", "0.5", "0,5", ".5", "½", "1.0", "1,0", "0.0", "0,0", "1", "0", "O",
    ];
    let points = |text: &str| {
        POINTS
            .iter()
            .find(|points| text.starts_with(**points))
            .copied()
    };
    let mut length = points(text)?.len();
    let mut parts = 1;
    loop {
        let rest = text[length..].trim_start_matches(is_blank);
        let Some(rest) = rest.strip_prefix(|letter| is_dash(letter) || letter == ':') else {
            break;
        };
        let rest = rest.trim_start_matches(is_blank);
        length = text.len() - rest.len() + points(rest)?.len();
        parts += 1;
    }
    let ends = |letter: char| !letter.is_alphanumeric() && letter != '/';
    let is_whole = text[length..].chars().next().is_none_or(ends);
    (parts > 1 && is_whole && text[..length].contains(is_blank)).then_some(length)
}

/// Returns the length of the piece that a pawn becomes, in the text behind its move, with all that
/// stands before it.
fn promotion(pawn: &str, behind: &str) -> Option<usize> {
    let pawn = pawn.trim_end_matches(is_invisible);
    let has_sign = pawn.ends_with(['=', '/']);
    if !is_last_step(pawn.trim_end_matches(['=', '/'])) {
        return None;
    }
    let rest = behind.trim_start_matches(is_blank);
    let signed = rest.strip_prefix(['=', '/', ':']).filter(|_| !has_sign);
    let has_sign = has_sign || signed.is_some();
    let rest = signed.unwrap_or(rest).trim_start_matches(is_blank);
    let (rest, close) = match rest.strip_prefix(['(', '[']) {
        Some(inner) => (inner.trim_start_matches(is_blank), true),
        None if has_sign => (rest, false),
        None => return None,
    };
    let mut rest = rest.strip_prefix(|letter| "QRBNqrbn♕♖♗♘♛♜♝♞".contains(letter))?;
    if close {
        rest = rest.trim_start_matches(is_blank).strip_prefix([')', ']'])?;
    }
    let is_whole = !rest.starts_with(|letter: char| letter.is_alphanumeric());
    is_whole.then(|| behind.len() - rest.len())
}

/// Returns whether a word, behind its move number, is the move of a pawn to the last rank.
fn is_last_step(word: &str) -> bool {
    let plain =
        |letter: &char| !is_invisible(*letter) && !is_dash(*letter) && !":x×".contains(*letter);
    let is_number = |letter: char| letter.is_ascii_digit() || ".…".contains(letter);
    let squares: String = word
        .trim_start_matches(is_number)
        .chars()
        .filter(plain)
        .collect();
    let squares = squares.to_ascii_lowercase();
    let files: String = squares
        .chars()
        .filter(|letter| ('a'..='h').contains(letter))
        .collect();
    let ranks = squares.replace(|letter| ('a'..='h').contains(&letter), "");
    squares.ends_with(['1', '8'])
        && matches!(files.len(), 1 | 2)
        && matches!(&*ranks, "8" | "1" | "78" | "21")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &[&str]) {
        for word in words {
            for behind in ["", " ", "\n", " {x}", ")", " 2. Ra8"] {
                let text = format!("{word}{behind}");
                assert_eq!(word_length(&text), word.len(), "{text}");
            }
        }
    }

    #[test]
    fn a_result_may_have_blanks() {
        check(&[
            "1 - 0",
            "1- 0",
            "0 -1",
            "1/2 - 1/2",
            "½ – ½",
            "0.5 - 0.5",
            ".5 - .5",
            "1.0 - 0.0",
            "0,5 - 0,5",
            "1 : 0",
            "0 - 0",
            "O - O - O",
            "0 - 0",
            "1\u{a0}-\u{200b}0",
        ]);
        for (text, word) in [
            ("1 - a game", "1"),
            ("1 - 0th", "1"),
            ("1 -\n0", "1"),
            ("1 -- 0", "1"),
            ("0 0", "0"),
            ("1 - 0/2", "1"),
            ("Qh7#1-0", "Qh7#"),
            ("Qh5+1/2-1/2", "Qh5+"),
        ] {
            assert_eq!(word_length(text), word.len(), "{text}");
        }
    }

    #[test]
    fn the_piece_of_a_promotion_belongs_to_its_move() {
        check(&[
            "exd8 =Q",
            "exd8= Q",
            "exd8 = Q",
            "a8 (Q)",
            "a8(Q)+",
            "exd8[Q]",
            "a8 [N]#",
            "a8=( r )",
            "1.a8 = (Q)",
            "a7a8 /Q",
            "a8/ Q",
            "a8 :Q+",
            "bxa1=\u{200b}N",
            "a8 =♕",
        ]);
        for (text, word) in [
            ("Ra8 (Q)", "Ra8"),
            ("a7 (Q)", "a7"),
            ("e1g1 (B)", "e1g1"),
            ("a8 (Qb1)", "a8"),
            ("a8 Q", "a8"),
            ("a8 (White)", "a8"),
            ("exd8 =Qxd8", "exd8"),
        ] {
            assert_eq!(word_length(text), word.len(), "{text}");
        }
    }
}
