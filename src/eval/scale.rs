//! The scale of a network: its centipawns are as large as those of every network before it, so the margins of the
//! search keep their meaning.

use std::sync::Arc;

use crate::board::Board;
use crate::eval;
use crate::eval::network::{Network, NetworkError, Weights};

/// Quiet positions, one from each of a thousand own games; a FEN a line.
const POSITIONS: &str = include_str!("../../networks/scale.epd");

/// What the first evaluation of this engine gave them, the mean of the sizes in centipawns.
const MEAN_EVAL: f64 = 450.9;

/// Large enough for whole centipawns, small enough for the evaluation band.
const TRIAL: i32 = 1_000;

/// The scale at which a network's evaluations are as large, in the mean, as those of the first one.
///
/// # Errors
/// If the weights make no network.
pub fn fitting(weights: &Weights) -> Result<i32, NetworkError> {
    let network = Network::new(&Weights {
        scale: TRIAL,
        ..weights.clone()
    })?;
    let mean = mean_size(&Arc::new(network));
    Ok((f64::from(TRIAL) * MEAN_EVAL / mean.max(1.0)).round() as i32)
}

/// The positions.
///
/// # Panics
/// Never: they are tested.
pub fn positions() -> impl Iterator<Item = Board> {
    POSITIONS
        .lines()
        .map(|fen| Board::from_fen(fen).expect("a position"))
}

/// The mean size of a network's evaluations, centipawns.
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
