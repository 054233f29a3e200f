//! The network's numbers, and the file they come in.
//!
//! Each side's pieces add up a row of H numbers each, from the rows of its king's bucket. What comes behind these sums is the
//! network's head. *Direct*: the sums are clipped and squared, and the weights of the output bucket add them up, the side to move
//! first. *Layered*: the clipped sums of a side are multiplied in pairs, unit i with unit H/2 + i, the side to move first; then
//! come a layer of 16 units, of which the clipped square and the clipped value go on, a layer of 32, clipped and squared, and
//! the output; every output bucket has layers of its own. All numbers in the file are little-endian:
//!
//! ```text
//!  0  8 bytes  "REJOINDR"
//!  8  u32      version of the format, 2
//! 12  u32 x 5  architecture: king buckets K, H, output buckets 8, QA 512, QB 1024
//! 32  i32      scale: centipawns of an output of 1
//! 36  i32 x 4  win-rate model: a and b, without and with all material
//! 52  u32      head: 0 for direct, 1 for layered
//! 56  u64      checksum of all other bytes (FNV-1a)
//! 64  i16      feature weights [K][768][H], feature biases [H]
//! direct:
//!     i16      output weights [8][2][H]
//!     i32      output biases [8], in units of 1 / (4096 * QB)
//! layered:
//!     i8       weights [8][H / 4][16][4], in units of 1 / 256
//!     i32      biases [8][16], in units of 1 / (128 * 256)
//!     i16      weights [8][16][32][2], in units of 1 / QB
//!     i32      biases [8][32], in units of 1 / (4096 * QB)
//!     i16      output weights [8][32], in units of 1 / QB
//!     i32      output biases [8], in units of 1 / (4096 * QB)
//! ```
// Source: https://www.chessprogramming.org/NNUE

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::memory::{Arena, Mapped, Zeroed};
use crate::types::{Score, fnv1a};

use super::features::{KingBuckets, OUTPUT_BUCKETS};
use super::win_rate::WinRate;

/// An activation of 1 before it is squared, as the hidden layer stores it.
pub const QA: i32 = 512;
/// A square of 1: squares are rounded down to twelve bits, which 16-bit arithmetic can multiply.
pub const QA_SQUARED: i32 = 4096;
/// A weight of 1, as the output layer stores it.
pub const QB: i32 = 1024;
/// Largest size of a feature weight or bias: the sum of 32 rows and the bias fits into 16 bits.
pub const MAX_FEATURE_WEIGHT: i16 = i16::MAX / 33;
/// The product of two activations of 1, as the layered head stores it.
pub const QP: i32 = 128;
/// A weight of 1 of the first layer. Its weights are small: products of many units add up in it.
pub const QF: i32 = 256;
/// Units of the first layer.
pub const FIRST: usize = 16;
/// What comes into the second layer: squares and values of these.
pub const SECOND_INPUTS: usize = 2 * FIRST;
/// Units of the second layer.
pub const SECOND: usize = 32;
/// Inputs of the first layer that are multiplied together, in one instruction where the CPU has one.
pub const GROUP: usize = 4;
/// The same of the second layer.
pub const PAIR: usize = 2;
/// Numbers in a block; H is a multiple of it.
pub const LANES: usize = 32;
/// The largest H.
pub const MAX_HIDDEN: usize = 4096;

const MAGIC: [u8; 8] = *b"REJOINDR";
const VERSION: u32 = 2;
const CHECKSUM_AT: usize = 56;
const HEADER: usize = 64;

/// A cache line of numbers: the unit in which kernels work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

// SAFETY: numbers may be all zero bits, and need no drop.
unsafe impl Zeroed for Block {}

impl Block {
    /// All zero.
    pub const ZERO: Self = Self([0; LANES]);
}

/// How large the parts of a network are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// King buckets: one of [`KingBuckets::counts`].
    pub king_buckets: usize,
    /// H, a multiple of [`Head::granularity`] up to [`MAX_HIDDEN`].
    pub hidden: usize,
    /// What comes behind the hidden units.
    pub head: Head,
}

/// What comes behind the hidden units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// The output.
    Direct,
    /// Two layers, and then the output.
    Layered,
}

