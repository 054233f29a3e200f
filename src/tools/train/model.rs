//! The network while it learns: forward, and backward to the gradient, in 32-bit floats.
//!
//! All numbers are one list. The feature weights come first and lie in tiles: [`TILE`] columns of all rows, `[H / TILE][INPUTS]
//! [TILE]`. Some hundred positions take their turn with a tile before the next one, so that its rows are found in the second
//! cache whatever H is, and sums are made in registers. The feature biases `[H]` follow, the output weights
//! `[BUCKETS][2][H]` and the output biases.

use crate::eval::features::{BUCKETS, INPUTS};
use crate::types::Rng;

use super::sample::{Inputs, Sample};

/// Columns of a tile.
const TILE: usize = 32;

/// Positions that take their turn with a tile together.
const BLOCK: usize = 512;

/// Sums that run side by side: one vector register.
const LANES: usize = 16;

/// Where the numbers of a network of this size are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// H, a multiple of 32.
    pub hidden: usize,
}

impl Shape {
    /// How many numbers there are.
    pub const fn numbers(self) -> usize {
        (INPUTS + 1 + 2 * BUCKETS) * self.hidden + BUCKETS
    }

    /// Where the weight from an input to a hidden unit is.
    pub const fn feature(self, input: usize, unit: usize) -> usize {
        ((unit / TILE) * INPUTS + input) * TILE + unit % TILE
    }

    /// The list by its parts.
    pub fn parts(self, list: &[f32]) -> Parts<'_> {
        let (features, rest) = list.split_at(INPUTS * self.hidden);
        let (feature_biases, rest) = rest.split_at(self.hidden);
        let (output_weights, output_biases) = rest.split_at(2 * BUCKETS * self.hidden);
        Parts {
            features,
            feature_biases,
            output_weights,
            output_biases,
        }
    }

    /// Small random weights, and biases of zero.
    pub fn initial(self, seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed);
        let mut uniform = |fan_in: f32| {
            let unit = (rng.next() >> 40) as f32 / (1_u32 << 24) as f32;
            (2.0 * unit - 1.0) / fan_in.sqrt()
        };
        let mut list = vec![0.0; self.numbers()];
        let (features, rest) = list.split_at_mut(INPUTS * self.hidden);
        // A side sees all men, about this many of them.
        features.fill_with(|| uniform(20.0));
        let output_weights = &mut rest[self.hidden..][..2 * BUCKETS * self.hidden];
        output_weights.fill_with(|| uniform((2 * self.hidden) as f32));
        list
    }
}

/// A list of numbers by its parts.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// In tiles; see [`Shape::feature`].
    pub features: &'a [f32],
    /// `[H]`
    pub feature_biases: &'a [f32],
    /// `[BUCKETS][2][H]`, the side to move first.
    pub output_weights: &'a [f32],
    /// `[BUCKETS]`
    pub output_biases: &'a [f32],
}

/// What the network is to say of a position: a share of the result, and for the rest what the search said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The share of the result, 0 to 1.
    pub blend: f32,
    /// Centipawns of an output of 1.
    pub score_scale: f32,
}

impl Target {
    /// Expected points of the side to move, 0 to 1.
    pub fn of(&self, sample: &Sample) -> f32 {
        let score = sigmoid(f32::from(sample.score) / self.score_scale);
        let result = f32::from(sample.result) / 2.0;
        self.blend * result + (1.0 - self.blend) * score
    }
}

/// From an output to points.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// One thread's sums over its part of a batch, and its room to work in.
#[derive(Clone, Debug)]
pub struct Gradient {
    shape: Shape,
    /// Derivatives of the sum of squared errors, listed as the network's numbers are.
    pub list: Vec<f32>,
    /// The sum of squared errors.
    pub loss: f64,
    inputs: Vec<Inputs>,
    /// `[BLOCK][2][H]`, before the activation.
    hidden: Vec<f32>,
}

