//! Attack sets from tables that the compiler builds.
//!
//! The set of a slider is looked up by the blockers on its lines: packed with PEXT if the build's
//! target has it, else hashed by a magic number. With PDEP the sets are also stored packed, in a
//! quarter of the memory: the table is read so often, and at such random places, that cache misses
//! cost more than the additional instruction.
// Source: https://www.chessprogramming.org/Magic_Bitboards

use super::magics;
use crate::types::{Bitboard, Color, Square};

/// The directions of lines, those up the board first.
const STRAIGHT: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
const KNIGHT_STEPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
const KING_STEPS: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

static KNIGHT: [Bitboard; 64] = leaper(&KNIGHT_STEPS);
static KING: [Bitboard; 64] = leaper(&KING_STEPS);
static PAWN: [[Bitboard; 64]; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];
static BETWEEN: [[Bitboard; 64]; 64] = segments(false);
static LINE: [[Bitboard; 64]; 64] = segments(true);

/// Slots of the shared slider table: 102,400 for rooks and 5,248 for bishops, rounded up to a power
/// of two so that a mask replaces the bounds check.
const SLIDER_SLOTS: usize = 1 << 17;
const ROOK_LINES: [Lines; 64] = lines(&STRAIGHT, &magics::ROOK, 0);
const BISHOP_LINES: [Lines; 64] = lines(&DIAGONAL, &magics::BISHOP, 102_400);
static ROOKS: [Lines; 64] = ROOK_LINES;
static BISHOPS: [Lines; 64] = BISHOP_LINES;
#[allow(
    long_running_const_eval,
    reason = "the table needs about 100,000 small steps"
)]
static SLIDERS: [Packed; SLIDER_SLOTS] = slider_table();

/// A slider's set as the table stores it, with one bit for each square of its lines, of which there
/// are at most 14.
#[cfg(target_feature = "bmi2")]
type Packed = u16;
#[cfg(not(target_feature = "bmi2"))]
type Packed = u64;

/// Returns the squares that a pawn of this color attacks.
#[inline(always)]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Returns the squares that a knight attacks.
#[inline(always)]
pub fn knight_attacks(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Returns the squares that a king attacks.
#[inline(always)]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Returns the squares that a bishop attacks, up to and including the first square of `occupied` on
/// each line.
#[inline(always)]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    if cfg!(is_small) {
        return walk(square, occupied, &DIAGONAL);
    }
    BISHOPS[square.index()].attacks(occupied)
}

/// Returns the squares that a rook attacks, up to and including the first square of `occupied` on
/// each line.
#[inline(always)]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    if cfg!(is_small) {
        return walk(square, occupied, &STRAIGHT);
    }
    ROOKS[square.index()].attacks(occupied)
}

/// Returns the squares that a queen attacks, up to and including the first square of `occupied` on
/// each line.
#[inline(always)]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(square, occupied) | rook_attacks(square, occupied)
}

/// Returns the squares strictly between two squares on one line; empty if they are not on one line.
#[inline(always)]
pub(super) fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// Returns the whole line through two squares from edge to edge; empty if they are not on one line.
#[inline(always)]
pub(super) fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// The lines of a slider on one square, and how their blockers become a slot of the slider table.
struct Lines {
    /// The squares where blockers matter: those of the lines without the last of each.
    mask: u64,
    offset: u32,
    /// All squares of the lines.
    whole: u64,
    #[cfg(not(target_feature = "bmi2"))]
    magic: u64,
    #[cfg(not(target_feature = "bmi2"))]
    shift: u32,
}

impl Lines {
    const fn new(mask: u64, whole: u64, offset: u32, magic: u64) -> Self {
        #[cfg(target_feature = "bmi2")]
        let _ = magic;
        Self {
            mask,
            offset,
            whole,
            #[cfg(not(target_feature = "bmi2"))]
            magic,
            #[cfg(not(target_feature = "bmi2"))]
            shift: 64 - mask.count_ones(),
        }
    }

    /// Returns the squares that a slider attacks along these lines.
    #[inline(always)]
    fn attacks(&self, occupied: Bitboard) -> Bitboard {
        unpacked(
            SLIDERS[self.slot(occupied) & (SLIDER_SLOTS - 1)],
            self.whole,
        )
    }

    #[cfg(not(target_feature = "bmi2"))]
    #[inline(always)]
    fn slot(&self, occupied: Bitboard) -> usize {
        self.magic_slot(occupied.0 & self.mask)
    }

