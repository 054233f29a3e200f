//! The command line of `datagen`, and the run that it begins or resumes.

use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rejoinder::build_info;
use rejoinder::eval::network::{self, Network};
use rejoinder::search::Setup;
use rejoinder::types::Rng;

use crate::data::origin::{DatagenSettings, Mixture};
use crate::data::tally::Tally;
use crate::values;

use super::mixture_args::MixtureArgs;
use super::run::{Run, RunError};

/// Usual nodes of a label.
pub const NODES: u64 = 200;

/// Plays games of this engine against itself and stores them, with the scores of some plies (the
/// labels), in viriformat.
///
/// Moves are searched with few nodes and some are random; labels are searched with many. A game
/// depends only on the settings, the seed and its number. Files appear under their names when they
/// are complete on the disk. The program may be stopped at any time and loses at most the games of
/// unfinished files; the same command with --resume continues.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Directory for the files; it is created if necessary
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Stop after this number of games, including those of earlier parts of the run
    #[arg(long, required_unless_present = "positions", conflicts_with = "positions", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// Stop after this number of useful positions, including those of earlier parts of the run:
    /// training keeps them, more than seven pieces are on the board, and the score is under 800
    /// centipawns. Without labels, all positions count
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: Option<u64>,
    /// Continue the run in DIR; settings that are not given stay as the run was begun
    #[arg(long)]
    pub resume: bool,
    /// Network to play with: a file, or `zero` for the untrained network [default: the embedded
    /// network]
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network: Option<Arc<Network>>,
    /// Nodes after which a search that gives a label begins no new iteration [default: 200]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub nodes: Option<u64>,
    /// Label one ply in N, chosen at random, unless training would drop it; 0 for no labels, if
    /// the games are for `data rescore --td-lambda` [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=1000))]
    pub label_every: Option<u64>,
    /// How the moves are played.
    #[command(flatten)]
    pub mixture: MixtureArgs,
    /// Parameters of the search that differ from the default (needs a build with `--features tune`)
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    pub params: Vec<String>,
    /// A search ends at once after the number of its nodes times this factor [default: 8]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub hard_factor: Option<u64>,
    /// Games played at a time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Seed of the games [default: a new one, or with --resume that of the only run in DIR]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Share of the games that begin from a Chess960 start, 0 to 1; half of those are double
    /// Chess960 [default: 0.15]
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub chess960_share: Option<f64>,
    /// Hash in MB, shared by both sides of a game [default: 2]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: Option<u64>,
    /// Games in a file [default: 1000]
    #[arg(long, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub shard_games: Option<u64>,
    /// Time at which the run stops even if it has fewer games.
    #[arg(skip)]
    pub until: Option<Instant>,
}

impl Args {
    /// Returns the settings that the arguments ask for; `others` supplies those that are not given.
    fn settings(&self, setup: &Setup, others: &DatagenSettings) -> DatagenSettings {
        let usual = || match self.label_every {
            Some(0) => Mixture::without_labels(),
            _ => Mixture::default(),
        };
        let mixture = others.mixture.unwrap_or_else(usual);
        DatagenSettings {
            engine: build_info::ENGINE.to_owned(),
            network: setup.network.name(),
            nodes: self.nodes.unwrap_or(others.nodes),
            mixture: Some(self.mixture.over(self.label_every, mixture)),
            params: if self.params.is_empty() {
                others.params.clone()
            } else {
                self.params.clone()
            },
            hard_factor: self.hard_factor.unwrap_or(others.hard_factor),
            hash: self.hash.unwrap_or(others.hash),
            chess960_share: self.chess960_share.unwrap_or(others.chess960_share),
            seed: self.seed.unwrap_or(others.seed),
            threads: self.threads.unwrap_or(others.threads),
            shard_games: self.shard_games.unwrap_or(others.shard_games),
        }
    }

    /// Begins or resumes the run.
    pub(super) fn open(&self, setup: &Setup) -> Result<Run, RunError> {
        if self.resume {
            return Run::resume(&self.out, self.seed, |begun| self.settings(setup, begun));
        }
        let usual = DatagenSettings {
            engine: String::new(),
            network: String::new(),
            nodes: NODES,
            mixture: None,
            params: Vec::new(),
            hard_factor: 8,
            hash: 2,
            chess960_share: 0.15,
            seed: fresh_seed(),
            threads: num_cpus::get() as u64,
            shard_games: 1000,
        };
        Run::begin(&self.out, self.settings(setup, &usual))
    }

    /// Progress towards the target, in positions or games.
    pub(super) fn done(&self, settings: &DatagenSettings, tally: &Tally) -> u64 {
        if self.positions.is_some() {
            settings.counted(tally).0
        } else {
            tally.games()
        }
    }
}

/// Returns a seed that depends on the time and the process, so that no two runs have the same.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |now| now.as_nanos() as u64);
    Rng::stream(nanoseconds, u64::from(process::id())).next()
}
