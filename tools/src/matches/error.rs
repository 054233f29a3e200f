//! The reasons why a match cannot be played.

use rejoinder::board::book::BookError;
use rejoinder::memory::MemoryError;
use rejoinder::params::overrides::SettingError;

use crate::data::kept::KeepError;
use crate::data::shard::ShardError;
use crate::files::FileError;
use crate::print::PrintError;

/// A match cannot be played, or its result is lost.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The opening book cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The book has too few openings for the number of games.
    #[error("the book has only {openings} different openings, enough for {} games, not for {games}", 2 * openings)]
    TooFewOpenings {
        /// Number of different openings in the book.
        openings: usize,
        /// Number of games asked for.
        games: u64,
    },
    /// A parameter of the engine does not exist or cannot have this value.
    #[error(transparent)]
    Parameter(#[from] SettingError),
    /// The bounds of the sequential test are not in ascending order.
    #[error("--sprt needs two numbers, the lower one first")]
    Bounds,
    /// Games from an opening book are not stored.
    #[error(
        "games from an opening book are not kept: networks learn from the engine's own openings only"
    )]
    KeptBook,
    /// The directory for the games cannot be used.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// A game does not fit the file format.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A file of games cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The transposition tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}
