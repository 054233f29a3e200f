//! Text on the standard output.

use std::fmt::Display;
use std::io::{self, Write};

/// The standard output cannot be written, for example because the program at the other end of a
/// pipe has ended.
#[derive(Debug, thiserror::Error)]
#[error("cannot print the result: {0}")]
pub struct PrintError(io::Error);

/// Prints text on the standard output, without adding a line feed.
///
/// # Errors
/// If the standard output cannot be written.
pub fn print(text: impl Display) -> Result<(), PrintError> {
    if cfg!(test) {
        // The harness of the tests shows this only if a test fails.
        print!("{text}");
        return Ok(());
    }
    print_to(&mut io::stdout(), text)
}

/// Prints text on `out`, without adding a line feed.
///
/// # Errors
/// If `out` cannot be written.
pub fn print_to(out: &mut dyn Write, text: impl Display) -> Result<(), PrintError> {
    write!(out, "{text}").map_err(PrintError)
}
