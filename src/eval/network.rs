//! The network's numbers, and the file they come in.
//!
//! (768 -> H)x2 -> 1: each side's men add up a row of H numbers each, clipped and squared; the side to move comes
//! first; one set of output weights for each bucket. All numbers in the file are little-endian:
//!
//! ```text
//!  0  8 bytes  "REJOINDR"
//!  8  u32      version of the format, 1
//! 12  u32 x 5  architecture: inputs 768, H, output buckets 8, QA 255, QB 64
//! 32  i32      scale: centipawns of an output of 1
//! 36  i32 x 4  win-rate model: a and b, without and with all material
//! 52  u32      0
//! 56  u64      checksum of all other bytes (FNV-1a)
//! 64  i16      feature weights [768][H], feature biases [H], output weights [8][2][H]
//!     i32      output biases [8], in units of 1 / (QA * QB)
//! ```
// Source: https://www.chessprogramming.org/NNUE

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::types::{Score, fnv1a};

use super::features::{BUCKETS, INPUTS};
use super::win_rate::WinRate;

/// An activation of 1, as the hidden layer stores it.
pub const QA: i32 = 255;
/// A weight of 1, as the output layer stores it.
pub const QB: i32 = 64;
/// Largest size of an output weight: times [`QA`] it still fits into 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;
/// Numbers in a block; H is a multiple of it.
pub const LANES: usize = 32;
/// The largest H.
pub const MAX_HIDDEN: usize = 4096;

const MAGIC: [u8; 8] = *b"REJOINDR";
const VERSION: u32 = 1;
const CHECKSUM_AT: usize = 56;
const HEADER: usize = 64;
/// Of the largest network's file, bytes.
const MAX_SIZE: u64 = size(MAX_HIDDEN) as u64;

/// A cache line of numbers: the unit in which kernels work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

impl Block {
    /// All zero.
    pub const ZERO: Self = Self([0; LANES]);
}

/// The quantised numbers of a network, as plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// H, a multiple of [`LANES`] up to [`MAX_HIDDEN`].
    pub hidden: usize,
    /// `[INPUTS][H]`, in units of 1 / [`QA`].
    pub feature_weights: Vec<i16>,
    /// `[H]`, in units of 1 / [`QA`].
    pub feature_biases: Vec<i16>,
    /// `[BUCKETS][2][H]`, the side to move first, in units of 1 / [`QB`], at most [`MAX_OUTPUT_WEIGHT`] in size.
    pub output_weights: Vec<i16>,
    /// `[BUCKETS]`, in units of 1 / ([`QA`] * [`QB`]).
    pub output_biases: Vec<i32>,
    /// Centipawns of an output of 1, from 1 to 100,000.
    pub scale: i32,
    /// What its scores mean.
    pub win_rate: WinRate,
}

/// Why bytes are no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// They begin with something else.
    #[error("this is no Rejoinder network")]
    Magic,
    /// Another version of the format.
    #[error("the format's version is {0}, this program reads {VERSION}")]
    Version(u32),
    /// An architecture that this program cannot run, or a constant out of range.
    #[error("{name} is {value}, which this program cannot run")]
    Architecture {
        /// What it is.
        name: &'static str,
        /// What it says.
        value: i64,
    },
    /// Too few bytes, or too many.
    #[error("{found} bytes long instead of {expected}")]
    Size {
        /// By the header, bytes.
        expected: usize,
        /// Bytes.
        found: usize,
    },
    /// Damaged.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
}

/// The file of the network inside this program.
static EMBEDDED: &[u8] = include_bytes!(env!("REJOINDER_NETWORK"));
// Anything else is noticed by the compiler.
const _: () = assert!(matches!(EMBEDDED.first_chunk::<8>(), Some(&MAGIC)));

/// The network inside this program.
///
/// # Panics
/// If the program was built with a damaged network.
pub fn embedded() -> Arc<Network> {
    static NETWORK: OnceLock<Arc<Network>> = OnceLock::new();
    let read = || match Network::from_bytes(EMBEDDED) {
        Ok(network) => Arc::new(network),
        Err(error) => panic!("{}: {error}", env!("REJOINDER_NETWORK")),
    };
    Arc::clone(NETWORK.get_or_init(read))
}

