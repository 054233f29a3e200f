//! The reasons why the `data` commands fail.

use std::path::PathBuf;

use rejoinder::memory::MemoryError;

use crate::files::FileError;
use crate::print::PrintError;

use super::shard::ShardError;

/// Files of games cannot be inspected, checked or rescored.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// Another file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A directory has no file of games.
    #[error("there are no games in {}", .0.display())]
    Nothing(PathBuf),
    /// Some files are damaged; their faults have been printed.
    #[error("{faults} of {files} files are damaged")]
    Damaged {
        /// Number of damaged files.
        faults: usize,
        /// Number of all files.
        files: usize,
    },
    /// Two source files would have the same name in the output directory.
    #[error("{} and {} would get the same name", .0.display(), .1.display())]
    SameName(PathBuf, PathBuf),
    /// A file exists in the output directory, but was made in another way.
    #[error("{} exists already and was made in another way: choose another directory", .0.display())]
    Other(PathBuf),
    /// The transposition tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}
