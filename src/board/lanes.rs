//! Four sets of squares that are moved and combined at once.

#[cfg(not(target_feature = "avx2"))]
pub use plain::Lanes;
#[cfg(target_feature = "avx2")]
pub use vector::Lanes;

#[cfg(not(target_feature = "avx2"))]
mod plain {
    use std::array::from_fn;
    use std::ops::{BitAnd, BitOr, BitXor};

    /// Four sets of squares.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Lanes([u64; 4]);

    impl Lanes {
        /// The number of sets.
        pub const COUNT: usize = 4;

        #[inline(always)]
        pub fn new(sets: [u64; 4]) -> Self {
            Self(sets)
        }

        #[inline(always)]
        pub fn of_all(set: u64) -> Self {
            Self([set; 4])
        }

        #[inline(always)]
        pub fn sets(self) -> [u64; 4] {
            self.0
        }

        /// Adds a number from -63 to 63 to the index of every square; squares that leave the first
        /// or last rank are lost.
        #[inline(always)]
        pub fn moved(self, by: i32) -> Self {
            Self(
                self.0
                    .map(|set| if by > 0 { set << by } else { set >> -by }),
            )
        }

        /// Returns a bit for each set, the first one lowest: 1 if it has squares.
        #[inline(always)]
        pub fn filled(self) -> u32 {
            let bit = |lane: usize| u32::from(self.0[lane] != 0) << lane;
            bit(0) | bit(1) | bit(2) | bit(3)
        }
    }

    impl BitXor for Lanes {
        type Output = Self;
        #[inline(always)]
        fn bitxor(self, other: Self) -> Self {
            Self(from_fn(|lane| self.0[lane] ^ other.0[lane]))
        }
    }

    impl BitAnd for Lanes {
        type Output = Self;
        #[inline(always)]
        fn bitand(self, other: Self) -> Self {
            Self(from_fn(|lane| self.0[lane] & other.0[lane]))
        }
    }

    impl BitOr for Lanes {
        type Output = Self;
        #[inline(always)]
        fn bitor(self, other: Self) -> Self {
            Self(from_fn(|lane| self.0[lane] | other.0[lane]))
        }
    }
}

/// The same in one register. Left to itself, the compiler splits the lanes and gathers them again.
#[cfg(target_feature = "avx2")]
mod vector {
    use std::arch::x86_64::{
        __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpeq_epi64,
        _mm256_movemask_pd, _mm256_or_si256, _mm256_set_epi64x, _mm256_set1_epi64x,
        _mm256_setzero_si256, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_storeu_si256,
        _mm256_xor_si256,
    };
    use std::ops::{BitAnd, BitOr, BitXor};

    /// Four sets of squares.
    #[derive(Clone, Copy, Debug)]
    pub struct Lanes(__m256i);

    impl Lanes {
        /// The number of sets.
        pub const COUNT: usize = 4;

        #[inline(always)]
        pub fn new(sets: [u64; 4]) -> Self {
            let [a, b, c, d] = sets.map(u64::cast_signed);
            // SAFETY: this module exists only in builds for CPUs with AVX2.
            Self(unsafe { _mm256_set_epi64x(d, c, b, a) })
        }

        #[inline(always)]
        pub fn of_all(set: u64) -> Self {
            // SAFETY: this module exists only in builds for CPUs with AVX2.
            Self(unsafe { _mm256_set1_epi64x(set.cast_signed()) })
        }

        #[inline(always)]
        pub fn sets(self) -> [u64; 4] {
            let mut sets = [0; 4];
            // SAFETY: as above, and the array has the size of the register.
            unsafe { _mm256_storeu_si256((&raw mut sets).cast(), self.0) };
            sets
        }

        /// Adds a number from -63 to 63 to the index of every square; squares that leave the first
        /// or last rank are lost.
        #[inline(always)]
        pub fn moved(self, by: i32) -> Self {
            // SAFETY: this module exists only in builds for CPUs with AVX2.
            Self(unsafe {
                let count = _mm_cvtsi32_si128(by.abs());
                if by > 0 {
                    _mm256_sll_epi64(self.0, count)
                } else {
                    _mm256_srl_epi64(self.0, count)
                }
            })
        }

        /// Returns a bit for each set, the first one lowest: 1 if it has squares.
        #[inline(always)]
        pub fn filled(self) -> u32 {
            // SAFETY: this module exists only in builds for CPUs with AVX2.
            let empty = unsafe {
                let empty = _mm256_cmpeq_epi64(self.0, _mm256_setzero_si256());
                _mm256_movemask_pd(_mm256_castsi256_pd(empty))
            };
            0b1111 ^ empty as u32
        }
    }

    impl BitXor for Lanes {
        type Output = Self;
        #[inline(always)]
        fn bitxor(self, other: Self) -> Self {
            // SAFETY: this module exists only in builds for CPUs with AVX2.
            Self(unsafe { _mm256_xor_si256(self.0, other.0) })
        }
    }

    impl BitAnd for Lanes {
        type Output = Self;
        #[inline(always)]
        fn bitand(self, other: Self) -> Self {
            // SAFETY: this module exists only in builds for CPUs with AVX2.
            Self(unsafe { _mm256_and_si256(self.0, other.0) })
        }
    }

    impl BitOr for Lanes {
        type Output = Self;
        #[inline(always)]
        fn bitor(self, other: Self) -> Self {
            // SAFETY: this module exists only in builds for CPUs with AVX2.
            Self(unsafe { _mm256_or_si256(self.0, other.0) })
        }
    }
}
