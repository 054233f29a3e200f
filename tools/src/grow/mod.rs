//! `rejoinder grow`: a network that grows by playing itself, generation after generation, for as long as it is left to run.
//!
//! A generation plays games with the newest network, trains that network on with the newest positions, and plays a match between
//! the two. A network that is not worse takes its place. The program may be killed at any moment; the same command goes on.

mod history;
mod plan;
mod run;

use std::io;
use std::path::PathBuf;

use rejoinder::eval::network::LoadError;

use crate::data::shard::ShardError;
use crate::datagen::DatagenError;
use crate::matches::MatchError;
use crate::train::TrainError;

/// Grows a network from games of the engine against itself.
///
/// DIR keeps everything: `games` by generation, `networks`, and `grow.json` with a line for each generation; `grow.svg` shows the strength over
/// the positions played. Settings that are not given are those the run was last given, or the defaults.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory of the run, made if need be
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Network to begin a new run with: a file, or `zero` for the one that knows nothing [default: zero]
    #[arg(long, value_name = "FILE")]
    pub network: Option<String>,
    /// Stop after so many hours; what is unfinished then is finished by the next run
    #[arg(long)]
    pub hours: Option<f64>,
    /// Stop when the run has so many generations
    #[arg(long)]
    pub generations: Option<usize>,
    /// Older games of this engine to learn from as well: files, or directories that hold such files at any depth
    #[arg(long, value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Nodes after which no new iteration begins, for the games [default: 300]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: Option<u64>,
    /// Positions to learn from that a generation plays [default: 2000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..))]
    pub positions: Option<u64>,
    /// A generation learns from so many of the newest positions [default: 20000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..))]
    pub window: Option<u64>,
    /// Size of the hidden layer, a multiple of 32, or of 64 with a layered head: the network grows to it [default: that of the first network, or 128]
    #[arg(long, value_name = "H")]
    pub hidden: Option<usize>,
    /// King buckets, 1, 4 or 8: the network grows to them [default: those of the first network, or 1]
    #[arg(long, value_name = "K")]
    pub king_buckets: Option<usize>,
    /// Learning rate at the beginning of each generation; if it was never given, it falls as positions come together
    #[arg(long)]
    pub lr: Option<f64>,
    /// Share of the game's result in the targets, 0 to 1; the rest is the search's score [default: 0]
    #[arg(long, value_name = "SHARE")]
    pub blend: Option<f64>,
    /// Games between each network and the one before it; a third as many are played against the first network [default: 900]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub games: Option<u64>,
    /// Nodes a move in these games [default: 2000]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    pub match_nodes: Option<u64>,
    /// Threads; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
}

/// Why a network does not grow.
#[derive(Debug, thiserror::Error)]
pub enum GrowError {
    /// The network to begin with is no good.
    #[error(transparent)]
    Network(#[from] LoadError),
    /// A file of the run cannot be read or written.
    #[error(transparent)]
    File(#[from] ShardError),
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
        /// The directory of the run.
        dir: PathBuf,
        /// Name of the network it was begun with.
        begun: String,
        /// Name of the network that was given.
        given: String,
    },
    /// The strength cannot be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Plot {
        /// The picture.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// What was found cannot be printed.
    #[error("cannot print: {0}")]
    Output(#[from] io::Error),
}

/// Grows a network until the time or the number of generations given is reached.
///
/// # Errors
/// Names the file or the setting that is at fault.
pub fn run(args: &Args) -> Result<(), GrowError> {
    run::run(args)
}
