//! The rules of chess: positions, legal moves, and games.
//!
//! A [`Board`] is a plain value of some 200 bytes. The search copies it and makes a move on the
//! copy, so moves are never taken back. A [`Game`] remembers the positions before the current one.
//!
//! ```
//! use rejoinder::board::{Board, FenError, san};
//!
//! let mut board = Board::from_fen("7k/5Q2/8/8/8/8/8/K7 b - - 0 1")?;
//! let moves: Vec<String> = board.legal_moves().iter().map(|&mv| san::to_san(&board, mv)).collect();
//! assert!(moves.is_empty() && !board.in_check(), "Black is stalemated");
//!
//! board = Board::startpos();
//! assert_eq!(board.legal_moves().len(), 20);
//! let e4 = san::parse(&board, "e4").expect("e4 is illegal");
//! board.make(e4);
//! assert_eq!(board.fen(false), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
//! # Ok::<(), FenError>(())
//! ```

#![warn(missing_docs)]

mod attack_sets;
mod attacks;
pub mod book;
mod check;
pub mod coordinates;
pub mod epd;
mod fen;
mod game;
mod lanes;
mod legality;
mod magics;
mod make;
mod move_buffer;
mod movegen;
pub mod notation;
pub mod openings;
mod pair;
pub mod perft;
pub mod repetition;
pub mod san;
mod see;
mod threats;
mod zobrist;

pub(crate) use attack_sets::{AttackSets, attack_sets};
pub use attacks::{
    bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
pub use check::CheckInfo;
pub use fen::FenError;
pub use game::{FIFTY_MOVES, Game, Outcome};
pub(crate) use lanes::Lanes;
pub(crate) use move_buffer::MoveBuffer;
pub(crate) use movegen::{MoveCounter, MoveSink};
pub(crate) use pair::Pair;
pub use see::see_value;
pub use threats::Threats;

use crate::types::{Bitboard, CastlingRights, CastlingSide, Color, Piece, PieceType, Square};

/// A legal position with everything that the move generator needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Board {
    colors: [Bitboard; 2],
    kinds: [Bitboard; PieceType::COUNT],
    mailbox: [Option<Piece>; Square::COUNT],
    keys: Keys,
    checkers: Bitboard,
    pinned: Bitboard,
    halfmove_clock: u16,
    /// Plies since the last capture, pawn move or null move: repetitions cannot lie further back.
    reversible: u16,
    fullmove_number: u16,
    castling_rooks: [Square; 4],
    castling: CastlingRights,
    en_passant: Option<Square>,
    side_to_move: Color,
}

/// Zobrist keys, updated with every move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Keys {
    whole: u64,
    /// The keys of some of the pieces: pawns, minor pieces with the kings, White's pieces and Black's
    /// pieces, both without pawns.
    parts: [u64; 4],
}

impl Keys {
    const PAWN: usize = 0;
    const MINOR: usize = 1;
    const NON_PAWN: [usize; 2] = [2, 3];

    /// For each piece, all ones for the parts to which it belongs.
    const PARTS: [[u64; 4]; Piece::COUNT] = {
        let mut parts = [[0; 4]; Piece::COUNT];
        let mut at = 0;
        while at < Piece::COUNT {
            let piece = Piece::ALL[at];
            if matches!(piece.kind(), PieceType::Pawn) {
                parts[at][Self::PAWN] = !0;
            } else {
                parts[at][Self::NON_PAWN[piece.color().index()]] = !0;
                if !matches!(piece.kind(), PieceType::Rook | PieceType::Queen) {
                    parts[at][Self::MINOR] = !0;
                }
            }
            at += 1;
        }
        parts
    };

    /// Adds a piece with this key, or takes it away. What a piece is cannot be foreseen, so nothing
    /// here depends on it but numbers.
    #[inline(always)]
    fn toggle(&mut self, piece: Piece, key: u64) {
        self.whole ^= key;
        for (part, mask) in self.parts.iter_mut().zip(Self::PARTS[piece.index()]) {
            *part ^= key & mask;
        }
    }
}

impl Board {
    /// Returns the start position of standard chess.
    ///
    /// # Panics
    /// Never, since the FEN is valid.
    pub fn startpos() -> Self {
        Self::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
            .expect("the FEN is invalid")
    }

