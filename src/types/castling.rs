//! Castling rights: which of the four castling moves are still allowed.

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
    /// Both sides, the queen's side first.
    pub const ALL: [Self; 2] = [Self::Queen, Self::King];

    /// Returns the file of the king after castling to this side.
    pub const fn king_file(self) -> u8 {
        match self {
            Self::Queen => 2,
            Self::King => 6,
        }
    }

    /// Returns the file of the rook after castling to this side.
    pub const fn rook_file(self) -> u8 {
        match self {
            Self::Queen => 3,
            Self::King => 5,
        }
    }
}

/// A subset of the four castling rights; `2 * color + side` is the bit of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No castling is allowed.
    pub const NONE: Self = Self(0);

    /// Returns the index of a castling right in an array of four, 0 to 3.
    #[inline(always)]
    pub(crate) const fn slot(color: Color, side: CastlingSide) -> usize {
        color as usize * 2 + side as usize
    }

    /// Returns the whole set as an array index, 0 to 15.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// Returns whether no castling right is left.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether this castling right is left.
    #[inline(always)]
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 >> Self::slot(color, side) & 1 != 0
    }

    /// Returns whether this player has any castling right left.
    #[inline(always)]
    pub const fn any(self, color: Color) -> bool {
        self.0 >> (2 * color as u8) & 3 != 0
    }

    /// Adds one castling right.
    pub(crate) const fn insert(&mut self, color: Color, side: CastlingSide) {
        self.0 |= 1 << Self::slot(color, side);
    }

    /// Removes one castling right.
    #[inline(always)]
    pub(crate) const fn remove(&mut self, color: Color, side: CastlingSide) {
        self.0 &= !(1 << Self::slot(color, side));
    }

    /// Removes both castling rights of a player.
    #[inline(always)]
    pub(crate) const fn remove_all(&mut self, color: Color) {
        self.0 &= !(3 << (2 * color as u8));
    }
}
