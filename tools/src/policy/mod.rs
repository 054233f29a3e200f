//! `rejoinder-tools learn-policy`: trains the network that orders quiet moves on the moves that the
//! engine found best in games against itself.

pub mod dataset;
mod trainer;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use arrayvec::ArrayVec;

use crate::data::{find, shard};
use crate::files;
use crate::print::print;
use crate::values;
use rejoinder::board::Board;
use rejoinder::ordering::policy::{HIDDEN, OUTPUTS_A_MOVE, SHAPE, View};
use rejoinder::ordering::small_net::{Shape, SmallNet};
use rejoinder::types::{Move, Played, Rng, Score};

use dataset::PolicyDataset;
use trainer::{Accuracy, Settings};

/// Positions with a score of at least this size in centipawns are left out, because any move wins
/// or loses.
const MAX_SCORE: Score = 2000;

/// Trains the policy network on games of the engine.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games, or directories that hold such files
    #[arg(long, required = true, num_args = 1..)]
    pub data: Vec<PathBuf>,
    /// The network file to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Train this network further instead of a new one
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Learning rate after the warm-up
    #[arg(long, default_value_t = 0.003, value_parser = values::positive)]
    pub lr: f64,
    /// Number of epochs
    #[arg(long, default_value_t = 6)]
    pub epochs: u64,
    /// Maximum number of positions to train on; each takes about 300 bytes of memory
    #[arg(long, default_value_t = 10_000_000)]
    pub positions: usize,
    /// Share of the games that is held out for validation, 0 to 1
    #[arg(long, default_value_t = 0.02, value_parser = values::share)]
    pub validation: f64,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Trains the policy network of the engine.
///
/// # Errors
/// If a file cannot be read or written, or the games have too few positions.
pub fn run(args: &Args) -> anyhow::Result<()> {
    learn::<HIDDEN>(args, SHAPE, |seen, dataset| {
        let board = seen.board;
        let view = View::new(board, board.threats(), board.check_info());
        let outputs = |&mv: &Move| {
            let kind = board.describe(mv).piece.kind();
            let both = [view.from(kind, mv.from()), view.to(kind, mv.to())];
            let all = both.into_iter().chain(view.check(kind, mv.to()));
            all.map(|output| output as u16)
                .collect::<ArrayVec<u16, OUTPUTS_A_MOVE>>()
        };
        let mut inputs = Vec::new();
        view.inputs(board, seen.last, |input| inputs.push(input));
        dataset.push(inputs, seen.quiets.iter().map(outputs), seen.best);
    })
}

/// A position with several quiet moves, one of which the search found best.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The position.
    pub board: &'a Board,
    /// The move before, or [`Played::NONE`] at the beginning of the game.
    pub last: Played,
    /// The quiet moves.
    pub quiets: &'a [Move],
    /// Index of the best quiet move.
    pub best: usize,
}

/// Trains a network. `see` adds a position to the dataset in the form of the network's inputs and
/// outputs.
///
/// # Errors
/// If a file cannot be read or written, or the games have too few positions.
pub fn learn<const H: usize>(
    args: &Args,
    shape: Shape,
    see: impl Fn(Seen, &mut PolicyDataset),
) -> anyhow::Result<()> {
    let from = args.from.as_deref();
    let from = from
        .map(|path| read_network::<H>(path, shape))
        .transpose()?;
    let [training, validation] = read(args, see)?;
    if training.is_empty() || validation.is_empty() {
        bail!("these games have too few positions with a quiet best move");
    }
    print(format_args!(
        "{}: {} positions to train on, {} for validation\n",
        args.out.display(),
        training.len(),
        validation.len()
    ))?;
    let accuracy = |network: &SmallNet<H>| Accuracy::network(network, &validation);
    print(format_args!(
        "  as generated: {}\n",
        Accuracy::generated(&validation)
    ))?;
    if let Some(from) = &from {
        print(format_args!("  before:       {}\n", accuracy(from)))?;
    }
    let settings = Settings {
        epochs: args.epochs,
        rate: args.lr,
        seed: args.seed,
    };
    let network = trainer::learn(shape, from.as_ref(), &training, settings);
    print(format_args!("  network:      {}\n", accuracy(&network)))?;
    Ok(files::replace(&args.out, &network.to_bytes())?)
}

/// Reads a network file.
fn read_network<const H: usize>(path: &Path, shape: Shape) -> anyhow::Result<SmallNet<H>> {
    let bytes = files::read(path)?;
    SmallNet::read(&bytes, shape).with_context(|| format!("cannot use {}", path.display()))
}

/// Reads the training and the validation dataset; all positions of a game belong to the same one.
fn read(args: &Args, see: impl Fn(Seen, &mut PolicyDataset)) -> anyhow::Result<[PolicyDataset; 2]> {
    let mut datasets = [PolicyDataset::default(), PolicyDataset::default()];
    let mut games = 0;
    for path in find::shards(&args.data)? {
        let bytes = shard::read(&path)?;
        for game in shard::games(&path, &bytes) {
            let game = game?;
            if datasets[0].len() >= args.positions {
                return Ok(datasets);
            }
            let validates = Rng::stream(args.seed, games).chance(args.validation);
            let dataset = &mut datasets[usize::from(validates)];
            games += 1;
            let mut board = game.opening;
            let mut last = Played::NONE;
            for (mv, score) in game.moves {
                let quiets = board.quiets();
                // A single move is not a choice.
                if score.abs() < MAX_SCORE
                    && quiets.len() > 1
                    && let Some(best) = quiets.iter().position(|&quiet| quiet == mv)
                {
                    let seen = Seen {
                        board: &board,
                        last,
                        quiets: &quiets,
                        best,
                    };
                    see(seen, dataset);
                }
                last = board.describe(mv);
                board.make(mv);
            }
        }
    }
    Ok(datasets)
}
