//! The loops in plain Rust, over whole cache lines, which the compiler vectorizes for the
//! instructions of each kernel.
//!
//! Sums wrap, so the order of the additions does not matter.

use crate::eval::changes::Changes;
use crate::eval::features::Feature;
use crate::eval::network::{Block, LANES, QA, QA_SQUARED, Rows, SmallBlock};

/// Sets `to` to `from` plus the rows of added features, minus those of removed ones.
#[inline(always)]
pub(super) fn update(rows: Rows<'_>, to: &mut [Block], from: &[Block], changes: &Changes) {
    let Changes { added, removed } = changes;
    let (piece, relation) = (
        |feature| rows.piece(feature),
        |feature| rows.relation(feature),
    );
    let (chunks, _) = to.as_chunks_mut();
    let mut at = 0;
    for chunk in chunks {
        // Four blocks stay in registers while the rows go by, so that rows are read in long pieces.
        let from = &from[at..][..4];
        let sums = [from[0], from[1], from[2], from[3]];
        let sums = four_combined(sums, &added.pieces, piece, at, i16::wrapping_add);
        let sums = four_combined(sums, &added.relations, relation, at, i16::wrapping_add);
        let sums = four_combined(sums, &removed.pieces, piece, at, i16::wrapping_sub);
        *chunk = four_combined(sums, &removed.relations, relation, at, i16::wrapping_sub);
        at += 4;
    }
    update_from(at, rows, to, from, changes);
}

/// Sets the blocks of `to` from number `at` on as [`update`] does.
#[inline(always)]
pub(super) fn update_from(
    at: usize,
    rows: Rows<'_>,
    to: &mut [Block],
    from: &[Block],
    changes: &Changes,
) {
    let Changes { added, removed } = changes;
    for (at, block) in to.iter_mut().enumerate().skip(at) {
        *block = from[at];
        for &feature in &added.pieces {
            *block = combined(*block, &rows.piece(feature)[at], i16::wrapping_add);
        }
        for &feature in &added.relations {
            *block = combined(*block, &rows.relation(feature)[at], i16::wrapping_add);
        }
        for &feature in &removed.pieces {
            *block = combined(*block, &rows.piece(feature)[at], i16::wrapping_sub);
        }
        for &feature in &removed.relations {
            *block = combined(*block, &rows.relation(feature)[at], i16::wrapping_sub);
        }
    }
}

/// Combines four blocks with those of each feature's row from number `at` on.
// Indices in a loop would keep the blocks out of the registers.
#[inline(always)]
fn four_combined<'a, T: Values + 'a>(
    mut sums: [Block; 4],
    features: &[Feature],
    row: impl Fn(Feature) -> &'a [T],
    at: usize,
    combine: impl Fn(i16, i16) -> i16 + Copy,
) -> [Block; 4] {
    for &feature in features {
        let row = &row(feature)[at..][..4];
        sums = [
            combined(sums[0], &row[0], combine),
            combined(sums[1], &row[1], combine),
            combined(sums[2], &row[2], combine),
            combined(sums[3], &row[3], combine),
        ];
    }
    sums
}

/// Combines a block with a block of a row, number by number.
#[inline(always)]
fn combined(mut sums: Block, row: &impl Values, combine: impl Fn(i16, i16) -> i16) -> Block {
    for (sum, x) in sums.0.iter_mut().zip(row.values()) {
        *sum = combine(*sum, x);
    }
    sums
}

/// A block of weights, large or small.
trait Values {
    fn values(&self) -> [i16; LANES];
}

impl Values for Block {
    #[inline(always)]
    fn values(&self) -> [i16; LANES] {
        self.0
    }
}

impl Values for SmallBlock {
    #[inline(always)]
    fn values(&self) -> [i16; LANES] {
        self.0.map(i16::from)
    }
}

/// A value is shifted left by this many bits before it is squared, so that the upper half of the
/// square is in units of 1 / [`QA_SQUARED`].
pub(super) const SQUARE_SHIFT: u32 = 5;
const _: () = assert!(((QA << SQUARE_SHIFT) * (QA << SQUARE_SHIFT)) >> 16 == QA_SQUARED);

/// Returns the weighted sum of both sides' clipped squares. Sums wrap, in every kernel alike; the
/// total of a trained network fits.
#[inline(always)]
pub(super) fn weigh(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
    let mut sums = [0_i32; LANES];
    let (own, other) = weights.split_at(hidden[0].len());
    for (hidden, weights) in hidden.into_iter().zip([own, other]) {
        for (block, weights) in hidden.iter().zip(weights) {
            for ((sum, &x), &weight) in sums.iter_mut().zip(&block.0).zip(&weights.0) {
                let value = i32::from(x.clamp(0, QA as i16)) << SQUARE_SHIFT;
                *sum = sum.wrapping_add(((value * value) >> 16) * i32::from(weight));
            }
        }
    }
    sums.into_iter().fold(0, i32::wrapping_add)
}
