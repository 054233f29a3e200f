//! What pieces mean to each other, beyond the squares on which they stand: attacks, pins, pawn
//! structure, and what could be attacked by the next move.
//!
//! Most relations belong to a piece and its square. The last three belong to an attacker and a
//! square that it could move to. Relations that change with most moves are not worth their time:
//! those chosen here gain most for each change (`docs/log/2026-11.md`).
// Source: threats as inputs, https://github.com/official-stockfish/Stockfish/pull/6411 and Monty;
// the terms, https://www.chessprogramming.org/Pawn_Pattern_and_Properties and
// https://www.chessprogramming.org/King_Safety

use std::ops::BitOr;

use crate::board::{AttackSets, Lanes, attacks_and_lines, knight_set_attacks};
use crate::types::{Bitboard, Color, Piece, PieceType, Square};

/// The numbers of relations that a network may see: none, those of attacks, and all.
pub const COUNTS: [usize; 3] = [0, ATTACKS, 17];

/// The number of relations of attacks, which are the first ones.
pub const ATTACKS: usize = HANGING + 1;

// The relations before this one are attacks by the opponent's pieces of each kind.

/// The index of the relation of pieces that are attacked and not defended.
pub const HANGING: usize = PieceType::COUNT;
/// The index of the relation of pieces that are pinned to their king.
pub const PINNED: usize = 7;
/// The index of the relation of pieces that would discover a check by moving away.
pub const DISCOVERER: usize = 8;
/// The index of the relation of pieces other than pawns that a pawn could attack by advancing to a
/// square where no pawn can capture it, and other pieces only if it is defended.
pub const PAWN_TARGET: usize = 9;
/// The index of the relation of isolated pawns.
pub const ISOLATED: usize = 10;
/// The index of the relation of passed pawns, and of knights and bishops that no pawn can ever
/// attack.
pub const PAST_PAWNS: usize = 11;
/// The index of the relation of passed pawns whose squares up to promotion are empty and not
/// attacked.
pub const FREE_PASSER: usize = 12;
/// The index of the relation of passed pawns whose next square is occupied, or attacked and not
/// defended.
pub const HELD_PASSER: usize = 13;
/// The index of the relation of squares from which a piece could give check in one move without
/// being attacked there.
pub const SAFE_CHECK: usize = 14;
/// The index of the relation of squares next to a king from which a rook or a queen could give
/// check in one move, supported by a piece of another kind and attacked by the king only.
pub const CONTACT_CHECK: usize = 15;
/// The index of the relation of squares from which a knight could attack a rook or a queen, or a
/// bishop a rook, in one move without being attacked there. A queen guards all squares from which
/// sliders attack it.
pub const SAFE_ATTACK: usize = 16;

/// The number of relations that are noted on the square of the piece they are about.
pub const OF_PIECES: usize = SAFE_CHECK;

/// The number of sets for the relations that name an attacker: one for each relation and attacker.
const OF_ATTACKERS: usize = 16;

/// The relation and the attacker of each of the sets after the first [`OF_PIECES`].
pub const ATTACKERS: [(usize, Piece); OF_ATTACKERS] = {
    use Piece::{
        BlackBishop, BlackKnight, BlackQueen, BlackRook, WhiteBishop, WhiteKnight, WhiteQueen,
        WhiteRook,
    };
    [
        (SAFE_CHECK, WhiteKnight),
        (SAFE_CHECK, WhiteBishop),
        (SAFE_CHECK, WhiteRook),
        (SAFE_CHECK, WhiteQueen),
        (CONTACT_CHECK, WhiteRook),
        (CONTACT_CHECK, WhiteQueen),
        (SAFE_ATTACK, WhiteKnight),
        (SAFE_ATTACK, WhiteBishop),
        (SAFE_CHECK, BlackKnight),
        (SAFE_CHECK, BlackBishop),
        (SAFE_CHECK, BlackRook),
        (SAFE_CHECK, BlackQueen),
        (CONTACT_CHECK, BlackRook),
        (CONTACT_CHECK, BlackQueen),
        (SAFE_ATTACK, BlackKnight),
        (SAFE_ATTACK, BlackBishop),
    ]
};

/// The largest number of relations on a board: each piece may have all of those about pieces; each
/// king may be checked from the eight squares of a knight and from 27 by a queen, which 13 and 14 of
/// a bishop and a rook share, four and eight of them next to it; and two kinds may attack more
/// valuable pieces from anywhere.
pub const MAX_RELATIONS: usize =
    32 * OF_PIECES + 2 * (8 + 13 + 14 + 27) + 2 * (4 + 8) + 2 * 2 * Square::COUNT;

/// The number of sets of squares that describe all relations.
pub const SETS: usize = OF_PIECES + OF_ATTACKERS;

/// The squares of each relation: first those about pieces, then those of [`ATTACKERS`]. The last
/// sets stay empty: they make the number one of whole [`Lanes`].
pub type RelationSets = [Bitboard; SETS.next_multiple_of(Lanes::COUNT)];

/// No relations.
pub const NONE: RelationSets = [Bitboard::EMPTY; SETS.next_multiple_of(Lanes::COUNT)];

