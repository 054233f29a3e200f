//! The network in the form in which the kernels use it.
//!
//! For each side, every piece on the board and every relation between them contributes a row of H
//! weights to the side's accumulator; its king bucket determines which rows of pieces. The
//! values are clipped and squared, and the output is their weighted sum over both sides, the side to
//! move first. Every output bucket has weights of its own.
// Source: https://www.chessprogramming.org/NNUE

mod architecture;
pub mod format;
mod load;
mod weights;

use std::fmt;

use crate::memory::{Arena, Mapped, Zeroed};
use crate::types::Score;

use super::features::{Feature, KingBuckets, Perspective};
use super::win_rate::WinRate;

pub use architecture::{Architecture, ArchitectureError, LANES};
pub use format::NetworkError;
pub use load::{LoadError, embedded, load, load_weights, named};
pub use weights::{MAX_FEATURE_WEIGHT, MAX_RELATION_WEIGHT, QA, QA_SQUARED, QB, Weights};

/// A cache line of values, the unit in which the kernels work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

// SAFETY: all zero bits are valid numbers, and numbers need no drop.
unsafe impl Zeroed for Block {}

impl Block {
    /// A block of zeros.
    pub const ZERO: Self = Self([0; LANES]);
}

/// Half a cache line of small values, to be added to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct SmallBlock(pub [i8; LANES]);

// SAFETY: all zero bits are valid numbers, and numbers need no drop.
unsafe impl Zeroed for SmallBlock {}

/// The rows of weights of all features, as a side sees them.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    pieces: &'a [Block],
    relations: &'a [SmallBlock],
    blocks: usize,
    perspective: Perspective,
}

impl<'a> Rows<'a> {
    /// Creates the view of a side on these rows of `blocks` blocks each: those of the inputs for
    /// pieces, of all king buckets, and those of the inputs for relations.
    #[inline(always)]
    pub const fn new(
        pieces: &'a [Block],
        relations: &'a [SmallBlock],
        blocks: usize,
        perspective: Perspective,
    ) -> Self {
        Self {
            pieces,
            relations,
            blocks,
            perspective,
        }
    }

    /// Returns the row of a feature which is a piece.
    #[inline(always)]
    pub fn piece(self, feature: Feature) -> &'a [Block] {
        &self.pieces[self.perspective.piece_input(feature) * self.blocks..][..self.blocks]
    }

    /// Returns the row of a feature which is a relation.
    #[inline(always)]
    pub fn relation(self, feature: Feature) -> &'a [SmallBlock] {
        &self.relations[self.perspective.relation_input(feature) * self.blocks..][..self.blocks]
    }
}

/// The weights of both sides' hidden units, the side to move first, and the bias of an output
/// bucket.
pub type Output = (Vec<Block>, i32);

/// A network that is ready to run. Networks are equal if their checksums are.
pub struct Network {
    architecture: Architecture,
    king_buckets: &'static KingBuckets,
    blocks: usize,
    /// The feature weights, on huge pages because a search reads them at random places.
    feature_weights: Mapped<Block>,
    /// The weights of relations, also on huge pages.
    relation_weights: Mapped<SmallBlock>,
    feature_biases: Vec<Block>,
    outputs: Vec<Output>,
    scale: i32,
    win_rate: WinRate,
    checksum: u64,
}

impl Network {
    /// Builds a network from these weights.
    ///
    /// # Errors
    /// If a constant is out of range or a list has the wrong length.
    pub fn new(weights: &Weights) -> Result<Self, NetworkError> {
        // Building by way of the file format ensures that every network can be written and read
        // back.
        Self::from_bytes(&weights.to_bytes())
    }

    /// Returns the network whose weights are all zero, which evaluates every position as even.
    /// Training from scratch begins with its games.
    ///
    /// # Panics
    /// Never, since zeros are valid weights.
    pub fn zero() -> Self {
        Self::new(&Weights::zero()).expect("zeros are not valid weights")
    }

    /// Reads a network file.
    ///
    /// # Errors
    /// If the bytes are no network that this program can run.
    ///
    /// # Panics
    /// Never, since the bytes are checked first.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let weights = Weights::from_bytes(bytes)?;
        let architecture = weights.architecture;
        // Both have been checked before.
        let king_buckets = KingBuckets::of_count(architecture.king_buckets);
        let checksum = format::stored_checksum(bytes);
        let of_buckets = weights.output_weights.chunks_exact(2 * architecture.hidden);
        let outputs = of_buckets
            .map(blocks)
            .zip(weights.output_biases.iter().copied());
        Ok(Self {
            architecture,
            king_buckets: king_buckets.expect("the number of king buckets is invalid"),
            blocks: architecture.hidden / LANES,
            feature_weights: on_huge_pages(&weights.feature_weights, Block),
            relation_weights: on_huge_pages(&weights.relation_weights, SmallBlock),
            feature_biases: blocks(&weights.feature_biases),
            outputs: outputs.collect(),
            scale: weights.scale,
            win_rate: weights.win_rate,
            checksum: checksum.expect("the file is too short"),
        })
    }

    /// Returns the sizes of the parts of the network.
    pub const fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Returns the network's grouping of king squares.
    #[inline(always)]
    pub const fn king_buckets(&self) -> &'static KingBuckets {
        self.king_buckets
    }

    /// Returns the number of relations that are inputs.
    #[inline(always)]
    pub const fn relations(&self) -> usize {
        self.architecture.relations
    }

    /// Returns the hidden size in blocks.
    #[inline(always)]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// Returns the weights of the inputs as a side with this perspective sees them.
    #[inline(always)]
    pub fn rows(&self, perspective: Perspective) -> Rows<'_> {
        let (pieces, relations) = (&self.feature_weights, &self.relation_weights);
        Rows::new(pieces, relations, self.blocks, perspective)
    }

    /// Returns the biases of the hidden layer.
    #[inline(always)]
    pub fn feature_biases(&self) -> &[Block] {
        &self.feature_biases
    }

    /// Returns the weights and the bias of an output bucket.
    #[inline(always)]
    pub fn output(&self, bucket: usize) -> &Output {
        &self.outputs[bucket]
    }

    /// Converts an output, in units of 1 / ([`QA_SQUARED`] * [`QB`]), to centipawns.
    #[inline(always)]
    pub fn score(&self, output: i64) -> Score {
        let score = output * i64::from(self.scale) / i64::from(QA_SQUARED * QB);
        // The result may be large, since a file may contain any bias.
        score.clamp(Score::MIN.into(), Score::MAX.into()) as Score
    }

    /// Returns the centipawns that an output of 1 stands for.
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    /// Returns the win-rate model of the network's scores.
    pub const fn win_rate(&self) -> WinRate {
        self.win_rate
    }

    /// Returns the checksum of the network's file, which tells it from other networks.
    pub const fn checksum(&self) -> u64 {
        self.checksum
    }

    /// Returns the network's name: its checksum in 16 hexadecimal digits.
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

fn on_huge_pages<T: Copy, B: Zeroed>(list: &[T], convert: fn([T; LANES]) -> B) -> Mapped<B> {
    let (list, _) = list.as_chunks();
    let mut blocks = Arena::new(size_of_val(list)).take(list.len());
    for (block, &numbers) in blocks.iter_mut().zip(list) {
        *block = convert(numbers);
    }
    blocks
}

/// Splits a list into blocks.
fn blocks(list: &[i16]) -> Vec<Block> {
    list.as_chunks()
        .0
        .iter()
        .map(|&block| Block(block))
        .collect()
}
