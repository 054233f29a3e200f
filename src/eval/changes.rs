//! Lists of features, and how the squares of a set are turned into them.

use arrayvec::ArrayVec;

use super::features::{Feature, MAX_PIECES};
use super::relations::MAX_RELATIONS;
use crate::types::{Bitboard, Piece, Square};

/// Room behind the last feature of a list, because [`FeatureSet::push`] writes as many features as
/// there are squares before it counts them.
const MARGIN: usize = Square::COUNT;

/// A list of features in no particular order.
#[derive(Clone, Debug, Default)]
pub struct FeatureList {
    pub pieces: ArrayVec<Feature, { MAX_PIECES + MARGIN }>,
    pub relations: ArrayVec<Feature, { MAX_RELATIONS + MARGIN }>,
}

impl FeatureList {
    /// Returns an iterator over the features, the pieces first.
    pub fn iter(&self) -> impl Iterator<Item = Feature> {
        self.pieces.iter().chain(&self.relations).copied()
    }
}

/// The features that only one of two snapshots has.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Those of the later one.
    pub added: FeatureList,
    /// Those of the earlier one.
    pub removed: FeatureList,
}

/// The features that the squares of a set stand for.
#[derive(Clone, Copy, Debug)]
pub struct FeatureSet {
    /// The feature for a white pawn on a1, or for the set's attacker there.
    first: Feature,
    /// A mask for the index of the piece on a square: all ones if that piece counts, 0 if it does
    /// not.
    piece_mask: u8,
}

impl FeatureSet {
    /// The pieces themselves.
    pub const PIECES: Self = Self {
        first: Feature::piece(Piece::WhitePawn, Square::new(0)),
        piece_mask: u8::MAX,
    };

    /// A relation that is noted on the square of the piece it is about.
    pub const fn of_pieces(relation: usize) -> Self {
        Self {
            first: Feature::relation(relation, Piece::WhitePawn, Square::new(0)),
            piece_mask: u8::MAX,
        }
    }

    /// A relation of this attacker to squares.
    pub const fn of_attacker(relation: usize, attacker: Piece) -> Self {
        Self {
            first: Feature::relation(relation, attacker, Square::new(0)),
            piece_mask: 0,
        }
    }

    /// Adds the features of these squares to a list that has room for them and [`MARGIN`] more.
    /// `mailbox` is the piece on each square.
    #[cfg(not(target_feature = "avx512vbmi2"))]
    #[inline(always)]
    pub fn push<const N: usize>(
        self,
        squares: Bitboard,
        mailbox: &[Option<Piece>; Square::COUNT],
        list: &mut ArrayVec<Feature, N>,
    ) {
        for square in squares {
            let piece = mailbox[square.index()].unwrap_or(Piece::WhitePawn);
            let piece = piece.index() & usize::from(self.piece_mask);
            list.push(self.first.shifted(piece, square));
        }
    }

    /// The same without a loop, whose end nobody could foresee: the numbers and the pieces of the
    /// squares are moved to the front of two registers and added up there.
    #[cfg(target_feature = "avx512vbmi2")]
    #[inline(always)]
    pub fn push<const N: usize>(
        self,
        squares: Bitboard,
        mailbox: &[Option<Piece>; Square::COUNT],
        list: &mut ArrayVec<Feature, N>,
    ) {
        use std::arch::x86_64::{
            __m256i, __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_castsi512_si256,
            _mm512_cvtepu8_epi16, _mm512_extracti64x4_epi64, _mm512_loadu_si512,
            _mm512_maskz_compress_epi8, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_slli_epi16,
            _mm512_storeu_si512,
        };
        const HALF: usize = Square::COUNT / 2;
        const PIECE_SHIFT: u32 = Square::COUNT.ilog2();

        let (start, count) = (list.len(), squares.count() as usize);
        assert!(start + MARGIN <= N, "the list has no room for all squares");
        // SAFETY: the program is compiled for these instructions. Both arrays have 64 bytes: a piece
        // is its index. There is room for 64 features behind the list, and `count` of them have
        // been written.
        unsafe {
            let front = |bytes: *const u8| {
                _mm512_maskz_compress_epi8(squares.0, _mm512_loadu_si512(bytes.cast()))
            };
            let numbers = front(Square::ALL.as_ptr().cast());
            let pieces = front(mailbox.as_ptr().cast());
            let pieces = _mm512_and_si512(pieces, _mm512_set1_epi8(self.piece_mask.cast_signed()));
            let first = _mm512_set1_epi16(self.first.number().cast_signed());
            let behind = list.as_mut_ptr().add(start);
            let write = |at: usize, half: fn(__m512i) -> __m256i| {
                let pieces = _mm512_cvtepu8_epi16(half(pieces));
                let shifts = _mm512_add_epi16(
                    _mm512_slli_epi16::<PIECE_SHIFT>(pieces),
                    _mm512_cvtepu8_epi16(half(numbers)),
                );
                let features = _mm512_add_epi16(first, shifts);
                _mm512_storeu_si512(behind.add(at).cast(), features);
            };
            write(0, |bytes| _mm512_castsi512_si256(bytes));
            if count > HALF {
                write(HALF, |bytes| _mm512_extracti64x4_epi64::<1>(bytes));
            }
            list.set_len(start + count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rng;

    #[test]
    fn every_square_becomes_its_feature_in_order() {
        let mut rng = Rng::new(9);
        for density in [0.02, 0.2, 0.6, 1.0] {
            for _ in 0..50 {
                let mailbox = std::array::from_fn(|_| Some(Piece::ALL[rng.below(Piece::COUNT)]));
                let squares: u64 = (0..64).map(|at| u64::from(rng.chance(density)) << at).sum();
                let before = Feature::piece(Piece::BlackKing, Square::new(63));
                let mut list = ArrayVec::<Feature, 129>::from_iter([before]);
                let mut expected = vec![before];
                let queen = Piece::WhiteQueen;
                let of_piece = rng.chance(0.5);
                let set = if of_piece {
                    FeatureSet::of_pieces(3)
                } else {
                    FeatureSet::of_attacker(15, queen)
                };
                set.push(Bitboard(squares), &mailbox, &mut list);
                for square in Bitboard(squares) {
                    let piece = mailbox[square.index()].expect("a piece on every square");
                    expected.push(if of_piece {
                        Feature::relation(3, piece, square)
                    } else {
                        Feature::relation(15, queen, square)
                    });
                }
                assert_eq!(list.as_slice(), expected);
            }
        }
    }
}
