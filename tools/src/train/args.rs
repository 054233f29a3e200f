//! The command line of `train`, and the architecture that it asks for.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Args as _, FromArgMatches};

use rejoinder::eval::network::Architecture;

use crate::values::{self, positive, share};

use super::companion::{self, Companion};
use super::optimizer::WEIGHT_DECAY;
use super::piece_weights::PieceWeights;

/// Trains a network on games of this engine.
///
/// Beside the network, the program writes its weights before rounding (.weights), a run report
/// (.json: data, settings, losses), a chart of the losses (.svg) and a checkpoint, from which
/// `--resume` continues after an interruption. These endings take the place of .rjn and are added to
/// any other name. The same data and seed give the same network.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games (.vf, .vf.zst), or directories that hold such files at any depth
    #[arg(required_unless_present = "benchmark", value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Games to fit the win-rate model to, preferably slower ones [default: the training games]
    #[arg(long, value_name = "PATH")]
    pub win_rate_games: Vec<PathBuf>,
    /// The network file to write
    #[arg(long, default_value = "network.rjn", value_name = "FILE", value_parser = companion::network_to_write())]
    pub out: PathBuf,
    /// Continue from this network instead of small random weights; the new network may be larger.
    /// A checkpoint or a file of unrounded weights (.weights) loses nothing, but cannot grow
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Size of the hidden layer, a multiple of 32 [default: that of the --from network, or 128]
    #[arg(long, value_name = "H")]
    pub hidden: Option<usize>,
    /// Number of king buckets: 1, 4 or 8 [default: that of the --from network, or 1]
    #[arg(long, value_name = "K")]
    pub king_buckets: Option<usize>,
    /// Number of relations between pieces that the network sees, too: 0, 7 (attacks) or 17 (also
    /// pins, pawns, and what could be attacked by the next move) [default: that of the --from
    /// network, or 0]
    #[arg(long, value_name = "R")]
    pub relations: Option<usize>,
    /// Number of epochs over the training positions
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub epochs: u64,
    /// Number of positions to train on in all, instead of whole epochs
    #[arg(long, conflicts_with = "epochs", value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: Option<u64>,
    /// Number of positions in a batch, which is a step of the optimizer
    #[arg(long, default_value_t = 16384, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub batch: u64,
    /// Number of batches in a superbatch, after which the network is validated and a checkpoint is
    /// written
    #[arg(long, value_name = "STEPS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    pub superbatch: u64,
    /// Learning rate after a short warm-up
    #[arg(long, default_value_t = 0.001, value_parser = positive)]
    pub lr: f64,
    /// Learning rate at the end, reached along half a cosine [default: lr · 0.3⁵]
    #[arg(long, value_parser = positive)]
    pub final_lr: Option<f64>,
    /// Share of the learning rate for weights that the --from network has already, 0 to 1; new
    /// relations and hidden units learn at the full rate
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share)]
    pub known_rate: f64,
    /// Share of the learning rate for the weights of single inputs, 0 to 1. With 0 only those learn
    /// that several inputs share (all king buckets, or all squares of a relation), the biases and the
    /// head: few enough for targets as noisy as results
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share)]
    pub own_rate: f64,
    /// Share of the learning rate by which every weight shrinks at each step, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = WEIGHT_DECAY, value_parser = share)]
    pub weight_decay: f64,
    /// Weights of rare inputs divide their steps by at least the root of this many times the mean of
    /// the mean squared gradients of their hidden unit (weighted by themselves), 0 to 10000: they move
    /// less far than by Adam, and the network learns less by heart. 0 for Adam; 64 for noisy targets
    #[arg(long, value_name = "TIMES", default_value_t = 0.0, value_parser = floor)]
    pub floor: f64,
    /// Share of the hidden units that are left out at random at each position, 0 to 0.9: the others
    /// must do without them, so the network learns fewer positions by heart
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = dropout)]
    pub dropout: f64,
    /// WDL weight at the beginning: share of the game's result in the target, 0 to 1; the rest is
    /// the score of the search
    #[arg(long, alias = "blend", value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    pub lambda: f64,
    /// WDL weight at the end, 0 to 1; it changes linearly
    #[arg(long, alias = "blend-end", value_name = "SHARE", default_value_t = 0.1, value_parser = share)]
    pub lambda_end: f64,
    /// K in sigmoid(score / K), the expected points for a score in centipawns [default: fitted to
    /// the data]
    #[arg(long, value_name = "K", value_parser = positive)]
    pub score_scale: Option<f64>,
    /// Power to which the size of an error is raised to give the loss, 1 to 4
    #[arg(long, value_name = "P", default_value_t = 2.0, value_parser = power)]
    pub power: f64,
    /// Weights of positions in the loss by their number of pieces, for example
    /// 8:0.45,16:1,24:1,32:0.75, and linear between these numbers. Validation gives all positions
    /// the same weight [default: 1 for all]
    #[arg(long, value_name = "PIECES:WEIGHT,...")]
    pub piece_weights: Option<PieceWeights>,
    /// Write and validate the running mean of the weights instead of the last ones. It keeps this
    /// share of itself at each step, 0 to 1 (0.999: about the last 1,000 steps), and less at the
    /// beginning of a run
    #[arg(long, value_name = "DECAY", value_parser = share)]
    pub ema: Option<f64>,
    /// First ply of a game to train on, counted from the initial position of chess
    #[arg(long, value_name = "PLY", default_value_t = 16)]
    pub min_ply: usize,
    /// Leave out positions with a score of at least this size in centipawns
    #[arg(long, value_name = "SCORE", default_value_t = 10_000, value_parser = clap::value_parser!(i32).range(1..=32_000))]
    pub max_score: i32,
    /// Train on one position in N of each game, chosen at random by --seed. All positions of a game
    /// share its result, and a network that sees many of them learns it by heart
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub every: u64,
    /// Share of the games that is held out for validation, 0 to 0.5
    #[arg(long, value_name = "SHARE", default_value_t = 0.02, value_parser = validation)]
    pub validation: f64,
    /// Number of threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Memory for the shuffle buffer in MB; if the positions need more, they are shuffled through
    /// files
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    pub memory: u64,
    /// Directory for the files of the shuffle buffer [default: beside the network]
    #[arg(long, value_name = "DIR")]
    pub temp: Option<PathBuf>,
    /// The checkpoint file [default: beside the network]
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// Continue from the checkpoint, if it exists
    #[arg(long)]
    pub resume: bool,
    /// The chart of the losses [default: beside the network]
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Only measure how many positions per second this machine trains on, with random positions
    #[arg(long, conflicts_with_all = ["data", "out", "resume"])]
    pub benchmark: bool,
}

