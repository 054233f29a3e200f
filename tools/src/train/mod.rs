//! `rejoinder train`: from games to a network, on the CPU alone.
//!
//! The games' quiet positions are shuffled all through each other, and a network learns pass after pass to foretell a blend
//! of the game's result and of what the search said. At the end its numbers are rounded to those of a network file.

pub mod benchmark;
pub mod checkpoint;
pub mod head;
pub mod history;
pub mod loader;
pub mod model;
pub mod optimizer;
pub mod quantize;
pub mod rounding;
pub mod run;
pub mod run_report;
pub mod sample;
pub mod shuffle;
pub mod trainer;
pub mod win_rate;

#[cfg(test)]
mod fixtures;

use std::io;
use std::path::PathBuf;

use clap::{Args as _, FromArgMatches};

use rejoinder::eval::network::{Architecture, ArchitectureError, Head, LoadError, NetworkError};
use rejoinder::memory::MemoryError;

use crate::data::shard::ShardError;
use crate::data::viri::BadGame;

use model::Shape;

/// Trains a network on games of this engine, and says how well it learnt.
///
/// Beside the network go a run_report (.json: data, settings, losses), a picture of the losses (.svg) and a checkpoint, from which
/// `--resume` goes on after the program was stopped. The same data, seed and number of threads give the same network.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games (.vf, .vf.zst), or directories that hold such files at any depth
    #[arg(required_unless_present = "benchmark", value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Games that say what a score is worth to users, if not those to learn from: slower ones are better
    #[arg(long, value_name = "PATH")]
    pub win_rate_games: Vec<PathBuf>,
    /// The network file to write
    #[arg(long, default_value = "network.rjn", value_name = "FILE")]
    pub out: PathBuf,
    /// Train this network on instead of beginning with small random numbers; the new one may be larger
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Size of the hidden layer, a multiple of 32, or of 64 with `--layered` [default: that of the network trained on, or 128]
    #[arg(long, value_name = "H")]
    pub hidden: Option<usize>,
    /// King buckets: 1, 4 or 8 [default: those of the network trained on, or 1]
    #[arg(long, value_name = "K")]
    pub king_buckets: Option<usize>,
    /// Two layers of 16 and 32 units behind the hidden layer [default: as in the network trained on, or none]
    #[arg(long)]
    pub layered: bool,
    /// Passes over the data
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub epochs: u64,
    /// Positions to learn from in all, instead of whole passes
    #[arg(long, conflicts_with = "epochs", value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: Option<u64>,
    /// Positions in a step of the optimizer
    #[arg(long, default_value_t = 16384, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub batch: u64,
    /// Steps between two checkpoints, each with a validation
    #[arg(long, value_name = "STEPS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    pub superbatch: u64,
    /// Learning rate after a short warm-up
    #[arg(long, default_value_t = 0.001, value_parser = positive)]
    pub lr: f64,
    /// Learning rate at the end, reached along half a cosine; lr · 0.3⁵ if not given
    #[arg(long, value_parser = positive)]
    pub final_lr: Option<f64>,
    /// Share of the game's result in the target at the beginning, 0 to 1; the rest is the search's score
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pub blend: f64,
    /// The same at the end, reached along a straight line
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub blend_end: f64,
    /// K in sigmoid(score / K), the expected points for a score in centipawns; fitted to the data if not given
    #[arg(long, value_name = "K", value_parser = positive)]
    pub score_scale: Option<f64>,
    /// The loss is the size of an error raised to this power
    #[arg(long, value_name = "P", default_value_t = 2.0, value_parser = power)]
    pub power: f64,
    /// Weight of a position with two pieces, 0 to 1, where one with 32 pieces weighs 1; a straight line lies between. Validation weighs all alike
    #[arg(long, value_name = "WEIGHT", default_value_t = 1.0, value_parser = share)]
    pub few_pieces: f64,
    /// First ply of a game to learn from, counted from the start of chess
    #[arg(long, value_name = "PLY", default_value_t = 16)]
    pub min_ply: usize,
    /// Positions with scores of this size or more are left out, centipawns
    #[arg(long, value_name = "SCORE", default_value_t = 10_000, value_parser = clap::value_parser!(i32).range(1..=32_000))]
    pub max_score: i32,
    /// Share of the games that is held out to validate with, 0 to 0.5
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = validation)]
    pub validation: f64,
    /// Threads; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Which random numbers to take
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Memory for the positions that are being shuffled, in MB; more positions than that go through files
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub memory: u64,
    /// Directory for these files; beside the network if not given
    #[arg(long, value_name = "DIR")]
    pub temp: Option<PathBuf>,
    /// Where the checkpoint is; beside the network if not given
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint, if there is one
    #[arg(long)]
    pub resume: bool,
    /// Where the picture of the losses goes; beside the network if not given
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Only measure how many made-up positions a second this machine learns from
    #[arg(long, conflicts_with_all = ["data", "out", "resume"])]
    pub benchmark: bool,
}