/// Why a file is no network.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The system does not give it.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{}: {source}", path.display())]
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: NetworkError,
    },
}

/// Reads a network from a file.
///
/// # Errors
/// If it cannot be read, or is no network that this program can run.
pub fn load(path: &Path) -> Result<Arc<Network>, LoadError> {
    let path = path.to_path_buf();
    // No more than the largest network has: the path may be that of a device without an end.
    let mut bytes = Vec::new();
    let read = File::open(&path).and_then(|file| file.take(MAX_SIZE + 1).read_to_end(&mut bytes));
    match read.map(|_| Network::from_bytes(&bytes)) {
        Ok(Ok(network)) => Ok(Arc::new(network)),
        Ok(Err(source)) => Err(LoadError::Network { path, source }),
        Err(source) => Err(LoadError::Read { path, source }),
    }
}

/// The network a user names: `zero` for the one that knows nothing, else a file.
///
/// # Errors
/// As [`load`].
pub fn named(name: &str) -> Result<Arc<Network>, LoadError> {
    if name == "zero" {
        Ok(Arc::new(Network::zero()))
    } else {
        load(Path::new(name))
    }
}

/// A network that is ready to run.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    blocks: usize,
    feature_weights: Vec<Block>,
    feature_biases: Vec<Block>,
    output_weights: Vec<Block>,
    output_biases: [i32; BUCKETS],
    scale: i32,
    win_rate: WinRate,
    checksum: u64,
}

impl Network {
    /// A network of these numbers.
    ///
    /// # Errors
    /// If a constant is out of range or a list has the wrong length.
    pub fn new(weights: &Weights) -> Result<Self, NetworkError> {
        // One way in: what cannot be read back cannot be made.
        Self::from_bytes(&weights.to_bytes())
    }

    /// The network that knows nothing: every position is even. What it plays is where learning from nothing begins.
    ///
    /// # Panics
    /// Never: zeros are a network.
    pub fn zero() -> Self {
        let hidden = LANES;
        let weights = Weights {
            hidden,
            feature_weights: vec![0; INPUTS * hidden],
            feature_biases: vec![0; hidden],
            output_weights: vec![0; BUCKETS * 2 * hidden],
            output_biases: vec![0; BUCKETS],
            scale: 400,
            win_rate: WinRate::DEFAULT,
        };
        Self::new(&weights).expect("a network")
    }