/// Sets `sets` to the first relations on a board, one of [`COUNTS`], given the squares of each
/// side's pieces and of both sides' pieces of each kind.
#[inline(always)]
pub fn find(
    count: usize,
    colors: &[Bitboard; 2],
    kinds: &[Bitboard; PieceType::COUNT],
    sets: &mut RelationSets,
) {
    *sets = NONE;
    if count == ATTACKS {
        find_attacks(sets, colors, &attacks_and_lines(colors, kinds).0);
    } else if count > 0 {
        find_all(sets, colors, kinds);
    }
}

/// Finds all relations. There is one copy of this long function, so that it stays in the cache. The
/// sets are not copied for it, because it would have to wait until the copies are in memory.
#[inline(never)]
fn find_all(sets: &mut RelationSets, colors: &[Bitboard; 2], kinds: &[Bitboard; PieceType::COUNT]) {
    let (attacks, lines) = attacks_and_lines(colors, kinds);
    let attacked = find_attacks(sets, colors, &attacks);
    let occupied = colors[0] | colors[1];
    let [pawns, knights, bishops, rooks, queens, king] = *kinds;
    let pawns = colors.map(|own| pawns & own);

    let (of_pieces, of_attackers) = sets.split_at_mut(OF_PIECES);
    let of_attackers = of_attackers.as_chunks_mut::<{ OF_ATTACKERS / 2 }>().0;
    for side in Color::ALL {
        let (us, them) = (side.index(), (!side).index());
        let (own, enemy) = (colors[us], colors[them]);
        let (defended, in_danger) = (attacked[us], attacked[them]);
        of_pieces[PINNED] |= lines.shields[us] & own;
        of_pieces[DISCOVERER] |= lines.shields[us] & enemy;

        let [guards @ .., near] = attacks[us];
        let landing = pawn_steps(pawns[them], !side, !occupied) & !guards[0];
        let landing = landing & (in_danger | !defended);
        of_pieces[PAWN_TARGET] |= landing.pawn_attacks(!side) & own & !pawns[us];

        let structure = structure(side, pawns);
        let passed = pawns[us] & !structure.stopped;
        of_pieces[ISOLATED] |= pawns[us] & !structure.beside_own;
        of_pieces[PAST_PAWNS] |= passed | (knights | bishops) & own & !structure.assailable;
        let barred = fill((occupied | in_danger).forward(!side), !side);
        of_pieces[FREE_PASSER] |= passed & !barred;
        let held = occupied | in_danger & !defended;
        of_pieces[HELD_PASSER] |= passed & held.forward(!side);

        // The attacks on this side belong to the sets of the other side.
        let [pawn, knight, bishop, rook, queen, other_king] = attacks[them];
        let safe = !(defended | enemy);
        let (diagonal, straight) = (lines.king_diagonals[us], lines.king_straights[us]);
        let contact = near & !guards.into_iter().fold(enemy, BitOr::bitor);
        let support = pawn | knight | bishop | other_king;
        of_attackers[them] = [
            knight & knight_set_attacks(king & own) & safe,
            bishop & diagonal & safe,
            rook & straight & safe,
            queen & (diagonal | straight) & safe,
            rook & straight & contact & (support | queen),
            queen & contact & (support | rook),
            knight & knight_set_attacks((rooks | queens) & own) & safe,
            bishop & lines.rook_diagonals[us] & safe,
        ];
    }
}

/// Finds the relations of attacks, and returns the squares that each side attacks.
#[inline(always)]
fn find_attacks(
    sets: &mut RelationSets,
    colors: &[Bitboard; 2],
    attacks: &AttackSets,
) -> [Bitboard; 2] {
    let attacked = attacks.map(|sets| sets.into_iter().fold(Bitboard::EMPTY, BitOr::bitor));
    for (us, them) in [(0, 1), (1, 0)] {
        for kind in 0..PieceType::COUNT {
            sets[kind] |= attacks[them][kind] & colors[us];
        }
        sets[HANGING] |= colors[us] & attacked[them] & !attacked[us];
    }
    attacked
}

/// Returns the squares that pawns of a side can advance to.
#[inline(always)]
fn pawn_steps(pawns: Bitboard, side: Color, empty: Bitboard) -> Bitboard {
    let third_rank = match side {
        Color::White => Bitboard::rank(2),
        Color::Black => Bitboard::rank(5),
    };
    let one = pawns.forward(side) & empty;
    one | (one & third_rank).forward(side) & empty
}

/// What the pawns mean for the other pieces of a side.
struct Structure {
    /// The files next to those with pawns of the side.
    beside_own: Bitboard,
    /// The squares that the opponent's pawns attack now or after advancing.
    assailable: Bitboard,
    /// The squares from which a pawn of the side cannot promote past the opponent's pawns.
    stopped: Bitboard,
}

#[inline(always)]
fn structure(side: Color, pawns: [Bitboard; 2]) -> Structure {
    let (own, enemy) = (pawns[side.index()], pawns[(!side).index()]);
    let assailable = fill(enemy.pawn_attacks(!side), !side);
    Structure {
        beside_own: files(own).beside(),
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
