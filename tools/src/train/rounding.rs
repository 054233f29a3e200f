//! Rounds the weights of a layered head so that its outputs change as little as possible on
//! training positions.
//!
//! Every weight becomes a multiple of the unit that the network file has for its layer. Rounding
//! each weight to the nearest multiple would be best if the inputs of a layer were independent, but
//! they are correlated, and so are the errors of the weights. Therefore the weights of a unit are
//! rounded one after the other, and each one compensates for the errors of the earlier ones as well
//! as it can on these positions. The bias comes last and compensates for the mean of the remaining
//! error.
// Source: Frantar, Ashkboos, Hoefler, Alistarh, "GPTQ: accurate post-training quantization for
// generative pre-trained transformers" (2022), done as in Babai's nearest plane algorithm.

use std::panic::resume_unwind;
use std::thread;

use rejoinder::eval::features::OUTPUT_BUCKETS;
use rejoinder::eval::network::{Head, QB, QF};

use super::head::LAYERS;
use super::model::{Parts, Pass, Shape};
use super::sample::Sample;

/// Maximum number of positions that the rounding of an output bucket considers.
pub const POSITIONS: usize = 8192;

/// The share of the inputs' mean square that is added to the square of each input, so that weights
/// of inputs that are never active stay unchanged.
const DAMPING: f64 = 0.01;

/// The grid of each layer's weights in the network file.
const GRIDS: [Grid; LAYERS] = [
    Grid {
        unit: QF as f64,
        limit: i8::MAX as f64,
    },
    Grid {
        unit: QB as f64,
        limit: i16::MAX as f64,
    },
    Grid {
        unit: QB as f64,
        limit: i16::MAX as f64,
    },
];

/// The values that a weight may have.
#[derive(Clone, Copy, Debug)]
struct Grid {
    /// A weight is a multiple of the inverse of this number.
    unit: f64,
    /// The largest multiple.
    limit: f64,
}

impl Grid {
    fn nearest(self, x: f64) -> f64 {
        (x * self.unit).round().clamp(-self.limit, self.limit) / self.unit
    }
}

/// Rounds the head of a network, whose weights are in the order of [`Shape`], if it is layered. All
/// other weights stay unchanged.
///
/// The rounding considers at most [`POSITIONS`] samples for each output bucket. Without samples,
/// weights are rounded to the nearest multiple.
pub fn round_head(shape: Shape, network: &[f32], samples: &[Sample], threads: usize) -> Vec<f32> {
    let mut rounded = network.to_vec();
    if shape.0.head == Head::Direct {
        return rounded;
    }
    let mut sums = vec![0.0; shape.features()];
    shape.add_up(network, &mut sums);
    let parts = Parts::new(shape, network, &sums);
    let round = |bucket| round_bucket(shape, &parts, bucket, samples);
    let buckets: Vec<usize> = (0..OUTPUT_BUCKETS).collect();
    let layers: Vec<_> = thread::scope(|scope| {
        let share = OUTPUT_BUCKETS.div_ceil(threads.max(1));
        let threads: Vec<_> = buckets
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(|&at| round(at)).collect::<Vec<_>>()))
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    });
    let head = &mut rounded[shape.head_start()..];
    for (bucket, layers) in layers.into_iter().enumerate() {
        for (number, numbers) in layers.into_iter().enumerate() {
            let places = shape.head().places(number, bucket);
            for (place, numbers) in places.into_iter().zip(numbers) {
                head[place].copy_from_slice(&numbers);
            }
        }
    }
    rounded
}

/// Computes the rounded weights and the adjusted biases of each layer of an output bucket.
fn round_bucket(
    shape: Shape,
    parts: &Parts<'_>,
    bucket: usize,
    samples: &[Sample],
) -> [[Vec<f32>; 2]; LAYERS] {
    let of_bucket = |sample: &&Sample| sample.bucket() == bucket;
    let samples: Vec<Sample> = samples
        .iter()
        .filter(of_bucket)
        .take(POSITIONS)
        .copied()
        .collect();
    let head = shape.head();
    let layers: [_; LAYERS] =
        std::array::from_fn(|number| head.places(number, bucket).map(|place| &parts.head[place]));
    let mut moments =
        layers.map(|[weights, biases]| Moments::of_inputs(weights.len() / biases.len()));
    Pass::new(shape).each(parts, &samples, |visit| {
        let [first, second, last] = &mut moments;
        let inputs = head.inputs(parts.head, bucket, visit.sums, visit.buffers);
        first.add(inputs.first.iter().map(|&(at, x)| (at as usize, x)));
        second.add(inputs.second.into_iter().enumerate());
        last.add(inputs.last.into_iter().enumerate());
    });
    std::array::from_fn(|number| {
        let [mut weights, mut biases] = layers[number].map(<[f32]>::to_vec);
        moments[number].round(&mut weights, &mut biases, GRIDS[number]);
        [weights, biases]
    })
}

