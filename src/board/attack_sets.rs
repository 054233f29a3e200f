//! The squares that each kind of piece of each side attacks, for all pieces at once.
//!
//! Every direction is filled for the sliders of both sides together, without loops over pieces,
//! tables and branches: predicting how many bishops there are costs more than moving all of them.
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

/// Finds the squares that each side attacks with its pieces of each kind, given the squares of each
/// side's pieces and of both sides' pieces of each kind. There is one king a side.
#[inline(always)]
pub fn attack_sets(colors: [Bitboard; 2], kinds: [Bitboard; PieceType::COUNT]) -> AttackSets {
    let pieces = Pieces::new(colors, kinds);
    let [straight, diagonal] = [pieces.straight(), pieces.diagonal()];
    pieces.attacks(
        straight_rays(straight, pieces.empty).all(),
        diagonal_rays(diagonal, pieces.empty).all(),
    )
}

/// Finds what [`attack_sets`] finds, and what else the lines of the board tell.
#[inline(always)]
pub fn attacks_and_lines(
    colors: [Bitboard; 2],
    kinds: [Bitboard; PieceType::COUNT],
) -> (AttackSets, Lines) {
    let pieces = Pieces::new(colors, kinds);
    let empty = pieces.empty;
    let straight = straight_rays(pieces.straight(), empty);
    let diagonal = diagonal_rays(pieces.diagonal(), empty);
    // Each lane of sliders meets the other side's king.
    let [white_king, black_king] = pieces.of[PieceType::King.index()];
    let kings = Lanes::new([black_king, white_king, black_king, white_king]);
    let king_straights = straight_rays(kings, empty);
    let king_diagonals = diagonal_rays(kings, empty);
    let shields = king_straights.met_by(&straight) | king_diagonals.met_by(&diagonal);
    let shields = shields.sets();
    let [white_rooks, black_rooks] = pieces.of[PieceType::Rook.index()];
    let of_rooks = diagonal_rays(Lanes::new([white_rooks, black_rooks, 0, 0]), empty)
        .all()
        .sets();

    let of_kings = |rays: &Rays| {
        let [black, white, ..] = rays.all().sets();
        [Bitboard(white), Bitboard(black)]
    };
    let lines = Lines {
        king_diagonals: of_kings(&king_diagonals),
        king_straights: of_kings(&king_straights),
        shields: [shields[1] | shields[3], shields[0] | shields[2]]
            .map(|set| Bitboard(set & !empty)),
        rook_diagonals: [Bitboard(of_rooks[0]), Bitboard(of_rooks[1])],
    };
    (pieces.attacks(straight.all(), diagonal.all()), lines)
}

/// The pieces of a board by kind and side: `[kind][side]`.
struct Pieces {
    of: [[u64; 2]; PieceType::COUNT],
    /// The squares without a piece.
    empty: u64,
}

impl Pieces {
    #[inline(always)]
    fn new(colors: [Bitboard; 2], kinds: [Bitboard; PieceType::COUNT]) -> Self {
        Self {
            of: kinds.map(|kind| colors.map(|own| (own & kind).0)),
            empty: !(colors[0] | colors[1]).0,
        }
    }

    /// Returns the white and black queens and rooks.
    #[inline(always)]
    fn straight(&self) -> Lanes {
        let [_, _, _, rooks, queens, _] = self.of;
        Lanes::new([queens[0], queens[1], rooks[0], rooks[1]])
    }

    /// Returns the white and black queens and bishops.
    #[inline(always)]
    fn diagonal(&self) -> Lanes {
        let [_, _, bishops, _, queens, _] = self.of;
        Lanes::new([queens[0], queens[1], bishops[0], bishops[1]])
    }

    /// Returns all attacks, given those of the sliders.
    #[inline(always)]
    fn attacks(&self, straight: Lanes, diagonal: Lanes) -> AttackSets {
        let (straight, diagonal) = (straight.sets(), diagonal.sets());
        let [pawns, knights, .., kings] = self.of.map(|sides| sides.map(Bitboard));
        Color::ALL.map(|side| {
            let at = side.index();
            [
                pawns[at].pawn_attacks(side),
                knight_set_attacks(knights[at]),
                Bitboard(diagonal[2 + at]),
                Bitboard(straight[2 + at]),
                Bitboard(diagonal[at] | straight[at]),
                king_attacks(kings[at].lowest()),
            ]
        })
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

    /// Returns the squares where these rays meet others of the same lane from the opposite
    /// direction.
    #[inline(always)]
    fn met_by(&self, others: &Self) -> Lanes {
        let [a, b, c, d] = self.0;
        let [back_b, back_a, back_d, back_c] = others.0;
        (a & back_a | b & back_b) | (c & back_c | d & back_d)
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
            let (sets, lines) = attacks_and_lines(colors, kinds);
            assert_eq!(sets, attack_sets(colors, kinds));
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
