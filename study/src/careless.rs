//! Positions as people and programs write them: what a board cannot have is dropped and told.

use std::io::{self, Write};

use rejoinder::board::{Board, FenError};

/// Reads a position that a user gave.
///
/// # Errors
/// Returns what is wrong with the FEN and cannot be dropped.
pub fn board_of(fen: &str) -> Result<Board, FenError> {
    let (board, dropped) = Board::from_careless_fen(fen)?;
    tell("the FEN", &dropped);
    Ok(board)
}

/// Says on standard error what was dropped from the FEN of `whose`.
pub fn tell(whose: &str, dropped: &[FenError]) {
    for fault in dropped {
        // The analysis matters more than the error that this cannot be written.
        let _ = writeln!(io::stderr(), "{whose}: dropped: {fault}");
    }
}
