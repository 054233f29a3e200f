//! The rules of chess.

use crate::types::{
    Bitboard, CastlingRights, Color, Move, MoveList, Piece, PieceType, Played, Square, Wing,
};

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Board;

/// What a move changed, for whoever keeps something in step with the board.
#[derive(Clone, Copy, Debug, Default)]
pub struct Change;

/// Why a FEN is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stub")]
pub struct FenError;

/// Receives generated moves.
pub type Stub = ();

#[expect(missing_docs)]
impl Board {
    pub fn startpos() -> Self {
        todo!()
    }
    /// FEN, X-FEN or Shredder-FEN; move counters may be missing.
    pub fn from_fen(_fen: &str) -> Result<Self, FenError> {
        todo!()
    }
    /// X-FEN; Shredder letters if `shredder` (a Chess960 game).
    pub fn fen(&self, _shredder: bool) -> String {
        todo!()
    }
    pub fn side_to_move(&self) -> Color {
        todo!()
    }
    pub fn occupied(&self) -> Bitboard {
        todo!()
    }
    pub fn color(&self, _color: Color) -> Bitboard {
        todo!()
    }
    pub fn kind(&self, _kind: PieceType) -> Bitboard {
        todo!()
    }
    pub fn pieces(&self, _color: Color, _kind: PieceType) -> Bitboard {
        todo!()
    }
    pub fn piece_on(&self, _square: Square) -> Option<Piece> {
        todo!()
    }
    pub fn king(&self, _color: Color) -> Square {
        todo!()
    }
    pub fn checkers(&self) -> Bitboard {
        todo!()
    }
    pub fn in_check(&self) -> bool {
        todo!()
    }
    pub fn castling(&self) -> CastlingRights {
        todo!()
    }
    pub fn castling_rook(&self, _color: Color, _wing: Wing) -> Option<Square> {
        todo!()
    }
    pub fn en_passant(&self) -> Option<Square> {
        todo!()
    }
    /// Plies since the last capture or pawn move.
    pub fn halfmove_clock(&self) -> u32 {
        todo!()
    }
    /// Full moves, from 1.
    pub fn fullmove_number(&self) -> u32 {
        todo!()
    }
    pub fn key(&self) -> u64 {
        todo!()
    }
    pub fn pawn_key(&self) -> u64 {
        todo!()
    }
    pub fn non_pawn_key(&self, _color: Color) -> u64 {
        todo!()
    }
    /// Whether the side has a man that is neither pawn nor king.
    pub fn has_pieces(&self, _color: Color) -> bool {
        todo!()
    }
    /// Needs a legal move.
    pub fn make(&mut self, _mv: Move) -> Change {
        todo!()
    }
    pub fn make_null(&mut self) {
        todo!()
    }
    pub fn legal_moves(&self) -> MoveList {
        todo!()
    }
    /// Legal captures and all promotions.
    pub fn captures(&self) -> MoveList {
        todo!()
    }
    /// All other legal moves.
    pub fn quiets(&self) -> MoveList {
        todo!()
    }
    /// Whether any 16 bits are a legal move here.
    pub fn is_legal(&self, _mv: Move) -> bool {
        todo!()
    }
    pub fn gives_check(&self, _mv: Move) -> bool {
        todo!()
    }
    /// The men a legal move touches.
    pub fn describe(&self, _mv: Move) -> Played {
        todo!()
    }
    /// Whether the exchange the move starts wins at least `threshold` centipawns.
    pub fn see(&self, _params: &crate::params::Params, _mv: Move, _threshold: i32) -> bool {
        todo!()
    }
    pub fn insufficient_material(&self) -> bool {
        todo!()
    }
    /// Whether the men, rights and kings' squares could come from a game of standard chess
    /// (castling rights only for e1/e8 kings with a/h rooks).
    pub fn standard_castling(&self) -> bool {
        todo!()
    }
}

/// A game up to a position: what repetition and the prior-move stores look back to.
#[derive(Clone, Debug)]
pub struct Game;

#[expect(missing_docs)]
impl Game {
    pub fn new(_board: Board) -> Self {
        todo!()
    }
    pub fn board(&self) -> &Board {
        todo!()
    }
    /// Plays a legal move.
    pub fn play(&mut self, _mv: Move) {
        todo!()
    }
    /// Plies played since the first position.
    pub fn ply(&self) -> usize {
        todo!()
    }
    /// The move played `back` plies ago (1 = the last), NONE if before the start.
    pub fn played(&self, _back: usize) -> Played {
        todo!()
    }
    /// The result by rule: threefold repetition, fifty moves (mate first), insufficient material.
    pub fn drawn_by_rule(&self) -> bool {
        todo!()
    }
}