impl Head {
    /// H is a multiple of this number.
    pub const fn granularity(self) -> usize {
        match self {
            // Kernels work in whole blocks.
            Self::Direct => LANES,
            // One half of the units is multiplied with the other half, and each half is made of whole blocks.
            Self::Layered => 2 * LANES,
        }
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Direct => "direct",
            Self::Layered => "layered",
        })
    }
}

/// Why no network can have an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchitectureError {
    /// There is no grouping of king squares into so many buckets.
    #[error("the number of king buckets is {0}, but it must be one of {counts:?}", counts = KingBuckets::counts().collect::<Vec<_>>())]
    KingBuckets(usize),
    /// The kernels cannot run a hidden layer of this size.
    #[error(
        "the hidden size is {hidden}, but with the {head} head it must be a multiple of {multiple} from {multiple} to {MAX_HIDDEN}",
        multiple = head.granularity()
    )]
    Hidden {
        /// The size, in units.
        hidden: usize,
        /// The head behind these units.
        head: Head,
    },
}

impl Architecture {
    /// Whether a network can have this architecture: files are read, and networks are trained, if it can.
    ///
    /// # Errors
    /// Names the number that is at fault, and says what it may be.
    pub fn check(self) -> Result<(), ArchitectureError> {
        let Self {
            king_buckets,
            hidden,
            head,
        } = self;
        if KingBuckets::of_count(king_buckets).is_none() {
            return Err(ArchitectureError::KingBuckets(king_buckets));
        }
        let multiple = head.granularity();
        if hidden.is_multiple_of(multiple) && (multiple..=MAX_HIDDEN).contains(&hidden) {
            Ok(())
        } else {
            Err(ArchitectureError::Hidden { hidden, head })
        }
    }

    /// Whether training can go on with a network of this architecture in one of the other. The other may have king buckets where
    /// this one has none, and a wider hidden layer in front of a direct head; a layered head does not grow.
    pub fn grows_into(self, other: Self) -> bool {
        let wider = self.head == Head::Direct && self.hidden < other.hidden;
        self.head == other.head
            && [1, other.king_buckets].contains(&self.king_buckets)
            && (wider || self.hidden == other.hidden)
    }

    /// Inputs of one side.
    pub const fn inputs(self) -> usize {
        self.king_buckets * super::features::PIECE_SQUARES
    }

    /// Bytes of a network file.
    const fn file_size(self) -> usize {
        let features = (self.inputs() + 1) * self.hidden * size_of::<i16>();
        let bucket = match self.head {
            Head::Direct => 2 * self.hidden * size_of::<i16>() + size_of::<i32>(),
            Head::Layered => {
                self.hidden * FIRST
                    + (SECOND_INPUTS + 1) * SECOND * size_of::<i16>()
                    + (FIRST + SECOND + 1) * size_of::<i32>()
            }
        };
        HEADER + features + OUTPUT_BUCKETS * bucket
    }

    /// The largest that a file may have.
    const LARGEST: Self = Self {
        king_buckets: 8,
        hidden: MAX_HIDDEN,
        head: Head::Direct,
    };
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            king_buckets,
            hidden,
            head,
        } = self;
        write!(f, "(768x{king_buckets} -> {hidden})x2 -> ")?;
        match head {
            Head::Direct => write!(f, "1x{OUTPUT_BUCKETS}"),
            Head::Layered => write!(f, "({FIRST} -> {SECOND} -> 1)x{OUTPUT_BUCKETS}"),
        }
    }
}

/// The quantized numbers of a network, as plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    /// How many there are of each.
    pub architecture: Architecture,
    /// `[K * 768][H]`, in units of 1 / [`QA`], at most [`MAX_FEATURE_WEIGHT`] in size.
    pub feature_weights: Vec<i16>,
    /// `[H]`, in units of 1 / [`QA`], at most [`MAX_FEATURE_WEIGHT`] in size.
    pub feature_biases: Vec<i16>,
    /// The head.
    pub head: HeadWeights,
    /// Centipawns of an output of 1, from 1 to 100,000.
    pub scale: i32,
    /// What its scores mean.
    pub win_rate: WinRate,
}

