//! Extended Position Description: lines with a position and operations, read as tolerantly as people
//! write them, for test suites and opening books.
// Source: PGN standard, 16.2, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

use super::{Board, FenError};

/// An operation: its name and its operands without quotes.
pub type Operation<'a> = (&'a str, Vec<&'a str>);

/// The operations that may follow a list of moves without a semicolon between them. `c1` to `c8`
/// are not among them, because they are squares as well.
const BEHIND_MOVES: [&str; 15] = [
    "acd", "acn", "acs", "am", "bm", "c0", "c9", "ce", "dm", "fmvn", "hmvc", "id", "pm", "pv", "sm",
];

/// Returns the text of a file, which need not be UTF-8, with a line feed behind each line.
pub fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns the lines that are neither empty nor comments, with their numbers from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| !is_comment(line))
}

/// Returns whether a line is empty or a comment.
fn is_comment(line: &str) -> bool {
    let line = line.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control());
    let marks = ["#", ";", "%", "//"];
    line.is_empty() || marks.iter().any(|mark| line.starts_with(mark))
}

/// Reads a line: the first four fields of a FEN, optionally its two counters, and operations that
/// end with a semicolon. Castling rights and an en passant square that the board cannot have are
/// dropped. The operations `hmvc` and `fmvn` give the counters as well.
///
/// # Errors
/// Returns what is wrong with the position.
pub fn read(line: &str) -> Result<(Board, Vec<Operation<'_>>), FenError> {
    let (position, mut rest) = split_position(line);
    let (mut board, _) = Board::from_careless_fen(position)?;
    let mut operations = Vec::new();
    while let Some(operation) = next_operation(&mut rest) {
        if let (name, [counter]) = (operation.0, &operation.1[..])
            && let Ok(counter) = counter.parse()
        {
            match name {
                "hmvc" => board.set_halfmove_clock(counter),
                "fmvn" => board.set_fullmove_number(counter),
                _ => {}
            }
        }
        operations.push(operation);
    }
    Ok((board, operations))
}

/// Splits a line into its position (four fields, and the move counters if they follow) and the
/// rest.
fn split_position(line: &str) -> (&str, &str) {
    let is_end = |letter: char| letter.is_whitespace() || letter == ';';
    let mut rest = line.trim_start();
    for field in 0..6 {
        let (word, behind) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
        if field >= 4 && word.parse::<u32>().is_err() {
            break;
        }
        rest = behind.trim_start();
    }
    (&line[..line.len() - rest.len()], rest)
}

/// Takes the next operation off the text: its name, and its operands without quotes. A quoted text
/// that is not closed ends at the semicolon.
fn next_operation<'a>(text: &mut &'a str) -> Option<(&'a str, Vec<&'a str>)> {
    *text = text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == ';');
    if text.is_empty() {
        return None;
    }
    let name = take_word(text);
    let mut operands = Vec::new();
    loop {
        *text = text.trim_start();
        if let Some(quoted) = text.strip_prefix('"') {
            let end = quoted.find('"').or_else(|| quoted.find(';'));
            let (operand, rest) = quoted.split_at(end.unwrap_or(quoted.len()));
            operands.push(operand);
            *text = rest.strip_prefix('"').unwrap_or(rest);
        } else if text.is_empty() || text.starts_with(';') {
            return Some((name, operands));
        } else {
            let mut rest = *text;
            let word = take_word(&mut rest);
            if ["bm", "am"].contains(&name) && BEHIND_MOVES.contains(&word) {
                return Some((name, operands));
            }
            operands.push(word);
            *text = rest;
        }
    }
}

/// Takes the text up to the next space, semicolon or quote.
fn take_word<'a>(text: &mut &'a str) -> &'a str {
    let is_end = |letter: char| letter.is_whitespace() || matches!(letter, ';' | '"');
    let (word, rest) = text.split_at(text.find(is_end).unwrap_or(text.len()));
    *text = rest;
    word
}
