//! `rejoinder learn-moves`: the small networks of the ordering laboratory, from the moves that the engine found best in
//! games against itself.

mod lessons;
mod trainer;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::board::Board;
use crate::ordering::lab::small_net::Shape;
use crate::ordering::lab::{chessmaps, move_map};
use crate::tools::data::filter::Filter;
use crate::tools::data::shard::ShardError;
use crate::tools::data::{DataError, shard, shards, viri};
use crate::types::{Move, Rng};

use lessons::Lessons;
use trainer::Accuracy;

/// What to learn from, and where it goes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games, or directories of them
    #[arg(long, required = true, num_args = 1..)]
    pub data: Vec<PathBuf>,
    /// Where the neural move map goes
    #[arg(long, value_name = "FILE")]
    pub out_map: PathBuf,
    /// Where the network of the chessmaps goes
    #[arg(long, value_name = "FILE")]
    pub out_chessmaps: PathBuf,
    /// How often every position is seen
    #[arg(long, default_value_t = 12)]
    pub epochs: u64,
    /// Positions to learn from at most; some 500 bytes of memory each
    #[arg(long, default_value_t = 4_000_000)]
    pub positions: usize,
    /// Share of the games that only validates, 0 to 1
    #[arg(long, default_value_t = 0.05)]
    pub validation: f64,
    /// Which random numbers to take
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Why there is nothing to learn.
#[derive(Debug, thiserror::Error)]
pub enum MapsError {
    /// The games are no good.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The games hold no position of this kind, or none of those that validate.
    #[error("these games hold too few positions with a quiet best move")]
    Nothing,
    /// The system refuses a file.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Learns both networks, one after the other.
///
/// # Errors
/// Names the file that cannot be read or written.
pub fn run(args: &Args) -> Result<(), MapsError> {
    let files = shards(&args.data)?;
    learn(
        args,
        &files,
        &args.out_map,
        move_map::SHAPE,
        |board, best, lessons| {
            let moves = board.quiets();
            let output = |&mv: &Move| [move_map::output(board.describe(mv).piece, mv) as u16];
            lessons.push(move_map::inputs(board), moves.iter().map(output), best);
        },
    )?;
    learn(
        args,
        &files,
        &args.out_chessmaps,
        chessmaps::SHAPE,
        |board, best, lessons| {
            let moves = board.quiets();
            let outputs = |&mv: &Move| {
                let squares = chessmaps::influence(board, board.describe(mv).piece, mv);
                squares.into_iter().map(|square| square.index() as u16)
            };
            lessons.push(chessmaps::inputs(board), moves.iter().map(outputs), best);
        },
    )
}

/// Learns one network from what `see` makes of a position and the place of its best move among the quiet ones.
fn learn(
    args: &Args,
    files: &[PathBuf],
    out: &Path,
    shape: Shape,
    see: impl Fn(&Board, usize, &mut Lessons),
) -> Result<(), MapsError> {
    let [training, validation] = read(args, files, see)?;
    if training.is_empty() || validation.is_empty() {
        return Err(MapsError::Nothing);
    }
    println!(
        "{}: {} positions to learn from, {} to validate with",
        out.display(),
        training.len(),
        validation.len()
    );
    let network = trainer::learn(shape, &training, args.epochs, args.seed);
    println!("  as generated: {}", Accuracy::generated(&validation));
    println!(
        "  network:      {}",
        Accuracy::network(&network, &validation)
    );
    fs::write(out, network.to_bytes()).map_err(|source| MapsError::Write {
        path: out.to_path_buf(),
        source,
    })
}

/// The positions to learn from and those to validate with: whole games are either.
fn read(
    args: &Args,
    files: &[PathBuf],
    see: impl Fn(&Board, usize, &mut Lessons),
) -> Result<[Lessons; 2], DataError> {
    let filter = Filter {
        min_ply: 0,
        ..Filter::default()
    };
    let mut lessons = [Lessons::default(), Lessons::default()];
    let mut games = 0;
    for path in files {
        let bytes = shard::read(path)?;
        for game in viri::games(&bytes) {
            let game = game.map_err(|source| ShardError::Game {
                path: path.clone(),
                source,
            })?;
            if lessons[0].len() >= args.positions {
                return Ok(lessons);
            }
            let validates = Rng::for_game(args.seed, games).chance(args.validation);
            let lessons = &mut lessons[usize::from(validates)];
            games += 1;
            let mut board = game.opening;
            for (mv, score) in game.moves {
                // One move is no choice.
                if filter.keeps(&board, mv, score)
                    && board.quiets().len() > 1
                    && let Some(best) = board.quiets().iter().position(|&quiet| quiet == mv)
                {
                    see(&board, best, lessons);
                }
                board.make(mv);
            }
        }
    }
    Ok(lessons)
}
