//! The rounding of trained weights to the integers of a network file, its errors, and the way back.

use serde::Serialize;

use rejoinder::eval::features::{OUTPUT_BUCKETS, PIECE_SQUARES};
use rejoinder::eval::kernels::Kernel;
use rejoinder::eval::network::{
    Architecture, Block, LANES, MAX_FEATURE_WEIGHT, MAX_RELATION_WEIGHT, Network, NetworkError, QA,
    QA_SQUARED, QB, Weights,
};
use rejoinder::eval::win_rate::WinRate;

use super::model::{Parts, Shape};
use super::sample::{Inputs, Sample};

/// The integer for an output of 1.
const OUTPUT: i32 = QA_SQUARED * QB;

/// The errors that the rounding of a network causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct QuantizationLosses {
    /// Mean difference between the float and the integer evaluation in centipawns.
    pub mean_error: f64,
    /// Maximum difference in centipawns.
    pub max_error: f64,
    /// Maximum size of a hidden unit before its activation in units of 1 / [`QA`]; 32,767 is the
    /// limit.
    pub largest_unit: i32,
    /// Number of weights that did not fit into their range and were cut.
    pub cut_weights: usize,
}

/// Rounds a network. Returns the weights, with a preliminary scale of 1, and the number of weights
/// that had to be cut.
pub fn quantize(shape: Shape, network: &[f32]) -> (Weights, usize) {
    let mut sums = vec![0.0; shape.features()];
    shape.add_up(network, &mut sums);
    let parts = Parts::new(shape, network, &sums);
    let mut cut = 0;
    let mut round = |x: f32, unit: i32, limit: i32| {
        let rounded = (x * unit as f32).round();
        let limit = limit as f32;
        cut += usize::from(rounded.abs() > limit);
        rounded.clamp(-limit, limit)
    };
    let hidden = shape.hidden();
    let feature = |at| parts.features[shape.feature(at / hidden, at % hidden)];
    let pieces = shape.piece_rows() * hidden;
    let mut small = |x: f32| round(x, QA, MAX_FEATURE_WEIGHT.into()) as i16;
    let feature_weights = (0..pieces).map(feature).map(&mut small).collect();
    let feature_biases = map(parts.feature_biases, &mut small);
    let relation_weights = (pieces..shape.features())
        .map(|at| round(feature(at), QA, MAX_RELATION_WEIGHT.into()) as i8)
        .collect();
    let [output_weights, output_biases] = shape.head().parts(parts.head);
    let weights = Weights {
        architecture: shape.0,
        feature_weights,
        relation_weights,
        feature_biases,
        output_weights: map(output_weights, |x| round(x, QB, i16::MAX.into()) as i16),
        output_biases: map(output_biases, |x| (x * OUTPUT as f32).round() as i32),
        scale: 1,
        win_rate: WinRate::DEFAULT,
    };
    (weights, cut)
}

/// Converts a finished network to weights from which training continues in a shape that it [grows
/// into](rejoinder::eval::network::Architecture::grows_into). If the shape has more king buckets,
/// each begins with the network's row. New relations begin without influence. Additional hidden
/// units begin with small random weights, but without influence on the output.
///
/// # Panics
/// If the network does not grow into the shape.
pub fn grow(weights: &Weights, shape: Shape, seed: u64) -> Vec<f32> {
    let old = weights.architecture;
    assert!(old.grows_into(shape.0), "{old} cannot become {}", shape.0);
    let mut list = shape.initial(seed);
    let feature = |x: i16| f32::from(x) / QA as f32;
    for unit in 0..old.hidden {
        let row = |input: usize| feature(weights.feature_weights[input * old.hidden + unit]);
        for square in 0..PIECE_SQUARES {
            let rows = (0..old.king_buckets).map(|bucket| row(bucket * PIECE_SQUARES + square));
            let shared = if let Some(at) = shape.shared_row(square) {
                let mean = rows.sum::<f32>() / old.king_buckets as f32;
                list[shape.shared(at, unit)] = mean;
                mean
            } else {
                0.0
            };
            for bucket in 0..shape.0.king_buckets {
                let input = bucket * PIECE_SQUARES + square;
                let own = row(input % (old.king_buckets * PIECE_SQUARES)) - shared;
                list[shape.feature(input, unit)] = own;
            }
        }
        for relation in 0..old.relation_inputs() {
            let weight = weights.relation_weights[relation * old.hidden + unit];
            list[shape.feature(shape.piece_rows() + relation, unit)] = feature(weight.into());
        }
        list[shape.biases() + unit] = feature(weights.feature_biases[unit]);
    }
    let mut head = Vec::new();
    for half in weights.output_weights.chunks_exact(old.hidden) {
        head.extend(half.iter().map(|&weight| f32::from(weight) / QB as f32));
        head.resize(head.len() + shape.hidden() - old.hidden, 0.0);
    }
    head.extend(
        weights
            .output_biases
            .iter()
            .map(|&x| x as f32 / OUTPUT as f32),
    );
    list[shape.head_start()..].copy_from_slice(&head);
    list
}

