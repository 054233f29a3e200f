//! A status line on the terminal.

use std::io::{self, IsTerminal, Write};

/// Shows the progress of a run in a line of standard error that is overwritten. Without a terminal
/// it shows nothing.
#[derive(Debug)]
pub struct StatusLine {
    is_terminal: bool,
}

impl Default for StatusLine {
    fn default() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
        }
    }
}

impl StatusLine {
    /// Replaces the line by this text.
    pub fn show(&self, text: &str) {
        if self.is_terminal {
            // An error does not affect the results.
            let _ = write!(io::stderr().lock(), "\r{text}\x1b[K");
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.show("");
    }
}
