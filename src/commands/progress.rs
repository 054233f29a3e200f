//! A status line on a terminal.

use std::io::{self, IsTerminal, Write};

/// Shows how far a run has come, in one line of standard error that is overwritten. Without a terminal it shows nothing.
#[derive(Debug)]
pub struct StatusLine {
    is_terminal: bool,
}

impl StatusLine {
    /// A status line on standard error.
    pub fn new() -> Self {
        Self {
            is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Replaces the line by this text.
    pub fn show(&self, text: &str) {
        if self.is_terminal {
            // The result does not depend on it.
            let _ = write!(io::stderr().lock(), "\r{text}\x1b[K");
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.show("");
    }
}
