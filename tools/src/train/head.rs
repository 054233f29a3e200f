//! The head of the network: from the hidden sums of both sides forward to the output, and backward
//! to the gradient.
//!
//! *Direct*: the sums are clipped and squared, and the output is their weighted sum, with weights
//! of its own for each output bucket.
//!
//! *Layered*: the clipped sums of a side are multiplied in pairs, each unit of the first half with
//! its partner in the second half. The products feed 16 units, of which both the clipped value and
//! the clipped square feed 32 units; these are clipped and squared and feed the output. Each output
//! bucket has layers of its own.
// Source: pairwise multiplication and the pair of activations,
// https://github.com/official-stockfish/nnue-pytorch/blob/master/docs/nnue.md

use std::ops::Range;

use rejoinder::eval::features::OUTPUT_BUCKETS;
use rejoinder::eval::network::{Architecture, FIRST, Head, QF, SECOND, SECOND_INPUTS};
use rejoinder::types::Rng;

/// Number of layers of a layered head.
pub const LAYERS: usize = 3;

/// The inputs of the layers of a layered head.
#[derive(Clone, Copy, Debug)]
pub struct LayerInputs<'a> {
    /// The nonzero products of pairs with their indices.
    pub first: &'a [(u32, f32)],
    /// The clipped squares of the first layer's units, then their clipped values.
    pub second: [f32; SECOND_INPUTS],
    /// The squares of the second layer's clipped units.
    pub last: [f32; SECOND],
}

/// The order of a head's weights in their list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadShape {
    /// Number of inputs from both sides: 2 H.
    inputs: usize,
    /// Kind of the head.
    head: Head,
}

/// A layer of one output bucket: the offsets of its weights `[inputs][outputs]` and its biases
/// `[outputs]`.
#[derive(Clone, Copy, Debug)]
struct Layer {
    inputs: usize,
    weights: usize,
    biases: usize,
}

impl HeadShape {
    /// Creates the head of a network with this architecture.
    pub const fn of(architecture: Architecture) -> Self {
        Self {
            inputs: 2 * architecture.hidden,
            head: architecture.head,
        }
    }

    /// Returns the number of inputs and outputs of each layer.
    fn sizes(self) -> Vec<[usize; 2]> {
        match self.head {
            Head::Direct => vec![[self.inputs, 1]],
            Head::Layered => vec![
                [self.inputs / 2, FIRST],
                [SECOND_INPUTS, SECOND],
                [SECOND, 1],
            ],
        }
    }

    /// Returns the number of weights and biases.
    pub const fn numbers(self) -> usize {
        let bucket = match self.head {
            Head::Direct => self.inputs + 1,
            Head::Layered => {
                (self.inputs / 2 + 1) * FIRST + (SECOND_INPUTS + 1) * SECOND + SECOND + 1
            }
        };
        OUTPUT_BUCKETS * bucket
    }