    /// Returns the side whose turn it is.
    #[inline(always)]
    pub const fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// Returns the squares of all pieces.
    #[inline(always)]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Returns the squares of one side's pieces.
    #[inline(always)]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// Returns the squares of both sides' pieces of one kind.
    #[inline(always)]
    pub const fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// Returns the squares of one side's pieces of one kind.
    #[inline(always)]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.color(color) & self.kind(kind)
    }

    /// Returns the squares of a side's bishops and queens.
    #[inline(always)]
    fn diagonal_sliders(&self, color: Color) -> Bitboard {
        (self.kind(PieceType::Bishop) | self.kind(PieceType::Queen)) & self.color(color)
    }

    /// Returns the squares of a side's rooks and queens.
    #[inline(always)]
    fn straight_sliders(&self, color: Color) -> Bitboard {
        (self.kind(PieceType::Rook) | self.kind(PieceType::Queen)) & self.color(color)
    }

    /// Returns the piece on a square, if there is one.
    #[inline(always)]
    pub const fn piece_on(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// Returns the piece on each square.
    #[inline(always)]
    pub(crate) const fn mailbox(&self) -> &[Option<Piece>; Square::COUNT] {
        &self.mailbox
    }

    /// Returns the square of a side's king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, PieceType::King).lowest()
    }

    /// Returns the squares of the pieces that give check to the side to move.
    #[inline(always)]
    pub const fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Returns whether the side to move is in check.
    #[inline(always)]
    pub const fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// Returns the castling rights that no move has ended yet.
    #[inline(always)]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// Returns the square of the rook for a castling right, if that right is left.
    pub fn castling_rook(&self, color: Color, wing: CastlingSide) -> Option<Square> {
        let rook = self.castling_rooks[CastlingRights::slot(color, wing)];
        self.castling.has(color, wing).then_some(rook)
    }

    /// Returns whether all castling rights are those of standard chess, with the king on the e-file
    /// and the rooks in the corners.
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

    /// Returns the square behind a pawn that has just advanced two squares, if it can legally be
    /// captured en passant.
    #[inline(always)]
    pub const fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Returns the number of plies since the last capture or pawn move.
    #[inline(always)]
    pub const fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock as u32
    }

    /// Returns the number of the full move, counted from 1.
    pub const fn fullmove_number(&self) -> u32 {
        self.fullmove_number as u32
    }

    /// Returns the Zobrist key of the position: pieces, side to move, castling rights, and the en
    /// passant file if a capture is possible.
    #[inline(always)]
    pub const fn key(&self) -> u64 {
        self.keys.whole
    }

    /// Returns the Zobrist key of the pawns.
    #[inline(always)]
    pub const fn pawn_key(&self) -> u64 {
        self.keys.parts[Keys::PAWN]
    }

    /// Returns the Zobrist key of both sides' knights, bishops and kings.
    #[inline(always)]
    pub const fn minor_key(&self) -> u64 {
        self.keys.parts[Keys::MINOR]
    }

    /// Returns the Zobrist key of everything but the pawns of a side.
    #[inline(always)]
    pub const fn non_pawn_key(&self, color: Color) -> u64 {
        self.keys.parts[Keys::NON_PAWN[color.index()]]
    }

    /// Returns whether a side has a piece besides its king and pawns. Without one, zugzwang is
    /// likely.
    #[inline(always)]
    pub(crate) fn has_non_pawn_material(&self, color: Color) -> bool {
        let plain = self.kind(PieceType::King) | self.kind(PieceType::Pawn);
        (self.color(color) & !plain).any()
    }

    /// Returns whether no sequence of legal moves leads to mate: there are only kings, one minor
    /// piece, or bishops on squares of one color.
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

    /// Sliders of a side that would attack a king if the pieces of the side to move were taken off
    /// the board.
    #[inline(always)]
    fn snipers(&self, king: Square, by: Color) -> Bitboard {
        let solid = self.color(!self.side_to_move);
        bishop_attacks(king, solid) & self.diagonal_sliders(by)
            | rook_attacks(king, solid) & self.straight_sliders(by)
    }

    /// Pieces of both sides that attack a square. The squares of `occupied` block sliders.
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

    /// Returns whether a side attacks a square. The squares of `occupied` block sliders.
    #[inline]
    fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
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
