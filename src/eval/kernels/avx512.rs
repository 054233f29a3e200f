//! Loops for AVX-512 that are faster when written by hand, and those that use VNNI.

use std::arch::x86_64::{
    __m512i, _mm256_load_si256, _mm256_storeu_si256, _mm512_add_epi16, _mm512_add_epi32,
    _mm512_cmpneq_epi32_mask, _mm512_cvtepi8_epi16, _mm512_cvtepi16_epi8, _mm512_cvtepi32_epi16,
    _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_loadu_si512, _mm512_madd_epi16,
    _mm512_maddubs_epi16, _mm512_maskz_compress_epi32, _mm512_max_epi16, _mm512_min_epi16,
    _mm512_mulhi_epi16, _mm512_mulhrs_epi16, _mm512_reduce_add_epi32, _mm512_set_epi32,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_slli_epi16,
    _mm512_store_si512, _mm512_storeu_si512, _mm512_sub_epi16,
};

use crate::eval::network::{Block, FIRST, Layers, Line, PAIR, QA, Rows, SECOND, SmallBlock};
use crate::eval::snapshot::Changes;

use super::plain::{self, PRODUCT_SHIFT, SQUARE_SHIFT, second_inputs};
use super::{Scratch, Sums};

/// The number of independent sums in the first layer, which hide the latency of the instructions.
const CHAINS: usize = 4;

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

/// Computes the same as [`plain::direct`].
#[target_feature(enable = "avx512bw")]
#[inline]
pub fn direct(hidden: [&[Block]; 2], weights: &[Block]) -> i32 {
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

macro_rules! layered_512 {
    ($name:ident, $features:literal, $add:expr) => {
        /// Computes the same as [`plain::layered`].
        #[target_feature(enable = $features)]
        #[inline]
        pub fn $name(hidden: [&[Block]; 2], layers: &Layers, scratch: &mut Scratch) -> i32 {
            let groups = multiply(hidden, scratch);
            let mut sums = [_mm512_setzero_si512(); CHAINS];
            let add = |sum: &mut __m512i, group: u16| {
                let products = scratch.products[usize::from(group)];
                let products = _mm512_set1_epi32(i32::from_ne_bytes(products));
                let weights = line(&layers.first[usize::from(group)]);
                *sum = $add(*sum, products, weights);
            };
            let (lists, rest) = scratch.groups[..groups].as_chunks::<CHAINS>();
            for list in lists {
                for (sum, &group) in sums.iter_mut().zip(list) {
                    add(sum, group);
                }
            }
            for (sum, &group) in sums.iter_mut().zip(rest) {
                add(sum, group);
            }
            let [a, b, c, d] = sums;
            let sum = _mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d));
            let mut first = Sums([0; FIRST]);
            // SAFETY: the array is as large and as aligned as the register.
            unsafe { _mm512_store_si512((&raw mut first).cast(), sum) };
            for (sum, &bias) in first.0.iter_mut().zip(&layers.first_biases) {
                *sum = sum.wrapping_add(bias);
            }
            second(&first, layers)
        }
    };
}
layered_512!(layered, "avx512bw", |sum, products, weights| {
    let pairs = _mm512_maddubs_epi16(products, weights);
    _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
});
layered_512!(
    layered_vnni,
    "avx512bw,avx512vnni",
    |sum, products, weights| _mm512_dpbusd_epi32(sum, products, weights)
);

#[target_feature(enable = "avx512bw")]
#[inline]
fn second(first: &Sums, layers: &Layers) -> i32 {
    let inputs = second_inputs(&first.0);
    let mut sums: [__m512i; SECOND / 16] = [_mm512_setzero_si512(); SECOND / 16];
    for (pair, line) in inputs.0.as_chunks::<PAIR>().0.iter().zip(&layers.second) {
        let [a, b] = pair.map(i32::from);
        let pair = _mm512_set1_epi32(b << 16 | a & 0xffff);
        for (sum, weights) in sums.iter_mut().zip(line.0.as_chunks::<16>().0) {
            // SAFETY: the slice is as large as the register.
            let weights = unsafe { _mm512_loadu_si512(weights.as_ptr().cast()) };
            *sum = _mm512_add_epi32(*sum, _mm512_madd_epi16(pair, weights));
        }
    }
    let mut second = [0; SECOND];
    for ((sum, to), bias) in sums
        .into_iter()
        .zip(second.as_chunks_mut::<16>().0)
        .zip(layers.second_biases.as_chunks::<16>().0)
    {
        // SAFETY: the sums are as large as the register.
        unsafe {
            let bias = _mm512_loadu_si512(bias.as_ptr().cast());
            _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_add_epi32(sum, bias));
        }
    }
    plain::last(&second, layers)
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn multiply(hidden: [&[Block]; 2], scratch: &mut Scratch) -> usize {
    let (zero, limit) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
    let clip = |x| _mm512_min_epi16(_mm512_max_epi16(x, zero), limit);
    let blocks = hidden[0].len() / 2;
    for (side, hidden) in hidden.into_iter().enumerate() {
        let (one, other) = hidden.split_at(blocks);
        for (at, (one, other)) in one.iter().zip(other).enumerate() {
            let one = _mm512_slli_epi16::<PRODUCT_SHIFT>(clip(load(one)));
            let products = _mm512_mulhrs_epi16(one, clip(load(other)));
            let to = scratch.block(side * blocks + at);
            // SAFETY: the slice has as many bytes as the register.
            unsafe {
                _mm256_storeu_si256(to.as_mut_ptr().cast(), _mm512_cvtepi16_epi8(products));
            }
        }
    }
    let mut count = 0;
    let mut places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for products in scratch.products.as_chunks::<FIRST>().0 {
        // SAFETY: sixteen groups are as large as the register.
        let products = unsafe { _mm512_loadu_si512(products.as_ptr().cast()) };
        let full = _mm512_cmpneq_epi32_mask(products, zero);
        let found = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(full, places));
        let to: &mut [u16; FIRST] = &mut scratch.groups[count..].as_chunks_mut().0[0];
        // SAFETY: sixteen places are as large as the register.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), found) };
        count += full.count_ones() as usize;
        places = _mm512_add_epi32(places, _mm512_set1_epi32(FIRST as i32));
    }
    count
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn line(line: &Line) -> __m512i {
    // SAFETY: a line is as large and as aligned as the register.
    unsafe { _mm512_load_si512((&raw const line.0).cast()) }
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