    /// Splits a list into the weights `[OUTPUT_BUCKETS][inputs][outputs]` and the biases
    /// `[OUTPUT_BUCKETS][outputs]` of each layer.
    pub fn layers<'a>(&self, mut list: &'a [f32]) -> Vec<[&'a [f32]; 2]> {
        let mut layers = Vec::new();
        for [inputs, outputs] in self.sizes() {
            let (weights, rest) = list.split_at(OUTPUT_BUCKETS * inputs * outputs);
            let (biases, rest) = rest.split_at(OUTPUT_BUCKETS * outputs);
            layers.push([weights, biases]);
            list = rest;
        }
        layers
    }

    /// Returns the offsets of a layer of one bucket.
    #[inline(always)]
    fn layer(self, number: usize, bucket: usize) -> Layer {
        let [inputs, outputs, start] = match (self.head, number) {
            (Head::Direct, _) => [self.inputs, 1, 0],
            (Head::Layered, 0) => [self.inputs / 2, FIRST, 0],
            (Head::Layered, 1) => [
                SECOND_INPUTS,
                SECOND,
                OUTPUT_BUCKETS * (self.inputs / 2 + 1) * FIRST,
            ],
            (Head::Layered, _) => {
                let before = (self.inputs / 2 + 1) * FIRST + (SECOND_INPUTS + 1) * SECOND;
                [SECOND, 1, OUTPUT_BUCKETS * before]
            }
        };
        Layer {
            inputs,
            weights: start + bucket * inputs * outputs,
            biases: start + OUTPUT_BUCKETS * inputs * outputs + bucket * outputs,
        }
    }

    /// Returns the ranges of a layer's weights `[inputs][outputs]` and biases `[outputs]` for one
    /// bucket in the head's list.
    pub fn places(self, number: usize, bucket: usize) -> [Range<usize>; 2] {
        let layer = self.layer(number, bucket);
        let outputs = self.sizes()[number][1];
        [
            layer.weights..layer.weights + layer.inputs * outputs,
            layer.biases..layer.biases + outputs,
        ]
    }

    /// Returns the inputs of the layers of a layered head, given the sums of both sides, the side
    /// to move first.
    pub fn inputs<'a>(
        self,
        list: &[f32],
        bucket: usize,
        sums: &[f32],
        buffers: &'a mut HeadBuffers,
    ) -> LayerInputs<'a> {
        self.forward(list, bucket, sums, buffers, 1.0);
        LayerInputs {
            first: &buffers.pairs[..buffers.count],
            second: buffers.second_inputs,
            last: buffers.second.map(|x| x.clamp(0.0, 1.0).powi(2)),
        }
    }

    /// Small random weights, which are the same for all buckets, and biases of zero.
    pub fn initial(self, rng: &mut Rng) -> Vec<f32> {
        let mut list = vec![0.0; self.numbers()];
        for (number, [inputs, outputs]) in self.sizes().into_iter().enumerate() {
            let size = 1.0 / (inputs as f32).sqrt();
            let mut random = || {
                let unit = (rng.next() >> 40) as f32 / (1_u32 << 24) as f32;
                (2.0 * unit - 1.0) * size
            };
            let weights: Vec<f32> = (0..inputs * outputs).map(|_| random()).collect();
            for bucket in 0..OUTPUT_BUCKETS {
                let at = self.layer(number, bucket).weights;
                list[at..at + weights.len()].copy_from_slice(&weights);
            }
        }
        list
    }

    /// Clips the weights of a layered head's first layer to the range of 8 bits.
    pub fn clip(self, list: &mut [f32]) {
        if self.head == Head::Layered {
            let limit = f32::from(i8::MAX) / QF as f32;
            for weight in &mut list[..OUTPUT_BUCKETS * self.inputs / 2 * FIRST] {
                *weight = weight.clamp(-limit, limit);
            }
        }
    }

    /// Returns the output, given the sums of both sides, the side to move first.
    pub fn output(
        self,
        list: &[f32],
        bucket: usize,
        sums: &[f32],
        buffers: &mut HeadBuffers,
    ) -> f32 {
        self.scaled_output(list, bucket, sums, buffers, 1.0)
    }

    /// Returns the output if the activations of the hidden units are multiplied by `scale`.
    #[inline(always)]
    fn scaled_output(
        self,
        list: &[f32],
        bucket: usize,
        sums: &[f32],
        buffers: &mut HeadBuffers,
        scale: f32,
    ) -> f32 {
        match self.head {
            Head::Direct => self.layer(0, bucket).squares(list, sums, scale),
            Head::Layered => {
                self.forward(list, bucket, sums, buffers, scale);
                self.layer(2, bucket).squares(list, &buffers.second, 1.0)
            }
        }
    }

    /// Runs forward, calls `slope` with the output for the derivative of the loss, and runs
    /// backward: adds to the gradient of the head's list, and replaces the sums by the derivatives
    /// of the loss by them. The activations of the hidden units are multiplied by `scale`, which
    /// makes up for units that dropout has left out.
    pub fn learn(
        self,
        list: &[f32],
        bucket: usize,
        sums: &mut [f32],
        buffers: &mut HeadBuffers,
        gradient: &mut [f32],
        scale: f32,
        slope: impl FnOnce(f32) -> f32,
    ) {
        let slope = slope(self.scaled_output(list, bucket, sums, buffers, scale));
        match self.head {
            Head::Direct => {
                (self.layer(0, bucket)).learn_squares(list, slope, scale, sums, gradient);
            }
            Head::Layered => {
                let second = &mut buffers.second;
                (self.layer(2, bucket)).learn_squares(list, slope, 1.0, second, gradient);
                let layer = self.layer(1, bucket);
                let mut by_inputs = [0.0; SECOND_INPUTS];
                for (at, by_input) in by_inputs.iter_mut().enumerate() {
                    let x = buffers.second_inputs[at];
                    *by_input = layer.learn_row(list, at, x, &buffers.second, gradient);
                }
                layer.learn_biases(&buffers.second, gradient);
                unboth(&mut buffers.first, &by_inputs);

                let layer = self.layer(0, bucket);
                let half = self.inputs / 4;
                buffers.slopes.fill(0.0);
                for &(at, x) in &buffers.pairs[..buffers.count] {
                    let at = at as usize;
                    let slope =
                        scale * scale * layer.learn_row(list, at, x, &buffers.first, gradient);
                    let one = at / half * (2 * half) + at % half;
                    let [a, b] = [sums[one], sums[one + half]];
                    // The derivative of a clipped value is zero.
                    buffers.slopes[one] = if a < 1.0 { slope * b.min(1.0) } else { 0.0 };
                    buffers.slopes[one + half] = if b < 1.0 { slope * a.min(1.0) } else { 0.0 };
                }
                layer.learn_biases(&buffers.first, gradient);
                sums.copy_from_slice(&buffers.slopes);
            }
        }
    }

    /// Computes the layers up to the second one.
    #[inline(always)]
    fn forward(
        self,
        list: &[f32],
        bucket: usize,
        sums: &[f32],
        buffers: &mut HeadBuffers,
        scale: f32,
    ) {
        buffers.count = pair_up(sums, scale, &mut buffers.pairs);
        let layer = self.layer(0, bucket);
        let mut first = layer.biases(list);
        for &(at, x) in &buffers.pairs[..buffers.count] {
            layer.add_row(list, at as usize, x, &mut first);
        }
        buffers.first = first;
        both(&buffers.first, &mut buffers.second_inputs);
        let layer = self.layer(1, bucket);
        buffers.second = layer.biases(list);
        for (at, &x) in buffers.second_inputs.iter().enumerate() {
            layer.add_row(list, at, x, &mut buffers.second);
        }
    }
}

