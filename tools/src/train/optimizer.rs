//! The optimizer AdamW, and the schedule of the learning rate and the WDL blend.

use std::f64::consts::PI;
use std::thread;

use rejoinder::eval::network::{MAX_FEATURE_WEIGHT, QA};

use super::model::Gradient;

/// Decay of the mean gradient at each step.
const FIRST_DECAY: f32 = 0.9;
/// Decay of the mean squared gradient at each step.
const SECOND_DECAY: f32 = 0.999;
/// Added to the divisor of a step, which keeps the quotient finite.
const EPSILON: f32 = 1e-8;
/// The usual value of [`AdamW::weight_decay`].
pub const WEIGHT_DECAY: f64 = 0.01;
/// Maximum size of a weight: the range of quantized feature weights.
pub const LIMIT: f32 = MAX_FEATURE_WEIGHT as f32 / QA as f32;

/// The state of the optimizer: running means of the gradient and of its square.
// Source: Loshchilov, Hutter, "Decoupled weight decay regularization" (2019).
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    /// Share of the learning rate by which every weight shrinks at each step.
    pub weight_decay: f32,
    /// The part of the learning rate at which each weight learns, 0 to 1.
    pub pace: Vec<f32>,
    /// Means of the gradient.
    pub first: Vec<f32>,
    /// Means of the squared gradient.
    pub second: Vec<f32>,
}

impl AdamW {
    /// The state at the beginning, for `len` weights.
    pub fn new(len: usize) -> Self {
        Self {
            weight_decay: WEIGHT_DECAY as f32,
            pace: vec![1.0; len],
            first: vec![0.0; len],
            second: vec![0.0; len],
        }
    }

    /// Takes step number `step`, from 1, down the mean gradient of a batch. Each gradient is the
    /// sum over one thread's part of the batch and is reset to zero. There are as many threads as
    /// gradients, and each updates a part of the weights.
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
            decay: rate * self.weight_decay,
            rate: rate / (1.0 - FIRST_DECAY.powi(age)),
            second_scale: 1.0 / (1.0 - SECOND_DECAY.powi(age)),
        };
        let part = network.len().div_ceil(gradients.len());
        let mut sums: Vec<_> = gradients
            .iter_mut()
            .map(|gradient| gradient.list.chunks_mut(part))
            .collect();
        thread::scope(|scope| {
            for (((network, pace), first), second) in network
                .chunks_mut(part)
                .zip(self.pace.chunks(part))
                .zip(self.first.chunks_mut(part))
                .zip(self.second.chunks_mut(part))
            {
                let sums = sums.iter_mut().filter_map(Iterator::next).collect();
                scope.spawn(move || step.take(network, pace, first, second, sums));
            }
        });
    }
}

/// The factors of one step.
#[derive(Clone, Copy, Debug)]
struct Step {
    scale: f32,
    decay: f32,
    rate: f32,
    second_scale: f32,
}

impl Step {
    /// Takes the step for a part of the weights.
    fn take(
        self,
        network: &mut [f32],
        pace: &[f32],
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
        for ((((x, pace), first), second), sum) in network
            .iter_mut()
            .zip(pace)
            .zip(first)
            .zip(second)
            .zip(&mut **total)
        {
            let slope = *sum * self.scale;
            *sum = 0.0;
            *first += (1.0 - FIRST_DECAY) * (slope - *first);
            *second += (1.0 - SECOND_DECAY) * (slope * slope - *second);
            let size = (*second * self.second_scale).sqrt() + EPSILON;
            let descent = *x * self.decay + self.rate * *first / size;
            *x = (*x - pace * descent).clamp(-LIMIT, LIMIT);
        }
    }
}

/// The quantities that change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Number of steps of the whole run.
    pub steps: u64,
    /// Learning rates after the warm-up and at the end.
    pub rates: [f64; 2],
    /// WDL blends at the beginning and at the end: the share of the result in the target, 0 to 1.
    pub blends: [f64; 2],
}

