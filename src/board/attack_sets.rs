//! The squares that each kind of piece of each side attacks, for all pieces at once.
//!
//! Every direction is filled for the sliders and kings of both sides together, without loops over
//! pieces, tables and branches: predicting how many bishops there are costs more than moving all of
//! them.
// Source: Kogge-Stone fills, https://www.chessprogramming.org/Kogge-Stone_Algorithm

use crate::types::{Bitboard, Color, PieceType};

use super::attacks::king_attacks;
use super::lanes::Lanes;

/// The squares that each side attacks with its pieces of each kind: `[side][kind]`.
pub type AttackSets = [[Bitboard; PieceType::COUNT]; 2];

/// What the lines of a board tell beyond attacks.
pub struct Lines {
    /// The squares that a bishop on the square of each side's king would attack.
    pub king_diagonals: [Bitboard; 2],
    /// The squares that a rook on the square of each side's king would attack.
    pub king_straights: [Bitboard; 2],
    /// The pieces of both sides that stand alone between each side's king and a slider of the other
    /// side.
    pub shields: [Bitboard; 2],
    /// The squares that bishops on the squares of each side's rooks would attack.
    pub rook_diagonals: [Bitboard; 2],
}

const NOT_A: u64 = !Bitboard::FILE_A.0;
const NOT_H: u64 = !Bitboard::FILE_H.0;
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// Finds the squares that each side attacks with its pieces of each kind, and what else the lines of
/// the board tell, given the squares of each side's pieces and of both sides' pieces of each kind.
/// There is one king a side.
#[inline(always)]
pub fn attacks_and_lines(
    colors: &[Bitboard; 2],
    kinds: &[Bitboard; PieceType::COUNT],
) -> (AttackSets, Lines) {
    let empty = !(colors[0] | colors[1]).0;
    let of = kinds.map(|kind| colors.map(|own| (own & kind).0));
    let [_, _, bishops, rooks, queens, [white_king, black_king]] = of;
    // Three pairs of lanes for both sorts of lines: queens, the other sliders, and kings. Each lane
    // of sliders meets the other side's king.
    let lanes = |[a, b]: [u64; 2], [c, d]: [u64; 2]| {
        Lanes::new([queens[0], queens[1], a, b, black_king, white_king, c, d])
    };
    let straight_rays = straight_rays(lanes(rooks, [0, 0]), empty);
    let diagonal_rays = diagonal_rays(lanes(bishops, rooks), empty);
    let shields = straight_rays.meet_kings() | diagonal_rays.meet_kings();
    let [straight, diagonal, shields] =
        [straight_rays.all(), diagonal_rays.all(), shields].map(Lanes::sets);
    let lines = Lines {
        king_diagonals: [Bitboard(diagonal[5]), Bitboard(diagonal[4])],
        king_straights: [Bitboard(straight[5]), Bitboard(straight[4])],
        shields: [shields[1] | shields[3], shields[0] | shields[2]]
            .map(|set| Bitboard(set & !empty)),
        rook_diagonals: [Bitboard(diagonal[6]), Bitboard(diagonal[7])],
    };
    let [pawns, knights, .., kings] = of.map(|sides| sides.map(Bitboard));
    let attacks = Color::ALL.map(|side| {
        let at = side.index();
        [
            pawns[at].pawn_attacks(side),
            knight_set_attacks(knights[at]),
            Bitboard(diagonal[2 + at]),
            Bitboard(straight[2 + at]),
            Bitboard(diagonal[at] | straight[at]),
            king_attacks(kings[at].lowest()),
        ]
    });
    (attacks, lines)
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
pub const fn knight_set_attacks(knights: Bitboard) -> Bitboard {
    let knights = knights.0;
    let near = (knights & NOT_H) << 1 | (knights & NOT_A) >> 1;
    let far = (knights & NOT_GH) << 2 | (knights & NOT_AB) >> 2;
    Bitboard(near << 16 | near >> 16 | far << 8 | far >> 8)
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
    use crate::board::attacks::{bishop_attacks, knight_attacks, pawn_attacks, rook_attacks};
    use crate::types::{Rng, Square};

    /// Returns what a piece attacks by the tables.
    fn attacks_of(side: Color, kind: PieceType, from: Square, occupied: Bitboard) -> Bitboard {
        match kind {
            PieceType::Pawn => pawn_attacks(side, from),
            PieceType::Knight => knight_attacks(from),
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
            let (sets, lines) = attacks_and_lines(&colors, &kinds);
            for side in Color::ALL {
                let at = side.index();
                let king = (colors[at] & kinds[PieceType::King.index()]).lowest();
                assert_eq!(lines.king_diagonals[at], bishop_attacks(king, occupied));
                assert_eq!(lines.king_straights[at], rook_attacks(king, occupied));
                let rooks = colors[at] & kinds[PieceType::Rook.index()];
                let diagonals = rooks.into_iter().map(|rook| bishop_attacks(rook, occupied));
                let diagonals = diagonals.fold(Bitboard::EMPTY, |all, one| all | one);
                assert_eq!(lines.rook_diagonals[at], diagonals);
                for kind in PieceType::ALL {
                    let mut expected = Bitboard::EMPTY;
                    for from in colors[side.index()] & kinds[kind.index()] {
                        expected |= attacks_of(side, kind, from, occupied);
                    }
                    attacked += expected.count();
                    assert_eq!(
                        sets[side.index()][kind.index()],
                        expected,
                        "{side:?} {kind:?}"
                    );
                }
            }
        }
        assert!(attacked > 20_000, "{attacked}");
    }
}
