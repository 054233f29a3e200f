//! `rejoinder spsa`: tunes the engine's numbers by games against itself. docs/tuning.md shows how it is used.

pub mod algorithm;
pub mod checkpoint;
pub mod report;
pub mod run;

use std::io;
use std::path::PathBuf;

use rejoinder::memory::MemoryError;

use crate::data::kept::KeepError;
use crate::data::shard::ShardError;
use crate::opener;
use rejoinder::commands::book::BookError;
use rejoinder::commands::tunables::ParamsError;

use checkpoint::State;

/// Tunes numbers of the engine by SPSA, in games against itself at fixed nodes a move (needs a build with `--features tune`).
///
/// Each iteration plays one random change of all the numbers against its opposite, and moves them toward the winner. The file of --out is
/// written every half minute; the program may be stopped at any time, and the same command with --resume goes on.
///
/// Without --book, the openings are the engine's own: 8 or 9 random plies, such as `datagen` plays from, chosen by --seed. Only then may
/// --keep store the games for training.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// File that keeps the state of the run
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Go on with the run in this file, if there is one; the numbers need not be named again
    #[arg(long)]
    pub resume: bool,
    /// Play nothing, only show the run in this file
    #[arg(long, conflicts_with_all = ["resume", "iterations", "book", "chess960_share", "keep", "params", "only"])]
    pub show: bool,
    /// Iterations of the whole run; a resumed one may be given another length
    #[arg(long, value_name = "N", required_unless_present = "show", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub iterations: Option<u64>,
    /// Opening book: a file with one EPD or FEN a line. Without it, the engine makes its own openings, as `datagen` does: 8 or 9 random plies
    /// that leave neither side lost, chosen by --seed
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Share of the engine's own openings that begin from a Chess960 start, 0 to 1; half of those are double Chess960 [default: 0]
    #[arg(long, value_name = "SHARE", conflicts_with = "book", value_parser = opener::share)]
    pub chess960_share: Option<f64>,
    /// Store the games in this directory as training data, in files for `data` and `train`; the directory is made if need be. A resumed run
    /// goes on with new files. Games from a book cannot be kept
    #[arg(long, value_name = "DIR", conflicts_with = "book")]
    pub keep: Option<PathBuf>,
    /// Openings of an iteration, each played twice with colours reversed
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Hash of each player in MB
    #[arg(long, value_name = "MB", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: u64,
    /// Iterations at a time; all cores if not given. A run on one thread is the same every time
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Chooses the openings and the changes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Tune the numbers of these lines, which `rejoinder params` prints; if not given, all that such games can judge
    #[arg(long, value_name = "FILE")]
    pub params: Option<PathBuf>,
    /// Of those, only the numbers whose names begin with one of these
    #[arg(long, value_name = "PREFIX,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Draw the path of each number as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
}

/// Why numbers cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum SpsaError {
    /// The numbers of this build are constants.
    #[error("numbers are constants in this build; build with `--features tune`")]
    Constants,
    /// A number cannot be set.
    #[error("{0}")]
    Parameter(String),
    /// The choice of numbers is no good.
    #[error(transparent)]
    Params(#[from] ParamsError),
    /// The book is no good.
    #[error(transparent)]
    Book(#[from] BookError),
    /// There is a run already.
    #[error("{} is there already: go on with --resume, or remove it", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// There is no run.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is not what was written.
    #[error("{} is no run of spsa, or is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The run was begun with other settings.
    #[error("{}: the run cannot go on, because {reason}", path.display())]
    Differs {
        /// The file.
        path: PathBuf,
        /// What differs, and how.
        reason: String,
    },
    /// The file, or one with games, cannot be written.
    #[error(transparent)]
    Write(#[from] ShardError),
    /// The directory of the games is of no use.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// The paths cannot be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Plot {
        /// The picture.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Output(#[from] io::Error),
}

/// Tunes, or shows what was tuned.
///
/// # Errors
/// Says what is wrong with the arguments, the book, the file of the run or the directory for the games, or that memory is short.
pub fn run(args: &Args) -> Result<(), SpsaError> {
    report::print(&state(args)?, &mut io::stdout())?;
    Ok(())
}

/// The run that the arguments mean, played to its end if it is not only to be shown.
fn state(args: &Args) -> Result<State, SpsaError> {
    if let Some(iterations) = args.iterations {
        return run::tune(args, iterations);
    }
    // Only --show does without.
    let state = checkpoint::load(&args.out)?;
    report::draw(args.plot.as_deref(), &state)?;
    Ok(state)
}
