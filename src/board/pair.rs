//! A set of squares for each side, moved and combined at once.

use std::ops::{BitAnd, BitOr, Not};

use crate::types::Bitboard;
pub(super) use register::Register;

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
#[cfg(target_feature = "avx2")]
pub(super) use combine;

/// A set of squares for White and one for Black, in one register where there is one for two sets.
#[derive(Clone, Copy, Debug)]
pub struct Pair(pub(super) Register);

impl Pair {
    /// No squares for either side.
    #[inline(always)]
    pub fn empty() -> Self {
        Self::of_both(Bitboard::EMPTY)
    }

    #[inline(always)]
    pub fn new(sets: [Bitboard; 2]) -> Self {
        Self(register::load(sets.map(|set| set.0)))
    }

    /// The same set for both sides.
    #[inline(always)]
    pub fn of_both(set: Bitboard) -> Self {
        Self::new([set; 2])
    }

    #[inline(always)]
    pub fn sets(self) -> [Bitboard; 2] {
        register::store(self.0).map(Bitboard)
    }

    /// Gives each side the set of the other one.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Self(register::swapped(self.0))
    }

    /// Moves every square one rank forward, as the side of its set sees it.
    #[inline(always)]
    pub fn forward(self) -> Self {
        Self(register::first_and_second(
            register::up::<8>(self.0),
            register::down::<8>(self.0),
        ))
    }

    /// Returns the squares attacked by each side's pawns on the squares of its set.
    #[inline(always)]
    pub fn pawn_attacks(self) -> Self {
        self.beside().forward()
    }

    /// Returns the squares next to those of the sets, on the same rank.
    #[inline(always)]
    pub fn beside(self) -> Self {
        let [a, h] = [Bitboard::FILE_A, Bitboard::FILE_H].map(|file| Self::of_both(!file));
        Self(register::down::<1>((self & a).0)) | Self(register::up::<1>((self & h).0))
    }
}

impl BitAnd for Pair {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(register::and(self.0, other.0))
    }
}

impl BitOr for Pair {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(register::or(self.0, other.0))
    }
}

impl Not for Pair {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self(register::xor(self.0, Self::of_both(Bitboard::FULL).0))
    }
}

/// Two numbers, for CPUs without the instructions below.
#[cfg(not(target_feature = "avx2"))]
mod register {
    pub type Register = [u64; 2];

    #[inline(always)]
    pub fn load(sets: [u64; 2]) -> Register {
        sets
    }

    #[inline(always)]
    pub fn store(sets: Register) -> [u64; 2] {
        sets
    }

    #[inline(always)]
    pub fn swapped([first, second]: Register) -> Register {
        [second, first]
    }

    #[inline(always)]
    pub fn up<const BY: i32>(sets: Register) -> Register {
        sets.map(|set| set << BY)
    }

    #[inline(always)]
    pub fn down<const BY: i32>(sets: Register) -> Register {
        sets.map(|set| set >> BY)
    }

    #[inline(always)]
    pub fn first_and_second([first, _]: Register, [_, second]: Register) -> Register {
        [first, second]
    }

    #[inline(always)]
    pub fn xor([a, b]: Register, [c, d]: Register) -> Register {
        [a ^ c, b ^ d]
    }

    #[inline(always)]
    pub fn and([a, b]: Register, [c, d]: Register) -> Register {
        [a & c, b & d]
    }

    #[inline(always)]
    pub fn or([a, b]: Register, [c, d]: Register) -> Register {
        [a | c, b | d]
    }
}

/// A register of SSE.
#[cfg(target_feature = "avx2")]
mod register {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_blend_epi32, _mm_cvtsi128_si64, _mm_extract_epi64,
        _mm_or_si128, _mm_set_epi64x, _mm_shuffle_epi32, _mm_slli_epi64, _mm_srli_epi64,
        _mm_xor_si128,
    };

    pub type Register = __m128i;

    #[inline(always)]
    pub fn load([first, second]: [u64; 2]) -> Register {
        // SAFETY: this module exists only in builds for CPUs with AVX2. The same holds below.
        unsafe { _mm_set_epi64x(second.cast_signed(), first.cast_signed()) }
    }

    #[inline(always)]
    pub fn store(sets: Register) -> [u64; 2] {
        // SAFETY: as above.
        let sets = unsafe { [_mm_cvtsi128_si64(sets), _mm_extract_epi64::<1>(sets)] };
        sets.map(i64::cast_unsigned)
    }

    #[inline(always)]
    pub fn swapped(sets: Register) -> Register {
        // SAFETY: as above.
        unsafe { _mm_shuffle_epi32::<0b01_00_11_10>(sets) }
    }

    #[inline(always)]
    pub fn up<const BY: i32>(sets: Register) -> Register {
        // SAFETY: as above.
        unsafe { _mm_slli_epi64::<BY>(sets) }
    }

    #[inline(always)]
    pub fn down<const BY: i32>(sets: Register) -> Register {
        // SAFETY: as above.
        unsafe { _mm_srli_epi64::<BY>(sets) }
    }

    #[inline(always)]
    pub fn first_and_second(first: Register, second: Register) -> Register {
        // SAFETY: as above.
        unsafe { _mm_blend_epi32::<0b1100>(first, second) }
    }

    combine!(xor, _mm_xor_si128);
    combine!(and, _mm_and_si128);
    combine!(or, _mm_or_si128);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, Rng};

    #[test]
    fn agree_with_the_same_on_single_sets() {
        let mut rng = Rng::new(7);
        for _ in 0..200 {
            let [a, b] = [(); 2].map(|()| [(); 2].map(|()| Bitboard(rng.next() & rng.next())));
            let (of_a, of_b) = (Pair::new(a), Pair::new(b));
            let each = |set: fn(Bitboard, Bitboard, Color) -> Bitboard| {
                Color::ALL.map(|side| set(a[side.index()], b[side.index()], side))
            };
            assert_eq!((of_a & of_b).sets(), each(|a, b, _| a & b));
            assert_eq!((of_a | of_b).sets(), each(|a, b, _| a | b));
            assert_eq!((!of_a).sets(), each(|a, _, _| !a));
            assert_eq!(of_a.forward().sets(), each(|a, _, side| a.forward(side)));
            assert_eq!(of_a.beside().sets(), each(|a, _, _| a.beside()));
            let attacks = each(|a, _, side| a.pawn_attacks(side));
            assert_eq!(of_a.pawn_attacks().sets(), attacks);
            assert_eq!(of_a.swapped().sets(), [a[1], a[0]]);
            assert_eq!(Pair::of_both(a[0]).sets(), [a[0]; 2]);
        }
    }
}
