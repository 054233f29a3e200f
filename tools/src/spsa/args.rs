//! The command line of `spsa`.

use std::path::PathBuf;

use crate::opening_args::OpeningArgs;
use crate::time_control::{NodeClock, TimeControl};

/// Tunes parameters of the engine by SPSA in games against itself at fixed nodes a move, or
/// by a clock that counts nodes (needs a build with `--features tune`).
///
/// Each iteration plays one random change of all parameters against its opposite and moves them
/// toward the winner. The file of --out is written every 30 seconds. The program may be stopped at
/// any time; the same command with --resume continues.
///
/// Without --book, the engine makes its own openings of 8 or 9 random plies, as `datagen` does,
/// chosen by --seed. --keep stores the games for training; this is possible only without a book.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// File that keeps the state of the run
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Continue the run in this file, if it exists; the parameters need not be named again
    #[arg(long)]
    pub resume: bool,
    /// Only show the run in this file, without playing
    #[arg(long, conflicts_with_all = ["resume", "iterations", "book", "chess960_share", "keep", "params", "only"])]
    pub show: bool,
    /// Number of iterations of the whole run; a resumed run may have another length
    #[arg(long, value_name = "N", required_unless_present = "show", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub iterations: Option<u64>,
    /// Where the games begin
    #[command(flatten)]
    pub openings: OpeningArgs,
    /// Store the games in this directory as training data for `data` and `train`; the directory is
    /// created if necessary. A resumed run continues with new files. Games from a book cannot be
    /// kept
    #[arg(long, value_name = "DIR", conflicts_with = "book")]
    pub keep: Option<PathBuf>,
    /// Number of openings of an iteration, each played twice with colors reversed
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Play by a clock of seconds for the game and for each move instead, where a million nodes are
    /// a second. Then the parameters of the time management can be tuned, too
    #[arg(long, value_name = "BASE+INCREMENT", conflicts_with = "nodes")]
    pub clock: Option<NodeClock>,
    /// Hash of each player in MB
    #[arg(long, value_name = "MB", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: u64,
    /// Iterations played at a time [default: the number of cores]. A run on one thread is the same
    /// every time
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Seed of the openings and of the changes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Tune the parameters in this file, in the form that `rejoinder params` prints [default: all
    /// parameters that such games can judge]
    #[arg(long, value_name = "FILE")]
    pub params: Option<PathBuf>,
    /// Tune only those parameters whose names begin with one of these prefixes
    #[arg(long, value_name = "PREFIX,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Draw the path of each parameter to this file as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

impl Args {
    /// Returns the limit of the searches.
    pub fn time_control(&self) -> TimeControl {
        self.clock
            .map_or(TimeControl::Nodes(self.nodes), TimeControl::Clock)
    }
}