/// The second moments of a layer's inputs: the sum of the products of any two inputs over the
/// positions. The first input is always 1 and belongs to the bias.
struct Moments {
    /// Number of inputs of the layer plus one.
    size: usize,
    /// The lower triangle of `[size][size]`.
    sums: Vec<f32>,
    /// `[size]`: the inputs of the current position.
    inputs: Vec<f32>,
}

impl Moments {
    fn of_inputs(inputs: usize) -> Self {
        let size = inputs + 1;
        Self {
            size,
            sums: vec![0.0; size * size],
            inputs: vec![0.0; size],
        }
    }

    /// Adds a position, given its nonzero inputs with their indices.
    fn add(&mut self, inputs: impl Iterator<Item = (usize, f32)>) {
        self.inputs.fill(0.0);
        self.inputs[0] = 1.0;
        for (at, x) in inputs {
            self.inputs[at + 1] = x;
        }
        let rows = self.sums.chunks_exact_mut(self.size);
        for ((at, &x), row) in self.inputs.iter().enumerate().zip(rows) {
            if x != 0.0 {
                for (sum, other) in row[..=at].iter_mut().zip(&self.inputs) {
                    *sum += x * other;
                }
            }
        }
    }

    /// Returns the sum of the products of two inputs.
    fn sum(&self, one: usize, other: usize) -> f64 {
        f64::from(self.sums[one.max(other) * self.size + one.min(other)])
    }

    /// Rounds the weights `[inputs][outputs]` and adjusts the biases `[outputs]`.
    fn round(&self, weights: &mut [f32], biases: &mut [f32], grid: Grid) {
        let (size, outputs) = (self.size, biases.len());
        // Weights are rounded from the end of the order. The largest inputs come last, so that most
        // other weights can still compensate for their errors.
        let mut order: Vec<usize> = (0..size).collect();
        order[1..].sort_by(|&a, &b| self.sum(a, a).total_cmp(&self.sum(b, b)));
        let factor = self.factor(&order);
        // The errors of the rounded weights, for which the remaining ones compensate.
        let mut debts = vec![0.0; size * outputs];
        for at in (1..size).rev() {
            let row = &factor[at * size..][..=at];
            let (debts, own) = debts.split_at_mut(at * outputs);
            let weights = &mut weights[(order[at] - 1) * outputs..][..outputs];
            for (weight, error) in weights.iter_mut().zip(&mut *own) {
                let exact = f64::from(*weight);
                let rounded = grid.nearest(exact + *error / row[at]);
                *error = exact - rounded;
                *weight = rounded as f32;
            }
            for (debts, part) in debts.chunks_exact_mut(outputs).zip(row) {
                for (debt, error) in debts.iter_mut().zip(&*own) {
                    *debt += part * error;
                }
            }
        }
        for (bias, debt) in biases.iter_mut().zip(debts) {
            *bias += (debt / factor[0]) as f32;
        }
    }

    /// The Cholesky factor (lower triangle) of the damped sums, with the inputs in this order.
    // Source: the Cholesky decomposition, https://en.wikipedia.org/wiki/Cholesky_decomposition
    fn factor(&self, order: &[usize]) -> Vec<f64> {
        let size = self.size;
        let mean = (1..size).map(|at| self.sum(at, at)).sum::<f64>() / (size - 1) as f64;
        // The matrix must stay positive definite even if an input is never active.
        let damping = DAMPING * mean + 1e-6;
        let mut factor = vec![0.0; size * size];
        for at in 0..size {
            let (above, own) = factor.split_at_mut(at * size);
            for (column, row) in above.chunks_exact(size).enumerate() {
                let products = own[..column].iter().zip(row).map(|(x, y)| x * y);
                let sum = self.sum(order[at], order[column]);
                own[column] = (sum - products.sum::<f64>()) / row[column];
            }
            let squares = own[..at].iter().map(|x| x * x);
            let sum = self.sum(order[at], order[at]) + damping;
            // Rounding errors of the sums may make the remainder negative.
            own[at] = (sum - squares.sum::<f64>()).max(1e-9).sqrt();
        }
        factor
    }
}

#[cfg(test)]
mod tests;
