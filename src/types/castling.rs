//! Castling rights: which of the four castlings are still allowed.

use super::Color;

/// The side of the board a king castles to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CastlingSide {
    /// Towards the a-file: the king ends on the c-file.
    Queen,
    /// Towards the h-file: the king ends on the g-file.
    King,
}

impl CastlingSide {
    /// Both wings, from the a-file on.
    pub const ALL: [Self; 2] = [Self::Queen, Self::King];

    /// File of the king after castling to this wing.
    pub const fn king_file(self) -> u8 {
        match self {
            Self::Queen => 2,
            Self::King => 6,
        }
    }

    /// File of the rook after castling to this wing.
    pub const fn rook_file(self) -> u8 {
        match self {
            Self::Queen => 3,
            Self::King => 5,
        }
    }
}

/// A set of the four castlings; bit `2 * color + wing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No castling at all.
    pub const NONE: Self = Self(0);

    /// 0..4: the place of one castling in a table of four.
    #[inline(always)]
    pub const fn slot(color: Color, wing: CastlingSide) -> usize {
        color as usize * 2 + wing as usize
    }

    /// 0..16: the whole set as a table index.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Whether no castling is left.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this castling is still allowed.
    #[inline(always)]
    pub const fn has(self, color: Color, wing: CastlingSide) -> bool {
        self.0 >> Self::slot(color, wing) & 1 != 0
    }

    /// Whether this side may still castle to any wing.
    #[inline(always)]
    pub const fn any(self, color: Color) -> bool {
        self.0 >> (2 * color as u8) & 3 != 0
    }

    /// Allows one castling.
    pub const fn insert(&mut self, color: Color, wing: CastlingSide) {
        self.0 |= 1 << Self::slot(color, wing);
    }

    /// Takes one castling away.
    #[inline(always)]
    pub const fn remove(&mut self, color: Color, wing: CastlingSide) {
        self.0 &= !(1 << Self::slot(color, wing));
    }

    /// Takes both castlings of a side away.
    #[inline(always)]
    pub const fn remove_all(&mut self, color: Color) {
        self.0 &= !(3 << (2 * color as u8));
    }
}
