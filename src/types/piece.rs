//! Colors, piece types, and pieces, which combine the two.

use std::ops::Not;

/// A side of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first.
    White,
    /// The side that answers.
    Black,
}

impl Color {
    /// Both sides, White first.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// Returns the index of the side: 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl Not for Color {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// A kind of piece, from the least to the most valuable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PieceType {
    Pawn,
    Knight,
    Bishop,
    Rook,
    Queen,
    King,
}

impl PieceType {
    /// The number of kinds.
    pub const COUNT: usize = 6;

    /// All kinds from pawn to king.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Pawn,
        Self::Knight,
        Self::Bishop,
        Self::Rook,
        Self::Queen,
        Self::King,
    ];

    /// Returns the index of the kind, from 0 for a pawn to 5 for a king.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the letter of algebraic notation, in lower case.
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
        }
    }
}

/// A piece of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Piece {
    WhitePawn,
    BlackPawn,
    WhiteKnight,
    BlackKnight,
    WhiteBishop,
    BlackBishop,
    WhiteRook,
    BlackRook,
    WhiteQueen,
    BlackQueen,
    WhiteKing,
    BlackKing,
}

impl Piece {
    /// The number of different pieces.
    pub const COUNT: usize = 12;

    /// All pieces in the order of their indices.
    pub const ALL: [Self; Self::COUNT] = [
        Self::WhitePawn,
        Self::BlackPawn,
        Self::WhiteKnight,
        Self::BlackKnight,
        Self::WhiteBishop,
        Self::BlackBishop,
        Self::WhiteRook,
        Self::BlackRook,
        Self::WhiteQueen,
        Self::BlackQueen,
        Self::WhiteKing,
        Self::BlackKing,
    ];

    /// Returns the piece of this color and kind.
    #[inline(always)]
    pub const fn new(color: Color, kind: PieceType) -> Self {
        Self::ALL[kind as usize * 2 + color as usize]
    }

    /// Returns the index of the piece, 0 to 11; the white and black pieces of a kind are neighbors.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the side that the piece belongs to.
    #[inline(always)]
    pub const fn color(self) -> Color {
        if self as u8 & 1 == 0 {
            Color::White
        } else {
            Color::Black
        }
    }

    /// Returns the kind of the piece.
    #[inline(always)]
    pub const fn kind(self) -> PieceType {
        // Of a `match` the compiler makes jumps to what each caller does with the kind.
        PieceType::ALL[self as usize >> 1]
    }

    /// Returns the piece's letter in a FEN, in upper case for White.
    pub const fn letter(self) -> char {
        let letter = self.kind().letter();
        match self.color() {
            Color::White => letter.to_ascii_uppercase(),
            Color::Black => letter,
        }
    }

    /// Returns the piece that a FEN letter stands for.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|piece| piece.letter() == letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_letters_round_trip() {
        for piece in Piece::ALL {
            assert_eq!(Piece::new(piece.color(), piece.kind()), piece);
            assert_eq!(Piece::from_letter(piece.letter()), Some(piece));
        }
        assert_eq!(Piece::from_letter('x'), None);
    }
}
