//! The scale of a network, chosen so that its evaluations are as large on average as those of its
//! predecessors and the margins of the search keep their meaning.

use std::sync::Arc;

use rejoinder::board::Board;
use rejoinder::eval;
use rejoinder::eval::network::{Network, NetworkError, Weights};

/// Quiet positions from a thousand games of this engine, one FEN per line.
const POSITIONS: &str = include_str!("../../networks/scale.epd");

/// The mean absolute evaluation of these positions by the engine's first evaluation function, in
/// centipawns.
const MEAN_EVAL: f64 = 450.9;

/// A trial scale that is large enough for rounding to whole centipawns not to matter, and small
/// enough for evaluations not to be clamped.
const TRIAL: i32 = 1_000;

/// Returns the scale at which a network's evaluations are as large on average as those of the first
/// evaluation function.
///
/// # Errors
/// If the weights do not make a network.
pub fn fitting(weights: &Weights) -> Result<i32, NetworkError> {
    let network = Network::new(&Weights {
        scale: TRIAL,
        ..weights.clone()
    })?;
    let mean = mean_size(&Arc::new(network));
    Ok((f64::from(TRIAL) * MEAN_EVAL / mean.max(1.0)).round() as i32)
}

/// Returns the positions that determine the scale.
///
/// # Panics
/// Never, since a test reads all positions.
pub fn positions() -> impl Iterator<Item = Board> {
    POSITIONS
        .lines()
        .map(|fen| Board::from_fen(fen).expect("scale.epd holds an invalid FEN"))
}

/// Returns the mean absolute evaluation by a network, in centipawns.
fn mean_size(network: &Arc<Network>) -> f64 {
    let sizes = positions().map(|board| f64::from(eval::evaluate(network, &board).abs()));
    sizes.sum::<f64>() / POSITIONS.lines().count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_a_thousand() {
        assert_eq!(positions().count(), 1000);
    }
}
