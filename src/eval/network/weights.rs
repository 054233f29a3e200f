//! The weights of a network as plain lists of integers, and their units.

use crate::eval::features::OUTPUT_BUCKETS;
use crate::eval::win_rate::WinRate;

use super::architecture::{Architecture, Head, LANES};

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
/// The integer for a product of 1 of two activations in the layered head.
pub const QP: i32 = 128;
/// The integer for a weight of 1 of the first layer. It is small, because a sum over many products
/// has to fit.
pub const QF: i32 = 256;
/// The number of inputs of the first layer whose weights are stored together, because one
/// instruction of some CPUs multiplies them.
pub const GROUP: usize = 4;
/// The number of inputs of the second layer whose weights are stored together, because one
/// instruction multiplies them.
pub const PAIR: usize = 2;

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
    /// The weights of the head.
    pub head: HeadWeights,
    /// The centipawns that an output of 1 stands for, 1 to 100,000.
    pub scale: i32,
    /// The win-rate model of the network's scores.
    pub win_rate: WinRate,
}

/// The quantized weights of a network's head, in the order of the [file format](super::format).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadWeights {
    /// The output follows the hidden layer directly.
    Direct {
        /// The output weights, `[OUTPUT_BUCKETS][2][H]`, the side to move first, in units of 1 /
        /// [`QB`].
        weights: Vec<i16>,
        /// `[OUTPUT_BUCKETS]`, in units of 1 / ([`QA_SQUARED`] * [`QB`]).
        biases: Vec<i32>,
    },
    /// Two layers follow the hidden layer, and then the output.
    Layered {
        /// `[OUTPUT_BUCKETS][H / 4][16][4]`, in units of 1 / [`QF`].
        first: Vec<i8>,
        /// `[OUTPUT_BUCKETS][16]`, in units of 1 / ([`QP`] * [`QF`]).
        first_biases: Vec<i32>,
        /// `[OUTPUT_BUCKETS][16][32][2]`, in units of 1 / [`QB`].
        second: Vec<i16>,
        /// `[OUTPUT_BUCKETS][32]`, in units of 1 / ([`QA_SQUARED`] * [`QB`]).
        second_biases: Vec<i32>,
        /// `[OUTPUT_BUCKETS][32]`, in units of 1 / [`QB`].
        last: Vec<i16>,
        /// `[OUTPUT_BUCKETS]`, in units of 1 / ([`QA_SQUARED`] * [`QB`]).
        last_biases: Vec<i32>,
    },
}

impl Weights {
    /// Returns the weights of the network that evaluates every position as even.
    pub fn zero() -> Self {
        let architecture = Architecture {
            king_buckets: 1,
            relations: 0,
            hidden: LANES,
            head: Head::Direct,
        };
        Self {
            architecture,
            feature_weights: vec![0; architecture.inputs() * LANES],
            relation_weights: Vec::new(),
            feature_biases: vec![0; LANES],
            head: HeadWeights::Direct {
                weights: vec![0; OUTPUT_BUCKETS * 2 * LANES],
                biases: vec![0; OUTPUT_BUCKETS],
            },
            scale: 400,
            win_rate: WinRate::DEFAULT,
        }
    }
}
