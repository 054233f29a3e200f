//! The words between the moves of a game: what people and programs mean by them.

/// The end of a message about what cannot be read.
pub(super) const KEPT_AS_TEXT: &str = "; the game is kept as text from there on";

/// The meaning of a word: perhaps a move number, then something else, then perhaps a glyph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub number: Option<Number>,
    pub body: Body,
    /// The numeric glyph of a mark at the end of a move, as in `Nf3±`.
    pub nag: Option<u8>,
    /// Length of the move number in bytes.
    pub number_length: usize,
}

/// A move number, as in `12.` or `12...`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Number {
    /// The number; `None` if there are only dots.
    pub value: Option<u32>,
    pub dots: usize,
}

/// What a word is besides a move number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Nothing, or a sign that every reader finds out itself, as in `+` or `e.p.`.
    Nothing,
    /// A numeric annotation glyph.
    Nag(u8),
    /// A move in the form of SAN, or `--` for a null move.
    Move(String),
    /// A result; `None` for one that PGN does not know.
    Result(Option<&'static str>),
    /// A move in a notation that is not read.
    Unread,
    /// Any other word.
    Other,
}

/// Longest word that may mean something, in bytes.
pub(super) const LONGEST: usize = 40;

/// Returns the meaning of a word. Blanks and invisible characters in it mean nothing.
pub(crate) fn read(word: &str) -> Word {
    if !word.contains(means_nothing) {
        return read_plain(word);
    }
    let plain: String = word.chars().filter(|l| !means_nothing(*l)).collect();
    let mut meaning = read_plain(&plain);
    let mut left = meaning.number_length;
    let behind = word.char_indices().find(|(_, letter)| {
        let is_behind = left == 0;
        if !means_nothing(*letter) {
            left = left.saturating_sub(letter.len_utf8());
        }
        is_behind
    });
    meaning.number_length = behind.map_or(word.len(), |(at, _)| at);
    meaning
}

fn means_nothing(letter: char) -> bool {
    letter.is_whitespace() || is_invisible(letter)
}

/// Returns whether a character shows nothing: the joiners, fillers, marks of direction and variants,
/// soft hyphens and byte order marks that web pages and word processors put into a text.
// Source: Unicode 16, Default_Ignorable_Code_Point; besides, annotations and the empty Braille cell
pub(crate) fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns a word for a message, in which everything can be seen.
pub(crate) fn shown(word: &str) -> String {
    let mut text = String::new();
    for letter in word.chars() {
        if is_invisible(letter) || letter.is_control() {
            text.extend(letter.escape_unicode());
        } else {
            text.push(letter);
        }
    }
    text
}

fn read_plain(word: &str) -> Word {
    let mut meaning = Word {
        number: None,
        body: Body::Other,
        nag: None,
        number_length: 0,
    };
    if word.len() > LONGEST {
        return meaning;
    }
    if let Some(result) = result(word) {
        meaning.body = result;
        return meaning;
    }
    let is_move = is_null(word) || castling(word).is_some();
    let text = if is_move { word } else { behind_number(word) };
    meaning.number_length = word.len() - text.len();
    meaning.number = number(&word[..meaning.number_length]);
    (meaning.body, meaning.nag) = body(text);
    meaning
}

fn body(text: &str) -> (Body, Option<u8>) {
    if text.is_empty() || IMPLIED.contains(&text) {
        return (Body::Nothing, None);
    }
    if let Some(nag) = sign(text) {
        return (Body::Nag(nag), None);
    }
    let (text, nag) = split_sign(text);
    let plain = plain_move(text);
    if plain == NULL || is_san(&plain) {
        (Body::Move(plain), nag)
    } else if resembles_move(text) {
        (Body::Unread, None)
    } else {
        (Body::Other, None)
    }
}

/// The null move.
pub(crate) const NULL: &str = "--";

/// Words that say what the moves say themselves.
const IMPLIED: [&str; 9] = ["e.p.", "e.p", "ep", "+", "++", "#", "ch", "dbl", "mate"];

/// Returns the result that a word stands for, also if PGN does not know it, such as a win by
/// forfeit. Castling (`0-0`) is none, though arbiters use it as one.
fn result(word: &str) -> Option<Body> {
    let plain = word.replace(is_dash, "-").replace('½', "1/2");
    let known = match plain.trim_end_matches(['.', ',', ':']) {
        "*" => Some("*"),
        "1-0" | "1:0" | "1-O" | "1.0-0.0" | "1,0-0,0" => Some("1-0"),
        "0-1" | "0:1" | "O-1" | "0.0-1.0" | "0,0-1,0" => Some("0-1"),
        "1/2-1/2" | "1/2:1/2" | "1/2" | "0.5-0.5" | "0.5:0.5" | "0,5-0,5" | "0,5:0,5" | ".5-.5" => {
            Some("1/2-1/2")
        }
        "1/2-0" | "0-1/2" | "0.5-0" | "0-0.5" | "0:0" | "+:-" | "-:+" | "=:=" | "-:-" | "-/-"
        | "1-0F" | "0-1F" | "0F-0F" | "1F-0F" | "0F-1F" | "1-0f" | "0-1f" => None,
        _ => return None,
    };
    Some(Body::Result(known))
}