/// Returns for each weight of a shape whether a network of this architecture that grows into it
/// [brings](grow) its value along.
pub fn known(old: Architecture, shape: Shape) -> Vec<bool> {
    let mut known = vec![true; shape.numbers()];
    let first_new = shape.piece_rows() + old.relation_inputs();
    let first_shared = shape.shared_row(first_new).unwrap_or(shape.shared_rows());
    for unit in 0..shape.hidden() {
        let new_unit = unit >= old.hidden;
        for input in if new_unit { 0 } else { first_new }..shape.0.inputs() {
            known[shape.feature(input, unit)] = false;
        }
        for row in if new_unit { 0 } else { first_shared }..shape.shared_rows() {
            known[shape.shared(row, unit)] = false;
        }
        if new_unit {
            known[shape.biases() + unit] = false;
        }
    }
    if shape.hidden() > old.hidden {
        let halves = 2 * OUTPUT_BUCKETS;
        let head = &mut known[shape.head_start()..];
        for half in head.chunks_exact_mut(shape.hidden()).take(halves) {
            half[old.hidden..].fill(false);
        }
    }
    known
}

fn map<T>(list: &[f32], convert: impl FnMut(f32) -> T) -> Vec<T> {
    list.iter().copied().map(convert).collect()
}

/// Compares the integer evaluation of these samples with the float evaluation, `outputs`.
///
/// # Errors
/// If the weights cannot be a network.
pub fn losses(
    weights: &Weights,
    cut: usize,
    samples: &[Sample],
    outputs: &[f32],
) -> Result<QuantizationLosses, NetworkError> {
    let mut losses = QuantizationLosses {
        cut_weights: cut,
        ..QuantizationLosses::default()
    };
    let shape = Shape(weights.architecture);
    let network = Network::new(weights)?;
    let kernel = Kernel::best();
    let mut hidden = vec![0; 2 * shape.hidden()];
    for (sample, &output) in samples.iter().zip(outputs) {
        let inputs = sample.inputs(shape.0);
        sums(weights, &inputs, &mut hidden);
        let largest = hidden.iter().map(|unit| unit.abs()).max().unwrap_or(0);
        losses.largest_unit = losses.largest_unit.max(largest);
        let blocks = blocks(&hidden);
        let (own, other) = blocks.split_at(network.blocks());
        let integer = kernel.output(network.output(inputs.bucket), [own, other]);
        let integer = integer as f64 / f64::from(OUTPUT);
        let error = (integer - f64::from(output)).abs() * f64::from(weights.scale);
        losses.mean_error += error / samples.len() as f64;
        losses.max_error = losses.max_error.max(error);
    }
    Ok(losses)
}

/// Computes the hidden units of both sides before their activation, without overflow.
fn sums(weights: &Weights, inputs: &Inputs, hidden: &mut [i32]) {
    let size = weights.architecture.hidden;
    for (side, half) in hidden.chunks_exact_mut(size).enumerate() {
        for (unit, bias) in half.iter_mut().zip(&weights.feature_biases) {
            *unit = i32::from(*bias);
        }
        for &input in &inputs.sides[side] {
            let at = usize::from(input) * size;
            if let Some(relation) = at.checked_sub(weights.feature_weights.len()) {
                add(half, &weights.relation_weights[relation..][..size]);
            } else {
                add(half, &weights.feature_weights[at..][..size]);
            }
        }
    }
}

fn add<T: Copy + Into<i32>>(units: &mut [i32], row: &[T]) {
    for (unit, &weight) in units.iter_mut().zip(row) {
        *unit += weight.into();
    }
}

