//! Loops for WebAssembly's 128-bit instructions that are faster when written by hand.

use std::arch::wasm32::{
    i16x8_max, i16x8_min, i16x8_shl, i16x8_splat, i32x4_add, i32x4_dot_i16x8,
    i32x4_extmul_high_i16x8, i32x4_extmul_low_i16x8, i32x4_extract_lane, i32x4_shuffle,
    i32x4_splat, u16x8_narrow_i32x4, u32x4_shr, v128, v128_load,
};

use crate::eval::network::{Block, LANES, QA};

use super::plain::SQUARE_SHIFT;

/// The number of 16-bit values in a register.
const WIDTH: usize = 8;
/// The number of registers in a block.
const PARTS: usize = LANES / WIDTH;
/// Computes the same as [`weigh`](super::plain::weigh).
#[target_feature(enable = "simd128")]
#[inline]
pub fn weigh(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
    let mut sums = [i32x4_splat(0); 2];
    let (own, other) = weights.split_at(hidden[0].len());
    for (hidden, weights) in hidden.into_iter().zip([own, other]) {
        for (block, weights) in hidden.iter().zip(weights) {
            for part in 0..PARTS {
                // A clipped value is less than 2^15 / 2^SQUARE_SHIFT, so the product of the two
                // shifted values, of which the upper half counts, is taken in 32 bits.
                let value = i16x8_shl(clip(load(block, part)), SQUARE_SHIFT);
                let square = high_half_of_square(value);
                let weighted = i32x4_dot_i16x8(square, load(weights, part));
                sums[part % 2] = i32x4_add(sums[part % 2], weighted);
            }
        }
    }
    total(i32x4_add(sums[0], sums[1]))
}

/// Returns the upper 16 bits of each square.
#[target_feature(enable = "simd128")]
#[inline]
fn high_half_of_square(value: v128) -> v128 {
    let low = u32x4_shr(i32x4_extmul_low_i16x8(value, value), 16);
    let high = u32x4_shr(i32x4_extmul_high_i16x8(value, value), 16);
    u16x8_narrow_i32x4(low, high)
}

#[target_feature(enable = "simd128")]
#[inline]
fn clip(value: v128) -> v128 {
    i16x8_min(i16x8_max(value, i16x8_splat(0)), i16x8_splat(QA as i16))
}

/// Adds the four numbers.
#[target_feature(enable = "simd128")]
#[inline]
fn total(sum: v128) -> i32 {
    let pairs = i32x4_add(sum, i32x4_shuffle::<2, 3, 0, 1>(sum, sum));
    i32x4_extract_lane::<0>(pairs).wrapping_add(i32x4_extract_lane::<1>(pairs))
}

#[target_feature(enable = "simd128")]
#[inline]
fn load(block: &Block, part: usize) -> v128 {
    let numbers: &[i16; WIDTH] = &block.0.as_chunks().0[part];
    // SAFETY: eight numbers fill the register.
    unsafe { v128_load(numbers.as_ptr().cast()) }
}
