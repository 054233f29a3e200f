//! Moves in 16 bits: target (6 bits), origin (6 bits), kind (4 bits).

use std::fmt;

use arrayvec::ArrayVec;

use super::{Piece, PieceType, Square};

/// A list with room for the moves of every position that
/// [`Board::from_fen`](crate::board::Board::from_fen) accepts; no reachable position is known to
/// have more than 218.
pub type MoveList = ArrayVec<Move, 256>;

/// The kind of a move: what it does besides moving a piece to another square. In its 4-bit code,
/// bit 2 marks captures and bit 3 promotions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// An ordinary move without a capture.
    Quiet,
    /// A pawn advances two squares.
    DoublePush,
    /// The king castles. The target is the square of its own rook, in standard chess as well as
    /// Chess960.
    Castle,
    /// The move captures a piece on the target square.
    Capture,
    /// A pawn captures en passant.
    EnPassant,
    /// A pawn promotes to this piece.
    Promotion(PieceType),
    /// A pawn captures and promotes to this piece.
    CapturePromotion(PieceType),
}

/// A move in 16 bits. The default is the null move, which is never legal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Move(u16);

impl Move {
    /// The null move, which stands for the absence of a move.
    pub const NULL: Self = Self(0);

    const CAPTURE: u16 = 0x4000;
    const PROMOTION: u16 = 0x8000;
    const PROMOTED: [PieceType; 4] = [
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
    ];

    /// Builds a move; nothing checks that it makes sense.
    #[inline(always)]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let code = match kind {
            MoveKind::Quiet => 0,
            MoveKind::DoublePush => 1,
            MoveKind::Castle => 2,
            MoveKind::Capture => 4,
            MoveKind::EnPassant => 5,
            MoveKind::Promotion(piece) => 7 + piece as u16,
            MoveKind::CapturePromotion(piece) => 11 + piece as u16,
        };
        Self(code << 12 | (from.index() as u16) << 6 | to.index() as u16)
    }

    /// Returns the move with these bits, which may be arbitrary: ask
    /// [`Board::is_legal`](crate::board::Board::is_legal) before using it.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Returns the move's 16 bits.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns whether this is the null move.
    #[inline(always)]
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Returns the square that the piece leaves.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::new((self.0 >> 6) as u8)
    }

    /// Returns the square that the piece moves to; for castling, the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::new(self.0 as u8)
    }

    /// Returns the kind of the move, or `None` if its code is invalid.
    #[inline(always)]
    pub const fn kind(self) -> Option<MoveKind> {
        let piece = Self::PROMOTED[(self.0 >> 12 & 3) as usize];
        match self.0 >> 12 {
            0 => Some(MoveKind::Quiet),
            1 => Some(MoveKind::DoublePush),
            2 => Some(MoveKind::Castle),
            4 => Some(MoveKind::Capture),
            5 => Some(MoveKind::EnPassant),
            8..=11 => Some(MoveKind::Promotion(piece)),
            12..=15 => Some(MoveKind::CapturePromotion(piece)),
            _ => None,
        }
    }

    /// Returns whether the move captures a piece.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.0 & Self::CAPTURE != 0
    }

    /// Returns whether a pawn promotes.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 & Self::PROMOTION != 0
    }

    /// Returns whether the move neither captures nor promotes.
    #[inline(always)]
    pub const fn is_quiet(self) -> bool {
        self.0 & (Self::CAPTURE | Self::PROMOTION) == 0
    }

    /// Returns whether the move is castling.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.0 >> 12 == 2
    }

    /// Returns whether the move is an en passant capture.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0 >> 12 == 5
    }

    /// Returns the piece that a pawn promotes to, if it does.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceType> {
        if self.is_promotion() {
            Some(Self::PROMOTED[(self.0 >> 12 & 3) as usize])
        } else {
            None
        }
    }
}

/// Writes castling as king takes rook in every variant, for debugging; `uci::format` writes moves
/// for GUIs.
impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_null() {
            return f.write_str("0000");
        }
        write!(f, "{}{}", self.from(), self.to())?;
        if let Some(piece) = self.promotion() {
            write!(f, "{}", piece.letter())?;
        }
        Ok(())
    }
}

/// A move with the pieces involved, as the histories that depend on earlier moves need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The move; [`Move::NULL`] if there was none.
    pub mv: Move,
    /// The piece that moved.
    pub piece: Piece,
    /// The kind of piece that was captured.
    pub captured: Option<PieceType>,
}

impl Played {
    /// Stands for the null move and for moves before the start of the game.
    pub const NONE: Self = Self {
        mv: Move::NULL,
        piece: Piece::WhitePawn,
        captured: None,
    };

    /// Returns whether there was no real move here.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.mv.is_null()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_round_trip() {
        for bits in 0..=u16::MAX {
            let mv = Move::from_bits(bits);
            match mv.kind() {
                Some(kind) => assert_eq!(Move::new(mv.from(), mv.to(), kind), mv),
                None => assert!(matches!(bits >> 12, 3 | 6 | 7)),
            }
        }
    }

    #[test]
    fn flags_agree_with_the_kind() {
        let (a, b) = (Square::new(12), Square::new(28));
        for kind in [MoveKind::Capture, MoveKind::EnPassant] {
            assert!(Move::new(a, b, kind).is_capture());
        }
        for piece in Move::PROMOTED {
            let mv = Move::new(a, b, MoveKind::CapturePromotion(piece));
            assert!(mv.is_capture() && mv.promotion() == Some(piece));
            let mv = Move::new(a, b, MoveKind::Promotion(piece));
            assert!(!mv.is_capture() && mv.promotion() == Some(piece));
        }
        assert!(Move::new(a, b, MoveKind::DoublePush).is_quiet());
        assert!(Move::new(a, b, MoveKind::Castle).is_castle());
    }
}