impl Default for Args {
    /// Returns the default values of the command line.
    fn default() -> Self {
        let command = Self::augment_args(clap::Command::new("train"));
        let matches = command.get_matches_from(["train", "games"]);
        Self::from_arg_matches(&matches).expect("the defaults are valid")
    }
}

impl Args {
    /// Returns the path given, or else that beside the network.
    pub(super) fn beside(&self, given: Option<&PathBuf>, companion: Companion) -> PathBuf {
        given
            .cloned()
            .unwrap_or_else(|| companion.beside(&self.out))
    }

    /// Returns the architecture that the arguments ask for; `from` is that of the network to
    /// continue from.
    ///
    /// # Errors
    /// If no network can have this architecture, or if the network to continue from does not fit
    /// into it.
    pub fn architecture(&self, from: Option<Architecture>) -> anyhow::Result<Architecture> {
        let base = from.unwrap_or(Architecture {
            king_buckets: 1,
            relations: 0,
            hidden: 128,
        });
        let architecture = Architecture {
            king_buckets: self.king_buckets.unwrap_or(base.king_buckets),
            relations: self.relations.unwrap_or(base.relations),
            hidden: self.hidden.unwrap_or(base.hidden),
        };
        architecture.check()?;
        match from {
            Some(from) if !from.grows_into(architecture) => {
                let path = self.from.clone().unwrap_or_default();
                let path = path.display();
                bail!("{path} is {from}, which does not fit into {architecture}")
            }
            _ => Ok(architecture),
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads.map_or_else(num_cpus::get, |n| n as usize)
    }
}

fn power(text: &str) -> Result<f64, String> {
    values::number(text, |x| (1.0..=4.0).contains(&x), "from 1 to 4")
}

fn floor(text: &str) -> Result<f64, String> {
    values::number(text, |x| (0.0..=10_000.0).contains(&x), "from 0 to 10000")
}

fn dropout(text: &str) -> Result<f64, String> {
    values::number(text, |x| (0.0..=0.9).contains(&x), "from 0 to 0.9")
}

fn validation(text: &str) -> Result<f64, String> {
    values::number(text, |x| (0.0..=0.5).contains(&x), "from 0 to 0.5")
}
