//! The reasons why experiments cannot be measured.

use std::path::PathBuf;

use rejoinder::board::book::BookError;
use rejoinder::memory::MemoryError;
use rejoinder::params::overrides::SettingError;
use rejoinder_tools::files::FileError;
use rejoinder_tools::matches::MatchError;
use rejoinder_tools::plot::PlotError;
use rejoinder_tools::print::PrintError;

use super::records::RecordsError;

/// Experiments cannot be measured, or the result is lost.
#[derive(Debug, thiserror::Error)]
pub enum OrderingError {
    /// No experiment or variant has this name.
    #[error("there is no experiment or variant {0}")]
    Unknown(String),
    /// The file of positions or the opening book cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The games cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A variant sets a parameter that does not exist.
    #[error(transparent)]
    Parameter(#[from] SettingError),
    /// The transposition tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The CSV file cannot be read or written.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The Markdown file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The chart cannot be drawn or written.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The Markdown file cannot be read, or lacks the markers of the generated block.
    #[error("{}: {reason}", path.display())]
    Doc {
        /// The Markdown file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The result cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}
