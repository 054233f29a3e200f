//! Loops for WebAssembly's 128-bit instructions that are faster when written by hand.

use std::arch::wasm32::{
    i16x8_load_extend_i8x8, i16x8_max, i16x8_min, i16x8_q15mulr_sat, i16x8_shl, i16x8_splat,
    i32x4_add, i32x4_bitmask, i32x4_dot_i16x8, i32x4_eq, i32x4_extmul_high_i16x8,
    i32x4_extmul_low_i16x8, i32x4_extract_lane, i32x4_shuffle, i32x4_splat, u8x16_narrow_i16x8,
    u16x8_add, u16x8_narrow_i32x4, u16x8_splat, u32x4_shr, u64x2_splat, v128, v128_load,
    v128_store,
};

use crate::eval::network::{Block, FIRST, LANES, Layers, Line, PAIR, QA, SECOND};

use super::plain::{self, PRODUCT_SHIFT, SQUARE_SHIFT, second_inputs};
use super::scratch::{GROUPS, PLACES, Scratch};

/// The number of 16-bit values in a register.
const WIDTH: usize = 8;
/// The number of registers in a block.
const PARTS: usize = LANES / WIDTH;
/// The number of units of the first layer whose weights for one group fill a register with 16-bit
/// values.
const UNITS: usize = 2;

/// Computes the same as [`plain::direct`].
#[target_feature(enable = "simd128")]
#[inline]
pub fn direct(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
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

/// Computes the same as [`plain::layered`].
#[target_feature(enable = "simd128")]
#[inline]
pub fn layered(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
    let groups = multiply(hidden, scratch);
    // Each sum has two halves for each of two units, which are added at the end.
    let mut sums = [i32x4_splat(0); FIRST / UNITS];
    for &group in &scratch.groups[..groups] {
        let products = scratch.products[usize::from(group)];
        let [a, b, c, d] = products.map(u64::from);
        let pattern = a | b << 16 | c << 32 | d << 48;
        let products = u64x2_splat(pattern);
        let weights: &Line = &layers.first[usize::from(group)];
        for (sum, weights) in sums.iter_mut().zip(weights.0.as_chunks::<UNITS>().0) {
            // SAFETY: the weights of two units are the eight bytes that are loaded.
            let weights = unsafe { i16x8_load_extend_i8x8(weights.as_ptr().cast()) };
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(products, weights));
        }
    }
    let mut first = layers.first_biases;
    for (four, pair) in first
        .as_chunks_mut::<4>()
        .0
        .iter_mut()
        .zip(sums.as_chunks::<2>().0)
    {
        let even = i32x4_shuffle::<0, 2, 4, 6>(pair[0], pair[1]);
        let odd = i32x4_shuffle::<1, 3, 5, 7>(pair[0], pair[1]);
        // SAFETY: four numbers fill the register.
        unsafe {
            let biases = v128_load(four.as_ptr().cast());
            let sum = i32x4_add(biases, i32x4_add(even, odd));
            v128_store(four.as_mut_ptr().cast(), sum);
        }
    }
    second(&first, layers)
}

#[target_feature(enable = "simd128")]
#[inline]
fn second(first: &[i32; FIRST], layers: &Layers) -> i32 {
    let inputs = second_inputs(first);
    let mut sums = [i32x4_splat(0); SECOND / 4];
    for (pair, line) in inputs.0.as_chunks::<PAIR>().0.iter().zip(&layers.second) {
        let [a, b] = pair.map(i32::from);
        let pair = i32x4_splat(b << 16 | a & 0xffff);
        for (sum, weights) in sums.iter_mut().zip(line.0.as_chunks::<4>().0) {
            // SAFETY: the weights of four units fill the register.
            let weights = unsafe { v128_load(weights.as_ptr().cast()) };
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(pair, weights));
        }
    }
    let mut second = layers.second_biases;
    for (four, sum) in second.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
        // SAFETY: four numbers fill the register.
        unsafe {
            let biases = v128_load(four.as_ptr().cast());
            v128_store(four.as_mut_ptr().cast(), i32x4_add(biases, sum));
        }
    }
    plain::last(&second, layers)
}

#[target_feature(enable = "simd128")]
#[inline]
fn multiply(hidden: [&[Block]; 2], scratch: &mut Scratch) -> usize {
    let mut count = 0;
    let blocks = hidden[0].len() / 2;
    for (side, hidden) in hidden.into_iter().enumerate() {
        let (one, other) = hidden.split_at(blocks);
        for (at, (one, other)) in one.iter().zip(other).enumerate() {
            let product = |part| {
                let one = i16x8_shl(clip(load(one, part)), PRODUCT_SHIFT);
                i16x8_q15mulr_sat(one, clip(load(other, part)))
            };
            let number = side * blocks + at;
            let to = scratch.block(number);
            let mut empty = 0;
            for half in 0..2 {
                let packed = u8x16_narrow_i16x8(product(2 * half), product(2 * half + 1));
                empty |= i32x4_bitmask(i32x4_eq(packed, i32x4_splat(0))) << (4 * half);
                let to = &mut to.as_chunks_mut::<{ GROUPS / 2 }>().0[half];
                // SAFETY: half of the block's products fill the register.
                unsafe { v128_store(to.as_mut_ptr().cast(), packed) };
            }
            let full = !empty;
            let first = u16x8_splat((number * GROUPS) as u16);
            let to: &mut [u16; GROUPS] = &mut scratch.groups[count..].as_chunks_mut().0[0];
            // SAFETY: an entry of the table and the room left in the list are as large as the
            // register.
            unsafe {
                let places = v128_load((&raw const PLACES[usize::from(full)]).cast());
                v128_store(to.as_mut_ptr().cast(), u16x8_add(first, places));
            }
            count += full.count_ones() as usize;
        }
    }
    count
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