impl Gradient {
    /// Nothing so far.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            list: vec![0.0; shape.numbers()],
            loss: 0.0,
            inputs: Vec::with_capacity(BLOCK),
            hidden: vec![0.0; BLOCK * 2 * shape.hidden],
        }
    }

    /// Bytes that it works in, beside the list.
    pub const fn room(shape: Shape) -> usize {
        BLOCK * (2 * shape.hidden * size_of::<f32>() + size_of::<Inputs>())
    }

    /// Adds what these samples say about the network.
    pub fn add(&mut self, network: &[f32], samples: &[Sample], target: Target) {
        for block in samples.chunks(BLOCK) {
            self.learn(network, block, target);
        }
    }

    /// Writes the network's outputs for these samples, one for each.
    pub fn outputs(&mut self, network: &[f32], samples: &[Sample], outputs: &mut [f32]) {
        let parts = self.shape.parts(network);
        for (block, outputs) in samples.chunks(BLOCK).zip(outputs.chunks_mut(BLOCK)) {
            self.see(block);
            self.forward(&parts);
            let hidden = self.hidden.chunks_exact(2 * self.shape.hidden);
            for ((inputs, hidden), out) in self.inputs.iter().zip(hidden).zip(outputs) {
                *out = output(&parts, inputs.bucket, hidden);
            }
        }
    }

    fn see(&mut self, block: &[Sample]) {
        self.inputs.clear();
        self.inputs.extend(block.iter().map(Sample::inputs));
    }

    fn learn(&mut self, network: &[f32], block: &[Sample], target: Target) {
        let parts = self.shape.parts(network);
        self.see(block);
        self.forward(&parts);
        let mut slopes = [0.0; BLOCK];
        let (_, output_biases) = self.list.split_at_mut(self.shape.numbers() - BUCKETS);
        let hidden = self.hidden.chunks_exact(2 * self.shape.hidden);
        for (((sample, inputs), hidden), slope) in
            block.iter().zip(&self.inputs).zip(hidden).zip(&mut slopes)
        {
            let points = sigmoid(output(&parts, inputs.bucket, hidden));
            let error = points - target.of(sample);
            self.loss += f64::from(error * error);
            *slope = 2.0 * error * points * (1.0 - points);
            output_biases[inputs.bucket] += *slope;
        }
        self.backward(&parts, &slopes);
    }

    /// Fills `hidden` for the block.
    fn forward(&mut self, parts: &Parts<'_>) {
        let size = self.shape.hidden;
        let (rows, _) = parts.features.as_chunks::<TILE>();
        let (biases, _) = parts.feature_biases.as_chunks::<TILE>();
        for (tile, (rows, bias)) in rows.chunks_exact(INPUTS).zip(biases).enumerate() {
            let hidden = self.hidden.chunks_exact_mut(2 * size);
            for (inputs, hidden) in self.inputs.iter().zip(hidden) {
                for (side, half) in hidden.chunks_exact_mut(size).enumerate() {
                    let mut sum = *bias;
                    for &input in inputs.side(side) {
                        add(&mut sum, &rows[usize::from(input)]);
                    }
                    half.as_chunks_mut::<TILE>().0[tile] = sum;
                }
            }
        }
    }

    /// Adds to the lists what the slopes of the block's outputs come to, all but the output biases.
    fn backward(&mut self, parts: &Parts<'_>, slopes: &[f32; BLOCK]) {
        let size = self.shape.hidden;
        let (features, rest) = self.list.split_at_mut(INPUTS * size);
        let (biases, output_weights) = rest.split_at_mut(size);
        let (rows, _) = features.as_chunks_mut::<TILE>();
        let (biases, _) = biases.as_chunks_mut::<TILE>();
        let (weights, _) = parts.output_weights.as_chunks::<TILE>();
        let (weight_slopes, _) = output_weights.as_chunks_mut::<TILE>();
        let tiles = size / TILE;
        for (tile, (rows, bias)) in rows.chunks_exact_mut(INPUTS).zip(biases).enumerate() {
            let hidden = self.hidden.chunks_exact(2 * size);
            for ((inputs, hidden), &slope) in self.inputs.iter().zip(hidden).zip(slopes) {
                for (side, half) in hidden.chunks_exact(size).enumerate() {
                    let at = (inputs.bucket * 2 + side) * tiles + tile;
                    let half = &half.as_chunks::<TILE>().0[tile];
                    let step = through(half, &weights[at], slope, &mut weight_slopes[at]);
                    add(bias, &step);
                    for &input in inputs.side(side) {
                        add(&mut rows[usize::from(input)], &step);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn add<const N: usize>(sum: &mut [f32; N], row: &[f32; N]) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += value;
    }
}

/// The output of a bucket from the hidden layer before its activation.
fn output(parts: &Parts<'_>, bucket: usize, hidden: &[f32]) -> f32 {
    let weights = &parts.output_weights[bucket * hidden.len()..][..hidden.len()];
    let (weights, _) = weights.as_chunks::<LANES>();
    let (hidden, _) = hidden.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (hidden, weights) in hidden.iter().zip(weights) {
        for ((sum, &x), &weight) in sums.iter_mut().zip(hidden).zip(weights) {
            let active = x.clamp(0.0, 1.0);
            *sum += active * active * weight;
        }
    }
    parts.output_biases[bucket] + sums.iter().sum::<f32>()
}

/// Back through the activation: what the output's slope comes to before it, and for the output weights.
#[inline(always)]
fn through<const N: usize>(
    hidden: &[f32; N],
    weights: &[f32; N],
    slope: f32,
    weight_slopes: &mut [f32; N],
) -> [f32; N] {
    let mut steps = [0.0; N];
    for i in 0..N {
        let active = hidden[i].clamp(0.0, 1.0);
        weight_slopes[i] += slope * active * active;
        // Outside this range the activation is flat.
        let inside = if hidden[i] < 1.0 { active } else { 0.0 };
        steps[i] = slope * weights[i] * 2.0 * inside;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::tools::train::made_up;

    const SHAPE: Shape = Shape { hidden: 64 };
    const TARGET: Target = Target {
        blend: 0.3,
        score_scale: 300.0,
    };

    /// The sum of squared errors in 64 bits, written down as plainly as it can be.
    fn loss(network: &[f64], samples: &[Sample]) -> f64 {
        let size = SHAPE.hidden;
        let biases = &network[INPUTS * size..];
        let weights = &biases[size..];
        let output_biases = &weights[2 * BUCKETS * size..];
        let error = |sample: &Sample| {
            let inputs = sample.inputs();
            let mut output = output_biases[inputs.bucket];
            for side in 0..2 {
                for unit in 0..size {
                    let row = |&input: &u16| network[SHAPE.feature(usize::from(input), unit)];
                    let sum = biases[unit] + inputs.side(side).iter().map(row).sum::<f64>();
                    let weight = weights[(inputs.bucket * 2 + side) * size + unit];
                    output += sum.clamp(0.0, 1.0).powi(2) * weight;
                }
            }
            (1.0 / (1.0 + (-output).exp()) - f64::from(TARGET.of(sample))).powi(2)
        };
        samples.iter().map(error).sum()
    }

    /// Weights large enough that both ends of the activation occur.
    fn network() -> Vec<f32> {
        let mut network = SHAPE.initial(3);
        let mut rng = Rng::new(4);
        let biases = SHAPE.numbers() - BUCKETS;
        for x in &mut network[INPUTS * SHAPE.hidden..][..SHAPE.hidden] {
            *x = rng.below(100) as f32 / 100.0;
        }
        for x in &mut network[biases..] {
            *x = rng.below(100) as f32 / 100.0 - 0.5;
        }
        network
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let network = network();
        // More than one block of them.
        let samples = made_up::samples(BLOCK + 40, 1);
        let mut gradient = Gradient::new(SHAPE);
        gradient.add(&network, &samples, TARGET);
        let exact: Vec<f64> = network.iter().copied().map(f64::from).collect();
        let expected = loss(&exact, &samples);
        assert!((gradient.loss / expected - 1.0).abs() < 1e-4);

        // Some of each part: features that occur, biases, output weights.
        let mut rng = Rng::new(5);
        let mut places: Vec<usize> = (INPUTS * SHAPE.hidden..SHAPE.numbers()).collect();
        rng.shuffle(&mut places);
        places.truncate(40);
        places.extend(SHAPE.numbers() - BUCKETS..SHAPE.numbers());
        for _ in 0..60 {
            let inputs = samples[rng.below(samples.len())].inputs();
            let half = inputs.side(rng.below(2));
            let input = usize::from(rng.choose(half).expect("a man"));
            places.push(SHAPE.feature(input, rng.below(SHAPE.hidden)));
        }
        let mut flat = 0;
        for &at in &places {
            let step = 1e-5;
            let at_offset = |offset: f64| {
                let mut moved = exact.clone();
                moved[at] += offset;
                loss(&moved, &samples)
            };
            let slope = (at_offset(step) - at_offset(-step)) / (2.0 * step);
            let found = f64::from(gradient.list[at]);
            let error = (slope - found).abs();
            assert!(error < 1e-4 + 2e-3 * slope.abs(), "{at}: {slope} {found}");
            flat += usize::from(slope == 0.0);
        }
        assert!(flat < places.len() / 2, "{flat}");
    }

    #[test]
    fn outputs_and_losses_agree() {
        let network = network();
        let samples = made_up::samples(BLOCK + 7, 2);
        let mut outputs = vec![0.0; samples.len()];
        let mut gradient = Gradient::new(SHAPE);
        gradient.outputs(&network, &samples, &mut outputs);
        let error = |(output, sample)| f64::from(sigmoid(output) - TARGET.of(sample)).powi(2);
        let sum: f64 = outputs.into_iter().zip(&samples).map(error).sum();
        gradient.add(&network, &samples, TARGET);
        assert!((sum - gradient.loss).abs() < 1e-6);
    }

    #[test]
    fn targets_blend_score_and_result() {
        let of = |score, result, blend| {
            let target = Target {
                blend,
                score_scale: 300.0,
            };
            target.of(&Sample::new(&Board::startpos(), score, result))
        };
        assert!((of(0, 0, 0.25) - 0.375).abs() < 1e-6);
        assert!((of(300, 0, 0.0) - 0.731).abs() < 1e-3);
        assert!((of(300, 1, 1.0) - 0.5).abs() < 1e-6);
    }
}
