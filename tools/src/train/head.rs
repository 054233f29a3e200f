//! The head of the network: from the hidden sums of both sides forward to the output, and backward
//! to the gradient.
//!
//! The sums are clipped and squared, and the output is their weighted sum, with weights of its own
//! for each output bucket.

use std::ops::Range;

use rejoinder::eval::features::OUTPUT_BUCKETS;
use rejoinder::eval::network::Architecture;
use rejoinder::types::Rng;

/// Number of partial sums that are computed side by side.
const LANES: usize = 16;

/// The order of a head's numbers in their list: the weights `[OUTPUT_BUCKETS][inputs]`, and then the
/// biases `[OUTPUT_BUCKETS]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadShape {
    /// Number of inputs from both sides: 2 H.
    inputs: usize,
}

impl HeadShape {
    /// Creates the head of a network with this architecture.
    pub const fn of(architecture: Architecture) -> Self {
        Self {
            inputs: 2 * architecture.hidden,
        }
    }

    /// Returns the number of weights and biases.
    pub const fn numbers(self) -> usize {
        OUTPUT_BUCKETS * (self.inputs + 1)
    }

    /// Splits a list into the weights and the biases.
    pub fn parts(self, list: &[f32]) -> [&[f32]; 2] {
        list.split_at(OUTPUT_BUCKETS * self.inputs).into()
    }

    /// Returns the range of a bucket's weights in the list.
    const fn weights(self, bucket: usize) -> Range<usize> {
        bucket * self.inputs..(bucket + 1) * self.inputs
    }

    /// Returns the place of a bucket's bias in the list.
    const fn bias(self, bucket: usize) -> usize {
        OUTPUT_BUCKETS * self.inputs + bucket
    }

    /// Small random weights, which are the same for all buckets, and biases of zero.
    pub fn initial(self, rng: &mut Rng) -> Vec<f32> {
        let size = 1.0 / (self.inputs as f32).sqrt();
        let mut random = || {
            let unit = (rng.next() >> 40) as f32 / (1_u32 << 24) as f32;
            (2.0 * unit - 1.0) * size
        };
        let weights: Vec<f32> = (0..self.inputs).map(|_| random()).collect();
        let mut list = weights.repeat(OUTPUT_BUCKETS);
        list.resize(self.numbers(), 0.0);
        list
    }

    /// Returns the head of one bucket, with the weights and biases of this list. The activations of
    /// the hidden units are multiplied by `scale`, which makes up for units that dropout has left
    /// out.
    pub const fn of_bucket(self, list: &[f32], bucket: usize, scale: f32) -> BucketHead<'_> {
        BucketHead {
            shape: self,
            list,
            bucket,
            scale,
        }
    }
}

/// The head of one output bucket.
#[derive(Clone, Copy, Debug)]
pub struct BucketHead<'a> {
    shape: HeadShape,
    list: &'a [f32],
    bucket: usize,
    /// Factor of the activations.
    scale: f32,
}

impl BucketHead<'_> {
    /// Returns the output, given the sums of both sides, the side to move first.
    #[inline(always)]
    pub fn output(self, sums: &[f32]) -> f32 {
        let (weights, _) = self.list[self.shape.weights(self.bucket)].as_chunks::<LANES>();
        let (sums, _) = sums.as_chunks::<LANES>();
        let mut parts = [0.0; LANES];
        for (weights, sums) in weights.iter().zip(sums) {
            for ((part, weight), x) in parts.iter_mut().zip(weights).zip(sums) {
                let active = x.clamp(0.0, 1.0);
                *part += weight * active * active;
            }
        }
        self.list[self.shape.bias(self.bucket)] + self.scale * parts.iter().sum::<f32>()
    }

    /// Runs forward, calls `slope` with the output for the derivative of the loss, and runs
    /// backward: adds to the gradient of the head's list, and replaces the sums by the derivatives
    /// of the loss by them.
    pub fn learn(self, sums: &mut [f32], gradient: &mut [f32], slope: impl FnOnce(f32) -> f32) {
        let slope = slope(self.output(sums));
        gradient[self.shape.bias(self.bucket)] += slope;
        let slope = slope * self.scale;
        let range = self.shape.weights(self.bucket);
        let weights = &self.list[range.clone()];
        for ((x, weight), sum) in sums.iter_mut().zip(weights).zip(&mut gradient[range]) {
            let active = x.clamp(0.0, 1.0);
            *sum += slope * active * active;
            *x = slope * weight * 2.0 * inside(*x);
        }
    }
}

/// Returns the value if clipping to 0..1 does not change it, else 0.
#[inline(always)]
fn inside(x: f32) -> f32 {
    if x < 1.0 { x.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_right_with_scaled_activations() {
        const SCALE: f32 = 1.25;
        const BUCKET: usize = 3;
        let shape = HeadShape { inputs: 128 };
        let mut rng = Rng::new(8);
        let mut list = shape.initial(&mut rng);
        let mut random = || rng.below(1000) as f32 / 1000.0 - 0.2;
        let sums: Vec<f32> = (0..shape.inputs).map(|_| random()).collect();
        list[shape.bias(BUCKET)] = random();
        // Returns the output and the derivatives by the weights and by the sums.
        let pass = |list: &[f32], sums: &[f32]| {
            let (mut output, mut gradient) = (0.0, vec![0.0; shape.numbers()]);
            let mut sums = sums.to_vec();
            let slope = |x| {
                output = x;
                1.0
            };
            let head = shape.of_bucket(list, BUCKET, SCALE);
            head.learn(&mut sums, &mut gradient, slope);
            (output, gradient, sums)
        };
        let (_, gradient, by_sums) = pass(&list, &sums);
        let step = 1e-2;
        // Returns the slope of the output by the weight or sum at an index.
        let slope = |at: usize, is_sum: bool| {
            let [above, below] = [step, -step].map(|step| {
                let (mut list, mut sums) = (list.clone(), sums.clone());
                let numbers = if is_sum { &mut sums } else { &mut list };
                numbers[at] += step;
                pass(&list, &sums).0
            });
            (above - below) / (2.0 * step)
        };
        for at in shape.weights(BUCKET).step_by(7).chain([shape.bias(BUCKET)]) {
            let difference = slope(at, false) - gradient[at];
            assert!(difference.abs() < 3e-3, "{difference}");
        }
        for at in 0..shape.inputs {
            // At its ends an activation has no derivative.
            if sums[at] < -0.02 || (0.02..0.98).contains(&sums[at]) {
                let difference = slope(at, true) - by_sums[at];
                assert!(difference.abs() < 3e-3, "{difference}");
            }
        }
    }
}
