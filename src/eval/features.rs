//! The inputs of the network: for each side its own pieces and the opponent's, by kind, owner and
//! square, and the relations between them.
//!
//! A side sees the board from its own first rank, and with its king on the files a to d: if the
//! king is on the files e to h, the board is mirrored. The king's square then determines one of the
//! network's king buckets, each of which has inputs of its own.
//!
//! A network may also see [relations](super::relations), each as an input for every piece and square.
//! These inputs do not depend on the king's bucket.
// Source: horizontal mirroring and king buckets, https://www.chessprogramming.org/NNUE#Feature_sets

use crate::types::{Color, Piece, PieceType, Square};

/// The number of inputs of a king bucket: 2 owners, 6 kinds of pieces, 64 squares.
pub const PIECE_SQUARES: usize = 2 * PieceType::COUNT * Square::COUNT;

/// The largest number of pieces on a board.
pub const MAX_PIECES: usize = 32;

/// The number of output buckets, each of which has weights of its own.
pub const OUTPUT_BUCKETS: usize = 8;

/// The number of piece counts in an output bucket: 2 to 5 pieces use the first, 30 to 32 the last.
const PIECES_A_BUCKET: u32 = 4;

/// A grouping of king squares into buckets.
#[derive(Debug, PartialEq, Eq)]
pub struct KingBuckets {
    /// The number of buckets.
    pub count: usize,
    /// The bucket of each square of the files a to d, first rank first.
    of: [u8; 32],
}

/// All groupings that a network may have. Kings are mostly on the first two ranks, so the buckets
/// are finest there.
#[rustfmt::skip]
static KING_BUCKETS: [KingBuckets; 3] = [
    KingBuckets { count: 1, of: [0; 32] },
    KingBuckets { count: 4, of: [
        0, 0, 1, 1,
        2, 2, 2, 2,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
        3, 3, 3, 3,
    ] },
    KingBuckets { count: 8, of: [
        0, 1, 2, 3,
        4, 4, 5, 5,
        6, 6, 6, 6,
        6, 6, 6, 6,
        7, 7, 7, 7,
        7, 7, 7, 7,
        7, 7, 7, 7,
        7, 7, 7, 7,
    ] },
];

impl KingBuckets {
    /// Returns the grouping with this many buckets, if there is one: 1, 4 or 8.
    pub fn of_count(count: usize) -> Option<&'static Self> {
        KING_BUCKETS.iter().find(|buckets| buckets.count == count)
    }

    /// Returns the numbers of buckets for which there is a grouping.
    pub fn counts() -> impl Iterator<Item = usize> {
        KING_BUCKETS.iter().map(|buckets| buckets.count)
    }

    /// Returns the number of inputs for the pieces of one side.
    pub const fn inputs(&self) -> usize {
        self.count * PIECE_SQUARES
    }
}

/// A fact about a position for which each side has an input: a piece on a square, or a relation of
/// the piece to others.
///
/// The number says, from the highest digit on: 0 for the piece itself or 1 more than the index of
/// the relation; the piece, of which the lowest bit is the color; and the square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Feature(u16);

impl Feature {
    /// Returns the feature of a piece on a square.
    #[inline(always)]
    pub const fn piece(piece: Piece, square: Square) -> Self {
        Self((piece.index() * Square::COUNT + square.index()) as u16)
    }

    /// Returns the feature of a relation of a piece, on its square or one that it attacks;
    /// `relation` is its index.
    #[inline(always)]
    pub const fn relation(relation: usize, piece: Piece, square: Square) -> Self {
        let Self(number) = Self::piece(piece, square);
        Self(((relation + 1) * PIECE_SQUARES) as u16 + number)
    }

    /// Returns the feature with the piece and the square moved on by these numbers.
    #[inline(always)]
    #[cfg(not(target_feature = "avx512vbmi2"))]
    pub(super) const fn shifted(self, piece: usize, square: Square) -> Self {
        Self(self.0 + (piece * Square::COUNT + square.index()) as u16)
    }

    /// Returns the feature's number.
    #[cfg(target_feature = "avx512vbmi2")]
    #[inline(always)]
    pub(super) const fn number(self) -> u16 {
        self.0
    }

    /// Returns whether the feature is a relation.
    #[inline(always)]
    pub const fn is_relation(self) -> bool {
        self.0 as usize >= PIECE_SQUARES
    }
}

/// The perspective that a side has of the board because of its king's square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Perspective {
    /// The value that turns a feature as White sees it into one as the side sees it, by exclusive
    /// or: it flips and mirrors the square and exchanges the colors.
    turn: u16,
    /// The king's bucket.
    bucket: u16,
    /// The number of king buckets, whose inputs come before those of the relations.
    buckets: u16,
}

// Exclusive or with a color or a square changes nothing else in a feature.
const _: () = assert!(PIECE_SQUARES.is_multiple_of(2 * Square::COUNT));
const _: () = assert!(Piece::WhitePawn.index() ^ Piece::BlackPawn.index() == 1);