impl Default for Args {
    /// What the command line leaves open.
    fn default() -> Self {
        let command = Self::augment_args(clap::Command::new("train"));
        let matches = command.get_matches_from(["train", "games"]);
        Self::from_arg_matches(&matches).expect("the defaults are good")
    }
}

impl Args {
    /// A file beside the network, with another ending.
    fn beside(&self, given: Option<&PathBuf>, ending: &str) -> PathBuf {
        given
            .cloned()
            .unwrap_or_else(|| self.out.with_extension(ending))
    }

    /// The architecture of the network asked for, where `from` is that of the network trained on.
    ///
    /// # Errors
    /// If no network can have it, or if the network trained on does not fit into it.
    pub fn architecture(&self, from: Option<Architecture>) -> Result<Architecture, TrainError> {
        let usual = from.unwrap_or(Architecture {
            king_buckets: 1,
            hidden: 128,
            head: Head::Direct,
        });
        let architecture = Architecture {
            head: if self.layered {
                Head::Layered
            } else {
                usual.head
            },
            king_buckets: self.king_buckets.unwrap_or(usual.king_buckets),
            hidden: self.hidden.unwrap_or(usual.hidden),
        };
        architecture.check()?;
        match from {
            Some(from) if !from.grows_into(architecture) => Err(TrainError::DoesNotFit {
                path: self.from.clone().unwrap_or_default(),
                from,
                to: architecture,
            }),
            _ => Ok(architecture),
        }
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(num_cpus::get, |n| n as usize)
    }
}

fn number(text: &str, fits: impl Fn(f64) -> bool, wanted: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number| fits(number));
    number.ok_or_else(|| format!("must be a number {wanted}"))
}

fn positive(text: &str) -> Result<f64, String> {
    number(text, |x| x > 0.0 && x <= 1e5, "above 0")
}

fn power(text: &str) -> Result<f64, String> {
    number(text, |x| (1.0..=4.0).contains(&x), "from 1 to 4")
}

fn share(text: &str) -> Result<f64, String> {
    number(text, |x| (0.0..=1.0).contains(&x), "from 0 to 1")
}

fn validation(text: &str) -> Result<f64, String> {
    number(text, |x| (0.0..=0.5).contains(&x), "from 0 to 0.5")
}

/// Why there is no network.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// No file of games where one was said to be.
    #[error("there is no .vf or .vf.zst file in {}", path.display())]
    NoFiles {
        /// The directory.
        path: PathBuf,
    },
    /// Games, but nothing to learn.
    #[error("no position of these {games} games is fit to learn from")]
    NoPositions {
        /// Games read.
        games: u64,
    },
    /// The network that is to be trained on cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// No network can have the architecture asked for.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// The network that is to be trained on does not fit into the new one.
    #[error("{} is {from}, which does not fit into {to}", path.display())]
    DoesNotFit {
        /// The file.
        path: PathBuf,
        /// What it is.
        from: Architecture,
        /// What was asked for.
        to: Architecture,
    },
    /// A file of games cannot be read.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A file of games is damaged.
    #[error("{}: {source}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// Which game, and what is wrong with it.
        source: BadGame,
    },
    /// The system does not give a file or directory.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses; a full disk among other reasons.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A checkpoint is not what was written.
    #[error("{} is no checkpoint, or is damaged: remove it, or leave out --resume", path.display())]
    DamagedCheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// A checkpoint of another run.
    #[error("{}: its run had {name} = {then}, this one has {now}", path.display())]
    OtherSettings {
        /// The file.
        path: PathBuf,
        /// What is different.
        name: String,
        /// What it was.
        then: String,
        /// What it is.
        now: String,
    },
    /// The numbers have run away.
    #[error("the loss is no number after step {step}: choose a lower learning rate")]
    Diverged {
        /// Batches learnt from.
        step: u64,
    },
    /// The losses cannot be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Plot {
        /// The picture.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The machine is too small.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result is no network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// What was found cannot be printed.
    #[error("cannot print: {0}")]
    Output(#[from] io::Error),
}

/// Trains a network, or measures how fast that would be.
///
/// # Errors
/// Names the file or the number that is at fault.
pub fn run(args: &Args) -> Result<(), TrainError> {
    if args.benchmark {
        benchmark::run(
            Shape(args.architecture(None)?),
            args.batch as usize,
            args.threads(),
            &mut io::stdout(),
        )?;
        return Ok(());
    }
    run::run(args)
}