/// The warm-up is one step in this number of steps of the run.
const WARM_UP_PART: u64 = 50;
/// Maximum number of steps of the warm-up.
const WARM_UP: u64 = 200;

impl Schedule {
    /// The learning rate of a step, from 0. It rises in the warm-up and then falls along half a
    /// cosine.
    pub fn rate(&self, step: u64) -> f32 {
        let [from, to] = self.rates;
        let warm_up = (self.steps / WARM_UP_PART).min(WARM_UP);
        if step < warm_up {
            return (from * (step + 1) as f64 / warm_up as f64) as f32;
        }
        (to + (from - to) * (1.0 + (PI * self.part(step)).cos()) / 2.0) as f32
    }

    /// The WDL blend of a step, from 0.
    pub fn blend(&self, step: u64) -> f32 {
        let [from, to] = self.blends;
        (from + (to - from) * self.part(step)) as f32
    }

    /// The finished part of the run, 0 to 1.
    fn part(&self, step: u64) -> f64 {
        step.min(self.steps) as f64 / self.steps.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::model::Shape;
    use rejoinder::eval::network::{Architecture, Head};

    const SHAPE: Shape = Shape(Architecture {
        king_buckets: 1,
        relations: 17,
        hidden: 32,
        head: Head::Direct,
    });

    #[test]
    fn steps_are_those_of_the_formula() {
        let mut gradients = vec![Gradient::new(SHAPE); 3];
        let mut adam = AdamW::new(SHAPE.numbers());
        adam.weight_decay = 0.03;
        let mut network = vec![0.5; SHAPE.numbers()];
        let (mut x, mut mean, mut square) = (0.5_f64, 0.0_f64, 0.0_f64);
        let (rate, last) = (0.01, SHAPE.numbers() - 1);
        for step in 1..=20_i32 {
            // A batch of 4, its sum spread over three threads.
            for gradient in &mut gradients {
                assert!(gradient.list.iter().all(|&x| x == 0.0));
                gradient.list[last] = step as f32;
            }
            adam.step(&mut network, &mut gradients, 4, rate as f32, step as u64);
            let slope = 3.0 * f64::from(step) / 4.0;
            mean = 0.9 * mean + 0.1 * slope;
            square = 0.999 * square + 0.001 * slope * slope;
            let size = (square / (1.0 - 0.999_f64.powi(step))).sqrt();
            x = x * (1.0 - rate * 0.03) - rate * mean / (1.0 - 0.9_f64.powi(step)) / size;
            assert!((x - f64::from(network[last])).abs() < 1e-4, "{step}");
        }
        // The others only shrink.
        let shrunk = 0.5 * (1.0 - rate * 0.03).powi(20);
        assert!((f64::from(network[0]) - shrunk).abs() < 1e-4);
    }

    #[test]
    fn weights_stay_inside_the_limit() {
        let mut gradients = vec![Gradient::new(SHAPE)];
        let mut adam = AdamW::new(SHAPE.numbers());
        let mut network = vec![0.0; SHAPE.numbers()];
        for step in 1..10 {
            gradients[0].list.fill(-1.0);
            adam.step(&mut network, &mut gradients, 1, 1.0, step);
        }
        assert!(network.iter().all(|&x| (x - LIMIT).abs() < 1e-6));
    }

    #[test]
    fn rates_and_blends_go_from_end_to_end() {
        let schedule = Schedule {
            steps: 100_000,
            rates: [0.001, 0.00001],
            blends: [0.2, 0.6],
        };
        assert!(schedule.rate(0) < 0.00001);
        assert!((schedule.rate(WARM_UP) - 0.001).abs() < 1e-6);
        assert!((schedule.rate(50_000) - 0.000505).abs() < 1e-6);
        assert!((schedule.rate(99_999) - 0.00001).abs() < 1e-7);
        assert!((schedule.blend(0) - 0.2).abs() < 1e-6);
        assert!((schedule.blend(50_000) - 0.4).abs() < 1e-6);
        let short = Schedule {
            steps: 1,
            ..schedule
        };
        assert!((short.rate(0) - 0.001).abs() < 1e-6);
    }
}
