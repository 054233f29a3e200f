//! The command line of `grow`.

use std::path::PathBuf;

use crate::datagen::MixtureArgs;
use crate::values;

/// Grows a network from games of the engine against itself.
///
/// DIR holds the whole run: `games` by generation, `networks`, `grow.json` with an entry for each
/// generation, and `grow.svg` with the strength over the number of positions played. Settings that
/// are not given stay as they were last given, or are the defaults.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory of the run; it is created if necessary
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// First network of a new run: a file, or `zero` for the untrained network [default: zero]
    #[arg(long, value_name = "FILE")]
    pub network: Option<String>,
    /// Stop after this number of hours; the next run continues the unfinished generation
    #[arg(long, value_parser = hours)]
    pub hours: Option<f64>,
    /// Stop when the run has this number of generations
    #[arg(long)]
    pub generations: Option<usize>,
    /// Older games of this engine to train on as well: files, or directories that hold such files
    /// at any depth
    #[arg(long, value_name = "PATH")]
    pub data: Vec<PathBuf>,
    /// Nodes after which a search of the games that gives a label begins no new iteration
    /// [default: 200]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: Option<u64>,
    /// Label one ply in N, chosen at random, unless training would drop it [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub label_every: Option<u64>,
    /// How the moves of the games are played.
    #[command(flatten)]
    pub mixture: MixtureArgs,
    /// Parameters of the search of the games that differ from the default (needs a build with
    /// `--features tune`)
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    pub params: Vec<String>,
    /// Number of positions to train on that the games of a generation yield [default: 2000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..))]
    pub positions: Option<u64>,
    /// Number of the newest positions that a generation trains on [default: 20000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1000..))]
    pub window: Option<u64>,
    /// Size of the hidden layer, a multiple of 32; the network grows to this size [default: that of
    /// the first network, or 128]
    #[arg(long, value_name = "H")]
    pub hidden: Option<usize>,
    /// Number of king buckets, 1, 4 or 8; the network grows to it [default: those of the first
    /// network, or 1]
    #[arg(long, value_name = "K")]
    pub king_buckets: Option<usize>,
    /// Number of relations between pieces that the network sees, 0, 7 or 17; the network grows to
    /// it [default: that of the first network, or 0]
    #[arg(long, value_name = "R")]
    pub relations: Option<usize>,
    /// Learning rate at the beginning of each generation [default: falls with the number of
    /// positions played]
    #[arg(long, value_parser = values::positive)]
    pub lr: Option<f64>,
    /// Share of the game's result in the training target of the last pass, 0 to 1; the rest is the
    /// score of the search. The first pass learns from scores only. 0 omits the last pass
    /// [default: 0.5]
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub results: Option<f64>,
    /// Whether a generation's network is the mean of the network before and of what it became by
    /// training: half of the step, which keeps less of what is particular to the newest games
    /// [default: true unless the run began with the untrained network]
    #[arg(long, value_name = "BOOL")]
    pub mean: Option<bool>,
    /// Number of games between each network and the one before it; a third as many are played
    /// against the first network [default: 900]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub games: Option<u64>,
    /// Nodes a move in the match games [default: 2000]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..))]
    pub match_nodes: Option<u64>,
    /// Number of threads [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
}

fn hours(text: &str) -> Result<f64, String> {
    values::number(text, |x| (0.0..=1e6).contains(&x), "from 0 to 1,000,000")
}
