//! The reasons why data generation fails.

use rejoinder::memory::MemoryError;
use rejoinder::params::overrides::SettingError;

use crate::data::shard::ShardError;
use crate::files::FileError;
use crate::print::PrintError;

use super::run::RunError;

/// Training data cannot be generated.
#[derive(Debug, thiserror::Error)]
pub enum DatagenError {
    /// The run cannot begin or continue.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A game does not fit the file format, or a shard cannot be written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A parameter of the search cannot be set.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The transposition tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}
