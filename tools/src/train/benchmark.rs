//! The speed of training, measured with random positions.

use std::time::{Duration, Instant};

use rejoinder::types::{Color, Piece, PieceType, Rng, Square};

use crate::print::{PrintError, print};

use super::model::{Shape, Target};
use super::piece_weights::PieceWeights;
use super::sample::Sample;
use super::trainer::Trainer;

/// Approximate duration of a measurement.
const TIME: Duration = Duration::from_secs(5);

/// Measures positions per second for boards with `pieces` pieces, 2 to 32.
fn positions_per_second(shape: Shape, pieces: usize, batch: usize, threads: usize) -> f64 {
    let mut rng = Rng::new(1);
    let batch: Vec<Sample> = (0..batch).map(|_| sample(pieces, &mut rng)).collect();
    let mut trainer = Trainer::new(shape, shape.initial(1), threads);
    let target = Target {
        lambda: 0.3,
        score_scale: 400.0,
        power: 2.0,
        weights: PieceWeights::default().table(),
    };
    trainer.learn(&batch, target, 0.001);
    let start = Instant::now();
    let mut positions = 0;
    while start.elapsed() < TIME {
        trainer.learn(&batch, target, 0.001);
        positions += batch.len();
    }
    positions as f64 / start.elapsed().as_secs_f64()
}

/// Returns a position of a king for each side and other random pieces on random squares.
fn sample(pieces: usize, rng: &mut Rng) -> Sample {
    let mut squares: Vec<Square> = Square::all().collect();
    rng.shuffle(&mut squares);
    let kinds = [
        PieceType::Pawn,
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
    ];
    let pieces = squares
        .into_iter()
        .take(pieces)
        .enumerate()
        .map(|(at, square)| {
            let color = Color::ALL[at % 2];
            let kind = match at {
                0 | 1 => PieceType::King,
                _ => kinds[rng.below(kinds.len())],
            };
            (Piece::new(color, kind), square)
        });
    let pieces: Vec<_> = pieces.collect();
    let score = rng.below(1001) as i16 - 500;
    Sample::of_pieces(pieces.into_iter(), score, rng.below(3) as u8)
}

/// Measures full boards, and boards with the average number of pieces in games. Prints the speeds.
///
/// # Errors
/// If the speeds cannot be printed.
pub fn run(shape: Shape, batch: usize, threads: usize) -> Result<(), PrintError> {
    for pieces in [32, 17] {
        let speed = positions_per_second(shape, pieces, batch, threads);
        print(format_args!(
            "{}, {pieces} pieces, {threads} threads: {speed:.0} positions/s\n",
            shape.0
        ))?;
    }
    Ok(())
}