    /// Reads a network file.
    ///
    /// # Errors
    /// If the bytes are no network that this program can run.
    ///
    /// # Panics
    /// Never: the size is known by then.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if bytes.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        let too_short = NetworkError::Size {
            expected: HEADER,
            found: bytes.len(),
        };
        let (header, mut rest) = bytes.split_at_checked(HEADER).ok_or(too_short)?;
        let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four"));
        if word(8) != VERSION {
            return Err(NetworkError::Version(word(8)));
        }
        let hidden = word(16) as usize;
        let fixed = [
            ("the number of inputs", word(12), INPUTS as u32),
            ("the number of output buckets", word(20), BUCKETS as u32),
            ("QA", word(24), QA as u32),
            ("QB", word(28), QB as u32),
            ("the reserved word", word(52), 0),
        ];
        for (name, value, wanted) in fixed {
            check(name, i64::from(value), value == wanted)?;
        }
        let fits = hidden.is_multiple_of(LANES) && (LANES..=MAX_HIDDEN).contains(&hidden);
        check("the hidden size", hidden as i64, fits)?;
        let scale = word(32) as i32;
        check("the scale", scale.into(), (1..=100_000).contains(&scale))?;
        let constant = |at| word(at) as i32;
        let win_rate = WinRate {
            a: [constant(36), constant(40)],
            b: [constant(44), constant(48)],
        };
        check(
            "the win-rate model",
            win_rate.a[0].into(),
            win_rate.is_valid(),
        )?;

        let expected = size(hidden);
        if bytes.len() != expected {
            let found = bytes.len();
            return Err(NetworkError::Size { expected, found });
        }
        let checksum = checksum(bytes);
        if header[CHECKSUM_AT..] != checksum.to_le_bytes() {
            return Err(NetworkError::Checksum);
        }

        let blocks = hidden / LANES;
        let feature_weights = take_blocks(&mut rest, INPUTS * blocks);
        let feature_biases = take_blocks(&mut rest, blocks);
        let output_weights = take_blocks(&mut rest, BUCKETS * 2 * blocks);
        for &weight in output_weights.iter().flat_map(|block| &block.0) {
            let fits = weight.unsigned_abs() <= MAX_OUTPUT_WEIGHT as u16;
            check("an output weight", weight.into(), fits)?;
        }
        let mut output_biases = [0; BUCKETS];
        for (bias, bytes) in output_biases.iter_mut().zip(rest.chunks_exact(4)) {
            *bias = i32::from_le_bytes(bytes.try_into().expect("four"));
        }
        Ok(Self {
            blocks,
            feature_weights,
            feature_biases,
            output_weights,
            output_biases,
            scale,
            win_rate,
            checksum,
        })
    }

    /// H.
    pub const fn hidden(&self) -> usize {
        self.blocks * LANES
    }

    /// H in blocks.
    #[inline(always)]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// The row of one input.
    #[inline(always)]
    pub fn feature(&self, input: usize) -> &[Block] {
        &self.feature_weights[input * self.blocks..][..self.blocks]
    }

    /// What the hidden layer is without any man.
    #[inline(always)]
    pub fn feature_biases(&self) -> &[Block] {
        &self.feature_biases
    }

    /// The output weights of a bucket: the side to move's, then the other's.
    #[inline(always)]
    pub fn output_weights(&self, bucket: usize) -> [&[Block]; 2] {
        let half = |side| &self.output_weights[(2 * bucket + side) * self.blocks..][..self.blocks];
        [half(0), half(1)]
    }

    /// Centipawns from the sum over the hidden layer, which is in units of 1 / ([`QA`]² [`QB`]).
    #[inline(always)]
    pub fn score(&self, bucket: usize, sum: i32) -> Score {
        let output = i64::from(sum / QA) + i64::from(self.output_biases[bucket]);
        let score = output * i64::from(self.scale) / i64::from(QA * QB);
        // A file may hold any bias.
        score.clamp(Score::MIN.into(), Score::MAX.into()) as Score
    }

    /// Centipawns of an output of 1.
    pub const fn scale(&self) -> i32 {
        self.scale
    }

    /// What its scores mean.
    pub const fn win_rate(&self) -> WinRate {
        self.win_rate
    }

    /// What tells it from every other network: its checksum in 16 hexadecimal digits.
    pub fn name(&self) -> String {
        format!("{:016x}", self.checksum)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("hidden", &self.hidden())
            .field("scale", &self.scale)
            .field("win_rate", &self.win_rate)
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

impl Weights {
    /// The network file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let architecture = [INPUTS, self.hidden, BUCKETS, QA as usize, QB as usize];
        let words = [VERSION].into_iter().chain(architecture.map(|x| x as u32));
        let WinRate { a, b } = self.win_rate;
        let constants = [self.scale, a[0], a[1], b[0], b[1], 0].map(|x| x as u32);
        bytes.extend(words.chain(constants).flat_map(u32::to_le_bytes));
        bytes.extend([0; HEADER - CHECKSUM_AT]);
        for list in [
            &self.feature_weights,
            &self.feature_biases,
            &self.output_weights,
        ] {
            bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes.extend(self.output_biases.iter().flat_map(|x| x.to_le_bytes()));
        let checksum = checksum(&bytes).to_le_bytes();
        bytes[CHECKSUM_AT..HEADER].copy_from_slice(&checksum);
        bytes
    }
}

/// Of a file, bytes.
const fn size(hidden: usize) -> usize {
    let numbers = INPUTS * hidden + hidden + BUCKETS * 2 * hidden;
    HEADER + numbers * size_of::<i16>() + BUCKETS * size_of::<i32>()
}

fn check(name: &'static str, value: i64, fits: bool) -> Result<(), NetworkError> {
    let wrong = NetworkError::Architecture { name, value };
    fits.then_some(()).ok_or(wrong)
}

fn take_blocks(rest: &mut &[u8], count: usize) -> Vec<Block> {
    let (bytes, tail) = rest.split_at(count * size_of::<Block>());
    *rest = tail;
    let block = |bytes: &[u8]| {
        let mut block = Block::ZERO;
        for (lane, pair) in block.0.iter_mut().zip(bytes.chunks_exact(2)) {
            *lane = i16::from_le_bytes([pair[0], pair[1]]);
        }
        block
    };
    bytes.chunks_exact(size_of::<Block>()).map(block).collect()
}

/// FNV-1a over everything but the checksum's own place.
fn checksum(bytes: &[u8]) -> u64 {
    fnv1a(bytes[..CHECKSUM_AT].iter().chain(&bytes[HEADER..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights() -> Weights {
        let numbers = |count: usize| (0..count).map(|i| (i * 37 % 201) as i16 - 100).collect();
        let hidden = 2 * LANES;
        Weights {
            hidden,
            feature_weights: numbers(INPUTS * hidden),
            feature_biases: numbers(hidden),
            output_weights: numbers(BUCKETS * 2 * hidden),
            output_biases: (0..BUCKETS as i32).collect(),
            scale: 400,
            win_rate: WinRate::DEFAULT,
        }
    }

    #[test]
    fn a_file_gives_back_what_was_written() {
        let weights = weights();
        let network = Network::new(&weights).expect("a network");
        assert_eq!(network.hidden(), 64);
        let row = |row: &[Block]| row.iter().flat_map(|block| block.0).collect::<Vec<_>>();
        assert_eq!(
            row(network.feature(700)),
            weights.feature_weights[700 * 64..701 * 64]
        );
        assert_eq!(row(network.feature_biases()), weights.feature_biases);
        let [own, other] = network.output_weights(3);
        assert_eq!(row(own), weights.output_weights[3 * 128..3 * 128 + 64]);
        assert_eq!(row(other), weights.output_weights[3 * 128 + 64..4 * 128]);
        assert_eq!(network.score(3, 255 * 255 * 64 - 3 * 255), 400);
        assert_eq!(network.win_rate(), WinRate::DEFAULT);
    }

    #[test]
    fn bytes_that_are_no_network_are_refused() {
        let good = weights().to_bytes();
        let error = |bytes: &[u8]| Network::from_bytes(bytes).expect_err("no network");
        assert_eq!(error(b""), NetworkError::Magic);
        assert_eq!(error(b"PK and so on"), NetworkError::Magic);
        for length in [8, 63, 64, good.len() - 1] {
            assert!(matches!(error(&good[..length]), NetworkError::Size { .. }));
        }
        let longer = [good.as_slice(), &[0]].concat();
        assert!(matches!(error(&longer), NetworkError::Size { .. }));
        for at in [100, good.len() - 1, 60] {
            let mut damaged = good.clone();
            damaged[at] ^= 1;
            assert_eq!(error(&damaged), NetworkError::Checksum);
        }
        let with = |at: usize, value: u32| {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            error(&bytes)
        };
        assert_eq!(with(8, 2), NetworkError::Version(2));
        for (at, value) in [
            (12, 769),
            (16, 0),
            (16, 33),
            (16, 1 << 20),
            (20, 1),
            (24, 181),
        ] {
            assert!(
                matches!(with(at, value), NetworkError::Architecture { .. }),
                "{at}"
            );
        }
        for (at, value) in [(32, 0), (32, u32::MAX), (36, 0), (48, 0), (52, 1)] {
            assert!(
                matches!(with(at, value), NetworkError::Architecture { .. }),
                "{at}"
            );
        }
        let mut loud = weights();
        loud.output_weights[5] = 128;
        assert!(Network::new(&loud).is_err());
    }
}
