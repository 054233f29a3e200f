//! The command line of `match`, and the match that it asks for.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use rejoinder::eval::network::{self, Network};
use rejoinder::params::overrides::{self, SettingError};
use rejoinder::search::Setup;

use crate::elo::Sprt;
use crate::opening_args::OpeningArgs;
use crate::time_control::{NodeClock, TimeControl};

use super::openings::{self, Openings};
use super::run::{ADJUDICATION, HASH, Match, Side};

/// Plays a match between two settings of this engine, A and B, at a fixed number of nodes a move or
/// by a clock that counts nodes.
/// Each opening is played twice with colors reversed. The same arguments give the same games,
/// whatever the number of threads.
///
/// Without --book, the engine makes its own openings of 8 or 9 random plies, as `datagen` does.
/// They depend on --seed alone, so that matches between other networks or settings start from the
/// same positions. --keep stores the games for training; this is possible only without a book.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Maximum number of games; an odd number is rounded up
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Nodes a move of B [default: those of A]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes_b: Option<u64>,
    /// Play by a clock of seconds for the game and for each move instead, where a million nodes are
    /// a second. The load of the machine does not matter, but the engine's time management does
    #[arg(long, value_name = "BASE+INCREMENT", conflicts_with_all = ["nodes", "nodes_b"])]
    pub clock: Option<NodeClock>,
    /// Where the games begin
    #[command(flatten)]
    pub openings: OpeningArgs,
    /// Store the games in this directory as training data for `data` and `train`; the directory is
    /// created if necessary. If an interrupted match is repeated, only the missing games are
    /// stored. Games from a book cannot be kept
    #[arg(long, value_name = "DIR", conflicts_with = "book")]
    pub keep: Option<PathBuf>,
    /// Write the games as PGN into this file, which is created or replaced
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Parameters of A that differ from the default (needs a build with `--features tune`)
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    pub a: Vec<String>,
    /// Parameters of B that differ from the default (needs a build with `--features tune`)
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    pub b: Vec<String>,
    /// Network of A: a file, or `zero` for the untrained network [default: the embedded network]
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network_a: Option<Arc<Network>>,
    /// Network of B: a file, or `zero` for the untrained network [default: the embedded network]
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network_b: Option<Arc<Network>>,
    /// Hash of each player in MB
    #[arg(long, value_name = "MB", default_value_t = HASH, value_parser = megabytes())]
    pub hash: u64,
    /// Hash of B in MB [default: that of A]
    #[arg(long, value_name = "MB", value_parser = megabytes())]
    pub hash_b: Option<u64>,
    /// Stop as soon as a sequential test with 5% error decides whether A is stronger than B by ELO1
    /// or only by ELO0
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    pub sprt: Option<Vec<f64>>,
    /// Seed of the openings, or of their order if there is a book
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Games played at a time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Play every game to its end by the rules of chess
    #[arg(long)]
    pub no_adjudication: bool,
}

/// Accepts the hash sizes that a player may have, in MB.
fn megabytes() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=65536)
}

impl Args {
    /// Returns the match that these arguments describe. Reads the opening book, if one is given.
    pub(super) fn to_match(&self) -> anyhow::Result<Match> {
        let sprt = match self.sprt.as_deref() {
            None => None,
            Some(&[elo0, elo1]) if elo0 < elo1 => Some(Sprt { elo0, elo1 }),
            Some(_) => bail!("--sprt needs two numbers, the lower one first"),
        };
        let time_control = |nodes| {
            self.clock
                .map_or(TimeControl::Nodes(nodes), TimeControl::Clock)
        };
        let (nodes_b, hash_b) = (self.nodes_b, self.hash_b);
        let sides = [
            side(
                &self.a,
                self.network_a.as_ref(),
                time_control(self.nodes),
                self.hash,
            )?,
            side(
                &self.b,
                self.network_b.as_ref(),
                time_control(nodes_b.unwrap_or(self.nodes)),
                hash_b.unwrap_or(self.hash),
            )?,
        ];
        Ok(Match {
            openings: match &self.openings.book {
                Some(book) => Openings::Book(openings::from_book(book, self.games, self.seed)?),
                None => Openings::Own {
                    seed: self.seed,
                    count: self.games.div_ceil(2),
                    chess960_share: self.openings.chess960_share,
                },
            },
            sides,
            sprt,
            adjudication: (!self.no_adjudication).then_some(ADJUDICATION),
            threads: self.threads.map_or_else(num_cpus::get, |n| n as usize),
            keep: self.keep.clone(),
            pgn: self.pgn.clone(),
        })
    }
}

fn side(
    parameters: &[String],
    network: Option<&Arc<Network>>,
    time_control: TimeControl,
    hash: u64,
) -> Result<Side, SettingError> {
    Ok(Side {
        setup: Setup {
            params: overrides::params(parameters)?,
            ..Setup::with_network(network.cloned())
        },
        time_control,
        hash: hash as usize,
    })
}