/// The buffers of one thread for passes through a head.
#[derive(Clone, Debug)]
pub struct HeadBuffers {
    /// The nonzero products of pairs with their indices; the others matter neither forward nor
    /// backward.
    pairs: Vec<(u32, f32)>,
    /// Number of nonzero products.
    count: usize,
    slopes: Vec<f32>,
    first: [f32; FIRST],
    second_inputs: [f32; SECOND_INPUTS],
    second: [f32; SECOND],
}

impl HeadBuffers {
    /// Buffers for this head.
    pub fn new(shape: HeadShape) -> Self {
        Self {
            pairs: vec![(0, 0.0); shape.inputs / 2],
            count: 0,
            slopes: vec![0.0; shape.inputs],
            first: [0.0; FIRST],
            second_inputs: [0.0; SECOND_INPUTS],
            second: [0.0; SECOND],
        }
    }
}

/// Number of partial sums that are computed side by side.
const LANES: usize = 16;

impl Layer {
    /// Returns the biases, to which the weighted inputs are added.
    #[inline(always)]
    fn biases<const OUT: usize>(self, list: &[f32]) -> [f32; OUT] {
        *row(list, self.biases)
    }

    /// Adds a weighted input to the outputs.
    #[inline(always)]
    fn add_row<const OUT: usize>(self, list: &[f32], at: usize, x: f32, outputs: &mut [f32; OUT]) {
        let weights: &[f32; OUT] = row(list, self.weights + at * OUT);
        for (out, weight) in outputs.iter_mut().zip(weights) {
            *out += x * weight;
        }
    }

    /// Adds to the gradient of an input's weights, given the derivatives by the outputs. Returns
    /// the derivative by the input.
    #[inline(always)]
    fn learn_row<const OUT: usize>(
        self,
        list: &[f32],
        at: usize,
        x: f32,
        slopes: &[f32; OUT],
        gradient: &mut [f32],
    ) -> f32 {
        let weights: &[f32; OUT] = row(list, self.weights + at * OUT);
        let mut parts = [0.0; LANES];
        for (at, (weight, slope)) in weights.iter().zip(slopes).enumerate() {
            parts[at % LANES] += weight * slope;
        }
        let mine = &mut gradient[self.weights + at * OUT..][..OUT];
        for (sum, slope) in mine.iter_mut().zip(slopes) {
            *sum += x * slope;
        }
        parts.iter().sum()
    }

    #[inline(always)]
    fn learn_biases(self, slopes: &[f32], gradient: &mut [f32]) {
        for (sum, slope) in gradient[self.biases..].iter_mut().zip(slopes) {
            *sum += slope;
        }
    }

    /// Returns the single output of a layer whose inputs are clipped, squared and multiplied by
    /// `scale`.
    #[inline(always)]
    fn squares(self, list: &[f32], inputs: &[f32], scale: f32) -> f32 {
        let weights = &list[self.weights..][..self.inputs];
        let (weights, inputs) = (
            weights.as_chunks::<LANES>().0,
            inputs.as_chunks::<LANES>().0,
        );
        let mut sums = [0.0; LANES];
        for (weights, inputs) in weights.iter().zip(inputs) {
            for ((sum, weight), x) in sums.iter_mut().zip(weights).zip(inputs) {
                let active = x.clamp(0.0, 1.0);
                *sum += weight * active * active;
            }
        }
        list[self.biases] + scale * sums.iter().sum::<f32>()
    }

