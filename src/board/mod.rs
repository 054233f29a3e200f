//! The rules of chess: positions, legal moves, and what they lead to.
//!
//! A [`Board`] is a plain value of some 200 bytes: the search copies it and makes a move on the copy,
//! so there is nothing to take back. What lies before a position is kept by [`Game`].

mod attacks;
mod check;
mod fen;
mod game;
mod legality;
mod magics;
mod make;
mod movegen;
pub mod openings;
pub mod perft;
pub mod repetition;
pub mod san;
mod see;
mod threats;
mod zobrist;

pub use attacks::{
    bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
pub use check::CheckInfo;
pub use fen::FenError;
pub use game::{FIFTY_MOVES, Game, Outcome};
pub use make::MoveDelta;
pub use movegen::{MoveCounter, MoveSink};
pub use see::see_value;
pub use threats::Threats;

use crate::types::{Bitboard, CastlingRights, CastlingSide, Color, Piece, PieceType, Square};

/// A legal position with everything a move generator wants at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Board {
    colors: [Bitboard; 2],
    kinds: [Bitboard; PieceType::COUNT],
    mailbox: [Option<Piece>; Square::COUNT],
    keys: Keys,
    checkers: Bitboard,
    pinned: Bitboard,
    halfmove_clock: u16,
    /// Plies that can be looked back for a repetition: ends at captures, pawn moves and null moves.
    reversible: u16,
    fullmove_number: u16,
    castling_rooks: [Square; 4],
    castling: CastlingRights,
    en_passant: Option<Square>,
    side_to_move: Color,
}

/// Zobrist keys, kept in step by every move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Keys {
    whole: u64,
    pawn: u64,
    minor: u64,
    non_pawn: [u64; 2],
}

impl Board {
    /// The start position of standard chess.
    ///
    /// # Panics
    /// Never: the text is a valid FEN.
    pub fn startpos() -> Self {
        Self::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
            .expect("a valid FEN")
    }

    /// Whose turn it is.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// All pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The pieces of one side.
    #[inline(always)]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The pieces of one kind, both sides.
    #[inline(always)]
    pub const fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The pieces of one kind and side.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.color(color) & self.kind(kind)
    }

    /// Bishops and queens of a side.
    #[inline(always)]
    fn diagonal_sliders(&self, color: Color) -> Bitboard {
        (self.kind(PieceType::Bishop) | self.kind(PieceType::Queen)) & self.color(color)
    }

    /// Rooks and queens of a side.
    #[inline(always)]
    fn straight_sliders(&self, color: Color) -> Bitboard {
        (self.kind(PieceType::Rook) | self.kind(PieceType::Queen)) & self.color(color)
    }

    /// The piece on a square.
    #[inline(always)]
    pub const fn piece_on(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// Where a side's king stands.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, PieceType::King).lowest()
    }

    /// Pieces that give check to the side to move.
    #[inline(always)]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline(always)]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Castlings that no king or rook move has spoilt yet.
    #[inline(always)]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The square of the rook of a castling that is still allowed.
    pub fn castling_rook(&self, color: Color, wing: CastlingSide) -> Option<Square> {
        let rook = self.castling_rooks[CastlingRights::slot(color, wing)];
        self.castling.has(color, wing).then_some(rook)
    }

    /// Whether every castling right is one of standard chess: king on the e-file, rooks in the corners.
    pub fn has_standard_castling(&self) -> bool {
        Color::ALL.into_iter().all(|color| {
            CastlingSide::ALL.into_iter().all(|wing| {
                let corner = Square::at(if wing == CastlingSide::King { 7 } else { 0 }, 0);
                self.castling_rook(color, wing).is_none_or(|rook| {
                    rook == corner.relative(color) && self.king(color).file() == 4
                })
            })
        })
    }

    /// The square behind a pawn that has just advanced by two, if some pawn can legally take it there.
    #[inline(always)]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock as u32
    }

    /// Number of the full move, from 1.
    pub const fn fullmove_number(&self) -> u32 {
        self.fullmove_number as u32
    }

    /// Zobrist key of the position: pieces, side to move, castling rights, capturable en passant.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.keys.whole
    }

    /// Zobrist key of the pawns alone.
    #[inline(always)]
    pub const fn pawn_key(&self) -> u64 {
        self.keys.pawn
    }

    /// Zobrist key of the knights, bishops and kings of both sides.
    #[inline(always)]
    pub const fn minor_key(&self) -> u64 {
        self.keys.minor
    }

    /// Zobrist key of a side's king and pieces.
    #[inline(always)]
    pub const fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.non_pawn[color.index()]
    }

    /// Whether a side has anything beside its king and pawns: without it, zugzwang is near.
    #[inline(always)]
    pub fn has_pieces(&self, color: Color) -> bool {
        let plain = self.kind(PieceType::King) | self.kind(PieceType::Pawn);
        (self.color(color) & !plain).any()
    }

    /// Whether no sequence of legal moves mates: bare kings, one minor piece, or bishops on squares of one colour.
    pub fn insufficient_material(&self) -> bool {
        let knights = self.kind(PieceType::Knight);
        let bishops = self.kind(PieceType::Bishop);
        let minors = knights | bishops;
        if self.occupied() != minors | self.kind(PieceType::King) {
            return false;
        }
        let light = bishops & Bitboard::LIGHT;
        !minors.more_than_one() || (knights.is_empty() && (light.is_empty() || light == bishops))
    }

    /// Sliders of a side that would see a king if the side to move had no pieces in between.
    #[inline(always)]
    fn snipers(&self, king: Square, by: Color) -> Bitboard {
        let solid = self.color(!self.side_to_move);
        bishop_attacks(king, solid) & self.diagonal_sliders(by)
            | rook_attacks(king, solid) & self.straight_sliders(by)
    }

    /// Pieces of both sides that attack a square, sliders seeing through nothing in `occupied`.
    #[inline]
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let queens = self.kind(PieceType::Queen);
        pawn_attacks(Color::White, square) & self.pieces(Color::Black, PieceType::Pawn)
            | pawn_attacks(Color::Black, square) & self.pieces(Color::White, PieceType::Pawn)
            | knight_attacks(square) & self.kind(PieceType::Knight)
            | king_attacks(square) & self.kind(PieceType::King)
            | bishop_attacks(square, occupied) & (self.kind(PieceType::Bishop) | queens)
            | rook_attacks(square, occupied) & (self.kind(PieceType::Rook) | queens)
    }

    /// Whether `by` attacks a square, sliders seeing through nothing in `occupied`.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        let their = self.color(by);
        (knight_attacks(square) & self.kind(PieceType::Knight) & their
            | pawn_attacks(!by, square) & self.kind(PieceType::Pawn) & their
            | king_attacks(square) & self.kind(PieceType::King) & their)
            .any()
            || (bishop_attacks(square, occupied) & self.diagonal_sliders(by)).any()
            || (rook_attacks(square, occupied) & self.straight_sliders(by)).any()
    }
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Board({})", self.fen(false))
    }
}
