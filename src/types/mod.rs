//! The ground floor: the words of chess as small values. Nothing here knows a position.

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

/// Deepest ply the search may reach, in plies from the root.
pub const MAX_PLY: usize = 246;