/// Returns the result that a whole text stands for, if PGN knows it.
pub fn known_result(text: &str) -> Option<&'static str> {
    match read(text).body {
        Body::Result(known) => known,
        _ => None,
    }
}

/// Returns whether a character is one of the strokes that people write for a hyphen.
pub(crate) fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '‐'..='―' | '−' | '﹣' | '－')
}

/// Returns a word without the move number before it. Digits alone are a number; a decimal number
/// is none.
fn behind_number(word: &str) -> &str {
    let dotted = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if !dotted.is_empty() && !dotted.starts_with(['.', '…']) {
        return word;
    }
    let behind = dotted.trim_start_matches(['.', '…']);
    let is_decimal = behind.starts_with(|letter: char| letter.is_ascii_digit())
        && result(behind).is_none()
        && castling(behind).is_none()
        && !is_null(behind);
    if is_decimal { word } else { behind }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.trim_end_matches(['.', '…']);
    let letters = text[digits.len()..].chars();
    let dots = letters.map(|letter| if letter == '.' { 1 } else { 3 });
    (!text.is_empty()).then(|| Number {
        value: digits.parse().ok(),
        dots: dots.sum(),
    })
}

/// Returns the numeric glyph for a mark such as `?!`; three or more signs count as two.
pub(crate) fn judgment(marks: &str) -> u8 {
    match marks {
        "!" => 1,
        "?" => 2,
        _ if marks.starts_with("!!") => 3,
        _ if marks.starts_with("??") => 4,
        _ if marks.starts_with('!') => 5,
        _ => 6,
    }
}

/// Returns the numeric glyph for a mark that is written as a word.
fn sign(word: &str) -> Option<u8> {
    Some(match word {
        "□" => 7,
        "=" => 10,
        "∞" | "~" => 13,
        "+=" | "+/=" | "⩲" => 14,
        "=+" | "=/+" | "⩱" => 15,
        "+/-" | "±" => 16,
        "-/+" | "∓" => 17,
        "+-" | "+−" => 18,
        "-+" | "−+" => 19,
        "N" => 146,
        "D" => 220,
        _ => return None,
    })
}

/// Splits the longest mark that is not a letter off the end of a move, as in `Nf3±`, and returns its
/// numeric glyph.
fn split_sign(word: &str) -> (&str, Option<u8>) {
    (word.char_indices().skip(2))
        .filter(|(at, _)| !word[*at..].starts_with(|letter: char| letter.is_ascii_alphabetic()))
        .find_map(|(at, _)| Some((&word[..at], Some(sign(&word[at..])?))))
        .unwrap_or((word, None))
}

/// Recognizes castling written with zeros, lower-case letters or other dashes.
fn castling(word: &str) -> Option<&'static str> {
    let plain = word.replace(['0', 'o'], "O").replace(is_dash, "-");
    match plain.trim_end_matches(['+', '#']) {
        "O-O" => Some("O-O"),
        "O-O-O" => Some("O-O-O"),
        _ => None,
    }
}

fn is_null(word: &str) -> bool {
    const NAMES: [&str; 10] = [
        "--", "Z0", "null", "NULL", "pass", "PASS", "@@@@", "0000", "<>", "z0",
    ];
    NAMES.contains(&word)
}

