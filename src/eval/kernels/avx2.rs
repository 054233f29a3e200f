//! Loops for AVX2 that are faster when written by hand.

use std::arch::x86_64::{
    __m256i, _mm_add_epi16, _mm_loadu_si128, _mm_set1_epi16, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_load_si256, _mm256_loadu_si256,
    _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_max_epi16, _mm256_min_epi16,
    _mm256_movemask_ps, _mm256_mulhi_epi16, _mm256_mulhrs_epi16, _mm256_packus_epi16,
    _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_slli_epi16, _mm256_store_si256, _mm256_storeu_si256,
};

use crate::eval::network::{Block, FIRST, GROUP, LANES, Layers, Line, PAIR, QA, SECOND};

use super::Sums;
use super::plain::{self, PRODUCT_SHIFT, SQUARE_SHIFT, second_inputs};
use super::scratch::{GROUPS, PLACES, Scratch};

/// The number of 16-bit values in a register.
const WIDTH: usize = LANES / 2;

/// Computes the same as [`plain::direct`]. With the code that the compiler generates from it, an
/// evaluation takes a fifth longer.
#[target_feature(enable = "avx2")]
#[inline]
pub fn direct(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
    let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let mut sums = [zero; 2];
    let (own, other) = weights.split_at(hidden[0].len());
    for (hidden, weights) in hidden.into_iter().zip([own, other]) {
        for (block, weights) in hidden.iter().zip(weights) {
            for (half, sum) in sums.iter_mut().enumerate() {
                let value = load(block, half);
                let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), one);
                let value = _mm256_slli_epi16::<{ SQUARE_SHIFT as i32 }>(value);
                let square = _mm256_mulhi_epi16(value, value);
                let weighted = _mm256_madd_epi16(square, load(weights, half));
                *sum = _mm256_add_epi32(*sum, weighted);
            }
        }
    }
    let mut parts = Parts([0; 8]);
    // SAFETY: the array is as large and as aligned as the register.
    unsafe {
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        _mm256_store_si256((&raw mut parts).cast::<__m256i>(), sum);
    }
    parts.0.into_iter().fold(0, i32::wrapping_add)
}

/// Computes the same as [`plain::layered`].
#[target_feature(enable = "avx2")]
#[inline]
pub fn layered(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
    let groups = multiply(hidden, scratch);
    let ones = _mm256_set1_epi16(1);
    let mut sums = [[_mm256_setzero_si256(); 2]; 2];
    let add = |sums: &mut [__m256i; 2], group: u16| {
        let products = scratch.products[usize::from(group)];
        let products = _mm256_set1_epi32(i32::from_ne_bytes(products));
        for (half, sum) in sums.iter_mut().enumerate() {
            let weights = line(&layers.first[usize::from(group)], half);
            let pairs = _mm256_maddubs_epi16(products, weights);
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
        }
    };
    let (pairs, rest) = scratch.groups[..groups].as_chunks::<2>();
    for pair in pairs {
        for (sums, &group) in sums.iter_mut().zip(pair) {
            add(sums, group);
        }
    }
    for &group in rest {
        add(&mut sums[0], group);
    }
    let mut first = Sums([0; FIRST]);
    let [even, odd] = sums;
    for (half, (even, odd)) in even.into_iter().zip(odd).enumerate() {
        // SAFETY: half of the array is as large and as aligned as the register.
        unsafe {
            let sum = _mm256_add_epi32(even, odd);
            _mm256_store_si256((&raw mut first).cast::<__m256i>().add(half), sum);
        }
    }
    for (sum, &bias) in first.0.iter_mut().zip(&layers.first_biases) {
        *sum = sum.wrapping_add(bias);
    }
    second(&first, layers)
}

#[target_feature(enable = "avx2")]
#[inline]
fn second(first: &Sums, layers: &Layers) -> i32 {
    let inputs = second_inputs(&first.0);
    let mut sums: [__m256i; SECOND / 8] = [_mm256_setzero_si256(); SECOND / 8];
    for (pair, line) in inputs.0.as_chunks::<PAIR>().0.iter().zip(&layers.second) {
        let [a, b] = pair.map(i32::from);
        let pair = _mm256_set1_epi32(b << 16 | a & 0xffff);
        for (sum, weights) in sums.iter_mut().zip(line.0.as_chunks::<8>().0) {
            // SAFETY: the slice is as large as the register.
            let weights = unsafe { _mm256_loadu_si256(weights.as_ptr().cast()) };
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pair, weights));
        }
    }
    let mut second = [0; SECOND];
    for ((sum, to), bias) in sums
        .into_iter()
        .zip(second.as_chunks_mut::<8>().0)
        .zip(layers.second_biases.as_chunks::<8>().0)
    {
        // SAFETY: the sums are as large as the register.
        unsafe {
            let bias = _mm256_loadu_si256(bias.as_ptr().cast());
            _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm256_add_epi32(sum, bias));
        }
    }
    plain::last(&second, layers)
}

#[target_feature(enable = "avx2")]
#[inline]
fn multiply(hidden: [&[Block]; 2], scratch: &mut Scratch) -> usize {
    let (zero, limit) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
    let clip = |x| _mm256_min_epi16(_mm256_max_epi16(x, zero), limit);
    let mut count = 0;
    let blocks = hidden[0].len() / 2;
    for (side, hidden) in hidden.into_iter().enumerate() {
        let (one, other) = hidden.split_at(blocks);
        for (at, (one, other)) in one.iter().zip(other).enumerate() {
            let products = [0, 1].map(|half| {
                let one = _mm256_slli_epi16::<{ PRODUCT_SHIFT as i32 }>(clip(load(one, half)));
                _mm256_mulhrs_epi16(one, clip(load(other, half)))
            });
            let packed = _mm256_packus_epi16(products[0], products[1]);
            // Packing works on each half of the register separately.
            let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
            let empty = _mm256_castsi256_ps(_mm256_cmpeq_epi32(packed, zero));
            let full = !_mm256_movemask_ps(empty) as u8;
            let number = side * blocks + at;
            let to = scratch.block(number);
            // SAFETY: the slice has as many bytes as the register.
            unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), packed) };
            let first = _mm_set1_epi16((number * GROUPS) as i16);
            let to: &mut [u16; GROUPS] = &mut scratch.groups[count..].as_chunks_mut().0[0];
            // SAFETY: an entry of the table and the room left in the list are as large as the
            // register.
            unsafe {
                let places = _mm_loadu_si128((&raw const PLACES[usize::from(full)]).cast());
                _mm_storeu_si128(to.as_mut_ptr().cast(), _mm_add_epi16(first, places));
            }
            count += full.count_ones() as usize;
        }
    }
    count
}

#[repr(C, align(32))]
struct Parts([i32; 8]);

#[target_feature(enable = "avx2")]
#[inline]
fn load(block: &Block, half: usize) -> __m256i {
    let numbers: &[i16; WIDTH] = &block.0.as_chunks().0[half];
    // SAFETY: sixteen numbers, and both halves of a block are aligned to 32 bytes.
    unsafe { _mm256_load_si256(numbers.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn line(line: &Line, half: usize) -> __m256i {
    let weights: &[[i8; GROUP]; FIRST / 2] = &line.0.as_chunks().0[half];
    // SAFETY: 32 bytes, and both halves of a line are aligned to 32 bytes.
    unsafe { _mm256_load_si256(weights.as_ptr().cast()) }
}
