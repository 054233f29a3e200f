//! A set of squares in one 64-bit word.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::{Color, Square};

/// A set of squares; bit `n` is the square with index `n`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// The empty set.
    pub const EMPTY: Self = Self(0);
    /// The set of all 64 squares.
    pub const FULL: Self = Self(!0);
    pub const FILE_A: Self = Self(0x0101_0101_0101_0101);
    pub const FILE_H: Self = Self(0x8080_8080_8080_8080);
    /// All light squares.
    pub const LIGHT: Self = Self(0x55AA_55AA_55AA_55AA);

    /// Returns all squares of a file; 0 is the a-file.
    #[inline(always)]
    pub const fn file(file: u8) -> Self {
        Self(Self::FILE_A.0 << (file & 7))
    }

    /// Returns all squares of a rank; 0 is the first rank.
    #[inline(always)]
    pub const fn rank(rank: u8) -> Self {
        Self(0xFF << (8 * (rank & 7)))
    }

    /// Returns all squares of a rank as this side counts it; 0 is its back rank.
    #[inline(always)]
    pub const fn relative_rank(color: Color, rank: u8) -> Self {
        Self::rank(rank ^ (7 * color as u8))
    }

    /// Returns whether no square is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether any square is in the set.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Returns whether two squares or more are in the set.
    #[inline(always)]
    pub(crate) const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// Returns the number of squares in the set.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the square is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Returns the lowest square of a set that is not empty; of the empty set, a1.
    #[inline(always)]
    pub const fn lowest(self) -> Square {
        Square::new(self.0.trailing_zeros() as u8)
    }

    /// Moves every square by `delta` indices. Squares that leave one end of the board enter at the
    /// other.
    #[inline(always)]
    pub(crate) const fn rotate(self, delta: i8) -> Self {
        Self(self.0.rotate_left((delta & 63) as u32))
    }

    /// Moves every square one rank forward for this side.
    #[inline(always)]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => Self(self.0 << 8),
            Color::Black => Self(self.0 >> 8),
        }
    }

    /// Returns the squares next to those of the set, on the same rank.
    #[inline(always)]
    pub(crate) const fn beside(self) -> Self {
        Self((self.0 & !Self::FILE_A.0) >> 1 | (self.0 & !Self::FILE_H.0) << 1)
    }

    /// Returns the squares attacked by pawns of this side that stand on the squares of the set.
    #[inline(always)]
    pub const fn pawn_attacks(self, color: Color) -> Self {
        self.beside().forward(color)
    }
}

impl BitAnd for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline(always)]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl From<Square> for Bitboard {
    #[inline(always)]
    fn from(square: Square) -> Self {
        square.bitboard()
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

/// The squares of a set in ascending order.
#[derive(Clone, Debug)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::new(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawn_attacks_stay_on_the_board() {
        let edges = Square::at(0, 1).bitboard() | Square::at(7, 1).bitboard();
        let white = Square::at(1, 2).bitboard() | Square::at(6, 2).bitboard();
        let black = Square::at(1, 0).bitboard() | Square::at(6, 0).bitboard();
        assert_eq!(edges.pawn_attacks(Color::White), white);
        assert_eq!(edges.pawn_attacks(Color::Black), black);
    }

    #[test]
    fn iteration_visits_each_square_once() {
        let set = Bitboard(0x8001_0000_1000_0081);
        assert_eq!(set.into_iter().count() as u32, set.count());
        assert!(set.into_iter().all(|square| set.has(square)));
    }
}
