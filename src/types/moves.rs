//! Moves in 16 bits: to (6), from (6), kind (4).

use std::fmt;

use arrayvec::ArrayVec;

use super::{Piece, PieceType, Square};

/// Room for the moves of any position that a FEN may describe (218 is the most known).
pub type MoveList = ArrayVec<Move, 256>;

/// What a move does beside going from one square to another.
/// Bit 2 of the code says capture, bit 3 promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Nothing else.
    Quiet,
    /// A pawn advances two squares.
    DoublePush,
    /// The king castles; the move goes to the square of its own rook, in every variant of chess.
    Castle,
    /// A piece is taken on the target square.
    Capture,
    /// A pawn is taken in passing.
    EnPassant,
    /// A pawn becomes a piece.
    Promotion(PieceType),
    /// A pawn takes and becomes a piece.
    CapturePromotion(PieceType),
}

/// A move. The default is the null move, which is never legal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
#[repr(transparent)]
pub struct Move(u16);

impl Move {
    /// The null move: no move at all.
    pub const NULL: Self = Self(0);

    const CAPTURE: u16 = 0x4000;
    const PROMOTION: u16 = 0x8000;
    const PROMOTED: [PieceType; 4] = [
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
    ];

    /// A move of this kind.
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

    /// The move with this code, which may come from anywhere: legality is the board's to judge.
    #[inline(always)]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// The 16 bits.
    #[inline(always)]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Whether this is the null move.
    #[inline(always)]
    pub const fn is_null(self) -> bool {
        self.0 == 0
    }

    /// Where the piece comes from.
    #[inline(always)]
    pub const fn from(self) -> Square {
        Square::new((self.0 >> 6) as u8)
    }

    /// Where the piece goes; for castling, the square of the rook.
    #[inline(always)]
    pub const fn to(self) -> Square {
        Square::new(self.0 as u8)
    }

    /// What else the move does, or `None` for a code that no move has.
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

    /// Whether a piece is taken.
    #[inline(always)]
    pub const fn is_capture(self) -> bool {
        self.0 & Self::CAPTURE != 0
    }

    /// Whether a pawn is promoted.
    #[inline(always)]
    pub const fn is_promotion(self) -> bool {
        self.0 & Self::PROMOTION != 0
    }

    /// Whether the move neither takes nor promotes.
    #[inline(always)]
    pub const fn is_quiet(self) -> bool {
        self.0 & (Self::CAPTURE | Self::PROMOTION) == 0
    }

    /// Whether the king castles.
    #[inline(always)]
    pub const fn is_castle(self) -> bool {
        self.0 >> 12 == 2
    }

    /// Whether a pawn is taken in passing.
    #[inline(always)]
    pub const fn is_en_passant(self) -> bool {
        self.0 >> 12 == 5
    }

    /// What the pawn becomes.
    #[inline(always)]
    pub const fn promotion(self) -> Option<PieceType> {
        if self.is_promotion() {
            Some(Self::PROMOTED[(self.0 >> 12 & 3) as usize])
        } else {
            None
        }
    }
}

/// King-takes-rook for castling, whatever the variant: for people who debug. `uci::format` writes for GUIs.
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

/// A move with the pieces it touched, as the histories keyed by earlier moves want it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The move; [`Move::NULL`] where there was none.
    pub mv: Move,
    /// The piece that moved.
    pub piece: Piece,
    /// What it took.
    pub captured: Option<PieceType>,
}

impl Played {
    /// No real move: before the game, or a null move.
    pub const NONE: Self = Self {
        mv: Move::NULL,
        piece: Piece::WhitePawn,
        captured: None,
    };

    /// Whether there was no real move.
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
