//! The squares that each kind of piece of each side attacks, for all pieces at once.
//!
//! Every direction is filled for the sliders of both sides together, without loops over pieces,
//! tables and branches: predicting how many bishops there are costs more than moving all of them.
// Source: Kogge-Stone fills, https://www.chessprogramming.org/Kogge-Stone_Algorithm

use crate::types::{Bitboard, Color, PieceType};

use super::attacks::king_attacks;

/// The squares that each side attacks with its pieces of each kind: `[side][kind]`.
pub type AttackSets = [[Bitboard; PieceType::COUNT]; 2];

/// The white and the black sliders on lines of one sort: first the queens, then rooks or bishops.
type Sliders = [u64; 4];

const NOT_A: u64 = !Bitboard::FILE_A.0;
const NOT_H: u64 = !Bitboard::FILE_H.0;
const NOT_AB: u64 = NOT_A & NOT_A << 1;
const NOT_GH: u64 = NOT_H & NOT_H >> 1;

/// Finds the squares that each side attacks with its pieces of each kind, given the squares of each
/// side's pieces and of both sides' pieces of each kind. There is one king a side.
#[inline(always)]
pub fn attack_sets(colors: [Bitboard; 2], kinds: [Bitboard; PieceType::COUNT]) -> AttackSets {
    let of = |kind: PieceType| colors.map(|own| own & kinds[kind.index()]);
    let [pawns, knights] = [PieceType::Pawn, PieceType::Knight].map(of);
    let [bishops, rooks] = [PieceType::Bishop, PieceType::Rook].map(of);
    let [queens, kings] = [PieceType::Queen, PieceType::King].map(of);
    let empty = !(colors[0] | colors[1]).0;
    let together = |with: [Bitboard; 2]| [queens[0].0, queens[1].0, with[0].0, with[1].0];
    let straight = straight_attacks(together(rooks), empty);
    let diagonal = diagonal_attacks(together(bishops), empty);
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

#[inline(always)]
const fn knight_set_attacks(knights: Bitboard) -> Bitboard {
    let knights = knights.0;
    let near = (knights & NOT_H) << 1 | (knights & NOT_A) >> 1;
    let far = (knights & NOT_GH) << 2 | (knights & NOT_AB) >> 2;
    Bitboard(near << 16 | near >> 16 | far << 8 | far >> 8)
}

#[inline(always)]
fn straight_attacks(sliders: Sliders, empty: u64) -> Sliders {
    let mut attacks = [0; 4];
    ray::<8>(&mut attacks, sliders, empty, !0);
    ray::<-8>(&mut attacks, sliders, empty, !0);
    ray::<1>(&mut attacks, sliders, empty, NOT_A);
    ray::<-1>(&mut attacks, sliders, empty, NOT_H);
    attacks
}

#[inline(always)]
fn diagonal_attacks(sliders: Sliders, empty: u64) -> Sliders {
    let mut attacks = [0; 4];
    ray::<9>(&mut attacks, sliders, empty, NOT_A);
    ray::<7>(&mut attacks, sliders, empty, NOT_H);
    ray::<-7>(&mut attacks, sliders, empty, NOT_A);
    ray::<-9>(&mut attacks, sliders, empty, NOT_H);
    attacks
}

/// Adds the squares that sliders attack in the direction that adds `STEP` to a square's index.
/// `inside` has no square of the file that a step across the edge of the board would reach.
#[inline(always)]
fn ray<const STEP: i32>(attacks: &mut Sliders, sliders: Sliders, empty: u64, inside: u64) {
    let once = empty & inside;
    let twice = once & moved::<STEP>(once, 1);
    let four_times = twice & moved::<STEP>(twice, 2);
    for (attacks, mut reached) in attacks.iter_mut().zip(sliders) {
        reached |= once & moved::<STEP>(reached, 1);
        reached |= twice & moved::<STEP>(reached, 2);
        reached |= four_times & moved::<STEP>(reached, 4);
        *attacks |= inside & moved::<STEP>(reached, 1);
    }
}

/// Moves every square some steps; squares that leave the first or last rank are lost.
#[inline(always)]
const fn moved<const STEP: i32>(squares: u64, steps: i32) -> u64 {
    if STEP > 0 {
        squares << (STEP * steps)
    } else {
        squares >> (-STEP * steps)
    }
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
            let sets = attack_sets(colors, kinds);
            for side in Color::ALL {
                for kind in PieceType::ALL {
                    let mut expected = Bitboard::EMPTY;
                    for from in colors[side.index()] & kinds[kind.index()] {
                        expected |= attacks_of(side, kind, from, colors[0] | colors[1]);
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
