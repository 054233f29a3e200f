//! The reasons why training fails.

use std::path::PathBuf;

use rejoinder::eval::network::{Architecture, ArchitectureError, LoadError, NetworkError};
use rejoinder::memory::MemoryError;

use crate::data::shard::ShardError;
use crate::files::FileError;
use crate::plot::PlotError;
use crate::print::PrintError;

/// A network cannot be trained.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A directory has no file of games.
    #[error("there is no .vf or .vf.zst file in {}", path.display())]
    NoFiles {
        /// The directory.
        path: PathBuf,
    },
    /// The games have no position to train on.
    #[error("none of the positions of these {games} games can be trained on")]
    NoPositions {
        /// Number of games read.
        games: u64,
    },
    /// The games have no position to fit the win-rate model to.
    #[error("these {files} files of games have no position with a score")]
    NoScores {
        /// Number of files read.
        files: usize,
    },
    /// The network to continue from cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No network can have the architecture asked for.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// The network to continue from does not fit into the new one.
    #[error("{} is {from}, which does not fit into {to}", path.display())]
    DoesNotFit {
        /// The file.
        path: PathBuf,
        /// Architecture of the network to continue from.
        from: Architecture,
        /// Architecture of the new network.
        to: Architecture,
    },
    /// Unrounded weights are those of another architecture.
    #[error("{} is {from}, and unrounded weights cannot become {to}: continue from the network file beside them", path.display())]
    CannotGrow {
        /// The file.
        path: PathBuf,
        /// Architecture of the weights.
        from: Architecture,
        /// Architecture of the new network.
        to: Architecture,
    },
    /// A file of games cannot be read or is damaged.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not a checkpoint, or is damaged.
    #[error("{} is not a checkpoint, or is damaged: remove it, or leave out --resume or --from", path.display())]
    DamagedCheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The checkpoint belongs to a run with other settings.
    #[error("{}: the checkpoint was made with {name} = {then}, but this run has {now}", path.display())]
    OtherSettings {
        /// The file.
        path: PathBuf,
        /// Name of the setting that differs.
        name: String,
        /// Its value in the checkpoint.
        then: String,
        /// Its value now.
        now: String,
    },
    /// The training has diverged.
    #[error("the loss is not a number after step {step}: choose a lower learning rate")]
    Diverged {
        /// Number of the step, from 0.
        step: u64,
    },
    /// The chart of the losses cannot be drawn or written.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// The training data does not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The trained weights cannot be a network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The progress or the result cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}
