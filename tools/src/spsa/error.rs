//! The reasons why parameters cannot be tuned.

use std::path::PathBuf;

use rejoinder::board::book::BookError;
use rejoinder::commands::tunables::ParamsError;
use rejoinder::memory::MemoryError;

use crate::data::kept::KeepError;
use crate::data::shard::ShardError;
use crate::files::FileError;
use crate::plot::PlotError;
use crate::print::PrintError;

/// Parameters cannot be tuned, or the result is lost.
#[derive(Debug, thiserror::Error)]
pub enum SpsaError {
    /// The parameters of this build are constants.
    #[error("the parameters of this build are constants; build with `--features tune`")]
    Constants,
    /// A parameter does not exist or cannot have this value.
    #[error("{0}")]
    Parameter(String),
    /// The choice of parameters is invalid.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// The opening book cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The file holds a run already.
    #[error("{} exists already: continue with --resume, or remove it", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file does not hold a run, or is damaged.
    #[error("{} is not a run of spsa, or is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// The run was begun with other settings.
    #[error("{}: the run cannot continue, because {reason}", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// The settings that differ.
        reason: String,
    },
    /// The file of the run cannot be read, or a file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A game does not fit the file format.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The directory for the games cannot be used.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// The paths of the parameters cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The transposition tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}
