//! The sizes of the parts of a network, and which sizes are possible.

use std::fmt;

use crate::eval::features::{KingBuckets, OUTPUT_BUCKETS, PIECE_SQUARES};
use crate::eval::relations;

/// The number of values in a [block](super::Block); the hidden size is a multiple of it.
pub const LANES: usize = 32;
/// The largest hidden size.
pub(crate) const MAX_HIDDEN: usize = 4096;
/// The sizes of the parts of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// The number of king buckets, one of [`KingBuckets::counts`].
    pub king_buckets: usize,
    /// The number of relations that are inputs, one of [`relations::COUNTS`].
    pub relations: usize,
    /// The hidden size H, a multiple of [`LANES`] up to 4096.
    pub hidden: usize,
}

/// The reason why no network can have an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchitectureError {
    /// There is no grouping of king squares into this many buckets.
    #[error("the number of king buckets is {0}, but it must be one of {counts:?}", counts = KingBuckets::counts().collect::<Vec<_>>())]
    KingBuckets(usize),
    /// There is no list of this many relations.
    #[error("the number of relations is {0}, but it must be one of {counts:?}", counts = relations::COUNTS)]
    Relations(usize),
    /// The kernels cannot run a hidden layer of this size.
    #[error(
        "the hidden size is {0}, but it must be a multiple of {LANES} from {LANES} to {MAX_HIDDEN}"
    )]
    Hidden(usize),
}

impl Architecture {
    /// Checks whether a network can have this architecture.
    ///
    /// # Errors
    /// Returns the number that is wrong, and which values are possible.
    pub fn check(self) -> Result<(), ArchitectureError> {
        let Self {
            king_buckets,
            relations,
            hidden,
        } = self;
        if KingBuckets::of_count(king_buckets).is_none() {
            return Err(ArchitectureError::KingBuckets(king_buckets));
        }
        if !relations::COUNTS.contains(&relations) {
            return Err(ArchitectureError::Relations(relations));
        }
        // Kernels work in whole blocks.
        if hidden.is_multiple_of(LANES) && (LANES..=MAX_HIDDEN).contains(&hidden) {
            Ok(())
        } else {
            Err(ArchitectureError::Hidden(hidden))
        }
    }

    /// Returns whether training can continue from a network of this architecture with the other
    /// one, which may have king buckets if this one has none, more relations, and a wider hidden
    /// layer.
    pub fn grows_into(self, other: Self) -> bool {
        self.relations <= other.relations
            && [1, other.king_buckets].contains(&self.king_buckets)
            && self.hidden <= other.hidden
    }

    /// Returns the number of inputs of one side. Those for pieces come first.
    pub const fn inputs(self) -> usize {
        self.piece_inputs() + self.relation_inputs()
    }

    /// Returns the number of one side's inputs for pieces.
    pub const fn piece_inputs(self) -> usize {
        self.king_buckets * PIECE_SQUARES
    }

    /// Returns the number of one side's inputs for relations.
    pub const fn relation_inputs(self) -> usize {
        self.relations * PIECE_SQUARES
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            king_buckets,
            relations,
            hidden,
        } = self;
        write!(f, "(768x{king_buckets}")?;
        if *relations > 0 {
            write!(f, " + 768x{relations}")?;
        }
        write!(f, " -> {hidden})x2 -> 1x{OUTPUT_BUCKETS}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn architecture(king_buckets: usize, hidden: usize) -> Architecture {
        Architecture {
            king_buckets,
            relations: 0,
            hidden,
        }
    }

    #[test]
    fn impossible_architectures_are_named() {
        for possible in [
            architecture(1, 32),
            architecture(4, 96),
            architecture(8, 4096),
        ] {
            assert_eq!(possible.check(), Ok(()), "{possible}");
        }
        for (impossible, said) in [
            (architecture(2, 64), "king buckets is 2"),
            (architecture(0, 64), "one of [1, 4, 8]"),
            (architecture(1, 0), "multiple of 32 from 32 to 4096"),
            (architecture(1, 48), "hidden size is 48"),
            (architecture(1, 4128), "hidden size is 4128"),
            (
                Architecture {
                    relations: 8,
                    ..architecture(1, 32)
                },
                "one of [0, 7, 17]",
            ),
        ] {
            let error = impossible.check().expect_err("impossible").to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn networks_grow_but_do_not_shrink() {
        let small = architecture(1, 64);
        let [attacks, all] = [7, 17].map(|relations| Architecture { relations, ..small });
        for (from, to) in [
            (small, small),
            (small, architecture(1, 96)),
            (small, architecture(8, 128)),
            (small, attacks),
            (attacks, all),
        ] {
            assert!(from.grows_into(to), "{from} {to}");
        }
        for (from, to) in [
            (small, architecture(1, 32)),
            (architecture(4, 64), small),
            (architecture(4, 64), architecture(8, 64)),
            (attacks, small),
            (all, attacks),
        ] {
            assert!(!from.grows_into(to), "{from} {to}");
        }
    }
}
