//! The squares that each kind of piece of each side attacks, for all pieces at once.
//!
//! Every direction is filled for the sliders and kings of both sides together, without loops over
//! pieces, tables and branches: predicting how many bishops there are costs more than moving all of
//! them.
// Source: Kogge-Stone fills, https://www.chessprogramming.org/Kogge-Stone_Algorithm

use crate::types::{Bitboard, PieceType};

use super::attacks::king_attacks;
use super::lanes::Lanes;
use super::pair::Pair;

/// The squares that each side attacks.
pub struct AttackSets {
    /// Those that it attacks with its pieces of each kind.
    pub by_kind: [Pair; PieceType::COUNT],
    /// The squares that a bishop on the square of the other side's king would attack.
    pub king_diagonals: Pair,
    /// The squares that a rook on the square of the other side's king would attack.
    pub king_straights: Pair,
    /// The pieces of both sides that stand alone between the side's sliders and the other king.
    pub shields: Pair,
    /// The squares that bishops on the squares of the side's rooks would attack.
    pub rook_diagonals: Pair,
    /// The squares that knights on the square of the other side's king would attack.
    pub king_knights: Pair,
    /// The squares that knights on the squares of the other side's rooks and queens would attack.
    pub major_knights: Pair,
}

impl AttackSets {
    /// Returns the squares that each side attacks with any of its pieces.
    #[inline(always)]
    pub fn all(&self) -> Pair {
        let [pawns, knights, bishops, rooks, queens, kings] = self.by_kind;
        pawns | knights | bishops | rooks | queens | kings
    }
}

const NOT_A: u64 = !Bitboard::FILE_A.0;
const NOT_H: u64 = !Bitboard::FILE_H.0;
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// Finds the squares that each side attacks, given the squares of each side's pieces and of both
/// sides' pieces of each kind. There is one king a side.
#[inline(always)]
pub fn attack_sets(colors: &[Bitboard; 2], kinds: &[Bitboard; PieceType::COUNT]) -> AttackSets {
    let empty = !(colors[0] | colors[1]).0;
    let own = Pair::new(*colors);
    let [pawns, knights, bishops, rooks, queens, kings] =
        kinds.map(|kind| own & Pair::of_both(kind));
    // Three pairs of lanes for both sorts of lines: queens, the other sliders, and kings. Each lane
    // of sliders meets the other side's king.
    let lanes = |sliders, others| Lanes::of_pairs([queens, sliders, kings.swapped(), others]);
    let straight_rays = straight_rays(lanes(rooks, Pair::empty()), empty);
    let diagonal_rays = diagonal_rays(lanes(bishops, rooks), empty);
    let shields = straight_rays.meet_kings() | diagonal_rays.meet_kings();
    let [of_queens, of_rooks, king_straights, _] = straight_rays.all().pairs();
    let [queens_too, of_bishops, king_diagonals, rook_diagonals] = diagonal_rays.all().pairs();
    let [by_queens, by_others, ..] = shields.pairs();
    let majors = (rooks | queens).swapped();
    let from_knights = Lanes::of_pairs([knights, kings.swapped(), majors, Pair::empty()]);
    let [of_knights, king_knights, major_knights, _] = knight_attacks(from_knights).pairs();
    AttackSets {
        by_kind: [
            pawns.pawn_attacks(),
            of_knights,
            of_bishops,
            of_rooks,
            of_queens | queens_too,
            Pair::new(kings.sets().map(|king| king_attacks(king.lowest()))),
        ],
        king_diagonals,
        king_straights,
        shields: (by_queens | by_others) & Pair::of_both(!Bitboard(empty)),
        rook_diagonals,
        king_knights,
        major_knights,
    }
}

/// The squares that pieces see along both lines of one sort, up to and including the first piece,
/// by direction: along the first line, back along it, along the second line, and back.
struct Rays([Lanes; 4]);

impl Rays {
    /// Returns the squares that are seen in any direction.
    #[inline(always)]
    fn all(&self) -> Lanes {
        let [one, two, three, four] = self.0;
        (one | two) | (three | four)
    }

    /// Returns the squares where the rays of the first two pairs of lanes meet those of the third
    /// pair from the opposite direction. The other lanes mean nothing.
    #[inline(always)]
    fn meet_kings(&self) -> Lanes {
        let [a, b, c, d] = self.0;
        let [of_a, of_b, of_c, of_d] = self.0.map(Lanes::third_pair);
        (a & of_b | b & of_a) | (c & of_d | d & of_c)
    }
}

/// Returns the squares that knights on these squares attack.
#[inline(always)]
fn knight_attacks(knights: Lanes) -> Lanes {
    let moved = |inside: u64, by: i32| (knights & Lanes::of_all(inside)).moved(by);
    let near = moved(NOT_H, 1) | moved(NOT_A, -1);
    let far = moved(NOT_GH, 2) | moved(NOT_AB, -2);
    (near.moved(16) | near.moved(-16)) | (far.moved(8) | far.moved(-8))
}

