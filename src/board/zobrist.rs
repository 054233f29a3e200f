//! Zobrist hashing: the random numbers whose exclusive or identifies a position.
// Source: https://www.chessprogramming.org/Zobrist_Hashing

use crate::types::{CastlingRights, Piece, Rng, Square};

struct Tables {
    pieces: [[u64; Square::COUNT]; Piece::COUNT],
    castling: [u64; 16],
    en_passant: [u64; 8],
    side: u64,
}

static TABLES: Tables = TABLES_CONST;
const TABLES_CONST: Tables = tables();

/// Returns the number of a piece on a square.
#[inline(always)]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    TABLES.pieces[piece.index()][square.index()]
}

/// Returns the number of a piece on a square, for tables that the compiler builds.
pub(super) const fn piece_const(piece: usize, square: usize) -> u64 {
    TABLES_CONST.pieces[piece][square]
}

/// Returns the number of a set of castling rights.
#[inline(always)]
pub(super) fn castling(rights: CastlingRights) -> u64 {
    TABLES.castling[rights.index()]
}

/// Returns the number of an en passant square where a capture is possible; only its file counts.
#[inline(always)]
pub(super) fn en_passant(square: Square) -> u64 {
    TABLES.en_passant[square.file() as usize]
}

/// The number that marks Black to move.
pub(super) const SIDE: u64 = TABLES_CONST.side;

const fn tables() -> Tables {
    let mut tables = Tables {
        pieces: [[0; Square::COUNT]; Piece::COUNT],
        castling: [0; 16],
        en_passant: [0; 8],
        side: 0,
    };
    let mut random = Rng::new(0x52_656A_6F69_6E64); // "Rejoind"
    let mut i = 0;
    while i < Piece::COUNT * Square::COUNT {
        tables.pieces[i / 64][i % 64] = random.next();
        i += 1;
    }
    // The empty set of castling rights keeps the number 0.
    i = 1;
    while i < 16 {
        tables.castling[i] = random.next();
        i += 1;
    }
    i = 0;
    while i < 8 {
        tables.en_passant[i] = random.next();
        i += 1;
    }
    tables.side = random.next();
    tables
}
