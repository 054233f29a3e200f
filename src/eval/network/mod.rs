//! A network that is ready to run, in the order in which the kernels read its numbers.
//!
//! Each side's pieces add up a row of H numbers each, from the rows of its king's bucket. What comes behind these sums is the
//! network's head. *Direct*: the sums are clipped and squared, and the weights of the output bucket add them up, the side to move
//! first. *Layered*: the clipped sums of a side are multiplied in pairs, unit i with unit H/2 + i, the side to move first; then
//! come a layer of 16 units, of which the clipped square and the clipped value go on, a layer of 32, clipped and squared, and
//! the output; every output bucket has layers of its own.
// Source: https://www.chessprogramming.org/NNUE

mod architecture;
pub mod format;
mod load;
mod weights;

use std::fmt;

use crate::memory::{Arena, Mapped, Zeroed};
use crate::types::Score;

use super::features::{KingBuckets, OUTPUT_BUCKETS};
use super::win_rate::WinRate;

pub use architecture::{
    Architecture, ArchitectureError, FIRST, Head, LANES, MAX_HIDDEN, SECOND, SECOND_INPUTS,
};
pub use format::NetworkError;
pub use load::{LoadError, embedded, load, load_weights, named};
pub use weights::{
    GROUP, HeadWeights, MAX_FEATURE_WEIGHT, PAIR, QA, QA_SQUARED, QB, QF, QP, Weights,
};

/// A cache line of numbers, the unit in which kernels work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

// SAFETY: numbers may be all zero bits, and need no drop.
unsafe impl Zeroed for Block {}

impl Block {
    /// A block of zeros.
    pub const ZERO: Self = Self([0; LANES]);
}

/// A head that is ready to run, with its numbers by output bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadBlocks {
    /// The weights of both sides, the side to move first, and the bias.
    Direct(Vec<(Vec<Block>, i32)>),
    /// Two layers, and then the output.
    Layered(Vec<Layers>),
}

/// The layers of an output bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Layers {
    /// The biases of the first layer.
    pub first_biases: [i32; FIRST],
    /// The weights of the output.
    pub last: [i32; SECOND],
    /// The biases of the second layer.
    pub second_biases: [i32; SECOND],
    /// The weights of the second layer, one line for each pair of inputs.
    pub second: [SecondLine; SECOND_INPUTS / PAIR],
    /// The weights of the first layer, one line for each group of inputs.
    pub first: Vec<Line>,
    /// The bias of the output.
    pub last_bias: i32,
}

/// The weights of the second layer for a pair of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct SecondLine(pub [[i16; PAIR]; SECOND]);

/// The weights of the first layer for a group of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Line(pub [[i8; GROUP]; FIRST]);

impl HeadWeights {
    /// The head of a network with so many hidden units, ready to run.
    fn blocks(&self, hidden: usize) -> HeadBlocks {
        match self {
            Self::Direct { weights, biases } => {
                let weights = weights.chunks_exact(2 * hidden).map(blocks);
                HeadBlocks::Direct(weights.zip(biases.iter().copied()).collect())
            }
            Self::Layered {
                first,
                first_biases,
                second,
                second_biases,
                last,
                last_biases,
            } => {
                let (lines, _) = second.as_chunks().0.as_chunks();
                let lines: Vec<_> = lines.iter().map(|&line| SecondLine(line)).collect();
                let layers = |bucket: usize| Layers {
                    first_biases: first_biases.as_chunks().0[bucket],
                    last: last.as_chunks().0[bucket].map(i32::from),
                    second_biases: second_biases.as_chunks().0[bucket],
                    second: lines.as_chunks().0[bucket],
                    first: first[bucket * hidden * FIRST..][..hidden * FIRST]
                        .as_chunks()
                        .0
                        .as_chunks()
                        .0
                        .iter()
                        .map(|&line| Line(line))
                        .collect(),
                    last_bias: last_biases[bucket],
                };
                HeadBlocks::Layered((0..OUTPUT_BUCKETS).map(layers).collect())
            }
        }
    }
}

