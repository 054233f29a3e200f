//! Loops for AVX-512 that are faster when written by hand.

use std::arch::x86_64::{
    __m512i, _mm256_load_si256, _mm512_add_epi16, _mm512_add_epi32, _mm512_cvtepi8_epi16,
    _mm512_load_si512, _mm512_madd_epi16, _mm512_max_epi16, _mm512_min_epi16, _mm512_mulhi_epi16,
    _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_setzero_si512, _mm512_slli_epi16,
    _mm512_store_si512, _mm512_sub_epi16,
};

use crate::eval::changes::Changes;
use crate::eval::network::{Block, QA, Rows, SmallBlock};

use super::plain::{self, SQUARE_SHIFT};

/// The number of blocks that stay in registers while the rows go by.
const CHUNK: usize = 16;

/// Computes the same as [`plain::update`]. The compiler would use registers of half the size.
#[target_feature(enable = "avx512bw")]
#[inline]
pub fn update(rows: Rows<'_>, to: &mut [Block], from: &[Block], changes: &Changes) {
    let Changes { added, removed } = changes;
    let (chunks, _) = to.as_chunks_mut::<CHUNK>();
    let mut at = 0;
    for chunk in chunks {
        let mut sums = [_mm512_setzero_si512(); CHUNK];
        for (sum, block) in sums.iter_mut().zip(&from[at..][..CHUNK]) {
            *sum = load(block);
        }
        for &feature in &added.pieces {
            for (sum, block) in sums.iter_mut().zip(&rows.piece(feature)[at..][..CHUNK]) {
                *sum = _mm512_add_epi16(*sum, load(block));
            }
        }
        for &feature in &added.relations {
            for (sum, block) in sums.iter_mut().zip(&rows.relation(feature)[at..][..CHUNK]) {
                *sum = _mm512_add_epi16(*sum, load_small(block));
            }
        }
        for &feature in &removed.pieces {
            for (sum, block) in sums.iter_mut().zip(&rows.piece(feature)[at..][..CHUNK]) {
                *sum = _mm512_sub_epi16(*sum, load(block));
            }
        }
        for &feature in &removed.relations {
            for (sum, block) in sums.iter_mut().zip(&rows.relation(feature)[at..][..CHUNK]) {
                *sum = _mm512_sub_epi16(*sum, load_small(block));
            }
        }
        for (sum, block) in sums.into_iter().zip(chunk) {
            // SAFETY: a block is as large and as aligned as the register.
            unsafe { _mm512_store_si512((&raw mut *block).cast(), sum) };
        }
        at += CHUNK;
    }
    plain::update_from(at, rows, to, from, changes);
}

/// Computes the same as [`plain::weigh`].
#[target_feature(enable = "avx512bw")]
#[inline]
pub fn weigh(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
    let (zero, one) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let mut sums = [zero; 2];
    let (own, other) = weights.split_at(hidden[0].len());
    for ((hidden, weights), sum) in hidden.into_iter().zip([own, other]).zip(&mut sums) {
        for (block, weights) in hidden.iter().zip(weights) {
            let value = _mm512_min_epi16(_mm512_max_epi16(load(block), zero), one);
            let value = _mm512_slli_epi16::<SQUARE_SHIFT>(value);
            let square = _mm512_mulhi_epi16(value, value);
            *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(square, load(weights)));
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn load_small(block: &SmallBlock) -> __m512i {
    // SAFETY: a small block is as large and as aligned as half a register.
    let half = unsafe { _mm256_load_si256((&raw const *block).cast()) };
    _mm512_cvtepi8_epi16(half)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn load(block: &Block) -> __m512i {
    // SAFETY: a block is as large and as aligned as the register.
    unsafe { _mm512_load_si512((&raw const block.0).cast()) }
}