    /// Runs backward through a layer whose inputs are clipped, squared and multiplied by `scale`;
    /// the derivatives by the inputs replace them.
    #[inline(always)]
    fn learn_squares(
        self,
        list: &[f32],
        slope: f32,
        scale: f32,
        inputs: &mut [f32],
        gradient: &mut [f32],
    ) {
        gradient[self.biases] += slope;
        let slope = slope * scale;
        let weights = &list[self.weights..][..self.inputs];
        let mine = &mut gradient[self.weights..][..self.inputs];
        for ((x, weight), sum) in inputs.iter_mut().zip(weights).zip(mine) {
            let active = x.clamp(0.0, 1.0);
            *sum += slope * active * active;
            *x = slope * weight * 2.0 * inside(*x);
        }
    }
}

/// Returns the row of the list that begins at `start`.
#[inline(always)]
fn row<const N: usize>(list: &[f32], start: usize) -> &[f32; N] {
    &list[start..][..N].as_chunks().0[0]
}

/// Returns the value if clipping to 0..1 does not change it, else 0.
#[inline(always)]
fn inside(x: f32) -> f32 {
    if x < 1.0 { x.max(0.0) } else { 0.0 }
}

/// Lists the nonzero products of the clipped sums, each with its partner in the other half of its
/// side, and both multiplied by `scale`. Returns their number.
fn pair_up(sums: &[f32], scale: f32, pairs: &mut [(u32, f32)]) -> usize {
    let (size, half) = (sums.len() / 2, sums.len() / 4);
    let (mut count, mut place) = (0, 0);
    for sums in sums.chunks_exact(size) {
        let (one, other) = sums.split_at(half);
        for (one, other) in one.iter().zip(other) {
            // A branch would be unpredictable.
            pairs[count] = (place, scale * scale * one.min(1.0) * other.min(1.0));
            count += usize::from(one.min(*other) > 0.0);
            place += 1;
        }
    }
    count
}

/// Computes the clipped squares of the first layer's units, then their clipped values.
fn both(first: &[f32; FIRST], inputs: &mut [f32; SECOND_INPUTS]) {
    let (squares, values) = inputs.split_at_mut(FIRST);
    for ((square, value), &x) in squares.iter_mut().zip(values).zip(first) {
        *square = (x * x).min(1.0);
        *value = x.clamp(0.0, 1.0);
    }
}

/// Converts the derivatives by these values to derivatives by the units, which replace the units.
fn unboth(first: &mut [f32; FIRST], slopes: &[f32; SECOND_INPUTS]) {
    let (squares, values) = slopes.split_at(FIRST);
    for ((x, by_square), by_value) in first.iter_mut().zip(squares).zip(values) {
        let square = if x.abs() < 1.0 {
            2.0 * *x * by_square
        } else {
            0.0
        };
        let value = if *x > 0.0 && *x < 1.0 { *by_value } else { 0.0 };
        *x = square + value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_right_with_scaled_activations() {
        const SCALE: f32 = 1.25;
        const BUCKET: usize = 3;
        for head in [Head::Direct, Head::Layered] {
            let shape = HeadShape { inputs: 128, head };
            let mut rng = Rng::new(8);
            let mut list = shape.initial(&mut rng);
            let mut random = || rng.below(1000) as f32 / 1000.0 - 0.2;
            let sums: Vec<f32> = (0..shape.inputs).map(|_| random()).collect();
            for bias in &mut list[shape.places(0, BUCKET)[1].clone()] {
                *bias = random();
            }
            let mut buffers = HeadBuffers::new(shape);
            // Returns the output and the derivatives by the weights and by the sums.
            let mut pass = |list: &[f32], sums: &[f32]| {
                let (mut output, mut gradient) = (0.0, vec![0.0; shape.numbers()]);
                let mut sums = sums.to_vec();
                let slope = |x| {
                    output = x;
                    1.0
                };
                shape.learn(
                    list,
                    BUCKET,
                    &mut sums,
                    &mut buffers,
                    &mut gradient,
                    SCALE,
                    slope,
                );
                (output, gradient, sums)
            };
            let (_, gradient, by_sums) = pass(&list, &sums);
            let step = 1e-2;
            // Returns the slope of the output by the weight or sum at an index.
            let mut slope = |at: usize, is_sum: bool| {
                let [above, below] = [step, -step].map(|step| {
                    let (mut list, mut sums) = (list.clone(), sums.clone());
                    let numbers = if is_sum { &mut sums } else { &mut list };
                    numbers[at] += step;
                    pass(&list, &sums).0
                });
                (above - below) / (2.0 * step)
            };
            let [weights, biases] = shape.places(0, BUCKET);
            for at in weights.step_by(7).chain(biases) {
                let difference = slope(at, false) - gradient[at];
                assert!(difference.abs() < 3e-3, "{head:?}: {difference}");
            }
            for at in 0..shape.inputs {
                // At its ends an activation has no derivative.
                if sums[at] < -0.02 || (0.02..0.98).contains(&sums[at]) {
                    let difference = slope(at, true) - by_sums[at];
                    assert!(difference.abs() < 3e-3, "{head:?}: {difference}");
                }
            }
        }
    }
}
