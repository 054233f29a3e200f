//! Eight sets of squares that are moved and combined at once.

use std::array::from_fn;
use std::ops::{BitAnd, BitOr, BitXor};

use super::Pair;
#[cfg(target_feature = "avx2")]
use super::pair::combine;
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

    /// The sets of four pairs, one pair after the other.
    #[inline(always)]
    pub fn of_pairs(pairs: [Pair; Self::COUNT / 2]) -> Self {
        Self(register::of_pairs(pairs.map(|pair| pair.0)))
    }

    #[inline(always)]
    pub fn pairs(self) -> [Pair; Self::COUNT / 2] {
        register::pairs(self.0).map(Pair)
    }

    /// Adds all squares in front of these, up the board for the sets whose bit in `UP` is 1, the
    /// first one lowest, and down the board for the others.
    #[inline(always)]
    pub fn filled<const UP: u32>(self) -> Self {
        let counts = |ranks: u64, bit: u32| -> [u64; Self::COUNT] {
            from_fn(|lane| {
                if UP >> lane & 1 == bit {
                    8 * ranks
                } else {
                    u64::MAX
                }
            })
        };
        [1, 2, 4].into_iter().fold(self, |set, ranks| {
            let [up, down] = [1, 0].map(|bit| Self::new(counts(ranks, bit)));
            let shifted = |at: usize| {
                let set = set.0[at];
                register::or(register::up(set, up.0[at]), register::down(set, down.0[at]))
            };
            set | Self(from_fn(shifted))
        })
    }

    /// Joins the two sets of each pair, and returns those of the first pair, of the other lanes'
    /// first pair, of the second pair, and so on.
    #[inline(always)]
    pub fn joined(self, other: Self) -> Self {
        self.firsts(other) | self.seconds(other)
    }

    /// Returns the first set of each pair, and of each pair of the other lanes, in turns.
    #[inline(always)]
    pub fn firsts(self, other: Self) -> Self {
        Self(register::firsts(self.0, other.0))
    }

    /// Returns the second set of each pair, and of each pair of the other lanes, in turns.
    #[inline(always)]
    pub fn seconds(self, other: Self) -> Self {
        Self(register::seconds(self.0, other.0))
    }

    /// Returns the fifth and sixth set four times, in turns.
    #[inline(always)]
    pub fn third_pair(self) -> Self {
        Self(register::third_pair(self.0))
    }

    /// Returns a bit for each set, the first one lowest: 1 if it has squares.
    #[inline(always)]
    pub fn any(self) -> u32 {
        let mut any = 0;
        for (at, part) in self.0.into_iter().enumerate() {
            any |= register::any(part) << (at * WIDTH);
        }
        any
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

/// One set in a register, for CPUs without the instructions below.
#[cfg(not(target_feature = "avx2"))]
mod register {
    use crate::board::pair::Register as PairRegister;

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
    pub fn of_pairs(pairs: [PairRegister; 4]) -> [Register; 8] {
        std::array::from_fn(|lane| pairs[lane / 2][lane % 2])
    }

    #[inline(always)]
    pub fn pairs(sets: [Register; 8]) -> [PairRegister; 4] {
        std::array::from_fn(|pair| [sets[2 * pair], sets[2 * pair + 1]])
    }

    #[inline(always)]
    pub fn up(set: Register, count: Register) -> Register {
        set.checked_shl(count as u32).unwrap_or(0)
    }

    #[inline(always)]
    pub fn down(set: Register, count: Register) -> Register {
        set.checked_shr(count as u32).unwrap_or(0)
    }

    #[inline(always)]
    pub fn firsts(one: [Register; 8], other: [Register; 8]) -> [Register; 8] {
        std::array::from_fn(|lane| [one, other][lane % 2][lane / 2 * 2])
    }

    #[inline(always)]
    pub fn seconds(one: [Register; 8], other: [Register; 8]) -> [Register; 8] {
        std::array::from_fn(|lane| [one, other][lane % 2][lane / 2 * 2 + 1])
    }

    #[inline(always)]
    pub fn any(set: Register) -> u32 {
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
    use super::combine;
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_castsi256_pd,
        _mm256_castsi256_si128, _mm256_cmpeq_epi64, _mm256_extracti128_si256, _mm256_loadu_si256,
        _mm256_movemask_pd, _mm256_or_si256, _mm256_permute4x64_epi64, _mm256_set_m128i,
        _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_sll_epi64, _mm256_sllv_epi64,
        _mm256_srl_epi64, _mm256_srlv_epi64, _mm256_storeu_si256, _mm256_unpackhi_epi64,
        _mm256_unpacklo_epi64, _mm256_xor_si256,
    };

    pub type Register = __m256i;
    pub const WIDTH: usize = 4;

    #[inline(always)]
    pub fn of_pairs([a, b, c, d]: [__m128i; 4]) -> [Register; 2] {
        // SAFETY: this module exists only in builds for CPUs with AVX2.
        unsafe { [_mm256_set_m128i(b, a), _mm256_set_m128i(d, c)] }
    }

    #[inline(always)]
    pub fn pairs([low, high]: [Register; 2]) -> [__m128i; 4] {
        // SAFETY: as for `of_pairs`.
        unsafe {
            [
                _mm256_castsi256_si128(low),
                _mm256_extracti128_si256::<1>(low),
                _mm256_castsi256_si128(high),
                _mm256_extracti128_si256::<1>(high),
            ]
        }
    }

    #[inline(always)]
    pub fn firsts(one: [Register; 2], other: [Register; 2]) -> [Register; 2] {
        // SAFETY: as for `of_pairs`.
        std::array::from_fn(|at| unsafe { _mm256_unpacklo_epi64(one[at], other[at]) })
    }

    #[inline(always)]
    pub fn seconds(one: [Register; 2], other: [Register; 2]) -> [Register; 2] {
        // SAFETY: as for `of_pairs`.
        std::array::from_fn(|at| unsafe { _mm256_unpackhi_epi64(one[at], other[at]) })
    }

    combine!(up, _mm256_sllv_epi64);
    combine!(down, _mm256_srlv_epi64);

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
    pub fn any(sets: Register) -> u32 {
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
    use super::combine;
    use std::arch::x86_64::{
        __m128i, __m512i, _mm_cvtsi32_si128, _mm256_set_m128i, _mm512_and_si512,
        _mm512_castsi256_si512, _mm512_castsi512_si128, _mm512_extracti32x4_epi32,
        _mm512_inserti64x4, _mm512_loadu_si512, _mm512_or_si512, _mm512_set1_epi64,
        _mm512_shuffle_i64x2, _mm512_sll_epi64, _mm512_sllv_epi64, _mm512_srl_epi64,
        _mm512_srlv_epi64, _mm512_storeu_si512, _mm512_test_epi64_mask, _mm512_unpackhi_epi64,
        _mm512_unpacklo_epi64, _mm512_xor_si512,
    };

    pub type Register = __m512i;
    pub const WIDTH: usize = 8;

    #[inline(always)]
    pub fn of_pairs([a, b, c, d]: [__m128i; 4]) -> [Register; 1] {
        // SAFETY: this module exists only in builds for CPUs with AVX-512.
        unsafe {
            let (low, high) = (_mm256_set_m128i(b, a), _mm256_set_m128i(d, c));
            [_mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)]
        }
    }

    #[inline(always)]
    pub fn pairs([all]: [Register; 1]) -> [__m128i; 4] {
        // SAFETY: as for `of_pairs`.
        unsafe {
            [
                _mm512_castsi512_si128(all),
                _mm512_extracti32x4_epi32::<1>(all),
                _mm512_extracti32x4_epi32::<2>(all),
                _mm512_extracti32x4_epi32::<3>(all),
            ]
        }
    }

    #[inline(always)]
    pub fn firsts([one]: [Register; 1], [other]: [Register; 1]) -> [Register; 1] {
        // SAFETY: as for `of_pairs`.
        [unsafe { _mm512_unpacklo_epi64(one, other) }]
    }

    #[inline(always)]
    pub fn seconds([one]: [Register; 1], [other]: [Register; 1]) -> [Register; 1] {
        // SAFETY: as for `of_pairs`.
        [unsafe { _mm512_unpackhi_epi64(one, other) }]
    }

    combine!(up, _mm512_sllv_epi64);
    combine!(down, _mm512_srlv_epi64);

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
    pub fn any(sets: Register) -> u32 {
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
            assert_eq!(Lanes::of_pairs(of_a.pairs()).sets(), a);
            let turns = |from: usize| from_fn(|lane| [a, b][lane % 2][lane / 2 * 2 + from]);
            let (firsts, seconds): ([u64; 8], [u64; 8]) = (turns(0), turns(1));
            assert_eq!(of_a.firsts(of_b).sets(), firsts);
            assert_eq!(of_a.seconds(of_b).sets(), seconds);
            assert_eq!(
                of_a.joined(of_b).sets(),
                from_fn(|lane| firsts[lane] | seconds[lane])
            );
            let in_front = |lane: usize| {
                let ranks = (1..8).map(|rank| 8 * rank);
                let one = |by: u32| {
                    if lane < 3 {
                        a[lane] << by
                    } else {
                        a[lane] >> by
                    }
                };
                ranks.fold(a[lane], |set, by| set | one(by))
            };
            assert_eq!(of_a.filled::<0b111>().sets(), from_fn(in_front));
            for (lane, set) in a.into_iter().enumerate() {
                assert_eq!(of_a.any() >> lane & 1, u32::from(set != 0));
            }
        }
    }
}
