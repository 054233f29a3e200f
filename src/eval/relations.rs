//! What pieces mean to each other, beyond the squares on which they stand: attacks and defenses,
//! pins, pawn structure, and danger to the kings.
//!
//! Most relations belong to a piece and its square. Two belong to an attacker and a square that may
//! be empty: attacks next to a king, and squares of safe checks.
// Source: threats as inputs, https://github.com/official-stockfish/Stockfish/pull/6411 and Monty;
// the terms, https://www.chessprogramming.org/Pawn_Pattern_and_Properties and
// https://www.chessprogramming.org/King_Safety

use std::ops::BitOr;

use crate::board::{
    attack_sets, between, bishop_attacks, king_attacks, knight_attacks, rook_attacks,
};
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

/// The numbers of relations that a network may see: none, those of attacks, and all.
pub const COUNTS: [usize; 3] = [0, ATTACKS, 14];

/// The number of relations of attacks, which are the first ones.
pub const ATTACKS: usize = HANGING + 1;

// The relations before this one are attacks by the opponent's pieces of each kind.

/// The index of the relation of pieces that are attacked and not defended.
pub const HANGING: usize = PieceType::COUNT;
/// The index of the relation of pieces other than the king that are not defended.
pub const LOOSE: usize = 7;
/// The index of the relation of pieces that a pawn defends.
pub const DEFENDED_BY_PAWN: usize = 8;
/// The index of the relation of pieces that are pinned to their king.
pub const PINNED: usize = 9;
/// The index of the relation of isolated pawns, and of rooks, queens and kings on a file without
/// pawns of their own.
pub const NO_OWN_PAWNS: usize = 10;
/// The index of the relation of passed pawns, of knights and bishops that no pawn can ever attack,
/// and of rooks, queens and kings on a file without pawns of the opponent.
pub const NO_ENEMY_PAWNS: usize = 11;
/// The index of the relation of squares next to a king that the opponent attacks with a piece.
pub const NEAR_KING: usize = 12;
/// The index of the relation of squares from which a piece could give check in one move without
/// being attacked there.
pub const SAFE_CHECK: usize = 13;

/// The number of relations that are noted on the square of the piece they are about.
pub const OF_PIECES: usize = NEAR_KING;

/// The number of sets for the relations that name an attacker: one for each relation and attacker.
const OF_ATTACKERS: usize = 18;

/// The relation and the attacker of each of the sets after the first [`OF_PIECES`].
pub const ATTACKERS: [(usize, Piece); OF_ATTACKERS] = {
    use Piece::{
        BlackBishop, BlackKnight, BlackPawn, BlackQueen, BlackRook, WhiteBishop, WhiteKnight,
        WhitePawn, WhiteQueen, WhiteRook,
    };
    [
        (NEAR_KING, WhitePawn),
        (NEAR_KING, WhiteKnight),
        (NEAR_KING, WhiteBishop),
        (NEAR_KING, WhiteRook),
        (NEAR_KING, WhiteQueen),
        (SAFE_CHECK, WhiteKnight),
        (SAFE_CHECK, WhiteBishop),
        (SAFE_CHECK, WhiteRook),
        (SAFE_CHECK, WhiteQueen),
        (NEAR_KING, BlackPawn),
        (NEAR_KING, BlackKnight),
        (NEAR_KING, BlackBishop),
        (NEAR_KING, BlackRook),
        (NEAR_KING, BlackQueen),
        (SAFE_CHECK, BlackKnight),
        (SAFE_CHECK, BlackBishop),
        (SAFE_CHECK, BlackRook),
        (SAFE_CHECK, BlackQueen),
    ]
};

/// The largest number of relations on a board: each piece may have all of those about pieces, five
/// kinds may attack the eight squares next to each king, and each king may be checked from the
/// eight squares of a knight, and from 27 by a queen that 13 and 14 of a bishop and a rook share.
pub const MAX_RELATIONS: usize = 32 * OF_PIECES + 2 * (5 * 8) + 2 * (8 + 13 + 14 + 27);

/// The number of sets of squares that describe all relations.
pub const SETS: usize = OF_PIECES + OF_ATTACKERS;

/// The squares of each relation: first those about pieces, then those of [`ATTACKERS`].
pub type RelationSets = [Bitboard; SETS];

/// No relations.
pub const NONE: RelationSets = [Bitboard::EMPTY; SETS];

