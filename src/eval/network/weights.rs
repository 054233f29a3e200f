//! The weights of a network as plain lists of integers, and their units.

use crate::eval::features::OUTPUT_BUCKETS;
use crate::eval::win_rate::WinRate;

use super::architecture::{Architecture, LANES};

/// The integer for an activation of 1 of the hidden layer, before it is squared.
pub const QA: i32 = 512;
/// The integer for a square of 1. Squares are rounded down to twelve bits, so that 16-bit
/// arithmetic can multiply them.
pub const QA_SQUARED: i32 = 4096;
/// The integer for a weight of 1 of the output layer.
pub const QB: i32 = 1024;
/// The maximum absolute value of a feature weight or bias, so that the sum of 32 rows and the bias
/// fits into 16 bits. With relations a sum may have more terms and wrap, in every kernel alike;
/// trained weights are far too small for that.
pub const MAX_FEATURE_WEIGHT: i16 = i16::MAX / 33;
/// The maximum absolute value of the weight of a relation. There are many rows of relations, and
/// small ones stay in the caches.
pub const MAX_RELATION_WEIGHT: i8 = i8::MAX;

/// The quantized weights of a network as plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// The sizes of the parts of the network.
    pub architecture: Architecture,
    /// The weights of the inputs for pieces, `[K][768][H]`, in units of 1 / [`QA`], within
    /// ±[`MAX_FEATURE_WEIGHT`].
    pub feature_weights: Vec<i16>,
    /// The weights of the inputs for relations, `[R][768][H]`, in units of 1 / [`QA`]; empty if there
    /// are no such inputs.
    pub relation_weights: Vec<i8>,
    /// The biases of the hidden layer, `[H]`, in units of 1 / [`QA`], within
    /// ±[`MAX_FEATURE_WEIGHT`].
    pub feature_biases: Vec<i16>,
    /// The output weights, `[OUTPUT_BUCKETS][2][H]`, the side to move first, in units of 1 / [`QB`].
    pub output_weights: Vec<i16>,
    /// The output biases, `[OUTPUT_BUCKETS]`, in units of 1 / ([`QA_SQUARED`] * [`QB`]).
    pub output_biases: Vec<i32>,
    /// The centipawns that an output of 1 stands for, 1 to 100,000.
    pub scale: i32,
    /// The win-rate model of the network's scores.
    pub win_rate: WinRate,
}

impl Weights {
    /// Returns the weights of the network that evaluates every position as even.
    pub fn zero() -> Self {
        let architecture = Architecture {
            king_buckets: 1,
            relations: 0,
            hidden: LANES,
        };
        Self {
            architecture,
            feature_weights: vec![0; architecture.inputs() * LANES],
            relation_weights: Vec::new(),
            feature_biases: vec![0; LANES],
            output_weights: vec![0; OUTPUT_BUCKETS * 2 * LANES],
            output_biases: vec![0; OUTPUT_BUCKETS],
            scale: 400,
            win_rate: WinRate::DEFAULT,
        }
    }
}
