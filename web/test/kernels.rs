//! Checks that the kernel for WebAssembly computes the same integers as the plain one, with the
//! sources of both. It is a program of its own, because the engine's unit tests do not build for
//! this target. kernels.test.mjs compiles and runs it.
//!
//! The definitions repeat those of src/eval that the kernels use; a kernel that needs others does not
//! compile here.

#![allow(dead_code)]

use std::array;
use std::collections::HashSet;

mod eval {
    pub mod features {
        #[derive(Clone, Copy)]
        pub struct Feature;
    }

    pub mod changes {
        use super::features::Feature;

        pub struct FeatureList {
            pub pieces: Vec<Feature>,
            pub relations: Vec<Feature>,
        }

        pub struct Changes {
            pub added: FeatureList,
            pub removed: FeatureList,
        }
    }

    pub mod network {
        pub const LANES: usize = 32;
        pub const QA: i32 = 512;
        pub const QA_SQUARED: i32 = 4096;

        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C, align(64))]
        pub struct Block(pub [i16; LANES]);

        #[repr(C, align(32))]
        pub struct SmallBlock(pub [i8; LANES]);

        #[derive(Clone, Copy)]
        pub struct Rows<'a> {
            pub pieces: &'a [Block],
            pub relations: &'a [SmallBlock],
        }

        impl<'a> Rows<'a> {
            pub fn piece(self, _: super::features::Feature) -> &'a [Block] {
                self.pieces
            }

            pub fn relation(self, _: super::features::Feature) -> &'a [SmallBlock] {
                self.relations
            }
        }
    }
}

#[path = "../../src/eval/kernels/plain.rs"]
mod plain;
#[path = "../../src/eval/kernels/simd128.rs"]
mod simd128;

use eval::network::{Block, LANES};

/// Random numbers by xorshift.
struct Random(u64);

impl Random {
    /// Returns a number from `-bound` to `bound`.
    fn up_to(&mut self, bound: u64) -> i32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % (2 * bound + 1)) as i32 - bound as i32
    }

    fn row(&mut self, blocks: usize, bound: u64) -> Vec<Block> {
        (0..blocks)
            .map(|_| Block(array::from_fn(|_| self.up_to(bound) as i16)))
            .collect()
    }
}

fn main() {
    let mut random = Random(88_172_645_463_325_252);
    let mut outputs = HashSet::new();
    for blocks in [2, 4, 10, 16] {
        for round in 0..500 {
            let bound = [30, 200, 900, 4000][round % 4];
            let sides = [(); 2].map(|()| random.row(blocks, bound));
            let sides = sides.each_ref().map(Vec::as_slice);
            let weights = random.row(2 * blocks, 3000);
            let output = plain::weigh(sides, &weights);
            assert_eq!(output, simd128::weigh(sides, &weights));
            outputs.insert(output);
        }
    }
    assert!(outputs.len() > 1900);
    println!("the kernels are equal");
}
