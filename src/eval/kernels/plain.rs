//! The loops in plain Rust, over whole cache lines, which the compiler vectorizes for the
//! instructions of each kernel.
//!
//! Sums wrap, so the order of the additions does not matter.

use crate::eval::features::Feature;
use crate::eval::network::{
    Block, FIRST, GROUP, LANES, Layers, PAIR, QA, QA_SQUARED, QB, QF, QP, Rows, SECOND,
    SECOND_INPUTS, SmallBlock,
};
use crate::eval::snapshot::Changes;

use super::scratch::{GROUPS, Scratch};

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

/// One of two values is shifted left by this many bits before they are multiplied, so that the
/// product without its lower 15 bits (rounded) is in units of 1 / [`QP`].
pub(super) const PRODUCT_SHIFT: u32 = 4;
const _: () = assert!(((QA << PRODUCT_SHIFT) * QA) >> 15 == QP);

/// The integer for an activation of 1 in the first layer.
pub(super) const ONE: i32 = QP * QF;
/// Activations of the first layer are shifted right by this many bits to become inputs of the
/// second layer.
const FIRST_SHIFT: u32 = 3;
/// Squares of such activations are shifted right by this many bits.
const FIRST_SQUARE_SHIFT: u32 = 18;
const _: () = assert!(ONE >> FIRST_SHIFT == QA_SQUARED);
const _: () = assert!((ONE * ONE) >> FIRST_SQUARE_SHIFT == QA_SQUARED);

/// Returns the weighted sum of both sides' clipped squares. Partial sums may wrap, but the total
/// fits.
#[inline(always)]
pub(super) fn direct(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
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

/// Returns the output of the layers after both sides' sums, without the output bias.
#[inline(always)]
pub(super) fn layered(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
    let groups = multiply(hidden, scratch);
    let mut sums = layers.first_biases;
    for &group in &scratch.groups[..groups] {
        let products = scratch.products[usize::from(group)];
        for (sum, weights) in sums.iter_mut().zip(&layers.first[usize::from(group)].0) {
            for (&x, &weight) in products.iter().zip(weights) {
                *sum = sum.wrapping_add(i32::from(x) * i32::from(weight));
            }
        }
    }
    behind_first(&sums, layers)
}

/// Multiplies the clipped values of each side in pairs, lists the groups of products that are not
/// all zero, and returns the number of these groups.
#[inline(always)]
fn multiply(hidden: [&[Block]; 2], scratch: &mut Scratch) -> usize {
    let blocks = hidden[0].len() / 2;
    let mut count = 0;
    for (side, hidden) in hidden.into_iter().enumerate() {
        let (one, other) = hidden.split_at(blocks);
        for (at, (one, other)) in one.iter().zip(other).enumerate() {
            let number = side * blocks + at;
            let products = scratch.block(number);
            let numbers = one.0.iter().zip(&other.0);
            for (product, (&a, &b)) in products.as_flattened_mut().iter_mut().zip(numbers) {
                let a = i32::from(a.clamp(0, QA as i16)) << PRODUCT_SHIFT;
                *product = ((a * i32::from(b.clamp(0, QA as i16)) + (1 << 14)) >> 15) as u8;
            }
            for group in number * GROUPS..(number + 1) * GROUPS {
                scratch.groups[count] = group as u16;
                count += usize::from(scratch.products[group] != [0; GROUP]);
            }
        }
    }
    count
}

/// Computes the inputs of the second layer: the clipped squares of the first layer's sums, and then
/// their clipped values.
#[inline(always)]
pub(super) fn second_inputs(sums: &[i32; FIRST]) -> SecondInputs {
    let mut inputs = SecondInputs([0; SECOND_INPUTS]);
    let (squares, values) = inputs.0.split_at_mut(FIRST);
    for ((square, value), &sum) in squares.iter_mut().zip(values).zip(sums) {
        let clipped = sum.clamp(-ONE, ONE);
        *square = ((clipped * clipped) >> FIRST_SQUARE_SHIFT) as i16;
        *value = (sum.clamp(0, ONE) >> FIRST_SHIFT) as i16;
    }
    inputs
}

/// The inputs of the second layer.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct SecondInputs(pub(super) [i16; SECOND_INPUTS]);

/// Computes the output from the sums of the first layer.
#[inline(always)]
fn behind_first(sums: &[i32; FIRST], layers: &Layers) -> i32 {
    let inputs = second_inputs(sums);
    let mut sums = layers.second_biases;
    for (pair, line) in inputs.0.as_chunks::<PAIR>().0.iter().zip(&layers.second) {
        for (sum, weights) in sums.iter_mut().zip(&line.0) {
            let [a, b] = [0, 1].map(|at| i32::from(pair[at]) * i32::from(weights[at]));
            *sum = sum.wrapping_add(a).wrapping_add(b);
        }
    }
    last(&sums, layers)
}

/// Computes the output from the sums of the second layer.
#[inline(always)]
pub(super) fn last(sums: &[i32; SECOND], layers: &Layers) -> i32 {
    let mut output = 0_i32;
    for (&sum, &weight) in sums.iter().zip(&layers.last) {
        let value = sum.clamp(0, QA_SQUARED * QB) >> QB.ilog2();
        let square = (value * value) >> QA_SQUARED.ilog2();
        output = output.wrapping_add(square.wrapping_mul(weight));
    }
    output
}