/// Finds the first relations on a board, one of [`COUNTS`], given the squares of each side's pieces
/// and of both sides' pieces of each kind.
#[inline(always)]
pub fn find(
    count: usize,
    colors: [Bitboard; 2],
    kinds: [Bitboard; PieceType::COUNT],
) -> RelationSets {
    let mut sets = NONE;
    if count == 0 {
        return sets;
    }
    let attacks = attack_sets(colors, kinds);
    let attacked = attacks.map(|sets| sets.into_iter().fold(Bitboard::EMPTY, BitOr::bitor));
    let occupied = colors[0] | colors[1];
    let [pawns, .., king] = kinds;
    let pawns = colors.map(|own| pawns & own);

    let (of_pieces, of_attackers) = sets.split_at_mut(OF_PIECES);
    let of_attackers = of_attackers.as_chunks_mut::<{ OF_ATTACKERS / 2 }>().0;
    for side in Color::ALL {
        let (us, them) = (side.index(), (!side).index());
        let (own, defended, in_danger) = (colors[us], attacked[us], attacked[them]);
        for kind in PieceType::ALL.map(PieceType::index) {
            of_pieces[kind] |= attacks[them][kind] & own;
        }
        let undefended = own & !defended;
        of_pieces[HANGING] |= undefended & in_danger;
        if count == ATTACKS {
            continue;
        }
        of_pieces[LOOSE] |= undefended & !king;
        of_pieces[DEFENDED_BY_PAWN] |= attacks[us][PieceType::Pawn.index()] & own;

        let home = (king & own).lowest();
        let lines = Lines::of(home, occupied);
        of_pieces[PINNED] |= pinned(home, lines, own, occupied, colors[them], &kinds);

        let structure = structure(side, pawns);
        let [_, knights, bishops, rooks, queens, _] = kinds;
        let majors = (rooks | queens | king) & own;
        of_pieces[NO_OWN_PAWNS] |=
            pawns[us] & !structure.beside_own | majors & !structure.own_files;
        of_pieces[NO_ENEMY_PAWNS] |= pawns[us] & !structure.stopped
            | (knights | bishops) & own & !structure.assailable
            | majors & !structure.enemy_files;

        // The attacks on this side's king belong to the sets of the other side.
        let [pawn, knight, bishop, rook, queen, _] = attacks[them];
        let near = king_attacks(home);
        let safe = !(defended | colors[them]);
        of_attackers[them] = [
            pawn & near,
            knight & near,
            bishop & near,
            rook & near,
            queen & near,
            knight & knight_attacks(home) & safe,
            bishop & lines.diagonal & safe,
            rook & lines.straight & safe,
            queen & (lines.diagonal | lines.straight) & safe,
        ];
    }
    sets
}

/// The squares that sliders would attack from one square.
#[derive(Clone, Copy)]
struct Lines {
    diagonal: Bitboard,
    straight: Bitboard,
}

impl Lines {
    #[inline(always)]
    fn of(square: Square, occupied: Bitboard) -> Self {
        Self {
            diagonal: bishop_attacks(square, occupied),
            straight: rook_attacks(square, occupied),
        }
    }
}

/// Returns the pieces of the king's side that are pinned to the king at `home`, which sees `lines`.
#[inline(always)]
fn pinned(
    home: Square,
    lines: Lines,
    own: Bitboard,
    occupied: Bitboard,
    enemy: Bitboard,
    kinds: &[Bitboard; PieceType::COUNT],
) -> Bitboard {
    let [_, _, bishops, rooks, queens, _] = *kinds;
    let shields = own & (lines.diagonal | lines.straight);
    let behind = Lines::of(home, occupied & !shields);
    let pinners = enemy
        & (behind.diagonal & !lines.diagonal & (bishops | queens)
            | behind.straight & !lines.straight & (rooks | queens));
    let mut pinned = Bitboard::EMPTY;
    for pinner in pinners {
        pinned |= between(home, pinner) & shields;
    }
    pinned
}

/// What the pawns mean for the other pieces of a side.
struct Structure {
    /// The files with pawns of the side.
    own_files: Bitboard,
    /// The files next to them.
    beside_own: Bitboard,
    /// The files with pawns of the opponent.
    enemy_files: Bitboard,
    /// The squares that the opponent's pawns attack now or after advancing.
    assailable: Bitboard,
    /// The squares from which a pawn of the side cannot promote past the opponent's pawns.
    stopped: Bitboard,
}

#[inline(always)]
fn structure(side: Color, pawns: [Bitboard; 2]) -> Structure {
    let (own, enemy) = (pawns[side.index()], pawns[(!side).index()]);
    let own_files = files(own);
    let assailable = fill(enemy.pawn_attacks(!side), !side);
    Structure {
        own_files,
        beside_own: own_files.beside(),
        enemy_files: files(enemy),
        assailable,
        stopped: assailable | fill(enemy.forward(!side), !side),
    }
}

/// Adds all squares in front of these, as a side sees them.
#[inline(always)]
const fn fill(set: Bitboard, side: Color) -> Bitboard {
    let mut set = set.0;
    match side {
        Color::White => {
            set |= set << 8;
            set |= set << 16;
            set |= set << 32;
        }
        Color::Black => {
            set |= set >> 8;
            set |= set >> 16;
            set |= set >> 32;
        }
    }
    Bitboard(set)
}

/// Returns the whole files of these squares.
#[inline(always)]
const fn files(set: Bitboard) -> Bitboard {
    fill(fill(set, Color::White), Color::Black)
}

#[cfg(test)]
mod tests;