/// Strips a move of notation that not every reader accepts: check signs, colons, a pawn's letter,
/// figurines, capitals, brackets and slashes of promotions.
fn plain_move(word: &str) -> String {
    if let Some(castling) = castling(word) {
        return castling.to_owned();
    }
    if is_null(word) {
        return NULL.to_owned();
    }
    let figurine = |letter| match letter {
        '♔' | '♚' => 'K',
        '♕' | '♛' => 'Q',
        '♖' | '♜' => 'R',
        '♗' | '♝' => 'B',
        '♘' | '♞' => 'N',
        '♙' | '♟' => 'P',
        ':' | '×' => 'x',
        '[' => '(',
        ']' => ')',
        _ if is_dash(letter) => '-',
        _ => letter,
    };
    let mut word = word.trim_end_matches([',', '.']);
    for ending in [
        "mate", "dblch", "dbl.ch", "disch", "dis.ch", "ch", "e.p", "ep",
    ] {
        word = word.strip_suffix(ending).unwrap_or(word);
    }
    let word = word.trim_end_matches(['+', '#', '=', ':', '†', '‡', '.']);
    let mut text: String = word.chars().map(figurine).collect();
    text.retain(|letter| letter != '-');
    if text.starts_with('P') && text.len() > 2 {
        text.remove(0);
    }
    // `e7e8q`, `e8(Q)`, `e8/Q`, `e8Q`.
    let inner = text.trim_end_matches(')');
    if let Some(piece) = inner
        .chars()
        .last()
        .filter(|&last| "qrbnQRBN".contains(last))
    {
        let pawn = inner[..inner.len() - 1].trim_end_matches(['=', '(', '/', 'x']);
        if pawn.ends_with(['1', '8']) {
            text = format!("{pawn}={}", piece.to_ascii_uppercase());
        }
    }
    let (squares, piece) = text.split_at(text.find('=').unwrap_or(text.len()));
    if is_squares(squares) {
        return format!("{}{piece}", squares.to_ascii_lowercase());
    }
    text
}

/// Returns whether a text is one or two squares in capitals, as in `E2E4`.
fn is_squares(text: &str) -> bool {
    let is_square = |pair: &[u8]| matches!(pair, [b'A'..=b'H', b'1'..=b'8']);
    matches!(text.len(), 2 | 4) && text.as_bytes().chunks(2).all(is_square)
}

/// Returns whether a text has the form of SAN, or of two squares.
fn is_san(text: &str) -> bool {
    if castling(text).is_some() {
        return true;
    }
    let bytes = text.as_bytes();
    let bytes = match bytes {
        [pawn @ .., b'=', b'Q' | b'R' | b'B' | b'N'] => pawn,
        [b'K' | b'Q' | b'R' | b'B' | b'N', rest @ ..] => rest,
        _ => bytes,
    };
    let [from @ .., b'a'..=b'h', b'1'..=b'8'] = bytes else {
        return false;
    };
    matches!(
        from.strip_suffix(b"x").unwrap_or(from),
        [] | [b'a'..=b'h' | b'1'..=b'8'] | [b'a'..=b'h', b'1'..=b'8']
    )
}

