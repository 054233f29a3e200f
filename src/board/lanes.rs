//! Eight sets of squares that are moved and combined at once.

use std::array::from_fn;
use std::ops::{BitAnd, BitOr, BitXor};

use register::{Register, WIDTH};

/// Eight sets of squares, in as few registers as they need.
#[derive(Clone, Copy, Debug)]
pub struct Lanes([Register; REGISTERS]);

const REGISTERS: usize = Lanes::COUNT / WIDTH;

impl Lanes {
    /// The number of sets.
    pub const COUNT: usize = 8;

    #[inline(always)]
    pub fn new(sets: [u64; Self::COUNT]) -> Self {
        let parts = sets.as_chunks().0;
        Self(from_fn(|at| register::load(&parts[at])))
    }

    #[inline(always)]
    pub fn of_all(set: u64) -> Self {
        Self([register::of_all(set); REGISTERS])
    }

    #[inline(always)]
    pub fn sets(self) -> [u64; Self::COUNT] {
        let mut sets = [0; Self::COUNT];
        for (part, from) in sets.as_chunks_mut().0.iter_mut().zip(self.0) {
            register::store(from, part);
        }
        sets
    }

    /// Adds a number from -63 to 63 to the index of every square; squares that leave the first or
    /// last rank are lost.
    #[inline(always)]
    pub fn moved(self, by: i32) -> Self {
        Self(self.0.map(|part| register::moved(part, by)))
    }

    /// Returns the fifth and sixth set four times, in turns.
    #[inline(always)]
    pub fn third_pair(self) -> Self {
        Self(register::third_pair(self.0))
    }

    /// Returns a bit for each set, the first one lowest: 1 if it has squares.
    #[inline(always)]
    pub fn filled(self) -> u32 {
        let mut filled = 0;
        for (at, part) in self.0.into_iter().enumerate() {
            filled |= register::filled(part) << (at * WIDTH);
        }
        filled
    }
}

impl BitXor for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(from_fn(|at| register::xor(self.0[at], other.0[at])))
    }
}

impl BitAnd for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(from_fn(|at| register::and(self.0[at], other.0[at])))
    }
}

impl BitOr for Lanes {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(from_fn(|at| register::or(self.0[at], other.0[at])))
    }
}

/// Makes an instruction that combines two registers a function.
#[cfg(target_feature = "avx2")]
macro_rules! combine {
    ($name:ident, $instruction:ident) => {
        #[inline(always)]
        pub fn $name(a: Register, b: Register) -> Register {
            // SAFETY: a module with such registers exists only in builds for CPUs that have them.
            unsafe { $instruction(a, b) }
        }
    };
}

/// One set in a register, for CPUs without the instructions below.
#[cfg(not(target_feature = "avx2"))]
mod register {
    pub type Register = u64;
    pub const WIDTH: usize = 1;

    #[inline(always)]
    pub fn load(&[set]: &[u64; WIDTH]) -> Register {
        set
    }

    #[inline(always)]
    pub fn store(from: Register, to: &mut [u64; WIDTH]) {
        *to = [from];
    }

    #[inline(always)]
    pub fn of_all(set: u64) -> Register {
        set
    }

    #[inline(always)]
    pub fn moved(set: Register, by: i32) -> Register {
        if by > 0 { set << by } else { set >> -by }
    }

    #[inline(always)]
    pub fn third_pair([_, _, _, _, a, b, ..]: [Register; 8]) -> [Register; 8] {
        [a, b, a, b, a, b, a, b]
    }

    #[inline(always)]
    pub fn filled(set: Register) -> u32 {
        u32::from(set != 0)
    }

    #[inline(always)]
    pub fn xor(a: Register, b: Register) -> Register {
        a ^ b
    }

    #[inline(always)]
    pub fn and(a: Register, b: Register) -> Register {
        a & b
    }

    #[inline(always)]
    pub fn or(a: Register, b: Register) -> Register {
        a | b
    }
}

