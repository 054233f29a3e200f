//! The file that a network comes in.
//!
//! A header of 64 bytes says how large the network is and what its scores mean; then come its numbers, all of them little-endian:
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

use crate::eval::features::OUTPUT_BUCKETS;
use crate::eval::win_rate::WinRate;
use crate::types::fnv1a;

use super::architecture::{
    Architecture, ArchitectureError, FIRST, Head, MAX_HIDDEN, SECOND, SECOND_INPUTS,
};
use super::weights::{HeadWeights, MAX_FEATURE_WEIGHT, QA, QB, Weights};

/// What a file begins with.
pub(super) const MAGIC: [u8; 8] = *b"REJOINDR";
const VERSION: u32 = 2;
const CHECKSUM_AT: usize = 56;
const HEADER: usize = 64;

/// The bytes of the largest file that there can be.
pub(super) const LARGEST: usize = size(Architecture {
    king_buckets: 8,
    hidden: MAX_HIDDEN,
    head: Head::Layered,
});

/// The bytes of a network file.
const fn size(architecture: Architecture) -> usize {
    let hidden = architecture.hidden;
    let features = (architecture.inputs() + 1) * hidden * size_of::<i16>();
    let bucket = match architecture.head {
        Head::Direct => 2 * hidden * size_of::<i16>() + size_of::<i32>(),
        Head::Layered => {
            hidden * FIRST
                + (SECOND_INPUTS + 1) * SECOND * size_of::<i16>()
                + (FIRST + SECOND + 1) * size_of::<i32>()
        }
    };
    HEADER + features + OUTPUT_BUCKETS * bucket
}

/// Why bytes are no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// They begin with something else.
    #[error("this is no Rejoinder network")]
    Magic,
    /// They have another version of the format.
    #[error("the format's version is {0}, this program reads {VERSION}")]
    Version(u32),
    /// No network can have the architecture that they name.
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    /// A constant is out of range.
    #[error("{name} is {value}, which this program cannot run")]
    Constant {
        /// Which constant it is.
        name: &'static str,
        /// What the bytes say.
        value: i64,
    },
    /// There are too few bytes, or too many.
    #[error("{found} bytes long instead of {expected}")]
    Size {
        /// The bytes that there should be by the header.
        expected: usize,
        /// The bytes that there are.
        found: usize,
    },
    /// They are damaged.
    #[error("the checksum is wrong: the file is damaged")]
    Checksum,
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

        let expected = size(architecture);
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

/// The checksum as a file holds it.
pub(super) fn stored_checksum(bytes: &[u8]) -> Option<u64> {
    let stored = bytes.get(CHECKSUM_AT..)?.first_chunk()?;
    Some(u64::from_le_bytes(*stored))
}

/// FNV-1a over everything but the checksum's own place.
fn checksum(bytes: &[u8]) -> u64 {
    fnv1a(bytes[..CHECKSUM_AT].iter().chain(&bytes[HEADER..]))
}

#[cfg(test)]
mod tests {
    use super::super::{Block, HeadBlocks, LANES, Network, QA_SQUARED};
    use super::*;
    use crate::eval::features::KingBuckets;

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

    #[test]
    fn no_file_is_larger_than_the_largest() {
        for king_buckets in KingBuckets::counts() {
            for head in [Head::Direct, Head::Layered] {
                let architecture = Architecture {
                    king_buckets,
                    hidden: MAX_HIDDEN,
                    head,
                };
                assert_eq!(architecture.check(), Ok(()));
                assert!(size(architecture) <= LARGEST, "{architecture}");
            }
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
