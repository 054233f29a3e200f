//! The reasons why a network cannot grow.

use std::path::PathBuf;

use rejoinder::eval::network::LoadError;

use crate::data::shard::ShardError;
use crate::datagen::DatagenError;
use crate::files::FileError;
use crate::matches::MatchError;
use crate::plot::PlotError;
use crate::print::PrintError;
use crate::train::TrainError;

/// A run of `grow` cannot begin or continue.
#[derive(Debug, thiserror::Error)]
pub enum GrowError {
    /// A network cannot be loaded.
    #[error(transparent)]
    Network(#[from] LoadError),
    /// A file of the run cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A shard of games without a manifest cannot be read.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The games cannot be played.
    #[error(transparent)]
    Games(#[from] DatagenError),
    /// The network cannot be trained.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The match cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The run was begun with another network.
    #[error("the run in {} was begun with the network {begun}, not with {given}", dir.display())]
    OtherNetwork {
        /// Directory of the run.
        dir: PathBuf,
        /// Name of the network that the run was begun with.
        begun: String,
        /// Name of the network that was given.
        given: String,
    },
    /// The chart of the strength cannot be drawn or written.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A generation cannot be printed.
    #[error(transparent)]
    Print(#[from] PrintError),
}