/// Returns whether a word is likely to be a move in a notation that is not read: it names a square,
/// as in `Sf3` (German) or `N@f6` (a drop), or is descriptive, as in `P-K4`.
fn resembles_move(word: &str) -> bool {
    let has_square =
        (word.as_bytes().windows(2)).any(|pair| matches!(pair, [b'a'..=b'h', b'0'..=b'9']));
    let is_of_piece = word.starts_with(['K', 'Q', 'R', 'B', 'N'])
        && word[1..].starts_with(|letter: char| letter.is_ascii_lowercase())
        && word.ends_with(|letter: char| letter.is_ascii_digit());
    let is_descriptive = word.starts_with(['K', 'Q', 'R', 'B', 'N', 'P'])
        && word.contains(['-', 'x'])
        && word
            .chars()
            .all(|letter| "KQRBNPx-+#=()/ch12345678".contains(letter));
    word.chars().count() <= 10 && (has_square || is_of_piece || is_descriptive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn moves(text: &str) -> Vec<String> {
        text.split(' ')
            .map(|word| match read(word).body {
                Body::Move(san) => san,
                other => panic!("{word}: {other:?}"),
            })
            .collect()
    }

    #[test]
    fn many_ways_to_write_a_move_become_one() {
        for (text, wanted) in [
            ("e4 1.e4 1…e4 1...e4 12.e4 Pe4 P-e4 ♙e4 E4 e4, e4.", "e4"),
            (
                "Nf3 ♘f3 ♞f3 N-f3 Nf3+ Nf3# Nf3++ Nf3ch Nf3mate Nf3dbl.ch",
                "Nf3",
            ),
            ("Ng1f3 Ng1-f3 ♘g1—f3", "Ng1f3"),
            ("exd5 e:d5 e×d5 exd5: Pexd5 exd5e.p. exd5ep exd5=", "exd5"),
            ("e2e4 e2-e4 E2E4 E2-E4 e2–e4", "e2e4"),
            (
                "a8=Q a8Q a8q a8(Q) a8/Q a8=(Q) a8:Q a8=♕ a8♕ A8=Q a8=Q+ a8(Q)# A8(q)",
                "a8=Q",
            ),
            ("bxa1=N bxa1N b:a1/N bxa1(n)+", "bxa1=N"),
            ("a7a8q a7-a8(Q) A7A8Q", "a7a8=Q"),
            ("O-O 0-0 o-o O–O 0-0+ 0—0#", "O-O"),
            ("O-O-O 0-0-0 o-o-o+ 0–0–0", "O-O-O"),
            ("-- Z0 0000 <> null pass @@@@ 1.-- 3...0000", "--"),
        ] {
            for (word, san) in text.split(' ').zip(moves(text)) {
                assert_eq!(san, wanted, "{word}");
            }
        }
    }

    #[test]
    fn results_and_numbers_are_no_moves() {
        for (word, result) in [
            ("1-0", Some("1-0")),
            ("0–1", Some("0-1")),
            ("½-½", Some("1/2-1/2")),
            ("½", Some("1/2-1/2")),
            ("1 - 0", Some("1-0")),
            ("½ - ½", Some("1/2-1/2")),
            ("0‑1", Some("0-1")),
            ("1-0.", Some("1-0")),
            ("1-O", Some("1-0")),
            ("1.0-0.0", Some("1-0")),
            ("0,0 - 1,0", Some("0-1")),
            (".5 - .5", Some("1/2-1/2")),
            ("*", Some("*")),
            ("½-0", None),
            ("0-1/2", None),
            ("+:-", None),
        ] {
            assert_eq!(read(word).body, Body::Result(result), "{word}");
        }
        for (word, value, dots) in [
            ("12", Some(12), 0),
            ("12.", Some(12), 1),
            ("1...", Some(1), 3),
            ("1…", Some(1), 3),
            ("..", None, 2),
        ] {
            let read = read(word);
            assert_eq!(read.number, Some(Number { value, dots }), "{word}");
            assert_eq!((read.body, read.number_length), (Body::Nothing, word.len()));
        }
    }

    #[test]
    fn what_cannot_be_seen_means_nothing() {
        for letter in [
            '\u{ad}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{2060}',
            '\u{feff}',
            '\u{200e}',
            '\u{200f}',
            '\u{202a}',
            '\u{fe0e}',
            '\u{fe0f}',
            '\u{e0100}',
            '\u{115f}',
            '\u{3164}',
            '\u{2800}',
            '\u{fff1}',
            '\u{1d173}',
        ] {
            for word in ["12.Nf3", "♘f3", "O-O", "1-0", "12...", "+=", "Nf3±"] {
                for (at, _) in word.char_indices().chain([(word.len(), ' ')]) {
                    let odd = format!("{}{letter}{}", &word[..at], &word[at..]);
                    let (found, plain) = (read(&odd), read(word));
                    assert_eq!(
                        (found.number, &found.body, found.nag),
                        (plain.number, &plain.body, plain.nag)
                    );
                    assert!(odd.is_char_boundary(found.number_length), "{odd:?}");
                }
            }
            assert_eq!(
                shown(&format!("N{letter}z")),
                format!("N{}z", letter.escape_unicode())
            );
        }
    }

    #[test]
    fn decimal_numbers_are_words() {
        for word in [
            "0.15", "12.5%", "3.20s", "0.25/14", "1.5-0.5", ".5", "12:30",
        ] {
            let read = read(word);
            assert_eq!((read.number, read.body), (None, Body::Other), "{word}");
        }
        for (word, dots) in [
            ("4.0-0", 1),
            ("4.0-0-0", 1),
            ("30.1-0", 1),
            ("3...0000", 3),
            ("9.½-½", 1),
        ] {
            assert_eq!(
                read(word).number.map(|number| number.dots),
                Some(dots),
                "{word}"
            );
        }
    }

    #[test]
    fn marks_are_glyphs() {
        for (word, san, nag) in [
            ("Nf3±", "Nf3", 16),
            ("Qh5++-", "Qh5", 18),
            ("O-O∞", "O-O", 13),
            ("d4+=", "d4", 14),
            ("3.Nc3=", "Nc3", 10),
            ("e4+/-", "e4", 16),
            ("Rd1□", "Rd1", 7),
        ] {
            let read = read(word);
            assert_eq!((read.body, read.nag), (Body::Move(san.into()), Some(nag)));
        }
        assert_eq!(
            (read("⩲").body, read("N").body),
            (Body::Nag(14), Body::Nag(146))
        );
        assert_eq!(["!", "?!", "!?!", "???"].map(judgment), [1, 6, 5, 4]);
    }

    #[test]
    fn words_are_told_from_moves_that_are_not_read() {
        for word in [
            "RR", "TN", "⨀", "Diagram", "Zug", "A00", "C42", "+", "e.p.", "2024", "-",
        ] {
            let body = read(word).body;
            assert!(
                matches!(body, Body::Other | Body::Nothing),
                "{word}: {body:?}"
            );
        }
        for word in [
            "Sf3", "Qz9e4", "P-K4", "NxP", "P@d5", "N@f6", "Ke9", "Qz9", "Lxf7+", "Кf3",
        ] {
            assert_eq!(read(word).body, Body::Unread, "{word}");
        }
    }
}
