//! Moves as people and programs write them: in coordinates or in SAN, in capitals, with numbers.

use super::coordinates::parse_move;
use super::{Board, san};
use crate::types::Move;

/// Returns the legal move that the text stands for, if there is exactly one: in coordinates
/// (`e2e4`, `E7-E8Q`) or in SAN. If the text has no small letters, a move in capitals is meant
/// (`NF3`, `EXD5`).
pub fn parse(board: &Board, text: &str) -> Option<Move> {
    parse_move(board, text)
        .or_else(|| san::parse(board, text))
        .or_else(|| squares(board, text))
        .or_else(|| capitals(board, text))
}

/// Reads the moves of a line one after the other, with or without their numbers.
///
/// # Errors
/// Returns the first word that is not a legal move.
pub fn parse_line<'a>(
    start: &Board,
    words: impl Iterator<Item = &'a str>,
) -> Result<Vec<Move>, &'a str> {
    let (mut board, mut moves) = (*start, Vec::new());
    for word in words {
        let text = without_number(word);
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        if text.trim_matches('.').is_empty() || is_number {
            continue;
        }
        let mv = parse(&board, text).ok_or(text)?;
        board.make(mv);
        moves.push(mv);
    }
    Ok(moves)
}

/// Returns a move without the number before it, as in `1.e4`, `1...e5` or `1.`.
pub fn without_number(text: &str) -> &str {
    let behind = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if behind.len() < text.len() && behind.starts_with('.') {
        behind.trim_start_matches('.')
    } else {
        text
    }
}

/// Parses coordinates in either case and with signs around and between them, as in `E2-E4` or
/// `e7xd8=Q+`.
fn squares(board: &Board, text: &str) -> Option<Move> {
    let plain = text.to_ascii_lowercase().replace(['-', 'x', '='], "");
    parse_move(board, plain.trim_end_matches(['+', '#', '!', '?']))
}

/// Parses SAN in capitals. A `B` may be the bishop or the b-file; the text must leave one move.
fn capitals(board: &Board, text: &str) -> Option<Move> {
    if text.contains(|letter: char| letter.is_ascii_lowercase()) {
        return None;
    }
    let small = text.to_ascii_lowercase();
    let of_piece = text
        .get(..1)
        .and_then(|piece| san::parse(board, &format!("{piece}{}", &small[1..])));
    match (of_piece, san::parse(board, &small)) {
        (Some(mv), None) | (None, Some(mv)) => Some(mv),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fen: &str, text: &str) -> String {
        let board = Board::from_fen(fen).expect("the test's FEN is invalid");
        parse(&board, text).map_or_else(String::new, |mv| san::to_san(&board, mv))
    }

    const CAPTURES: &str = "4k3/2P5/8/3p4/2B1P3/5N2/8/4K2R w K - 0 1";

    #[test]
    fn a_move_may_be_written_in_every_usual_form() {
        for (texts, wanted) in [
            (&["e4e5", "E4E5", "e4-e5", "E5", "e5!"][..], "e5"),
            (&["exd5", "e4d5", "E4XD5", "EXD5", "e4xd5+"], "exd5"),
            (&["Nf3g5", "f3g5", "F3-G5", "NG5"], "Ng5"),
            (&["c4d5", "C4xD5", "BXD5", "Bd5"], "Bxd5"),
            (&["e1g1", "E1G1", "O-O", "0-0", "e1h1"], "O-O"),
            (
                &["c7c8q", "c7c8Q", "C7C8Q", "c8=Q", "C8=Q", "c7-c8=Q+"],
                "c8=Q+",
            ),
        ] {
            for text in texts {
                assert_eq!(read(CAPTURES, text), wanted, "{text}");
            }
        }
    }

    #[test]
    fn two_meanings_are_none() {
        // The b-pawn and the bishop may both capture on c3.
        let both = "4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1";
        assert_eq!(read(both, "BXC3"), "");
        assert_eq!(read(both, "bxc3"), "bxc3");
        for text in ["", "É5", "E9", "-", "0000", "E4E5E6", "ß"] {
            assert_eq!(read(both, text), "", "{text}");
        }
    }

    #[test]
    fn numbers_are_taken_off() {
        for (text, move_text) in [
            ("1.e4", "e4"),
            ("12...e5", "e5"),
            ("1.", ""),
            ("1", "1"),
            ("e4", "e4"),
            ("0-0", "0-0"),
        ] {
            assert_eq!(without_number(text), move_text);
        }
    }
}
