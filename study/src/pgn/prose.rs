//! Prose around and among the moves, told from the moves.

use rejoinder::board::Board;

use super::draft_line::move_of;
use super::extent::{prose_length, word_length};
use super::words::{self, Body};

/// Length of a text, in bytes, that shows whether it is prose.
const ENOUGH: usize = 120;

/// Returns whether the moves of a game begin with the word at the beginning of this text, which may
/// be prose instead. `has_tags` says that the tags of the game stand before it, `is_first` that no
/// word but a number stands before it in its line.
pub(crate) fn begins_moves(text: &str, has_tags: bool, is_first: bool) -> bool {
    if let Some(inner) = text.strip_prefix('(') {
        return has_tags && begins_moves(inner.trim_start(), true, true);
    }
    let length = word_length(text);
    let word = words::read(&text[..length]);
    let is_numbered = word.number.is_some_and(|number| number.dots > 0);
    // The move or result itself is one of them.
    let is_mostly_moves = |fewer: usize| {
        let balance = Balance::of(text);
        balance.moves >= balance.words + fewer || balance.lead > 1
    };
    // No prose puts a comment in braces behind the name of a move.
    let has_comment = || text[length..].trim_start().starts_with('{');
    match word.body {
        Body::Move(_) if is_first => {
            (has_tags && is_numbered) || is_mostly_moves(0) || has_comment()
        }
        Body::Move(_) if is_numbered => is_mostly_moves(1),
        Body::Move(_) => has_tags && is_mostly_moves(2),
        Body::Result(_) => has_tags && is_mostly_moves(1),
        Body::Unread => has_tags && (is_first || is_numbered),
        Body::Nothing => {
            let behind = text[length..].trim_start();
            is_numbered && is_first && has_tags && (behind.is_empty() || !is_word(behind))
        }
        _ => false,
    }
}

/// Returns whether the line at the beginning of a text is prose, if it stands below an empty one.
pub(crate) fn is_prose_line(text: &str) -> bool {
    let word = words::read(&text[..word_length(text)]);
    match word.body {
        Body::Other => text.starts_with(char::is_alphabetic),
        Body::Move(_) if word.number.is_none() => !begins_moves(text, true, true),
        Body::Unread if word.number.is_none() => Balance::of(text).words > 1,
        _ => false,
    }
}

/// Returns whether a text has as many words as moves.
pub(crate) fn is_mostly_prose(text: &str) -> bool {
    let balance = Balance::of(text);
    balance.words >= balance.moves
}

/// Returns whether a text begins with a word that means nothing to a game.
pub(crate) fn is_word(text: &str) -> bool {
    let is_other = words::read(&text[..word_length(text)]).body == Body::Other;
    is_other && text.starts_with(char::is_alphabetic)
}

/// Returns whether a game may begin with this move if it begins with the first position.
pub(crate) fn is_opening(san: &str) -> bool {
    move_of(&Board::startpos(), san).is_some()
}

/// Returns whether words are prose, and no sign or name such as `TN`, `RR` or `Diagram`.
pub(crate) fn is_prose(text: &str) -> bool {
    let mut in_brackets = false;
    let mut names = 0;
    for word in text.split_whitespace() {
        in_brackets |= word.starts_with('[');
        let letters: Vec<char> = word
            .chars()
            .filter(|letter| letter.is_alphabetic())
            .collect();
        if !in_brackets
            && letters.len() > 1
            && word.starts_with(|l: char| l.is_alphabetic() || "('\"".contains(l))
        {
            // Writing without capitals, such as Chinese, has no names of that kind.
            if !letters[0].is_uppercase() {
                return true;
            }
            names += usize::from(letters[1].is_lowercase());
        }
        in_brackets &= !word.ends_with(']');
    }
    names > 1
}

/// How much of a line is moves, and how much is prose.
struct Balance {
    moves: usize,
    words: usize,
    /// Number of moves before the first word.
    lead: usize,
}

impl Balance {
    /// Counts the rest of the line that a text begins with, without its comments.
    fn of(text: &str) -> Self {
        let mut found = Self {
            moves: 0,
            words: 0,
            lead: 0,
        };
        let near = &text[..text.floor_char_boundary(ENOUGH)];
        let mut rest = &near[..near.find('\n').unwrap_or(near.len())];
        while let Some(letter) = rest.chars().next() {
            let length = match letter {
                ';' => return found,
                '{' => rest.find('}').unwrap_or(rest.len() - 1) + 1,
                '[' => rest.find(']').unwrap_or(0) + 1,
                _ if letter.is_alphanumeric() || ".…♔♕♖♗♘♙♚♛♜♝♞♟-<@½*".contains(letter) =>
                {
                    let length = word_length(rest);
                    match words::read(&rest[..length]).body {
                        Body::Other => found.count(&rest[..prose_length(rest)]),
                        Body::Nothing if letter.is_alphabetic() => {}
                        _ => {
                            found.moves += 1;
                            found.lead += usize::from(found.words == 0);
                        }
                    }
                    length
                }
                _ => letter.len_utf8(),
            };
            rest = &rest[length..];
        }
        found
    }

    fn count(&mut self, word: &str) {
        self.words += usize::from(word.chars().filter(|letter| letter.is_alphabetic()).count() > 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_begin_where_moves_are_and_not_in_prose() {
        for (text, has_tags, is_first, begins) in [
            ("e4 e5", false, true, true),
            ("e4", false, true, true),
            ("1.e4 e5 White resigned", false, false, true),
            (
                "e4 e5 1-0 White resigned, as d6 was weak",
                false,
                true,
                true,
            ),
            ("e4 is the best move", false, true, false),
            ("e4 {best} as he showed before", false, true, true),
            ("a4 paper was used", true, true, false),
            ("e4 pawn was weak", true, false, false),
            ("e4 e5 2. Nf3 Nc6", true, false, true),
            ("1.e4 is what White played at last", true, true, true),
            ("1-0 in the match", true, true, false),
            ("1-0", true, true, true),
            ("*", true, false, true),
            ("* is a sign", true, false, false),
            ("3. of the match", true, true, false),
            ("1. e4", true, true, true),
            ("Sf3 Sf6", true, true, true),
            ("(1. d4 d5)", true, true, true),
            ("(in March)", true, true, false),
            ("(in March)", false, true, false),
        ] {
            assert_eq!(begins_moves(text, has_tags, is_first), begins, "{text}");
        }
    }

    #[test]
    fn names_and_signs_are_no_prose() {
        for text in [
            "TN",
            "RR",
            "Diagram",
            "[#]",
            "[see the diagram]",
            "⨀ 2024",
            "Zug",
            "0:05",
            "20s",
        ] {
            assert!(!is_prose(text), "{text}");
        }
        for text in [
            "better",
            "White resigns",
            "[#] and now",
            "(played later)",
            "Foo Bar",
            "白认输",
            "הלבן נכנע",
        ] {
            assert!(is_prose(text), "{text}");
        }
    }

    #[test]
    fn a_line_of_prose_is_told_from_a_line_of_moves() {
        for text in [
            "Here a6 was possible",
            "a6 at once!",
            "Nf3 was better",
            "Zug",
            "Sf3 would have been the move",
        ] {
            assert!(is_prose_line(text), "{text}");
        }
        for text in [
            "Nc6 3. Bb5 a6",
            "2... Nc6",
            "(2. d4)",
            "{x}",
            "1-0",
            "Nc6",
            "$1",
            "⨀",
        ] {
            assert!(!is_prose_line(text), "{text}");
        }
    }
}
