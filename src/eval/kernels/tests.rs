//! Tests that all kernels compute the same, and the right numbers.

use std::array;

use super::*;
use crate::eval::changes::FeatureList;
use crate::eval::features::{Feature, KingBuckets, Perspective};
use crate::eval::network::{LANES, QA_SQUARED, SmallBlock};
use crate::types::{Color, Piece, Rng, Square};

fn row(blocks: usize, bound: usize, rng: &mut Rng) -> Vec<Block> {
    let mut number = |_| rng.below(2 * bound + 1) as i16 - bound as i16;
    (0..blocks)
        .map(|_| Block(array::from_fn(&mut number)))
        .collect()
}

fn small_row(blocks: usize, rng: &mut Rng) -> Vec<SmallBlock> {
    let mut number = |_| rng.below(256) as u8 as i8;
    (0..blocks)
        .map(|_| SmallBlock(array::from_fn(&mut number)))
        .collect()
}

#[test]
fn all_kernels_give_the_same_integers() {
    const PAWN: Piece = Piece::WhitePawn;
    let mut rng = Rng::new(1);
    let one_bucket = KingBuckets::of_count(1).expect("the grouping with one bucket is missing");
    for blocks in [1, 2, 3, 8, 13, 18] {
        for _ in 0..50 {
            let from = row(blocks, 900, &mut rng);
            let rows = row(5 * blocks, 900, &mut rng);
            let small = small_row(2 * blocks, &mut rng);
            // From here, the rows are numbered by squares.
            let a1 = Square::new(0);
            let perspective = Perspective::new(Color::White, a1, one_bucket);
            let seen = Rows::new(&rows, &small, blocks, perspective);
            let results: Vec<_> = Kernel::all()
                .map(|kernel| {
                    let mut sums = vec![vec![Block::ZERO; blocks]; 4];
                    let (piece, relation) = (
                        |&number: &u8| Feature::piece(PAWN, Square::new(number)),
                        |&number: &u8| Feature::relation(0, PAWN, Square::new(number)),
                    );
                    let list = |pieces: &[u8], relations: &[u8]| FeatureList {
                        pieces: pieces.iter().map(piece).collect(),
                        relations: relations.iter().map(relation).collect(),
                    };
                    for (to, added, removed) in [
                        (0, list(&[], &[]), list(&[], &[])),
                        (1, list(&[1], &[]), list(&[2], &[0])),
                        (2, list(&[1], &[0]), list(&[2, 3], &[1, 1])),
                        (3, list(&[1, 2, 4], &[]), list(&[3, 3], &[])),
                    ] {
                        kernel.update(seen, &mut sums[to], &from, &Changes { added, removed });
                    }
                    sums
                })
                .collect();
            assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
            let piece = |number: usize| i32::from(rows[number * blocks].0[5]);
            let relation = |number: usize| i32::from(small[number * blocks].0[5]);
            let sum = i32::from(from[0].0[5]) + piece(1) - piece(2) - piece(3) + relation(0)
                - 2 * relation(1);
            assert_eq!(results[0][2][0].0[5], sum as i16);
            assert_eq!(results[0][0], from);
        }
    }
}

#[test]
fn the_output_clips_squares_and_weighs() {
    let hidden = |x| [Block([x; LANES])];
    let weights = [3, -5].map(|x| Block([x; LANES])).to_vec();
    let output = (weights, 7);
    for kernel in Kernel::all() {
        let out = |x, y| kernel.output(&output, [&hidden(x), &hidden(y)]);
        assert_eq!(out(-7, 0), 7, "{kernel:?}");
        assert_eq!(out(80, -1), 7 + 32 * 3 * 100);
        assert_eq!(out(1000, 20), i64::from(7 + 32 * (3 * QA_SQUARED - 5 * 6)));
    }
}

#[test]
fn the_output_is_the_same_in_all_kernels() {
    let mut rng = Rng::new(2);
    for blocks in [1, 2, 3, 16, 17] {
        for bound in [30, 200, 900, 4000] {
            let sides = [(); 2].map(|()| row(blocks, bound, &mut rng));
            let sides = sides.each_ref().map(Vec::as_slice);
            let output = (row(2 * blocks, 3000, &mut rng), -5);
            let all: Vec<i64> = Kernel::all()
                .map(|kernel| kernel.output(&output, sides))
                .collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
            let values = sides.concat().into_iter().flat_map(|block| block.0);
            let weights = output.0.iter().flat_map(|block| block.0);
            let square = |x: i16| i64::from(x.clamp(0, 512)).pow(2) / 64;
            let terms = values
                .zip(weights)
                .map(|(x, weight)| square(x) * i64::from(weight));
            assert_eq!(all[0], terms.sum::<i64>() - 5);
        }
    }
}

#[test]
fn kernels_go_by_name() {
    assert_eq!(Kernel::named("plain").map(Kernel::name), Some("plain"));
    assert!(Kernel::named("nothing").is_none());
    assert!(Kernel::all().any(|kernel| kernel.name() == Kernel::best().name()));
}
