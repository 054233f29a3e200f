//! The screen of systems without a terminal: there is none.

use std::io;
use std::time::Duration;

use super::key::Key;
use super::row::Canvas;

/// Returns `None`: there is nothing to draw on.
pub(super) fn looks() -> Option<Canvas> {
    None
}

/// Returns whether input is waiting that nobody has read yet.
pub(super) fn input_waits() -> bool {
    false
}

/// A screen that cannot be opened.
#[derive(Debug)]
pub(super) enum Screen {}

impl Screen {
    /// Fails.
    pub fn open() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn draw(&mut self, _rows: &[String]) -> io::Result<()> {
        match *self {}
    }

    pub fn key(&mut self, _patience: Duration) -> io::Result<Option<Key>> {
        match *self {}
    }

    pub fn suspend(&mut self) -> io::Result<()> {
        match *self {}
    }
}
