//! The numbers of a network as plain lists of integers, and the units they are in.

use crate::eval::features::OUTPUT_BUCKETS;
use crate::eval::win_rate::WinRate;

use super::architecture::{Architecture, Head, LANES};

/// An activation of 1 before it is squared, as the hidden layer stores it.
pub const QA: i32 = 512;
/// A square of 1: squares are rounded down to twelve bits, which 16-bit arithmetic can multiply.
pub const QA_SQUARED: i32 = 4096;
/// A weight of 1, as the output layer stores it.
pub const QB: i32 = 1024;
/// The largest size of a feature weight or bias: the sum of 32 rows and the bias fits into 16 bits.
pub const MAX_FEATURE_WEIGHT: i16 = i16::MAX / 33;
/// The product of two activations of 1, as the layered head stores it.
pub const QP: i32 = 128;
/// A weight of 1 of the first layer. Its weights are small: products of many units add up in it.
pub const QF: i32 = 256;
/// Inputs of the first layer whose weights stand together: one instruction multiplies them where the CPU has one.
pub const GROUP: usize = 4;
/// Inputs of the second layer whose weights stand together for the same reason.
pub const PAIR: usize = 2;

/// The quantized numbers of a network, as plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// How many numbers there are of each kind.
    pub architecture: Architecture,
    /// `[K * 768][H]`, in units of 1 / [`QA`], at most [`MAX_FEATURE_WEIGHT`] in size.
    pub feature_weights: Vec<i16>,
    /// `[H]`, in units of 1 / [`QA`], at most [`MAX_FEATURE_WEIGHT`] in size.
    pub feature_biases: Vec<i16>,
    /// The numbers of the head.
    pub head: HeadWeights,
    /// The centipawns of an output of 1, from 1 to 100,000.
    pub scale: i32,
    /// What the network's scores mean.
    pub win_rate: WinRate,
}

/// The quantized numbers of a network's head. The documentation of the [file format](super::format) says which is which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadWeights {
    /// The output, with weights in units of 1 / [`QB`].
    Direct {
        /// `[OUTPUT_BUCKETS][2][H]`, the side to move first.
        weights: Vec<i16>,
        /// `[OUTPUT_BUCKETS]`, in units of 1 / ([`QA_SQUARED`] * [`QB`]).
        biases: Vec<i32>,
    },
    /// Two layers, and then the output.
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
    /// The numbers of the network that knows nothing.
    pub fn zero() -> Self {
        let architecture = Architecture {
            king_buckets: 1,
            hidden: LANES,
            head: Head::Direct,
        };
        Self {
            architecture,
            feature_weights: vec![0; architecture.inputs() * LANES],
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