    #[cfg(target_feature = "bmi2")]
    #[inline(always)]
    fn slot(&self, occupied: Bitboard) -> usize {
        // SAFETY: this body is only compiled when every CPU the build is for has BMI2.
        let packed = unsafe { core::arch::x86_64::_pext_u64(occupied.0, self.mask) };
        packed as usize + self.offset as usize
    }

    #[cfg(not(target_feature = "bmi2"))]
    const fn magic_slot(&self, blockers: u64) -> usize {
        (blockers.wrapping_mul(self.magic) >> self.shift) as usize + self.offset as usize
    }

    /// Returns the slot of the `nth` subset of the mask, in the order of the carry-rippler
    /// enumeration, which is also the order of PEXT.
    const fn subset_slot(&self, nth: usize, subset: u64) -> usize {
        #[cfg(target_feature = "bmi2")]
        {
            let _ = subset;
            nth + self.offset as usize
        }
        #[cfg(not(target_feature = "bmi2"))]
        {
            let _ = nth;
            self.magic_slot(subset)
        }
    }
}

/// Unpacks a set, given all squares of its lines.
#[cfg(target_feature = "bmi2")]
#[inline(always)]
fn unpacked(set: Packed, whole: u64) -> Bitboard {
    // SAFETY: this body is only compiled when every CPU the build is for has BMI2.
    Bitboard(unsafe { core::arch::x86_64::_pdep_u64(u64::from(set), whole) })
}

#[cfg(not(target_feature = "bmi2"))]
#[inline(always)]
fn unpacked(set: Packed, _whole: u64) -> Bitboard {
    Bitboard(set)
}

/// Packs a set like PEXT.
#[cfg(target_feature = "bmi2")]
const fn packed(set: u64, whole: u64) -> Packed {
    let mut packed = 0;
    let mut left = whole;
    let mut bit = 0;
    while left != 0 {
        if set & left & left.wrapping_neg() != 0 {
            packed |= 1 << bit;
        }
        left &= left - 1;
        bit += 1;
    }
    packed
}

#[cfg(not(target_feature = "bmi2"))]
const fn packed(set: u64, _whole: u64) -> Packed {
    set
}

const fn leaper(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            if let Some(to) = step(square as u8, steps[i]) {
                table[square].0 |= 1 << to;
            }
            i += 1;
        }
        square += 1;
    }
    table
}

/// Returns the square one step further, or `None` beyond the edge of the board.
const fn step(square: u8, (files, ranks): (i8, i8)) -> Option<u8> {
    let file = (square & 7) as i8 + files;
    let rank = (square >> 3) as i8 + ranks;
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        Some((rank * 8 + file) as u8)
    } else {
        None
    }
}

/// Returns all squares from a square on in a direction, without the square itself.
const fn ray(square: u8, direction: (i8, i8)) -> u64 {
    let mut set = 0;
    let mut at = square;
    while let Some(next) = step(at, direction) {
        set |= 1 << next;
        at = next;
    }
    set
}

/// For each two squares on one line, the squares between them, or the whole line.
const fn segments(whole: bool) -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut i = 0;
        while i < 8 {
            let direction = KING_STEPS[i];
            let back = (-direction.0, -direction.1);
            let mut passed = 0;
            let mut at = a as u8;
            while let Some(b) = step(at, direction) {
                table[a][b as usize].0 = if whole {
                    ray(a as u8, direction) | ray(a as u8, back) | 1 << a
                } else {
                    passed
                };
                passed |= 1 << b;
                at = b;
            }
            i += 1;
        }
        a += 1;
    }
    table
}

const fn lines(directions: &[(i8, i8); 4], magics: &[u64; 64], first: u32) -> [Lines; 64] {
    let mut table = [const { Lines::new(0, 0, 0, 0) }; 64];
    let rays = [
        rays(directions[0]),
        rays(directions[1]),
        rays(directions[2]),
        rays(directions[3]),
    ];
    let mut offset = first;
    let mut square = 0;
    while square < 64 {
        let mask = blocker_mask(square as u8, directions);
        let whole = rays[0][square] | rays[1][square] | rays[2][square] | rays[3][square];
        table[square] = Lines::new(mask, whole, offset, magics[square]);
        offset += 1 << mask.count_ones();
        square += 1;
    }
    table
}

/// Returns the squares where blockers matter to a slider: its rays without their last squares,
/// behind which there is nothing.
const fn blocker_mask(square: u8, directions: &[(i8, i8); 4]) -> u64 {
    let mut mask = 0;
    let mut i = 0;
    while i < 4 {
        let mut at = square;
        while let Some(next) = step(at, directions[i]) {
            if step(next, directions[i]).is_some() {
                mask |= 1 << next;
            }
            at = next;
        }
        i += 1;
    }
    mask
}

