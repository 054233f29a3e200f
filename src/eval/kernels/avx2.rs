//! Loops for AVX2 that are faster when written by hand.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_load_si256, _mm256_madd_epi16, _mm256_max_epi16,
    _mm256_min_epi16, _mm256_mulhi_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
    _mm256_slli_epi16, _mm256_store_si256,
};

use crate::eval::network::{Block, LANES, QA};

use super::plain::SQUARE_SHIFT;

/// The number of 16-bit values in a register.
const WIDTH: usize = LANES / 2;

/// Computes the same as [`weigh`](super::plain::weigh). With the code that the compiler generates
/// from it, an evaluation takes a fifth longer.
#[target_feature(enable = "avx2")]
#[inline]
pub fn weigh(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
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

#[repr(C, align(32))]
struct Parts([i32; 8]);

#[target_feature(enable = "avx2")]
#[inline]
fn load(block: &Block, half: usize) -> __m256i {
    let numbers: &[i16; WIDTH] = &block.0.as_chunks().0[half];
    // SAFETY: sixteen numbers, and both halves of a block are aligned to 32 bytes.
    unsafe { _mm256_load_si256(numbers.as_ptr().cast()) }
}
