//! What a person types at a terminal where moves are asked for, line by line.

use std::io::BufRead;

use anyhow::Context;
use rejoinder::board::{Board, notation};
use rejoinder::types::{Color, Move};

/// Returns the number of the next move, as in `12.` or `12...`.
pub(crate) fn prompt(board: &Board) -> String {
    let dots = match board.side_to_move() {
        Color::White => ".",
        Color::Black => "...",
    };
    format!("{}{dots}", board.fullmove_number())
}

/// Reads a line without the blanks around it; `None` at the end of input.
///
/// # Errors
/// If the input cannot be read.
pub(crate) fn line(input: &mut dyn BufRead) -> anyhow::Result<Option<String>> {
    let mut line = Vec::new();
    let read = input.read_until(b'\n', &mut line);
    if read.context("cannot read a move")? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
}

/// Returns the move that a line is, with or without its number; `None` if it is not one legal move.
pub(crate) fn one_move(board: &Board, text: &str) -> Option<Move> {
    let moves = notation::parse_line(board, text.split_whitespace()).ok()?;
    let [mv] = moves[..] else { return None };
    Some(mv)
}
