//! The random numbers whose sums name positions.
// Source: https://www.chessprogramming.org/Zobrist_Hashing

use crate::types::{CastlingRights, Piece, Square};

struct Tables {
    pieces: [[u64; Square::COUNT]; Piece::COUNT],
    castling: [u64; 16],
    en_passant: [u64; 8],
    side: u64,
}

static TABLES: Tables = TABLES_CONST;
const TABLES_CONST: Tables = tables();

/// A man on a square.
#[inline(always)]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    TABLES.pieces[piece.index()][square.index()]
}

/// The same for the compiler's own tables.
pub(super) const fn piece_const(piece: usize, square: usize) -> u64 {
    TABLES_CONST.pieces[piece][square]
}

/// A set of castling rights.
#[inline(always)]
pub(super) fn castling(rights: CastlingRights) -> u64 {
    TABLES.castling[rights.index()]
}

/// A capturable en passant square; only its file counts.
#[inline(always)]
pub(super) fn en_passant(square: Square) -> u64 {
    TABLES.en_passant[square.file() as usize]
}

/// Black to move.
pub(super) const SIDE: u64 = TABLES_CONST.side;

/// `SplitMix64`.
// Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn tables() -> Tables {
    let mut tables = Tables {
        pieces: [[0; Square::COUNT]; Piece::COUNT],
        castling: [0; 16],
        en_passant: [0; 8],
        side: 0,
    };
    let mut state = 0x52_656A_6F69_6E64; // "Rejoind"
    let mut i = 0;
    while i < Piece::COUNT * Square::COUNT {
        tables.pieces[i / 64][i % 64] = next(&mut state);
        i += 1;
    }
    // No rights and no en passant add nothing.
    i = 1;
    while i < 16 {
        tables.castling[i] = next(&mut state);
        i += 1;
    }
    i = 0;
    while i < 8 {
        tables.en_passant[i] = next(&mut state);
        i += 1;
    }
    tables.side = next(&mut state);
    tables
}
