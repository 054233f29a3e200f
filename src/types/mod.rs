//! The vocabulary of chess as small values: squares, pieces, moves, scores. Nothing here depends on
//! a position.

mod bitboard;
mod castling;
mod checksum;
mod moves;
mod piece;
mod rng;
pub mod score;
mod square;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, CastlingSide};
pub use checksum::fnv1a;
pub use moves::{Move, MoveKind, MoveList, Played};
pub use piece::{Color, Piece, PieceType};
pub use rng::Rng;
pub use score::Score;
pub use square::Square;

/// The maximum distance of a node from the root, in plies.
pub const MAX_PLY: usize = 246;