/// A network that is ready to run. Two are equal if their checksums are.
pub struct Network {
    architecture: Architecture,
    king_buckets: &'static KingBuckets,
    blocks: usize,
    /// These are on huge pages, as a search goes everywhere in them.
    feature_weights: Mapped<Block>,
    feature_biases: Vec<Block>,
    head: HeadBlocks,
    scale: i32,
    win_rate: WinRate,
    checksum: u64,
}

impl Network {
    /// Makes a network of these numbers.
    ///
    /// # Errors
    /// If a constant is out of range or a list has the wrong length.
    pub fn new(weights: &Weights) -> Result<Self, NetworkError> {
        // There is one way in: what cannot be read back cannot be made.
        Self::from_bytes(&weights.to_bytes())
    }

    /// The network that knows nothing: every position is even. What it plays is where learning from nothing begins.
    ///
    /// # Panics
    /// It never does: zeros are a network.
    pub fn zero() -> Self {
        Self::new(&Weights::zero()).expect("a network")
    }

    /// Reads a network file.
    ///
    /// # Errors
    /// If the bytes are no network that this program can run.
    ///
    /// # Panics
    /// It never does: what it relies on is checked first.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let weights = Weights::from_bytes(bytes)?;
        let architecture = weights.architecture;
        // Both have been checked by now.
        let king_buckets = KingBuckets::of_count(architecture.king_buckets);
        let checksum = format::stored_checksum(bytes);
        Ok(Self {
            architecture,
            king_buckets: king_buckets.expect("a grouping"),
            blocks: architecture.hidden / LANES,
            feature_weights: on_huge_pages(&weights.feature_weights),
            feature_biases: blocks(&weights.feature_biases),
            head: weights.head.blocks(architecture.hidden),
            scale: weights.scale,
            win_rate: weights.win_rate,
            checksum: checksum.expect("a whole header"),
        })
    }

    /// How large the parts of the network are.
    pub const fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// How the network groups king squares.
    #[inline(always)]
    pub const fn king_buckets(&self) -> &'static KingBuckets {
        self.king_buckets
    }

    /// The hidden size in blocks.
    #[inline(always)]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// The row of weights that belongs to one input.
    #[inline(always)]
    pub fn feature(&self, input: usize) -> &[Block] {
        &self.feature_weights[input * self.blocks..][..self.blocks]
    }

    /// What the hidden layer is without any piece.
    #[inline(always)]
    pub fn feature_biases(&self) -> &[Block] {
        &self.feature_biases
    }

    /// What comes behind the hidden units.
    #[inline(always)]
    pub const fn head(&self) -> &HeadBlocks {
        &self.head
    }

    /// The centipawns of an output in units of 1 / ([`QA_SQUARED`] * [`QB`]).
    #[inline(always)]
    pub fn score(&self, output: i64) -> Score {
        let score = output * i64::from(self.scale) / i64::from(QA_SQUARED * QB);
        // A file may hold any bias.
        score.clamp(Score::MIN.into(), Score::MAX.into()) as Score
    }

    /// The centipawns of an output of 1.
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    /// What the network's scores mean.
    pub const fn win_rate(&self) -> WinRate {
        self.win_rate
    }

    /// What tells the network from every other one: its checksum in 16 hexadecimal digits.
    pub fn name(&self) -> String {
        format!("{:016x}", self.checksum)
    }
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        self.checksum == other.checksum
    }
}

impl Eq for Network {}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("architecture", &self.architecture)
            .field("scale", &self.scale)
            .field("win_rate", &self.win_rate)
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

fn on_huge_pages(list: &[i16]) -> Mapped<Block> {
    let (list, _) = list.as_chunks();
    let mut blocks = Arena::new(size_of_val(list)).take(list.len());
    for (block, &numbers) in blocks.iter_mut().zip(list) {
        *block = Block(numbers);
    }
    blocks
}

/// A list in whole blocks.
fn blocks(list: &[i16]) -> Vec<Block> {
    list.as_chunks()
        .0
        .iter()
        .map(|&block| Block(block))
        .collect()
}
