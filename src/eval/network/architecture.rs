//! The sizes of the parts of a network, and which sizes are possible.

use std::fmt;

use crate::eval::features::{KingBuckets, OUTPUT_BUCKETS, PIECE_SQUARES};
use crate::eval::relations;

/// The number of values in a [block](super::Block); the hidden size is a multiple of it.
pub const LANES: usize = 32;
/// The largest hidden size.
pub(crate) const MAX_HIDDEN: usize = 4096;
/// The number of units in the first layer of a layered head.
pub const FIRST: usize = 16;
/// The number of inputs of the second layer: the squares of the first layer's units, and then their
/// values.
pub const SECOND_INPUTS: usize = 2 * FIRST;
/// The number of units in the second layer.
pub const SECOND: usize = 32;

/// The sizes of the parts of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// The number of king buckets, one of [`KingBuckets::counts`].
    pub king_buckets: usize,
    /// The number of relations that are inputs, one of [`relations::COUNTS`].
    pub relations: usize,
    /// The hidden size H, a multiple of [`Head::granularity`] up to 4096.
    pub hidden: usize,
    /// The layers after the hidden layer.
    pub head: Head,
}

/// The layers after the hidden layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// The output follows directly.
    Direct,
    /// Two layers follow, and then the output.
    Layered,
}

impl Head {
    /// Returns the number that the hidden size must be a multiple of.
    pub const fn granularity(self) -> usize {
        match self {
            // Kernels work in whole blocks.
            Self::Direct => LANES,
            // One half of the units is multiplied by the other half, and each half consists of
            // whole blocks.
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
        "the hidden size is {hidden}, but with the {head} head it must be a multiple of {multiple} from {multiple} to {MAX_HIDDEN}",
        multiple = head.granularity()
    )]
    Hidden {
        /// The hidden size, in units.
        hidden: usize,
        /// The head after the hidden layer.
        head: Head,
    },
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
            head,
        } = self;
        if KingBuckets::of_count(king_buckets).is_none() {
            return Err(ArchitectureError::KingBuckets(king_buckets));
        }
        if !relations::COUNTS.contains(&relations) {
            return Err(ArchitectureError::Relations(relations));
        }
        let multiple = head.granularity();
        if hidden.is_multiple_of(multiple) && (multiple..=MAX_HIDDEN).contains(&hidden) {
            Ok(())
        } else {
            Err(ArchitectureError::Hidden { hidden, head })
        }
    }

    /// Returns whether training can continue from a network of this architecture with the other
    /// one. The other one may have king buckets if this one has none, more relations, and a
    /// wider hidden layer before a direct head; a layered head cannot grow.
    pub fn grows_into(self, other: Self) -> bool {
        let wider = self.head == Head::Direct && self.hidden < other.hidden;
        self.head == other.head
            && self.relations <= other.relations
            && [1, other.king_buckets].contains(&self.king_buckets)
            && (wider || self.hidden == other.hidden)
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
            head,
        } = self;
        write!(f, "(768x{king_buckets}")?;
        if *relations > 0 {
            write!(f, " + 768x{relations}")?;
        }
        write!(f, " -> {hidden})x2 -> ")?;
        match head {
            Head::Direct => write!(f, "1x{OUTPUT_BUCKETS}"),
            Head::Layered => write!(f, "({FIRST} -> {SECOND} -> 1)x{OUTPUT_BUCKETS}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn architecture(king_buckets: usize, hidden: usize, head: Head) -> Architecture {
        Architecture {
            king_buckets,
            relations: 0,
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
            (
                Architecture {
                    relations: 8,
                    ..architecture(1, 32, Direct)
                },
                "one of [0, 7, 17]",
            ),
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
        let [attacks, all] = [7, 17].map(|relations| Architecture { relations, ..small });
        for (from, to) in [
            (small, small),
            (small, architecture(1, 96, Direct)),
            (small, architecture(8, 128, Direct)),
            (layered, architecture(4, 64, Layered)),
            (small, attacks),
            (attacks, all),
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
            (attacks, small),
            (all, attacks),
        ] {
            assert!(!from.grows_into(to), "{from} {to}");
        }
    }
}