const fn slider_table() -> [Packed; SLIDER_SLOTS] {
    let mut table = [0; SLIDER_SLOTS];
    fill(&mut table, &STRAIGHT, &ROOK_LINES);
    fill(&mut table, &DIAGONAL, &BISHOP_LINES);
    table
}

const fn fill(table: &mut [Packed; SLIDER_SLOTS], directions: &[(i8, i8); 4], lines: &[Lines; 64]) {
    let rays = [
        rays(directions[0]),
        rays(directions[1]),
        rays(directions[2]),
        rays(directions[3]),
    ];
    let mut square = 0;
    while square < 64 {
        let mask = lines[square].mask;
        // Rays are packed once for each square, not for each set of blockers.
        let mut sets = [[0; 64]; 4];
        let mut i = 0;
        while i < 4 {
            sets[i][square] = packed(rays[i][square], lines[square].whole);
            let mut left = rays[i][square];
            while left != 0 {
                let at = left.trailing_zeros() as usize;
                sets[i][at] = packed(rays[i][at], lines[square].whole);
                left &= left - 1;
            }
            i += 1;
        }
        let mut subset = 0u64;
        let mut nth = 0;
        loop {
            // Each ray ends at its first blocker. The first two rays go up the board.
            let mut set: Packed = 0;
            let mut i = 0;
            while i < 4 {
                let blockers = rays[i][square] & subset;
                set |= sets[i][square];
                if blockers != 0 {
                    let first = if i < 2 {
                        blockers.trailing_zeros()
                    } else {
                        blockers.ilog2()
                    };
                    set ^= sets[i][first as usize];
                }
                i += 1;
            }
            table[lines[square].subset_slot(nth, subset)] = set;
            subset = subset.wrapping_sub(mask) & mask;
            nth += 1;
            if subset == 0 {
                break;
            }
        }
        square += 1;
    }
}

const fn rays(direction: (i8, i8)) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = ray(square as u8, direction);
        square += 1;
    }
    table
}

/// Returns the squares that a slider attacks, found without a table.
fn walk(square: Square, occupied: Bitboard, directions: &[(i8, i8); 4]) -> Bitboard {
    let mut set = Bitboard::EMPTY;
    for &direction in directions {
        let mut at = square.index() as u8;
        while let Some(next) = step(at, direction) {
            set |= Square::new(next).bitboard();
            if occupied.has(Square::new(next)) {
                break;
            }
            at = next;
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rng;

    #[test]
    fn sliders_equal_a_walk_over_the_board() {
        let mut state = 0x1234_5678_9ABC_DEF1_u64;
        for square in Square::all() {
            for _ in 0..2_000 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let occupied = Bitboard(state & state.rotate_left(23));
                assert_eq!(
                    rook_attacks(square, occupied),
                    walk(square, occupied, &STRAIGHT)
                );
                assert_eq!(
                    bishop_attacks(square, occupied),
                    walk(square, occupied, &DIAGONAL)
                );
            }
        }
    }

    #[test]
    fn segments_are_symmetric() {
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
                if line(a, b).any() {
                    assert!(line(a, b).has(a) && line(a, b).has(b) && !between(a, b).has(a));
                }
            }
        }
    }

    /// Prints the numbers of `magics.rs`. Run it with `--ignored --nocapture`.
    #[test]
    #[ignore = "prints the numbers of magics.rs and takes a while"]
    fn find_magics() {
        let mut random = Rng::new(0x5EED);
        for (name, directions, lines) in [
            ("ROOK", &STRAIGHT, &ROOK_LINES),
            ("BISHOP", &DIAGONAL, &BISHOP_LINES),
        ] {
            println!("pub(super) const {name}: [u64; 64] = [");
            for square in Square::all() {
                let mask = lines[square.index()].mask;
                let shift = 64 - mask.count_ones();
                let mut subsets = vec![(0, walk(square, Bitboard(0), directions))];
                let mut subset = 0_u64.wrapping_sub(mask) & mask;
                while subset != 0 {
                    subsets.push((subset, walk(square, Bitboard(subset), directions)));
                    subset = subset.wrapping_sub(mask) & mask;
                }
                let magic = loop {
                    let magic = random.next() & random.next() & random.next();
                    let mut table = vec![None; subsets.len()];
                    if subsets.iter().all(|&(subset, attacks)| {
                        let slot = &mut table[(subset.wrapping_mul(magic) >> shift) as usize];
                        *slot.get_or_insert(attacks) == attacks
                    }) {
                        break magic;
                    }
                };
                println!("    {magic:#018X},");
            }
            println!("];");
        }
    }
}
