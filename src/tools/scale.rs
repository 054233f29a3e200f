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

/// A scale at which whole centipawns say enough about the mean.
const TRIAL: i32 = 10_000;

/// The scale at which a network's evaluations are as large, in the mean, as those of the first one.
///
/// # Errors
/// If the weights make no network.
///
/// # Panics
/// Never: the positions are tested.
pub fn fitting(weights: &Weights) -> Result<i32, NetworkError> {
    let network = Network::new(&Weights {
        scale: TRIAL,
        ..weights.clone()
    })?;
    let mean = mean_size(&Arc::new(network));
    Ok((f64::from(TRIAL) * MEAN_EVAL / mean.max(1.0)).round() as i32)
}

/// The mean size of a network's evaluations, centipawns.
fn mean_size(network: &Arc<Network>) -> f64 {
    let sizes = POSITIONS.lines().map(|fen| {
        let board = Board::from_fen(fen).expect("a position");
        f64::from(eval::evaluate(network, &board).abs())
    });
    sizes.sum::<f64>() / POSITIONS.lines().count() as f64
}
