//! What the network sees: for each side its own men and the other's, by kind and square.
//!
//! A side looks at the board from its own first rank, and with its king on the files a to d: where the king stands on
//! e to h, the board is mirrored.
// Source: horizontal mirroring, https://www.chessprogramming.org/NNUE#Feature_sets

use crate::types::{Color, Piece, PieceType, Square};

/// Inputs of one side: 2 owners, 6 kinds, 64 squares.
pub const INPUTS: usize = 2 * PieceType::COUNT * Square::COUNT;

/// Output buckets, each with weights of its own.
pub const BUCKETS: usize = 8;

/// Men in a bucket: 2 to 5 in the first, 30 to 32 in the last.
const MEN_A_BUCKET: u32 = 4;

/// Whether a side whose king stands here sees the board mirrored.
#[inline(always)]
pub const fn is_mirrored(king: Square) -> bool {
    king.file() >= 4
}

/// The input that a man on a square switches on, as `side` sees it; `0..INPUTS`.
#[inline(always)]
pub const fn index(side: Color, mirrored: bool, man: Piece, square: Square) -> usize {
    let foreign = (man.color() as usize) ^ (side as usize);
    let square = square.relative(side).index() ^ if mirrored { 7 } else { 0 };
    (foreign * PieceType::COUNT + man.kind().index()) * Square::COUNT + square
}

/// The output bucket of a board with so many men, 2 to 32.
#[inline(always)]
pub const fn bucket(men: u32) -> usize {
    let bucket = (men.saturating_sub(2) / MEN_A_BUCKET) as usize;
    if bucket < BUCKETS {
        bucket
    } else {
        BUCKETS - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_man_has_an_input_of_its_own() {
        for side in Color::ALL {
            for mirrored in [false, true] {
                let mut seen = [false; INPUTS];
                for color in Color::ALL {
                    for kind in PieceType::ALL {
                        for square in 0..64 {
                            let man = Piece::new(color, kind);
                            let input = index(side, mirrored, man, Square::new(square));
                            assert!(!std::mem::replace(&mut seen[input], true));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn both_sides_see_the_same_game() {
        let (e2, e7, d7) = (Square::at(4, 1), Square::at(4, 6), Square::at(3, 6));
        let white = index(Color::White, false, Piece::WhitePawn, e2);
        assert_eq!(white, index(Color::Black, false, Piece::BlackPawn, e7));
        assert_eq!(white, index(Color::Black, true, Piece::BlackPawn, d7));
        assert_ne!(white, index(Color::White, false, Piece::BlackPawn, e2));
    }

    #[test]
    fn buckets_cover_every_count() {
        assert_eq!([2, 5, 6, 29, 30, 32].map(bucket), [0, 0, 1, 6, 7, 7]);
    }
}