impl Perspective {
    /// Returns the perspective of a side whose king is on this square.
    #[inline(always)]
    pub fn new(side: Color, king: Square, buckets: &KingBuckets) -> Self {
        let flip = king.index() ^ king.relative(side).index();
        let mirror = if king.file() >= 4 { 7 } else { 0 };
        let seen = king.index() ^ flip ^ mirror;
        Self {
            turn: (side.index() * Square::COUNT + (flip ^ mirror)) as u16,
            bucket: buckets.of[seen / 8 * 4 + seen % 4].into(),
            buckets: buckets.count as u16,
        }
    }

    /// Returns the index of the input that stands for a feature.
    #[inline(always)]
    pub const fn input(self, feature: Feature) -> usize {
        if feature.is_relation() {
            self.buckets as usize * PIECE_SQUARES + self.relation_input(feature)
        } else {
            self.piece_input(feature)
        }
    }

    /// Returns the index of the input that stands for a feature which is a piece.
    #[inline(always)]
    pub const fn piece_input(self, feature: Feature) -> usize {
        self.bucket as usize * PIECE_SQUARES + (feature.0 ^ self.turn) as usize
    }

    /// Returns the index, among the inputs for relations, of the one that stands for a feature
    /// which is a relation.
    #[inline(always)]
    pub const fn relation_input(self, feature: Feature) -> usize {
        (feature.0 ^ self.turn) as usize - PIECE_SQUARES
    }

    /// Returns the number of this perspective among those of its side, less than twice the number of king
    /// buckets.
    #[inline(always)]
    pub const fn number(self) -> usize {
        (2 * self.bucket + self.turn % 2) as usize
    }
}

/// Returns the output bucket of a board with this many pieces, 2 to 32.
#[inline(always)]
pub const fn output_bucket(pieces: u32) -> usize {
    let bucket = (pieces.saturating_sub(2) / PIECES_A_BUCKET) as usize;
    if bucket < OUTPUT_BUCKETS {
        bucket
    } else {
        OUTPUT_BUCKETS - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perspective(side: Color, king: Square) -> Perspective {
        Perspective::new(side, king, &KING_BUCKETS[0])
    }

    #[test]
    fn every_piece_has_an_input_of_its_own() {
        for buckets in &KING_BUCKETS {
            for side in Color::ALL {
                let mut seen = vec![0; buckets.inputs()];
                for king in Square::all() {
                    let perspective = Perspective::new(side, king, buckets);
                    for color in Color::ALL {
                        for kind in PieceType::ALL {
                            for square in Square::all() {
                                seen[perspective
                                    .input(Feature::piece(Piece::new(color, kind), square))] += 1;
                            }
                        }
                    }
                }
                // Every input belongs to the kings of one bucket, on both halves of the board.
                let kings: Vec<usize> = (0..buckets.count)
                    .map(|bucket| {
                        2 * buckets
                            .of
                            .iter()
                            .filter(|&&of| usize::from(of) == bucket)
                            .count()
                    })
                    .collect();
                for (input, seen) in seen.into_iter().enumerate() {
                    assert_eq!(seen, kings[input / PIECE_SQUARES]);
                }
                assert!(kings.iter().all(|&kings| kings > 0));
            }
        }
    }

    #[test]
    fn both_sides_see_the_same_game() {
        let (e2, e7, d7) = (Square::at(4, 1), Square::at(4, 6), Square::at(3, 6));
        let (d1, d8, e8) = (Square::at(3, 0), Square::at(3, 7), Square::at(4, 7));
        let white = perspective(Color::White, d1).input(Feature::piece(Piece::WhitePawn, e2));
        assert_eq!(
            white,
            perspective(Color::Black, d8).input(Feature::piece(Piece::BlackPawn, e7))
        );
        assert_eq!(
            white,
            perspective(Color::Black, e8).input(Feature::piece(Piece::BlackPawn, d7))
        );
        assert_ne!(
            white,
            perspective(Color::White, d1).input(Feature::piece(Piece::BlackPawn, e2))
        );
    }

    #[test]
    fn views_are_numbered() {
        for buckets in &KING_BUCKETS {
            for side in Color::ALL {
                let mut seen = vec![None; 2 * buckets.count];
                for king in Square::all() {
                    let perspective = Perspective::new(side, king, buckets);
                    let known = seen[perspective.number()].get_or_insert(perspective);
                    assert_eq!(*known, perspective);
                }
            }
        }
        let white =
            |file, rank| Perspective::new(Color::White, Square::at(file, rank), &KING_BUCKETS[1]);
        assert_eq!(
            [white(1, 0), white(6, 0)].map(|perspective| perspective.bucket),
            [0, 0]
        );
        assert_eq!(
            [white(3, 0), white(4, 1), white(0, 5)].map(|perspective| perspective.bucket),
            [1, 2, 3]
        );
    }

    #[test]
    fn output_buckets_cover_every_count() {
        assert_eq!([2, 5, 6, 29, 30, 32].map(output_bucket), [0, 0, 1, 6, 7, 7]);
    }
}