#[inline(always)]
fn straight_rays(pieces: Lanes, empty: u64) -> Rays {
    Rays([
        ray::<8>(pieces, empty, !0),
        ray::<-8>(pieces, empty, !0),
        ray::<1>(pieces, empty, NOT_A),
        ray::<-1>(pieces, empty, NOT_H),
    ])
}

#[inline(always)]
fn diagonal_rays(pieces: Lanes, empty: u64) -> Rays {
    Rays([
        ray::<9>(pieces, empty, NOT_A),
        ray::<-9>(pieces, empty, NOT_H),
        ray::<7>(pieces, empty, NOT_H),
        ray::<-7>(pieces, empty, NOT_A),
    ])
}

/// Returns the squares that pieces see in the direction that adds `STEP` to a square's index.
/// `inside` has no square of the file that a step across the edge of the board would reach.
#[inline(always)]
fn ray<const STEP: i32>(pieces: Lanes, empty: u64, inside: u64) -> Lanes {
    let moved = |set: u64, steps: i32| {
        if STEP > 0 {
            set << (STEP * steps)
        } else {
            set >> (-STEP * steps)
        }
    };
    let once = empty & inside;
    let twice = once & moved(once, 1);
    let four_times = twice & moved(twice, 2);
    let reached = pieces;
    let reached = reached | Lanes::of_all(once) & reached.moved(STEP);
    let reached = reached | Lanes::of_all(twice) & reached.moved(2 * STEP);
    let reached = reached | Lanes::of_all(four_times) & reached.moved(4 * STEP);
    Lanes::of_all(inside) & reached.moved(STEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::attacks::{self, bishop_attacks, pawn_attacks, rook_attacks};
    use crate::types::{Color, Rng, Square};

    /// Returns what a piece attacks by the tables.
    fn attacks_of(side: Color, kind: PieceType, from: Square, occupied: Bitboard) -> Bitboard {
        match kind {
            PieceType::Pawn => pawn_attacks(side, from),
            PieceType::Knight => attacks::knight_attacks(from),
            PieceType::Bishop => bishop_attacks(from, occupied),
            PieceType::Rook => rook_attacks(from, occupied),
            PieceType::Queen => bishop_attacks(from, occupied) | rook_attacks(from, occupied),
            PieceType::King => king_attacks(from),
        }
    }

    #[test]
    fn agree_with_the_tables_piece_by_piece() {
        let mut rng = Rng::new(11);
        let mut attacked = 0;
        for _ in 0..2_000 {
            let mut colors = [Bitboard::EMPTY; 2];
            let mut kinds = [Bitboard::EMPTY; PieceType::COUNT];
            let mut squares: Vec<u8> = (0..64).collect();
            rng.shuffle(&mut squares);
            let pieces = 2 + rng.below(31);
            for (number, &square) in squares[..pieces].iter().enumerate() {
                let (color, kind) = match number {
                    0 | 1 => (number, PieceType::King),
                    _ => (rng.below(2), PieceType::ALL[rng.below(5)]),
                };
                colors[color] |= Square::new(square).bitboard();
                kinds[kind.index()] |= Square::new(square).bitboard();
            }
            let occupied = colors[0] | colors[1];
            let sets = attack_sets(&colors, &kinds);
            for side in Color::ALL {
                let at = side.index();
                let of = |pair: Pair| pair.sets()[at];
                let pieces =
                    |side: Color, kind: PieceType| colors[side.index()] & kinds[kind.index()];
                let all = |from: Bitboard, attacks: &dyn Fn(Square) -> Bitboard| {
                    from.into_iter()
                        .fold(Bitboard::EMPTY, |all, from| all | attacks(from))
                };
                let king = pieces(!side, PieceType::King).lowest();
                assert_eq!(of(sets.king_diagonals), bishop_attacks(king, occupied));
                assert_eq!(of(sets.king_straights), rook_attacks(king, occupied));
                assert_eq!(of(sets.king_knights), attacks::knight_attacks(king));
                let rooks = pieces(side, PieceType::Rook);
                let diagonals = all(rooks, &|rook| bishop_attacks(rook, occupied));
                assert_eq!(of(sets.rook_diagonals), diagonals);
                let majors = pieces(!side, PieceType::Rook) | pieces(!side, PieceType::Queen);
                let knights = all(majors, &attacks::knight_attacks);
                assert_eq!(of(sets.major_knights), knights);
                for kind in PieceType::ALL {
                    let attacks = |from| attacks_of(side, kind, from, occupied);
                    let expected = all(pieces(side, kind), &attacks);
                    attacked += expected.count();
                    assert_eq!(
                        of(sets.by_kind[kind.index()]),
                        expected,
                        "{side:?} {kind:?}"
                    );
                }
            }
        }
        assert!(attacked > 20_000, "{attacked}");
    }
}
