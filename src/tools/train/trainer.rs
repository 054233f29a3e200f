//! The network and its optimiser in the hands of some threads.
//!
//! Each thread takes a fixed part of a batch, and the parts are added up in a fixed order: with the same number of
//! threads the same batches give the same numbers, to the last bit.

use std::thread;

use super::model::{Gradient, Shape, Target, sigmoid};
use super::optimizer::AdamW;
use super::sample::Sample;

/// A network that learns.
#[derive(Clone, Debug)]
pub struct Trainer {
    /// Where its numbers are.
    pub shape: Shape,
    /// Its numbers.
    pub network: Vec<f32>,
    /// What the optimiser remembers.
    pub adam: AdamW,
    /// Batches learnt from.
    pub step: u64,
    gradients: Vec<Gradient>,
}

impl Trainer {
    /// A network of random numbers.
    pub fn new(shape: Shape, seed: u64, threads: usize) -> Self {
        Self {
            shape,
            network: shape.initial(seed),
            adam: AdamW::new(shape.numbers()),
            step: 0,
            gradients: vec![Gradient::new(shape); threads.max(1)],
        }
    }

    /// Bytes that a trainer of this shape takes.
    pub const fn bytes(shape: Shape, threads: usize) -> usize {
        (3 + threads) * shape.numbers() * size_of::<f32>()
    }

    /// Learns from a batch; gives the sum of its squared errors before that.
    pub fn learn(&mut self, batch: &[Sample], target: Target, rate: f32) -> f64 {
        let network = &self.network;
        let part = batch.len().div_ceil(self.gradients.len()).max(1);
        thread::scope(|scope| {
            for (gradient, part) in self.gradients.iter_mut().zip(batch.chunks(part)) {
                scope.spawn(move || gradient.add(network, part, target));
            }
        });
        let take = |gradient: &mut Gradient| std::mem::take(&mut gradient.loss);
        let loss = self.gradients.iter_mut().map(take).sum();
        self.step += 1;
        let gradients = &mut self.gradients;
        self.adam
            .step(&mut self.network, gradients, batch.len(), rate, self.step);
        loss
    }

    /// The network's outputs for these samples, one for each.
    pub fn outputs(&mut self, samples: &[Sample]) -> Vec<f32> {
        let mut outputs = vec![0.0; samples.len()];
        let network = &self.network;
        let part = samples.len().div_ceil(self.gradients.len()).max(1);
        thread::scope(|scope| {
            let parts = samples.chunks(part).zip(outputs.chunks_mut(part));
            for (gradient, (samples, outputs)) in self.gradients.iter_mut().zip(parts) {
                scope.spawn(move || gradient.outputs(network, samples, outputs));
            }
        });
        outputs
    }

    /// The mean squared error over these samples; 0 if there are none.
    pub fn loss(&mut self, samples: &[Sample], target: Target) -> f64 {
        let outputs = self.outputs(samples);
        let error = |(sample, output)| f64::from(sigmoid(output) - target.of(sample)).powi(2);
        let sum: f64 = samples.iter().zip(outputs).map(error).sum();
        sum / samples.len().max(1) as f64
    }
}
