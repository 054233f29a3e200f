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

    pub mod snapshot {
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
        pub const FIRST: usize = 16;
        pub const SECOND_INPUTS: usize = 2 * FIRST;
        pub const SECOND: usize = 32;
        pub const QA: i32 = 512;
        pub const QA_SQUARED: i32 = 4096;
        pub const QB: i32 = 1024;
        pub const QP: i32 = 128;
        pub const QF: i32 = 256;
        pub const GROUP: usize = 4;
        pub const PAIR: usize = 2;

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

        #[repr(C, align(64))]
        pub struct SecondLine(pub [[i16; PAIR]; SECOND]);

        #[repr(C, align(64))]
        pub struct Line(pub [[i8; GROUP]; FIRST]);

        pub struct Layers {
            pub first_biases: [i32; FIRST],
            pub last: [i32; SECOND],
            pub second_biases: [i32; SECOND],
            pub second: [SecondLine; SECOND_INPUTS / PAIR],
            pub first: Vec<Line>,
        }
    }
}

#[path = "../../src/eval/kernels/plain.rs"]
mod plain;
#[path = "../../src/eval/kernels/scratch.rs"]
mod scratch;
#[path = "../../src/eval/kernels/simd128.rs"]
mod simd128;

use eval::network::{Block, GROUP, LANES, Layers, Line, SecondLine};
use scratch::Scratch;

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

    fn layers(&mut self, hidden: usize) -> Layers {
        Layers {
            first_biases: array::from_fn(|_| self.up_to(40_000)),
            last: array::from_fn(|_| self.up_to(2000)),
            second_biases: array::from_fn(|_| self.up_to(1 << 21)),
            second: array::from_fn(|_| {
                SecondLine(array::from_fn(|_| {
                    array::from_fn(|_| self.up_to(1500) as i16)
                }))
            }),
            first: (0..hidden / GROUP)
                .map(|_| {
                    Line(array::from_fn(|_| {
                        array::from_fn(|_| self.up_to(127) as i8)
                    }))
                })
                .collect(),
        }
    }
}

fn main() {
    let mut random = Random(88_172_645_463_325_252);
    let mut outputs = [HashSet::new(), HashSet::new()];
    for hidden in [64, 128, 320, 512] {
        for round in 0..500 {
            let bound = [30, 200, 900, 4000][round % 4];
            let sides = [(); 2].map(|()| random.row(hidden / LANES, bound));
            let sides = sides.each_ref().map(Vec::as_slice);
            let layers = random.layers(hidden);
            let groups = hidden / GROUP;
            let mut scratch = Scratch::with_groups(groups);
            let layered = plain::layered(sides, &layers, &mut scratch);
            assert_eq!(layered, simd128::layered(sides, &layers, &mut scratch));
            let weights = random.row(2 * hidden / LANES, 3000);
            let direct = plain::direct(sides, &weights);
            assert_eq!(direct, simd128::direct(sides, &weights));
            outputs[0].insert(layered);
            outputs[1].insert(direct);
        }
    }
    assert!(outputs.iter().all(|outputs| outputs.len() > 1900));
    println!("the kernels are equal");
}
