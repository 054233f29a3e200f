//! From gradients to better numbers: AdamW, and how fast it goes at each step.

use std::f64::consts::PI;
use std::thread;

use super::model::Gradient;

/// Share of the earlier mean gradient that stays at each step.
const FIRST_DECAY: f32 = 0.9;
/// Share of the earlier mean squared gradient that stays at each step.
const SECOND_DECAY: f32 = 0.999;
/// Keeps the quotient of the two finite.
const EPSILON: f32 = 1e-8;
/// Every number shrinks by this share of the learning rate at each step.
const WEIGHT_DECAY: f32 = 0.01;
/// The largest size of a number; as an output weight it still fits the quantised range.
pub const LIMIT: f32 = 1.98;

/// Running means of the gradient and of its square.
// Source: Loshchilov, Hutter, "Decoupled weight decay regularization" (2019).
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Means of the gradient.
    pub first: Vec<f32>,
    /// Means of its square.
    pub second: Vec<f32>,
}

impl AdamW {
    /// For a list of so many numbers.
    pub fn new(len: usize) -> Self {
        Self {
            first: vec![0.0; len],
            second: vec![0.0; len],
        }
    }

    /// Step number `step`, from 1, down the mean gradient of a batch. Each gradient is the sum over one thread's part of
    /// the batch; afterwards they are zero. There are as many threads as gradients, each with a part of the list.
    pub fn step(
        &mut self,
        network: &mut [f32],
        gradients: &mut [Gradient],
        batch: usize,
        rate: f32,
        step: u64,
    ) {
        let age = step.min(1_000_000) as i32;
        let step = Step {
            scale: 1.0 / batch as f32,
            decay: 1.0 - rate * WEIGHT_DECAY,
            rate: rate / (1.0 - FIRST_DECAY.powi(age)),
            second_scale: 1.0 / (1.0 - SECOND_DECAY.powi(age)),
        };
        let part = network.len().div_ceil(gradients.len());
        let mut sums: Vec<_> = gradients
            .iter_mut()
            .map(|gradient| gradient.list.chunks_mut(part))
            .collect();
        thread::scope(|scope| {
            for ((network, first), second) in network
                .chunks_mut(part)
                .zip(self.first.chunks_mut(part))
                .zip(self.second.chunks_mut(part))
            {
                let sums = sums.iter_mut().filter_map(Iterator::next).collect();
                scope.spawn(move || step.take(network, first, second, sums));
            }
        });
    }
}

/// The numbers of one step.
#[derive(Clone, Copy, Debug)]
struct Step {
    scale: f32,
    decay: f32,
    rate: f32,
    second_scale: f32,
}

impl Step {
    /// Takes the step for a part of the list.
    fn take(
        self,
        network: &mut [f32],
        first: &mut [f32],
        second: &mut [f32],
        mut sums: Vec<&mut [f32]>,
    ) {
        let Some((total, others)) = sums.split_first_mut() else {
            return;
        };
        for other in others {
            for (total, other) in total.iter_mut().zip(other.iter_mut()) {
                *total += *other;
                *other = 0.0;
            }
        }
        for (((x, first), second), sum) in
            network.iter_mut().zip(first).zip(second).zip(&mut **total)
        {
            let slope = *sum * self.scale;
            *sum = 0.0;
            *first += (1.0 - FIRST_DECAY) * (slope - *first);
            *second += (1.0 - SECOND_DECAY) * (slope * slope - *second);
            let size = (*second * self.second_scale).sqrt() + EPSILON;
            *x = (*x * self.decay - self.rate * *first / size).clamp(-LIMIT, LIMIT);
        }
    }
}

/// What changes from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Steps of the whole run.
    pub steps: u64,
    /// Learning rate after the warm-up and at the end.
    pub rates: [f64; 2],
    /// Share of the result in the target at the beginning and at the end.
    pub blends: [f64; 2],
}

/// The warm-up is this part of the run …
const WARM_UP_PART: u64 = 50;
/// … and not more steps than this.
const WARM_UP: u64 = 200;

impl Schedule {
    /// The learning rate of a step, from 0: up to the first in the warm-up, then half a cosine down to the last.
    pub fn rate(&self, step: u64) -> f32 {
        let [from, to] = self.rates;
        let warm_up = (self.steps / WARM_UP_PART).min(WARM_UP);
        if step < warm_up {
            return (from * (step + 1) as f64 / warm_up as f64) as f32;
        }
        (to + (from - to) * (1.0 + (PI * self.part(step)).cos()) / 2.0) as f32
    }

    /// The share of the result in the target at a step, from 0.
    pub fn blend(&self, step: u64) -> f32 {
        let [from, to] = self.blends;
        (from + (to - from) * self.part(step)) as f32
    }

    /// How much of the run is over, 0 to 1.
    fn part(&self, step: u64) -> f64 {
        step.min(self.steps) as f64 / self.steps.max(1) as f64
    }
}