/// The quantized numbers of a network's head. The documentation of this file says which is which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadWeights {
    /// Weights in units of 1 / [`QB`].
    Direct {
        /// `[OUTPUT_BUCKETS][2][H]`, the side to move first.
        weights: Vec<i16>,
        /// `[OUTPUT_BUCKETS]`, in units of 1 / ([`QA_SQUARED`] * [`QB`]).
        biases: Vec<i32>,
    },
    /// Two layers and the output.
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

/// Why bytes are no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// They begin with something else.
    #[error("this is no Rejoinder network")]
    Magic,
    /// Another version of the format.
    #[error("the format's version is {0}, this program reads {VERSION}")]
    Version(u32),
    /// No network can have the architecture.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A constant out of range.
    #[error("{name} is {value}, which this program cannot run")]
    Constant {
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
    read(path, Network::from_bytes).map(Arc::new)
}

/// Reads the numbers of a network from a file.
///
/// # Errors
/// As [`load`].
pub fn load_weights(path: &Path) -> Result<Weights, LoadError> {
    read(path, Weights::from_bytes)
}

fn read<T>(
    path: &Path,
    understand: impl FnOnce(&[u8]) -> Result<T, NetworkError>,
) -> Result<T, LoadError> {
    let path = path.to_path_buf();
    // No more than the largest network has: the path may be that of a device without an end.
    let mut bytes = Vec::new();
    let limit = Architecture::LARGEST.file_size() as u64 + 1;
    let read = File::open(&path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    match read.map(|_| understand(&bytes)) {
        Ok(Ok(network)) => Ok(network),
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

/// A head that is ready to run: its numbers by output bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadBlocks {
    /// Weights of both sides, the side to move first, and the bias.
    Direct(Vec<(Vec<Block>, i32)>),
    /// Two layers and the output.
    Layered(Vec<Layers>),
}

/// The layers of an output bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Layers {
    /// Biases of the first layer.
    pub first_biases: [i32; FIRST],
    /// Output weights.
    pub last: [i32; SECOND],
    /// Biases of the second layer.
    pub second_biases: [i32; SECOND],
    /// Weights of the second layer, a line for each pair of inputs.
    pub second: [SecondLine; SECOND_INPUTS / PAIR],
    /// Weights of the first layer, a line for each group of inputs.
    pub first: Vec<Line>,
    /// Bias of the output.
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
    /// Ready to run.
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
    /// On huge pages: a search goes everywhere in it.
    feature_weights: Mapped<Block>,
    feature_biases: Vec<Block>,
    head: HeadBlocks,
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
        Self::new(&Self::zero_weights()).expect("a network")
    }

    /// The numbers of the network that knows nothing.
    pub fn zero_weights() -> Weights {
        let architecture = Architecture {
            king_buckets: 1,
            hidden: LANES,
            head: Head::Direct,
        };
        Weights {
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

    /// Reads a network file.
    ///
    /// # Errors
    /// If the bytes are no network that this program can run.
    ///
    /// # Panics
    /// Never: what it relies on is checked first.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let weights = Weights::from_bytes(bytes)?;
        let architecture = weights.architecture;
        // Both have been checked by now.
        let king_buckets = KingBuckets::of_count(architecture.king_buckets);
        let checksum = bytes[CHECKSUM_AT..HEADER].try_into().expect("eight");
        Ok(Self {
            architecture,
            king_buckets: king_buckets.expect("a grouping"),
            blocks: architecture.hidden / LANES,
            feature_weights: on_huge_pages(&weights.feature_weights),
            feature_biases: blocks(&weights.feature_biases),
            head: weights.head.blocks(architecture.hidden),
            scale: weights.scale,
            win_rate: weights.win_rate,
            checksum: u64::from_le_bytes(checksum),
        })
    }

    /// How large its parts are.
    pub const fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// How it groups king squares.
    #[inline(always)]
    pub const fn king_buckets(&self) -> &'static KingBuckets {
        self.king_buckets
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

    /// Centipawns of an output in units of 1 / ([`QA_SQUARED`] * [`QB`]).
    #[inline(always)]
    pub fn score(&self, output: i64) -> Score {
        let score = output * i64::from(self.scale) / i64::from(QA_SQUARED * QB);
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

impl Weights {
    /// The network file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let Architecture {
            king_buckets,
            hidden,
            head,
        } = self.architecture;
        let sizes = [VERSION as usize, king_buckets, hidden, OUTPUT_BUCKETS].map(|x| x as i32);
        let WinRate { a, b } = self.win_rate;
        let constants = [QA, QB, self.scale, a[0], a[1], b[0], b[1], head as i32];
        bytes.extend(
            sizes
                .into_iter()
                .chain(constants)
                .flat_map(i32::to_le_bytes),
        );
        bytes.extend([0; HEADER - CHECKSUM_AT]);
        let mut add16 = |list: &[i16]| bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
        add16(&self.feature_weights);
        add16(&self.feature_biases);
        match &self.head {
            HeadWeights::Direct { weights, biases } => {
                add16(weights);
                bytes.extend(biases.iter().flat_map(|x| x.to_le_bytes()));
            }
            HeadWeights::Layered {
                first,
                first_biases,
                second,
                second_biases,
                last,
                last_biases,
            } => {
                bytes.extend(first.iter().flat_map(|x| x.to_le_bytes()));
                for (weights, biases) in [
                    (&Vec::new(), first_biases),
                    (second, second_biases),
                    (last, last_biases),
                ] {
                    bytes.extend(weights.iter().flat_map(|x: &i16| x.to_le_bytes()));
                    bytes.extend(biases.iter().flat_map(|x| x.to_le_bytes()));
                }
            }
        }
        let checksum = checksum(&bytes).to_le_bytes();
        bytes[CHECKSUM_AT..HEADER].copy_from_slice(&checksum);
        bytes
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
        let word = |at: usize| i32::from_le_bytes(header[at..at + 4].try_into().expect("four"));
        if word(8) != VERSION as i32 {
            return Err(NetworkError::Version(word(8) as u32));
        }
        let fixed = [
            (
                "the number of output buckets",
                word(20),
                OUTPUT_BUCKETS as i32,
            ),
            ("QA", word(24), QA),
            ("QB", word(28), QB),
        ];
        for (name, value, wanted) in fixed {
            check(name, value, value == wanted)?;
        }
        let architecture = Architecture {
            king_buckets: word(12) as usize,
            hidden: word(16) as usize,
            head: match word(52) {
                0 => Head::Direct,
                1 => Head::Layered,
                other => {
                    check("the kind of head", other, false)?;
                    Head::Direct
                }
            },
        };
        architecture.check()?;
        let scale = word(32);
        check("the scale", scale, (1..=100_000).contains(&scale))?;
        let win_rate = WinRate {
            a: [word(36), word(40)],
            b: [word(44), word(48)],
        };
        check("the win-rate model", win_rate.a[0], win_rate.is_valid())?;

        let expected = architecture.file_size();
        if bytes.len() != expected {
            let found = bytes.len();
            return Err(NetworkError::Size { expected, found });
        }
        if header[CHECKSUM_AT..] != checksum(bytes).to_le_bytes() {
            return Err(NetworkError::Checksum);
        }
        let hidden = architecture.hidden;
        let features = architecture.inputs() * hidden;
        Ok(Self {
            architecture,
            feature_weights: take_features(&mut rest, "a feature weight", features)?,
            feature_biases: take_features(&mut rest, "a feature bias", hidden)?,
            head: match architecture.head {
                Head::Direct => HeadWeights::Direct {
                    weights: take(&mut rest, OUTPUT_BUCKETS * 2 * hidden, i16::from_le_bytes),
                    biases: take(&mut rest, OUTPUT_BUCKETS, i32::from_le_bytes),
                },
                Head::Layered => HeadWeights::Layered {
                    first: take(
                        &mut rest,
                        OUTPUT_BUCKETS * hidden * FIRST,
                        i8::from_le_bytes,
                    ),
                    first_biases: take(&mut rest, OUTPUT_BUCKETS * FIRST, i32::from_le_bytes),
                    second: take(
                        &mut rest,
                        OUTPUT_BUCKETS * SECOND_INPUTS * SECOND,
                        i16::from_le_bytes,
                    ),
                    second_biases: take(&mut rest, OUTPUT_BUCKETS * SECOND, i32::from_le_bytes),
                    last: take(&mut rest, OUTPUT_BUCKETS * SECOND, i16::from_le_bytes),
                    last_biases: take(&mut rest, OUTPUT_BUCKETS, i32::from_le_bytes),
                },
            },
            scale,
            win_rate,
        })
    }
}

/// The next numbers of a file that is long enough.
fn take<const N: usize, T>(rest: &mut &[u8], count: usize, convert: fn([u8; N]) -> T) -> Vec<T> {
    let (bytes, tail) = rest.split_at(count * N);
    *rest = tail;
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| convert(bytes))
        .collect()
}

