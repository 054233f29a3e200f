//! From floats to the integers of a network file, and what is lost on the way.

use serde::Serialize;

use crate::eval::features::{BUCKETS, INPUTS};
use crate::eval::network::{MAX_OUTPUT_WEIGHT, QA, QB, Weights};
use crate::eval::win_rate::WinRate;

use super::model::Shape;
use super::sample::{Inputs, Sample};

/// What rounding does to a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Losses {
    /// Mean difference between the float and the integer evaluation, centipawns.
    pub mean_error: f64,
    /// The largest one.
    pub max_error: f64,
    /// The largest size of a hidden unit before the activation, in units of 1 / [`QA`]; 32,767 is the limit.
    pub largest_unit: i32,
    /// The largest size of the sum over the hidden layer, as a share of what 32 bits hold.
    pub largest_sum: f64,
    /// Weights that did not fit and were cut.
    pub cut_weights: usize,
}

/// Rounds a network. The scale is still open: 1. Also counts the weights that had to be cut.
pub fn quantise(shape: Shape, network: &[f32]) -> (Weights, usize) {
    let parts = shape.parts(network);
    let mut cut = 0;
    let mut round = |x: f32, unit: i32, limit: i16| {
        let rounded = (x * unit as f32).round();
        let limit = f32::from(limit);
        cut += usize::from(rounded.abs() > limit);
        rounded.clamp(-limit, limit) as i16
    };
    let feature = |at| parts.features[shape.feature(at / shape.hidden, at % shape.hidden)];
    let features = (0..INPUTS * shape.hidden).map(feature);
    // A sum of all men and the bias stays in 16 bits.
    let limit = i16::MAX / 33;
    let weights = Weights {
        hidden: shape.hidden,
        feature_weights: features.map(|x| round(x, QA, limit)).collect(),
        feature_biases: map(parts.feature_biases, |x| round(x, QA, limit)),
        output_weights: map(parts.output_weights, |x| round(x, QB, MAX_OUTPUT_WEIGHT)),
        output_biases: map(parts.output_biases, |x| {
            (x * (QA * QB) as f32).round() as i32
        }),
        scale: 1,
        win_rate: WinRate::DEFAULT,
    };
    (weights, cut)
}

fn map<T>(list: &[f32], convert: impl FnMut(f32) -> T) -> Vec<T> {
    list.iter().copied().map(convert).collect()
}

/// What the integers say of these samples beside what the floats said, `outputs`.
pub fn losses(weights: &Weights, cut: usize, samples: &[Sample], outputs: &[f32]) -> Losses {
    let mut losses = Losses {
        cut_weights: cut,
        ..Losses::default()
    };
    let mut hidden = vec![0; 2 * weights.hidden];
    for (sample, &output) in samples.iter().zip(outputs) {
        let inputs = sample.inputs();
        let sum = sum(weights, &inputs, &mut hidden);
        let integer = output_of(weights, inputs.bucket, sum);
        let error = (integer - f64::from(output)).abs() * f64::from(weights.scale);
        losses.mean_error += error / samples.len() as f64;
        losses.max_error = losses.max_error.max(error);
        let largest = hidden.iter().map(|unit| unit.abs()).max().unwrap_or(0);
        losses.largest_unit = losses.largest_unit.max(largest);
        let share = sum.abs() as f64 / f64::from(i32::MAX);
        losses.largest_sum = losses.largest_sum.max(share);
    }
    losses
}

/// The sum over the hidden layer, without any overflow; fills `hidden` with the units before their activation.
fn sum(weights: &Weights, inputs: &Inputs, hidden: &mut [i32]) -> i64 {
    let size = weights.hidden;
    for (side, half) in hidden.chunks_exact_mut(size).enumerate() {
        for (unit, bias) in half.iter_mut().zip(&weights.feature_biases) {
            *unit = i32::from(*bias);
        }
        for &input in inputs.side(side) {
            let row = &weights.feature_weights[usize::from(input) * size..][..size];
            for (unit, weight) in half.iter_mut().zip(row) {
                *unit += i32::from(*weight);
            }
        }
    }
    let row = &weights.output_weights[inputs.bucket * 2 * size..][..2 * size];
    let unit = |(&unit, &weight): (&i32, &i16)| {
        let active = i64::from(unit.clamp(0, QA));
        active * active * i64::from(weight)
    };
    hidden.iter().zip(row).map(unit).sum()
}

/// The output that an engine gets from the sum, 1 being the scale.
fn output_of(weights: &Weights, bucket: usize, sum: i64) -> f64 {
    let output = sum / i64::from(QA) + i64::from(weights.output_biases[bucket % BUCKETS]);
    output as f64 / f64::from(QA * QB)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::eval;
    use crate::eval::network::Network;
    use crate::tools::train::made_up;
    use crate::tools::train::model::Target;
    use crate::tools::train::trainer::Trainer;
    use crate::types::Rng;

    const SHAPE: Shape = Shape { hidden: 32 };

    fn trainer(samples: &[Sample]) -> Trainer {
        let mut trainer = Trainer::new(SHAPE, 7, 1);
        let target = Target {
            blend: 0.3,
            score_scale: 300.0,
        };
        for batch in samples.chunks(200) {
            trainer.learn(batch, target, 0.002);
        }
        trainer
    }

    #[test]
    fn rounding_costs_little() {
        let samples = made_up::samples(4_000, 6);
        let mut trainer = trainer(&samples);
        let (mut weights, cut) = quantise(SHAPE, &trainer.network);
        weights.scale = 300;
        let outputs = trainer.outputs(&samples);
        let losses = losses(&weights, cut, &samples, &outputs);
        assert!(
            losses.mean_error < 10.0 && losses.max_error < 60.0,
            "{losses:?}"
        );
        assert!((100..2000).contains(&losses.largest_unit), "{losses:?}");
        assert_eq!(losses.cut_weights, 0);

        let network: Vec<f32> = trainer.network.iter().map(|x| x * 100.0).collect();
        let (weights, cut) = quantise(SHAPE, &network);
        assert!(cut > 0 && Network::new(&weights).is_ok());
    }

    #[test]
    fn the_engine_says_the_same() {
        let samples = made_up::samples(2_000, 6);
        let (mut weights, _) = quantise(SHAPE, &trainer(&samples).network);
        weights.scale = 300;
        let network = Arc::new(Network::new(&weights).expect("a network"));
        let mut rng = Rng::new(9);
        let mut hidden = vec![0; 2 * SHAPE.hidden];
        for _ in 0..20 {
            let game = made_up::game(&mut rng);
            let mut board = game.opening;
            for (mv, _) in game.moves {
                let inputs = Sample::new(&board, 0, 0).inputs();
                let sum = sum(&weights, &inputs, &mut hidden);
                let output = output_of(&weights, inputs.bucket, sum) * 300.0;
                let score = f64::from(eval::evaluate(&network, &board));
                assert!((output - score).abs() <= 1.0, "{output} {score}");
                board.make(mv);
            }
        }
    }
}