/// Four sets in a register of AVX2. Left to itself, the compiler splits them and gathers them again.
#[cfg(all(target_feature = "avx2", not(target_feature = "avx512f")))]
mod register {
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi64,
        _mm256_loadu_si256, _mm256_movemask_pd, _mm256_or_si256, _mm256_permute4x64_epi64,
        _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sll_epi64, _mm256_srl_epi64,
        _mm256_storeu_si256, _mm256_xor_si256,
    };

    pub type Register = __m256i;
    pub const WIDTH: usize = 4;

    #[inline(always)]
    pub fn load(sets: &[u64; WIDTH]) -> Register {
        // SAFETY: this module exists only in builds for CPUs with AVX2, and the array has the size
        // of the register.
        unsafe { _mm256_loadu_si256(sets.as_ptr().cast()) }
    }

    #[inline(always)]
    pub fn store(from: Register, to: &mut [u64; WIDTH]) {
        // SAFETY: as for `load`.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), from) }
    }

    #[inline(always)]
    pub fn of_all(set: u64) -> Register {
        // SAFETY: this module exists only in builds for CPUs with AVX2. The same holds below.
        unsafe { _mm256_set1_epi64x(set.cast_signed()) }
    }

    #[inline(always)]
    pub fn moved(sets: Register, by: i32) -> Register {
        // SAFETY: as above.
        unsafe {
            let count = _mm_cvtsi32_si128(by.abs());
            if by > 0 {
                _mm256_sll_epi64(sets, count)
            } else {
                _mm256_srl_epi64(sets, count)
            }
        }
    }

    #[inline(always)]
    pub fn third_pair([_, high]: [Register; 2]) -> [Register; 2] {
        // SAFETY: as above.
        [unsafe { _mm256_permute4x64_epi64::<0b01_00_01_00>(high) }; 2]
    }

    #[inline(always)]
    pub fn filled(sets: Register) -> u32 {
        // SAFETY: as above.
        let empty = unsafe {
            let empty = _mm256_cmpeq_epi64(sets, _mm256_setzero_si256());
            _mm256_movemask_pd(_mm256_castsi256_pd(empty))
        };
        0b1111 ^ empty as u32
    }

    combine!(xor, _mm256_xor_si256);
    combine!(and, _mm256_and_si256);
    combine!(or, _mm256_or_si256);
}

/// All eight sets in a register of AVX-512.
#[cfg(target_feature = "avx512f")]
mod register {
    use std::arch::x86_64::{
        __m512i, _mm_cvtsi32_si128, _mm512_and_si512, _mm512_loadu_si512, _mm512_or_si512,
        _mm512_set1_epi64, _mm512_shuffle_i64x2, _mm512_sll_epi64, _mm512_srl_epi64,
        _mm512_storeu_si512, _mm512_test_epi64_mask, _mm512_xor_si512,
    };

    pub type Register = __m512i;
    pub const WIDTH: usize = 8;

    #[inline(always)]
    pub fn load(sets: &[u64; WIDTH]) -> Register {
        // SAFETY: this module exists only in builds for CPUs with AVX-512, and the array has the
        // size of the register.
        unsafe { _mm512_loadu_si512(sets.as_ptr().cast()) }
    }

    #[inline(always)]
    pub fn store(from: Register, to: &mut [u64; WIDTH]) {
        // SAFETY: as for `load`.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), from) }
    }

    #[inline(always)]
    pub fn of_all(set: u64) -> Register {
        // SAFETY: this module exists only in builds for CPUs with AVX-512. The same holds below.
        unsafe { _mm512_set1_epi64(set.cast_signed()) }
    }

    #[inline(always)]
    pub fn moved(sets: Register, by: i32) -> Register {
        // SAFETY: as above.
        unsafe {
            let count = _mm_cvtsi32_si128(by.abs());
            if by > 0 {
                _mm512_sll_epi64(sets, count)
            } else {
                _mm512_srl_epi64(sets, count)
            }
        }
    }

    #[inline(always)]
    pub fn third_pair([all]: [Register; 1]) -> [Register; 1] {
        // SAFETY: as above.
        [unsafe { _mm512_shuffle_i64x2::<0b10_10_10_10>(all, all) }]
    }

    #[inline(always)]
    pub fn filled(sets: Register) -> u32 {
        // SAFETY: as above.
        u32::from(unsafe { _mm512_test_epi64_mask(sets, sets) })
    }

    combine!(xor, _mm512_xor_si512);
    combine!(and, _mm512_and_si512);
    combine!(or, _mm512_or_si512);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Rng;

    #[test]
    fn agree_with_the_same_on_single_sets() {
        let mut rng = Rng::new(5);
        for _ in 0..200 {
            let mut sets = || from_fn(|_| if rng.chance(0.3) { 0 } else { rng.next() });
            let (a, b): ([u64; 8], [u64; 8]) = (sets(), sets());
            let (of_a, of_b) = (Lanes::new(a), Lanes::new(b));
            assert_eq!((of_a & of_b).sets(), from_fn(|lane| a[lane] & b[lane]));
            assert_eq!((of_a | of_b).sets(), from_fn(|lane| a[lane] | b[lane]));
            assert_eq!((of_a ^ of_b).sets(), from_fn(|lane| a[lane] ^ b[lane]));
            assert_eq!(of_a.moved(9).sets(), a.map(|set| set << 9));
            assert_eq!(of_a.moved(-28).sets(), a.map(|set| set >> 28));
            assert_eq!(of_a.third_pair().sets(), from_fn(|lane| a[4 + lane % 2]));
            assert_eq!(Lanes::of_all(a[0]).sets(), [a[0]; 8]);
            for (lane, set) in a.into_iter().enumerate() {
                assert_eq!(of_a.filled() >> lane & 1, u32::from(set != 0));
            }
        }
    }
}
