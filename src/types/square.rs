//! The squares of the board: a1 = 0, b1 = 1, … h8 = 63.

use std::fmt;

use super::{Bitboard, Color};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 64;

    /// All squares, in the order of their indices.
    #[cfg(target_feature = "avx512vbmi2")]
    pub(crate) const ALL: [Self; Self::COUNT] = {
        let mut all = [Self(0); Self::COUNT];
        let mut at = 0;
        while at < Self::COUNT {
            all[at] = Self(at as u8);
            at += 1;
        }
        all
    };

    /// Returns the square with this index; only the low six bits count.
    #[inline(always)]
    pub const fn new(index: u8) -> Self {
        Self(index & 63)
    }

    /// Returns the square on this file (0 = a) and rank (0 = first); only the low three bits of
    /// each count.
    #[inline(always)]
    pub const fn at(file: u8, rank: u8) -> Self {
        Self((rank & 7) << 3 | (file & 7))
    }

    /// Returns the index of the square, 0 to 63. The mask lets the compiler omit bounds checks.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Returns the file of the square, from 0 for the a-file to 7 for the h-file.
    #[inline(always)]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Returns the rank of the square, from 0 for the first rank to 7 for the eighth.
    #[inline(always)]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the rank of the square as this side counts it; 0 is its own back rank.
    #[inline(always)]
    pub const fn relative_rank(self, color: Color) -> u8 {
        self.rank() ^ (7 * color as u8)
    }

    /// Returns the square as this side sees it: ranks are flipped for Black.
    #[inline(always)]
    pub const fn relative(self, color: Color) -> Self {
        Self(self.0 ^ (56 * color as u8))
    }

    /// Returns the set that contains only this square.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << (self.0 & 63))
    }

    /// Returns the square `delta` indices further, wrapping around the board.
    #[inline(always)]
    pub const fn offset(self, delta: i8) -> Self {
        Self(self.0.wrapping_add_signed(delta) & 63)
    }

    /// Returns the number of king moves between two squares (Chebyshev distance), 0 to 7.
    pub const fn distance(self, other: Self) -> u8 {
        let files = self.file().abs_diff(other.file());
        let ranks = self.rank().abs_diff(other.rank());
        if files > ranks { files } else { ranks }
    }

    /// Returns all squares from a1 to h8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// Returns the square with a name like `e4`.
    pub fn parse(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(Self::at(file - b'a', rank - b'1')),
            _ => None,
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for square in Square::all() {
            assert_eq!(Square::parse(&square.to_string()), Some(square));
        }
        for bad in ["", "e", "e9", "i1", "e44", "é4"] {
            assert_eq!(Square::parse(bad), None, "{bad}");
        }
    }
}
