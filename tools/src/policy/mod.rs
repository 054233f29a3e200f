//! `rejoinder learn-policy`: the network that judges quiet moves, from the moves that the engine found best in games against
//! itself.

pub mod lessons;
mod trainer;

use std::fs;
use std::io;
use std::path::PathBuf;

use arrayvec::ArrayVec;

use crate::data::shard::ShardError;
use crate::data::{DataError, shard, shards, viri};
use rejoinder::board::Board;
use rejoinder::ordering::policy::{HIDDEN, OUTPUTS_A_MOVE, SHAPE, View};
use rejoinder::ordering::small_net::Shape;
use rejoinder::types::{Move, Played, Rng, Score};

use lessons::Lessons;
use trainer::Accuracy;

/// Positions with scores of at least this size are left out: any move wins or loses, centipawns.
const MAX_SCORE: Score = 2000;

/// What to learn from, and where it goes.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games, or directories of them
    #[arg(long, required = true, num_args = 1..)]
    pub data: Vec<PathBuf>,
    /// Where the network goes
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// How often every position is seen
    #[arg(long, default_value_t = 6)]
    pub epochs: u64,
    /// Positions to learn from at most; some 300 bytes of memory each
    #[arg(long, default_value_t = 10_000_000)]
    pub positions: usize,
    /// Share of the games that only validates, 0 to 1
    #[arg(long, default_value_t = 0.02)]
    pub validation: f64,
    /// Which random numbers to take
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Why there is nothing to learn.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
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

/// Learns the network.
///
/// # Errors
/// Names the file that cannot be read or written.
pub fn run(args: &Args) -> Result<(), PolicyError> {
    learn::<HIDDEN>(args, SHAPE, |seen, lessons| {
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
        lessons.push(inputs, seen.quiets.iter().map(outputs), seen.best);
    })
}

/// A position in which a quiet move was found best, and another might have been.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The position.
    pub board: &'a Board,
    /// The move before, [`Played::NONE`] for none.
    pub last: Played,
    /// The quiet moves.
    pub quiets: &'a [Move],
    /// Which of them was best.
    pub best: usize,
}

/// Learns a network from what `see` makes of the positions.
///
/// # Errors
/// Names the file that cannot be read or written.
pub fn learn<const H: usize>(
    args: &Args,
    shape: Shape,
    see: impl Fn(Seen, &mut Lessons),
) -> Result<(), PolicyError> {
    let [training, validation] = read(args, see)?;
    if training.is_empty() || validation.is_empty() {
        return Err(PolicyError::Nothing);
    }
    println!(
        "{}: {} positions to learn from, {} to validate with",
        args.out.display(),
        training.len(),
        validation.len()
    );
    let network = trainer::learn::<H>(shape, &training, args.epochs, args.seed);
    println!("  as generated: {}", Accuracy::generated(&validation));
    println!(
        "  network:      {}",
        Accuracy::network(&network, &validation)
    );
    fs::write(&args.out, network.to_bytes()).map_err(|source| PolicyError::Write {
        path: args.out.clone(),
        source,
    })
}

/// The positions to learn from and those to validate with: whole games are either.
fn read(args: &Args, see: impl Fn(Seen, &mut Lessons)) -> Result<[Lessons; 2], DataError> {
    let mut lessons = [Lessons::default(), Lessons::default()];
    let mut games = 0;
    for path in shards(&args.data)? {
        let bytes = shard::read(&path)?;
        for game in viri::games(&bytes) {
            let game = game.map_err(|source| ShardError::Game {
                path: path.clone(),
                source,
            })?;
            if lessons[0].len() >= args.positions {
                return Ok(lessons);
            }
            let validates = Rng::stream(args.seed, games).chance(args.validation);
            let lessons = &mut lessons[usize::from(validates)];
            games += 1;
            let mut board = game.opening;
            let mut last = Played::NONE;
            for (mv, score) in game.moves {
                let quiets = board.quiets();
                // One move is no choice.
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
                    see(seen, lessons);
                }
                last = board.describe(mv);
                board.make(mv);
            }
        }
    }
    Ok(lessons)
}