/// Converts hidden units to the blocks that the kernels take.
fn blocks(units: &[i32]) -> Vec<Block> {
    let (blocks, _) = units.as_chunks::<LANES>();
    blocks
        .iter()
        .map(|block| Block(block.map(|x| x as i16)))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::train::fixtures;
    use crate::train::model::Target;
    use crate::train::trainer::Trainer;
    use rejoinder::eval;
    use rejoinder::eval::features::MAX_PIECES;
    use rejoinder::eval::network::Architecture;
    use rejoinder::eval::relations::ATTACKS;
    use rejoinder::types::Rng;

    const TARGET: Target = Target {
        lambda: 0.3,
        score_scale: 300.0,
        power: 2.0,
        weights: [1.0; MAX_PIECES + 1],
    };

    const fn shape(king_buckets: usize, hidden: usize) -> Shape {
        Shape(Architecture {
            king_buckets,
            relations: if king_buckets == 4 { 17 } else { 0 },
            hidden,
        })
    }

    const SHAPE: Shape = shape(4, 64);

    fn trainer(shape: Shape, samples: &[Sample]) -> Trainer {
        let mut trainer = Trainer::new(shape, shape.initial(7), 1);
        for batch in samples.chunks(200) {
            trainer.learn(batch, TARGET, 0.002);
        }
        trainer
    }

    #[test]
    fn rounding_costs_little() {
        let samples = fixtures::samples(4_000, 6);
        let trainer = trainer(SHAPE, &samples);
        let (mut weights, cut) = quantize(SHAPE, &trainer.network);
        weights.scale = 300;
        let outputs = trainer.outputs(&samples);
        let losses = losses(&weights, cut, &samples, &outputs).expect("a network");
        assert!(
            losses.mean_error < 2.0 && losses.max_error < 15.0,
            "{losses:?}"
        );
        assert!((100..4000).contains(&losses.largest_unit), "{losses:?}");
        assert_eq!(losses.cut_weights, 0);

        let network: Vec<f32> = trainer.network.iter().map(|x| x * 100.0).collect();
        let (weights, cut) = quantize(SHAPE, &network);
        assert!(cut > 0 && Network::new(&weights).is_ok());
    }

    #[test]
    fn the_engine_says_the_same() {
        let samples = fixtures::samples(2_000, 6);
        let trainer = trainer(SHAPE, &samples);
        let (mut weights, _) = quantize(SHAPE, &trainer.network);
        weights.scale = 300;
        let network = Arc::new(Network::new(&weights).expect("a network"));
        let mut rng = Rng::new(9);
        let mut boards = Vec::new();
        for _ in 0..20 {
            let game = fixtures::game(&mut rng);
            let mut board = game.opening;
            for (mv, _) in game.moves {
                boards.push(board);
                board.make(mv);
            }
        }
        let samples: Vec<Sample> = boards
            .iter()
            .map(|board| Sample::new(board, 0, 0))
            .collect();
        for (board, output) in boards.iter().zip(trainer.outputs(&samples)) {
            let output = output * 300.0;
            let score = eval::evaluate(&network, board) as f32;
            assert!((output - score).abs() < 15.0, "{output} {score}");
        }
    }

    #[test]
    fn a_network_grows_without_losing_anything() {
        let samples = fixtures::samples(2_000, 6);
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
        let (weights, _) = quantize(SHAPE, &trainer(SHAPE, &samples).network);
        let same = grow(&weights, SHAPE, 3);
        assert_eq!(quantize(SHAPE, &same).0, weights);

        let before = Trainer::new(SHAPE, same, 1).outputs(&samples);
        let wider = shape(4, 96);
        let list = grow(&weights, wider, 3);
        let mut wide = Trainer::new(wider, list, 1);
        let after = wide.outputs(&samples);
        assert!(before.iter().zip(&after).all(near));
        // The new units learn.
        let unused = |trainer: &Trainer| {
            let [weights, _] = wider.head().parts(&trainer.network[wider.head_start()..]);
            weights
                .chunks_exact(96)
                .all(|half| half[64..].iter().all(|&x| x == 0.0))
        };
        assert!(unused(&wide));
        wide.learn(&samples, TARGET, 0.001);
        assert!(!unused(&wide));

        let plain = shape(1, 64);
        let (one, _) = quantize(plain, &plain.initial(5));
        let outputs = |shape: Shape| Trainer::new(shape, grow(&one, shape, 3), 1).outputs(&samples);
        // Relations begin without influence, and each bucket with the network's row.
        assert!(outputs(plain).iter().zip(&outputs(SHAPE)).all(near));
    }

    #[test]
    fn what_a_network_brings_along_may_rest() {
        let samples = fixtures::samples(2_000, 6);
        let (all, wider) = (SHAPE, shape(4, 96));
        let mut attacks = all;
        attacks.0.relations = ATTACKS;
        for (old, new) in [(all, all), (all, wider), (attacks, all)] {
            let (weights, _) = quantize(old, &old.initial(5));
            let known = known(old.0, new);
            let before = grow(&weights, new, 3);
            let mut trainer = Trainer::new(new, before.clone(), 1);
            let factors = known.iter().map(|&known| f32::from(u8::from(!known)));
            trainer.adam.factors = factors.collect();
            for _ in 0..2 {
                trainer.learn(&samples, TARGET, 0.001);
            }
            let changed = |at: usize| trainer.network[at].to_bits() != before[at].to_bits();
            assert!((0..known.len()).all(|at| !known[at] || !changed(at)));
            let new_weights = known.iter().filter(|&&known| !known).count();
            assert_eq!(new_weights, new.numbers() - old.numbers());
            let learned = (0..known.len()).filter(|&at| changed(at)).count();
            assert_eq!(learned > 0, new != old, "{learned} of {new_weights}");
        }
    }
}
