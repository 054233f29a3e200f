//! Training steps on several threads.
//!
//! Each thread takes a fixed part of a batch, and the gradients are added in a fixed order. With
//! the same number of threads, the same batches therefore give exactly the same weights.

use std::thread;

use super::dropout::Dropout;
use super::model::{Gradient, Parts, Pass, Shape, Target, sigmoid};
use super::optimizer::AdamW;
use super::sample::Sample;

/// A network in training.
#[derive(Clone, Debug)]
pub struct Trainer {
    /// Order of the weights.
    pub shape: Shape,
    /// The weights.
    pub network: Vec<f32>,
    /// State of the optimizer.
    pub adam: AdamW,
    /// Share of the hidden units that are left out at random at each position, 0 to less than 1.
    pub dropout: f64,
    /// Seed of the choice of these units.
    pub seed: u64,
    /// Number of finished batches.
    pub step: u64,
    gradients: Vec<Gradient>,
    /// The sums of [`Shape::add_up`]; empty if the shape has no shared rows.
    sums: Vec<f32>,
}

impl Trainer {
    /// Begins training with these weights, for example those of [`Shape::initial`].
    pub fn new(shape: Shape, network: Vec<f32>, threads: usize) -> Self {
        let sums = if shape.shared_rows() > 0 {
            shape.features()
        } else {
            0
        };
        Self {
            shape,
            network,
            adam: AdamW::new(shape.numbers()),
            dropout: 0.0,
            seed: 0,
            step: 0,
            gradients: vec![Gradient::new(shape); threads.max(1)],
            sums: vec![0.0; sums],
        }
    }

    /// Memory of a trainer of this shape in bytes.
    pub const fn bytes(shape: Shape, threads: usize) -> usize {
        let sums = if shape.shared_rows() > 0 { 1 } else { 0 };
        (3 + sums + threads) * shape.numbers() * size_of::<f32>() + threads * Pass::bytes(shape)
    }

    /// Takes a step on a batch. Returns the sum of the losses before the step.
    pub fn learn(&mut self, batch: &[Sample], target: Target, rate: f32) -> f64 {
        self.shape.add_up(&self.network, &mut self.sums);
        let parts = Parts::new(self.shape, &self.network, &self.sums);
        let part = batch.len().div_ceil(self.gradients.len()).max(1);
        let streams = self.step * self.gradients.len() as u64..;
        thread::scope(|scope| {
            let parts_of_batch = self.gradients.iter_mut().zip(batch.chunks(part));
            for ((gradient, part), stream) in parts_of_batch.zip(streams) {
                let dropout = Dropout::new(self.dropout, self.seed, stream);
                scope.spawn(move || gradient.add(&parts, part, target, dropout));
            }
        });
        let take = |gradient: &mut Gradient| std::mem::take(&mut gradient.loss);
        let loss = self.gradients.iter_mut().map(take).sum();
        self.step += 1;
        let gradients = &mut self.gradients;
        self.adam
            .step(&mut self.network, gradients, batch.len(), rate, self.step);
        self.shape.clip(&mut self.network);
        loss
    }

    /// The outputs of the network for these samples.
    pub fn outputs(&mut self, samples: &[Sample]) -> Vec<f32> {
        let mut outputs = vec![0.0; samples.len()];
        self.shape.add_up(&self.network, &mut self.sums);
        let network = Parts::new(self.shape, &self.network, &self.sums);
        let part = samples.len().div_ceil(self.gradients.len()).max(1);
        thread::scope(|scope| {
            let parts = samples.chunks(part).zip(outputs.chunks_mut(part));
            for (gradient, (samples, outputs)) in self.gradients.iter_mut().zip(parts) {
                scope.spawn(move || gradient.outputs(&network, samples, outputs));
            }
        });
        outputs
    }

    /// The mean loss over these samples for each target; 0 if there are no samples.
    pub fn losses<const N: usize>(&mut self, samples: &[Sample], targets: [Target; N]) -> [f64; N] {
        let outputs = self.outputs(samples);
        let points: Vec<f32> = outputs.into_iter().map(sigmoid).collect();
        targets.map(|target| {
            let loss = |(sample, points): (&Sample, &f32)| {
                f64::from(target.loss(points - target.of(sample))[0])
            };
            let sum: f64 = samples.iter().zip(&points).map(loss).sum();
            sum / samples.len().max(1) as f64
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fixtures;
    use rejoinder::eval::network::{Architecture, Head};
    use rejoinder::types::Rng;

    const SHAPE: Shape = Shape(Architecture {
        king_buckets: 4,
        relations: 17,
        hidden: 32,
        head: Head::Direct,
    });
    const TARGET: Target = Target {
        blend: 0.3,
        score_scale: 300.0,
        power: 2.0,
        few_pieces: 1.0,
    };

    fn train(threads: usize, samples: &[Sample]) -> Trainer {
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), threads);
        for batch in samples.chunks(500) {
            trainer.learn(batch, TARGET, 0.001);
        }
        trainer
    }

    #[test]
    fn the_same_threads_give_the_same_numbers() {
        let samples = fixtures::samples(6_100, 3);
        let [first, second] = [3, 3].map(|threads| train(threads, &samples));
        assert_eq!(first.network, second.network);
        assert_eq!(first.adam, second.adam);
        let loss = |trainer: &mut Trainer| trainer.losses(&samples, [TARGET])[0];
        let [mut first, mut other] = [first, train(1, &samples)];
        let difference = loss(&mut first) - loss(&mut other);
        assert!(difference.abs() < 1e-4, "{difference}");
    }

    #[test]
    fn it_learns() {
        let mut samples = fixtures::samples(8_000, 4);
        Rng::new(1).shuffle(&mut samples);
        let (training, validation) = samples.split_at(7_000);
        // The pieces on the board say all.
        let target = Target {
            blend: 0.0,
            ..TARGET
        };
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), 2);
        let before = trainer.losses(validation, [target])[0];
        for _ in 0..6 {
            for batch in training.chunks(200) {
                trainer.learn(batch, target, 0.002);
            }
        }
        let after = trainer.losses(validation, [target])[0];
        assert!(after < before / 3.0, "{before} {after}");
        let losses = trainer.losses(&[], [TARGET, TARGET]);
        assert!(losses.iter().all(|loss| loss.abs() < 1e-9));
    }

    #[test]
    fn fewer_samples_than_threads_are_enough() {
        let samples = fixtures::samples(2, 5);
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), 4);
        assert!(trainer.learn(&samples, TARGET, 0.001) > 0.0);
        assert_eq!(trainer.outputs(&samples).len(), 2);
    }
}
