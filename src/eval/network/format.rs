//! The file format of networks.
//!
//! A header of 64 bytes contains the sizes of the network and the meaning of its scores; the
//! weights follow. All numbers are little-endian:
//!
//! ```text
//!  0  8 bytes  "REJOINDR"
//!  8  u32      version of the format, 3
//! 12  u32 x 5  architecture: king buckets K, H, output buckets 8, QA 512, QB 1024
//! 32  i32      scale: centipawns of an output of 1
//! 36  i32 x 4  win-rate model: a and b, without and with all material
//! 52  u32      relations: 0 for none, 2 for attacks, 4 for all of them
//! 56  u64      checksum of all other bytes (FNV-1a)
//! 64  i16      feature weights [K][768][H], feature biases [H]
//!     i8       weights of relations [7 or 17][768][H], if they are inputs
//!     i16      output weights [8][2][H]
//!     i32      output biases [8], in units of 1 / (4096 * QB)
//! ```

use crate::eval::features::OUTPUT_BUCKETS;
use crate::eval::relations::COUNTS;
use crate::eval::win_rate::WinRate;
use crate::types::fnv1a;

use super::architecture::{Architecture, ArchitectureError, MAX_HIDDEN};
use super::weights::{MAX_FEATURE_WEIGHT, QA, QB, Weights};

/// The first bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"REJOINDR";
const VERSION: u32 = 3;
const CHECKSUM_AT: usize = 56;
const HEADER: usize = 64;

/// The size of the largest possible file, in bytes.
pub(super) const LARGEST: usize = size(Architecture {
    king_buckets: 8,
    relations: COUNTS[2],
    hidden: MAX_HIDDEN,
});

/// Returns the size of a network file, in bytes.
const fn size(architecture: Architecture) -> usize {
    let hidden = architecture.hidden;
    let pieces = (architecture.piece_inputs() + 1) * hidden * size_of::<i16>();
    let relations = architecture.relation_inputs() * hidden;
    let bucket = 2 * hidden * size_of::<i16>() + size_of::<i32>();
    HEADER + pieces + relations + OUTPUT_BUCKETS * bucket
}

/// The reason why bytes are not a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// The bytes do not begin like a network file.
    #[error("this is not a Rejoinder network")]
    Magic,
    /// The version of the format is another one.
    #[error("the file has format version {0}, but this program reads version {VERSION}")]
    Version(u32),
    /// No network can have the architecture in the header.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A constant is out of range.
    #[error("{name} is {value}, which this program does not support")]
    Constant {
        /// The name of the constant.
        name: &'static str,
        /// The value of the constant.
        value: i64,
    },
    /// The number of bytes is wrong.
    #[error("the file has {found} bytes instead of {expected}")]
    Size {
        /// The number of bytes that the header asks for.
        expected: usize,
        /// The actual number of bytes.
        found: usize,
    },
    /// The checksum does not match.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
}

impl Weights {
    /// Writes a network file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let Architecture {
            king_buckets,
            relations,
            hidden,
        } = self.architecture;
        let sizes = [VERSION as usize, king_buckets, hidden, OUTPUT_BUCKETS].map(|x| x as i32);
        let WinRate { a, b } = self.win_rate;
        let of_relations = COUNTS.iter().position(|&count| count == relations);
        let kind = of_relations.map_or(0, |at| (at as i32) << 1);
        let constants = [QA, QB, self.scale, a[0], a[1], b[0], b[1], kind];
        bytes.extend(
            sizes
                .into_iter()
                .chain(constants)
                .flat_map(i32::to_le_bytes),
        );
        bytes.extend([0; HEADER - CHECKSUM_AT]);
        let features = self.feature_weights.iter().chain(&self.feature_biases);
        bytes.extend(features.flat_map(|x| x.to_le_bytes()));
        bytes.extend(self.relation_weights.iter().map(|&x| x as u8));
        bytes.extend(self.output_weights.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(self.output_biases.iter().flat_map(|x| x.to_le_bytes()));
        let checksum = checksum(&bytes).to_le_bytes();
        bytes[CHECKSUM_AT..HEADER].copy_from_slice(&checksum);
        bytes
    }

    /// Reads a network file.
    ///
    /// # Errors
    /// If the bytes are not a network that this program can run.
    ///
    /// # Panics
    /// Never, since the size is checked first.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if bytes.get(..MAGIC.len()) != Some(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        let too_short = NetworkError::Size {
            expected: HEADER,
            found: bytes.len(),
        };
        let (header, mut rest) = bytes.split_at_checked(HEADER).ok_or(too_short)?;
        let word = |at: usize| {
            i32::from_le_bytes(
                header[at..at + 4]
                    .try_into()
                    .expect("the slice does not have four bytes"),
            )
        };
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
        let kind = word(52);
        let of_relations = COUNTS.get((kind >> 1) as usize);
        let known = kind & 1 == 0 && of_relations.is_some();
        check("the kind of relations", kind, known)?;
        let architecture = Architecture {
            king_buckets: word(12) as usize,
            relations: of_relations.copied().unwrap_or(0),
            hidden: word(16) as usize,
        };
        architecture.check()?;
        let scale = word(32);
        check("the scale", scale, (1..=100_000).contains(&scale))?;
        let win_rate = WinRate {
            a: [word(36), word(40)],
            b: [word(44), word(48)],
        };
        check("the win-rate model", win_rate.a[0], win_rate.is_valid())?;

        let expected = size(architecture);
        if bytes.len() != expected {
            let found = bytes.len();
            return Err(NetworkError::Size { expected, found });
        }
        if header[CHECKSUM_AT..] != checksum(bytes).to_le_bytes() {
            return Err(NetworkError::Checksum);
        }
        let hidden = architecture.hidden;
        let pieces = architecture.piece_inputs() * hidden;
        Ok(Self {
            architecture,
            feature_weights: take_features(&mut rest, "a feature weight", pieces)?,
            feature_biases: take_features(&mut rest, "a feature bias", hidden)?,
            relation_weights: take(
                &mut rest,
                architecture.relation_inputs() * hidden,
                i8::from_le_bytes,
            ),
            output_weights: take(&mut rest, OUTPUT_BUCKETS * 2 * hidden, i16::from_le_bytes),
            output_biases: take(&mut rest, OUTPUT_BUCKETS, i32::from_le_bytes),
            scale,
            win_rate,
        })
    }
}

/// Takes the next numbers of a file that is known to be long enough.
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

/// Takes the next feature weights or biases of a file, which must be small enough that 33 of them
/// add up to 16 bits.
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

/// Returns the checksum that a file contains.
pub(super) fn stored_checksum(bytes: &[u8]) -> Option<u64> {
    let stored = bytes.get(CHECKSUM_AT..)?.first_chunk()?;
    Some(u64::from_le_bytes(*stored))
}

/// Returns the FNV-1a hash of all bytes but the checksum's own.
fn checksum(bytes: &[u8]) -> u64 {
    fnv1a(bytes[..CHECKSUM_AT].iter().chain(&bytes[HEADER..]))
}

#[cfg(test)]
mod tests;