/// The next numbers of a file, if 32 of them and one more can be added up in 16 bits.
fn take_features(
    rest: &mut &[u8],
    name: &'static str,
    count: usize,
) -> Result<Vec<i16>, NetworkError> {
    let list = take(rest, count, i16::from_le_bytes);
    match list
        .iter()
        .find(|x| x.unsigned_abs() > MAX_FEATURE_WEIGHT as u16)
    {
        None => Ok(list),
        Some(&loud) => Err(NetworkError::Constant {
            name,
            value: loud.into(),
        }),
    }
}

fn check(name: &'static str, value: i32, fits: bool) -> Result<(), NetworkError> {
    let value = value.into();
    let wrong = NetworkError::Constant { name, value };
    fits.then_some(()).ok_or(wrong)
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

/// FNV-1a over everything but the checksum's own place.
fn checksum(bytes: &[u8]) -> u64 {
    fnv1a(bytes[..CHECKSUM_AT].iter().chain(&bytes[HEADER..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(head: Head) -> Weights {
        let numbers = |count: usize| (0..count).map(|i| (i * 37 % 201) as i16 - 100).collect();
        let wide = |count: usize| (0..count).map(|i| i as i32 * 37 - 5).collect();
        let architecture = Architecture {
            king_buckets: 4,
            hidden: 2 * LANES,
            head,
        };
        Weights {
            architecture,
            feature_weights: numbers(architecture.inputs() * 64),
            feature_biases: numbers(64),
            head: match head {
                Head::Direct => HeadWeights::Direct {
                    weights: numbers(OUTPUT_BUCKETS * 2 * 64),
                    biases: wide(OUTPUT_BUCKETS),
                },
                Head::Layered => HeadWeights::Layered {
                    first: (0..OUTPUT_BUCKETS * 64 * FIRST).map(|i| i as i8).collect(),
                    first_biases: wide(OUTPUT_BUCKETS * FIRST),
                    second: numbers(OUTPUT_BUCKETS * SECOND * SECOND_INPUTS),
                    second_biases: wide(OUTPUT_BUCKETS * SECOND),
                    last: numbers(OUTPUT_BUCKETS * SECOND),
                    last_biases: wide(OUTPUT_BUCKETS),
                },
            },
            scale: 400,
            win_rate: WinRate::DEFAULT,
        }
    }

    #[test]
    fn a_file_gives_back_what_was_written() {
        for head in [Head::Direct, Head::Layered] {
            let weights = weights(head);
            assert_eq!(
                Weights::from_bytes(&weights.to_bytes()),
                Ok(weights.clone())
            );
            let network = Network::new(&weights).expect("a network");
            assert_eq!(network.architecture(), weights.architecture);
            let row = |row: &[Block]| row.iter().flat_map(|block| block.0).collect::<Vec<_>>();
            for input in [700, 3000] {
                assert_eq!(
                    row(network.feature(input)),
                    weights.feature_weights[input * 64..][..64]
                );
            }
            assert_eq!(row(network.feature_biases()), weights.feature_biases);
            match (network.head(), &weights.head) {
                (HeadBlocks::Direct(buckets), HeadWeights::Direct { weights, biases }) => {
                    assert_eq!(row(&buckets[3].0), weights[3 * 128..4 * 128]);
                    assert_eq!(buckets[3].1, biases[3]);
                }
                (
                    HeadBlocks::Layered(buckets),
                    HeadWeights::Layered {
                        first,
                        second,
                        last,
                        last_biases,
                        ..
                    },
                ) => {
                    let layers = &buckets[3];
                    assert_eq!(
                        layers.first[5].0[2][1],
                        first[((3 * 16 + 5) * 16 + 2) * 4 + 1]
                    );
                    assert_eq!(
                        layers.second[15].0[7][1],
                        second[((3 * 16 + 15) * 32 + 7) * 2 + 1]
                    );
                    assert_eq!(
                        (layers.last[9], layers.last_bias),
                        (last[3 * 32 + 9].into(), last_biases[3])
                    );
                }
                _ => panic!("another head"),
            }
            assert_eq!(network.score(i64::from(QA_SQUARED * QB)), 400);
            assert_eq!(network.win_rate(), WinRate::DEFAULT);
        }
    }

    const fn architecture(king_buckets: usize, hidden: usize, head: Head) -> Architecture {
        Architecture {
            king_buckets,
            hidden,
            head,
        }
    }

    #[test]
    fn impossible_architectures_are_named() {
        use Head::{Direct, Layered};
        for possible in [
            architecture(1, 32, Direct),
            architecture(4, 96, Direct),
            architecture(8, 4096, Direct),
            architecture(1, 64, Layered),
            architecture(4, 4096, Layered),
        ] {
            assert_eq!(possible.check(), Ok(()), "{possible}");
        }
        for (impossible, said) in [
            (architecture(2, 64, Direct), "king buckets is 2"),
            (architecture(0, 64, Layered), "one of [1, 4, 8]"),
            (architecture(1, 0, Direct), "multiple of 32 from 32 to 4096"),
            (architecture(1, 48, Direct), "hidden size is 48"),
            (architecture(1, 4128, Direct), "hidden size is 4128"),
            (architecture(1, 32, Layered), "multiple of 64"),
            (architecture(4, 96, Layered), "with the layered head"),
            (architecture(4, 0, Layered), "from 64"),
        ] {
            let error = impossible.check().expect_err("impossible").to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn networks_grow_but_do_not_shrink() {
        use Head::{Direct, Layered};
        let (small, layered) = (architecture(1, 64, Direct), architecture(1, 64, Layered));
        for (from, to) in [
            (small, small),
            (small, architecture(1, 96, Direct)),
            (small, architecture(8, 128, Direct)),
            (layered, architecture(4, 64, Layered)),
        ] {
            assert!(from.grows_into(to), "{from} {to}");
        }
        for (from, to) in [
            (small, layered),
            (layered, small),
            (small, architecture(1, 32, Direct)),
            (architecture(4, 64, Direct), small),
            (architecture(4, 64, Direct), architecture(8, 64, Direct)),
            (layered, architecture(1, 128, Layered)),
        ] {
            assert!(!from.grows_into(to), "{from} {to}");
        }
    }

    #[test]
    fn bytes_that_are_no_network_are_refused() {
        let good = weights(Head::Direct).to_bytes();
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
        assert_eq!(with(8, 1), NetworkError::Version(1));
        for (at, value) in [(12, 0), (12, 3), (16, 0), (16, 33), (16, 1 << 20)] {
            assert!(
                matches!(with(at, value), NetworkError::Architecture(_)),
                "{at}"
            );
        }
        for (at, value) in [
            (20, 1),
            (24, 255),
            (28, 64),
            (32, 0),
            (32, u32::MAX),
            (36, 0),
            (48, 0),
            (52, 2),
        ] {
            assert!(
                matches!(with(at, value), NetworkError::Constant { .. }),
                "{at}"
            );
        }
        // The layered head wants another size.
        assert!(matches!(with(52, 1), NetworkError::Size { .. }));
        let loud = |change: fn(&mut Weights)| {
            let mut weights = weights(Head::Layered);
            change(&mut weights);
            Network::new(&weights).is_err()
        };
        assert!(!loud(
            |weights| weights.feature_weights[5] = MAX_FEATURE_WEIGHT
        ));
        assert!(loud(
            |weights| weights.feature_weights[5] = MAX_FEATURE_WEIGHT + 1
        ));
        assert!(loud(
            |weights| weights.feature_biases[5] = -MAX_FEATURE_WEIGHT - 1
        ));
    }
}
