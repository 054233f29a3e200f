//! What pieces mean to each other, beyond the squares on which they stand: attacks, pins, pawn
//! structure, and what could be attacked by the next move.
//!
//! Most relations belong to a piece and its square. The last three belong to an attacker and a
//! square that it could move to. Relations that change with most moves are not worth their time:
//! those chosen here gain most for each change (`docs/log/2026-11.md`).
// Source: threats as inputs, https://github.com/official-stockfish/Stockfish/pull/6411 and Monty;
// the terms, https://www.chessprogramming.org/Pawn_Pattern_and_Properties and
// https://www.chessprogramming.org/King_Safety

use crate::board::{AttackSets, Lanes, Pair, attack_sets};
use crate::types::{Bitboard, Piece, PieceType, Square};

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

/// The index of the first set of [`ATTACKERS`]. The sets between those about pieces and this one stay
/// empty, so that the sets of each side's attackers are [`Lanes`] of their own.
pub const FIRST_OF_ATTACKERS: usize = OF_PIECES.next_multiple_of(Lanes::COUNT);

/// The number of sets of squares that describe all relations.
pub const SETS: usize = FIRST_OF_ATTACKERS + OF_ATTACKERS;

/// The squares of each relation: first those about pieces, then those of [`ATTACKERS`].
pub type RelationSets = [Bitboard; SETS];

/// No relations.
pub const NONE: RelationSets = [Bitboard::EMPTY; SETS];

/// Sets `sets` to the first relations on a board, one of [`COUNTS`], given the squares of each
/// side's pieces and of both sides' pieces of each kind.
#[inline(always)]
pub fn find(
    count: usize,
    colors: &[Bitboard; 2],
    kinds: &[Bitboard; PieceType::COUNT],
    sets: &mut RelationSets,
) {
    if count == ATTACKS {
        *sets = NONE;
        let found = attack_sets(colors, kinds);
        let own = Pair::new(*colors);
        write(sets, 0, find_attacks(own, &found, Pair::empty()));
    } else if count > 0 {
        find_all(sets, colors, kinds);
    } else {
        *sets = NONE;
    }
}

/// Finds all relations. There is one copy of this long function, so that it stays in the cache. The
/// sets are not copied for it, because it would have to wait until the copies are in memory.
///
/// What is true of each side is found for both at once: the pairs below are those of the side that
/// attacks, or that has the pawns, unless they are swapped.
#[inline(never)]
fn find_all(sets: &mut RelationSets, colors: &[Bitboard; 2], kinds: &[Bitboard; PieceType::COUNT]) {
    let found = attack_sets(colors, kinds);
    let [pawn, knight, bishop, rook, queen, king] = found.by_kind;
    let own = Pair::new(*colors);
    let enemy = own.swapped();
    let occupied = own | enemy;
    let attacked = found.all();
    let defended = attacked.swapped();
    write(sets, 0, find_attacks(own, &found, found.shields & enemy));

    let pawns = own & Pair::of_both(kinds[PieceType::Pawn.index()]);
    let third_ranks = Pair::new([2, 5].map(Bitboard::rank));
    let one = pawns.forward() & !occupied;
    let steps = one | (one & third_ranks).forward() & !occupied;
    let landing = steps & !pawn.swapped() & (attacked | !defended);
    let targets = landing.pawn_attacks() & enemy & !pawns.swapped();

    // Pawns attack and stop what is in front of them up to the last rank; the files of pawns are in
    // front of them and behind.
    let barred = (occupied | attacked).forward();
    let lanes = Lanes::of_pairs([pawn, pawns.forward(), barred, pawns]);
    let [assailable, ahead, barred, behind] = lanes.filled::<0b10_01_01_01>().pairs();
    let isolated = pawns & !(ahead | behind).beside();
    let passed = pawns & !(assailable | ahead).swapped();
    let minors = [PieceType::Knight, PieceType::Bishop].map(|kind| kinds[kind.index()]);
    let minors = own & Pair::of_both(minors[0] | minors[1]);
    let past = passed | minors & !assailable.swapped();
    let free = passed & !barred.swapped();
    let held = passed & (occupied | attacked & !defended).forward().swapped();
    let nothing = Pair::empty();
    let lanes = Lanes::of_pairs([found.shields & own, isolated, free, nothing]);
    let others = Lanes::of_pairs([targets, past, held, nothing]);
    write(sets, Lanes::COUNT, lanes.joined(others));

    let safe = !(defended | own);
    let (diagonal, straight) = (found.king_diagonals, found.king_straights);
    let guarded = (pawn | knight | bishop | rook | queen).swapped();
    let contact = king.swapped() & !(guarded | own);
    let support = pawn | knight | bishop | king;
    let checks = Lanes::of_pairs([
        knight & found.king_knights & safe,
        rook & straight & safe,
        rook & straight & contact & (support | queen),
        knight & found.major_knights & safe,
    ]);
    let others = Lanes::of_pairs([
        bishop & diagonal & safe,
        queen & (diagonal | straight) & safe,
        queen & contact & (support | rook),
        bishop & found.rook_diagonals.swapped() & safe,
    ]);
    let by_white = FIRST_OF_ATTACKERS;
    write(sets, by_white, checks.firsts(others));
    write(sets, by_white + Lanes::COUNT, checks.seconds(others));
}

/// Finds the relations of attacks, given what each side attacks with its pieces of each kind, and adds
/// the relation of pinned pieces.
#[inline(always)]
fn find_attacks(own: Pair, found: &AttackSets, pinned: Pair) -> Lanes {
    const _: () = assert!(HANGING == PieceType::COUNT && PINNED == Lanes::COUNT - 1);
    let enemy = own.swapped();
    let attacked = found.all();
    let hanging = attacked & enemy & !attacked.swapped();
    let [pawn, knight, bishop, rook, queen, king] = found.by_kind.map(|attacks| attacks & enemy);
    let lanes = Lanes::of_pairs([pawn, bishop, queen, hanging]);
    lanes.joined(Lanes::of_pairs([knight, rook, king, pinned]))
}

/// Writes the sets from index `first` on.
#[inline(always)]
fn write(sets: &mut RelationSets, first: usize, lanes: Lanes) {
    sets[first..][..Lanes::COUNT].copy_from_slice(&lanes.sets().map(Bitboard));
}

#[cfg(test)]
mod tests;
