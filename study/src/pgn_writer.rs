//! Writes a game as PGN.
// Source: PGN standard, 8, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

use std::fmt::Write;

use rejoinder::board::{Board, Outcome, san};
use rejoinder::types::Move;

/// Longest line of movetext, in characters.
const WIDTH: usize = 80;

/// Returns the tag value of a result.
pub const fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WhiteWin => "1-0",
        Outcome::Draw => "1/2-1/2",
        Outcome::BlackWin => "0-1",
    }
}

/// Returns a game with its tags, the moves from the start position on, the comments behind each of
/// them, as far as there are any, and the result. Comments may be empty. Tags for the start position
/// are added if it is not the usual one.
pub fn write(
    tags: &[(&str, &str)],
    start: &Board,
    moves: &[Move],
    comments: &[String],
    result: &str,
) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing into a string does not fail.
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    for (name, value) in tags {
        tag(name, value);
    }
    if start.key() != Board::startpos().key() {
        let chess960 = !start.has_standard_castling();
        if chess960 {
            tag("Variant", "Chess960");
        }
        tag("SetUp", "1");
        tag("FEN", &start.fen(chess960));
    }
    text.push('\n');
    let mut words = Vec::new();
    for (ply, (number, san)) in san::numbered(start, moves).into_iter().enumerate() {
        words.extend([number.trim().to_owned(), san]);
        if let Some(comment) = comments.get(ply).filter(|comment| !comment.is_empty()) {
            let braced = format!("{{ {} }}", comment.replace('}', ")"));
            words.extend(braced.split(' ').map(str::to_owned));
        }
    }
    words.push(result.to_owned());
    let mut column = 0;
    for word in words.iter().filter(|word| !word.is_empty()) {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += width;
    }
    text + "\n\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoinder::board::notation;

    #[test]
    fn a_game_is_written_as_the_standard_has_it() {
        let start = Board::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 9").expect("a position");
        let text = "Kd7 e4 Kd6 Kd2 Kd7 Kd3 Kd6 Kd4 Kd7 Kd5 Kd8 Kd6 Ke8 Ke6 Kd8 e5";
        let moves = notation::parse_line(&start, text.split(' ')).expect("moves");
        let comments: Vec<String> = (1..=moves.len())
            .map(|ply| match ply {
                2 => "+0.2".to_owned(),
                16 => "It {ends}.".to_owned(),
                _ => String::new(),
            })
            .collect();
        let pgn = write(&[("White", "a \"b\"")], &start, &moves, &comments, "*");
        assert_eq!(
            pgn,
            "[White \"a \\\"b\\\"\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 9\"]\n\n\
             9... Kd7 10. e4 { +0.2 } Kd6 11. Kd2 Kd7 12. Kd3 Kd6 13. Kd4 Kd7 14. Kd5 Kd8 15.\n\
             Kd6 Ke8 16. Ke6 Kd8 17. e5 { It {ends). } *\n\n"
        );
    }
}
