//! Tests that all kernels compute the same, and the right numbers.

use std::array;
use std::collections::HashSet;

use super::plain::ONE;
use super::*;
use crate::eval::features::{Feature, KingBuckets, OUTPUT_BUCKETS, Perspective};
use crate::eval::network::{
    Architecture, FIRST, Head, HeadWeights, PAIR, QA, QA_SQUARED, QB, QP, SECOND, SECOND_INPUTS,
    SmallBlock, Weights,
};
use crate::eval::snapshot::FeatureList;
use crate::eval::win_rate::WinRate;
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
fn a_direct_head_clips_squares_and_weighs() {
    let hidden = |x| [Block([x; LANES])];
    let weights = [3, -5].map(|x| Block([x; LANES])).to_vec();
    let head = HeadBlocks::Direct(vec![(weights, 7)]);
    let mut scratch = Scratch::new(&Network::zero());
    for kernel in Kernel::all() {
        let mut out = |x, y| kernel.output(&head, 0, [&hidden(x), &hidden(y)], &mut scratch);
        assert_eq!(out(-7, 0), 7, "{kernel:?}");
        assert_eq!(out(80, -1), 7 + 32 * 3 * 100);
        assert_eq!(out(1000, 20), i64::from(7 + 32 * (3 * QA_SQUARED - 5 * 6)));
    }
}

fn network(hidden: usize, rng: &mut Rng) -> Network {
    let architecture = Architecture {
        king_buckets: 1,
        relations: 0,
        hidden,
        head: Head::Layered,
    };
    let mut number = |bound: usize| rng.below(2 * bound + 1) as i32 - bound as i32;
    let mut small = |count: usize, bound| (0..count).map(|_| number(bound) as i16).collect();
    let (second, last) = (
        small(OUTPUT_BUCKETS * SECOND_INPUTS * SECOND, 1500),
        small(OUTPUT_BUCKETS * SECOND, 2000),
    );
    let mut wide = |count: usize, bound| (0..count).map(|_| number(bound)).collect();
    let weights = Weights {
        architecture,
        feature_weights: vec![0; architecture.inputs() * hidden],
        relation_weights: Vec::new(),
        feature_biases: vec![0; hidden],
        head: HeadWeights::Layered {
            first_biases: wide(OUTPUT_BUCKETS * FIRST, 40_000),
            second,
            second_biases: wide(OUTPUT_BUCKETS * SECOND, 1 << 21),
            last,
            last_biases: wide(OUTPUT_BUCKETS, 1 << 21),
            first: (0..OUTPUT_BUCKETS * hidden * FIRST)
                .map(|_| number(127) as i8)
                .collect(),
        },
        scale: 400,
        win_rate: WinRate::DEFAULT,
    };
    Network::new(&weights).expect("the test's weights do not make a network")
}

/// Returns the output of the layers in floating point, without rounding.
fn exact(hidden: [&[Block]; 2], layers: &Layers) -> f64 {
    let mut products = Vec::new();
    for hidden in hidden {
        let values: Vec<i16> = hidden.iter().flat_map(|block| block.0).collect();
        let value = |at: usize| f64::from(values[at].clamp(0, QA as i16)) / f64::from(QA);
        let half = values.len() / 2;
        // The products are rounded here as well, because their rounding is too coarse to be
        // ignored.
        products.extend((0..half).map(|at| (value(at) * value(at + half) * f64::from(QP)).round()));
    }
    let first = |unit: usize| {
        let weight = |at: usize| f64::from(layers.first[at / GROUP].0[unit][at % GROUP]);
        let sum: f64 = products
            .iter()
            .enumerate()
            .map(|(at, x)| x * weight(at))
            .sum();
        (sum + f64::from(layers.first_biases[unit])) / f64::from(ONE)
    };
    let first: Vec<f64> = (0..FIRST).map(first).collect();
    let squares = first.iter().map(|x| (x * x).min(1.0));
    let inputs: Vec<f64> = squares
        .chain(first.iter().map(|x| x.clamp(0.0, 1.0)))
        .collect();
    let second = |unit: usize| {
        let weight = |at: usize| f64::from(layers.second[at / PAIR].0[unit][at % PAIR]);
        let terms = inputs.iter().enumerate();
        let sum: f64 = terms.map(|(at, x)| weight(at) / f64::from(QB) * x).sum();
        let sum = sum + f64::from(layers.second_biases[unit]) / f64::from(QA_SQUARED * QB);
        sum.clamp(0.0, 1.0).powi(2) * f64::from(layers.last[unit]) / f64::from(QB)
    };
    (0..SECOND).map(second).sum::<f64>() + f64::from(layers.last_bias) / f64::from(QA_SQUARED * QB)
}

#[test]
fn a_layered_head_is_the_same_in_all_kernels() {
    let mut rng = Rng::new(2);
    for hidden in [64, 128, 320] {
        let network = network(hidden, &mut rng);
        let HeadBlocks::Layered(layers) = network.head() else {
            panic!("another head")
        };
        let mut scratch = Scratch::new(&network);
        let mut outputs = HashSet::new();
        for round in 0..200 {
            let bucket = round % OUTPUT_BUCKETS;
            let bound = [30, 200, 900][round % 3];
            let sides = [(); 2].map(|()| row(hidden / LANES, bound, &mut rng));
            let sides = sides.each_ref().map(Vec::as_slice);
            let all: Vec<i64> = Kernel::all()
                .map(|kernel| kernel.output(network.head(), bucket, sides, &mut scratch))
                .collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{all:?}");
            let output = all[0] as f64 / f64::from(QA_SQUARED * QB);
            let exact = exact(sides, &layers[bucket]);
            assert!((output - exact).abs() < 0.05, "{output} {exact}");
            outputs.insert(all[0]);
        }
        assert!(outputs.len() > 100);
    }
}

#[test]
fn kernels_go_by_name() {
    assert_eq!(Kernel::named("plain").map(Kernel::name), Some("plain"));
    assert!(Kernel::named("nothing").is_none());
    assert!(Kernel::all().any(|kernel| kernel.name() == Kernel::best().name()));
}
