//! Rounds the weights of a layered head so that its outputs change least on positions of the training.
//!
//! Every weight goes to a multiple of the unit that the network file has for its layer. A weight alone would go to the nearest
//! one, but the inputs of a layer go up and down together, and so do the errors of its weights. So the weights of a unit are
//! rounded one after the other, and each one makes up for the errors of those before it, as well as it can on the positions that
//! were seen. The bias comes last and takes the mean of what is left.
// Source: Frantar, Ashkboos, Hoefler, Alistarh, "GPTQ: accurate post-training quantization for generative pre-trained
// transformers" (2022), done as in Babai's nearest plane algorithm.

use std::panic::resume_unwind;
use std::thread;

use rejoinder::eval::features::OUTPUT_BUCKETS;
use rejoinder::eval::network::{Head, QB, QF};

use super::head::LAYERS;
use super::model::{Parts, Pass, Shape};
use super::sample::Sample;

/// The rounding of an output bucket looks at this many positions, at most.
pub const POSITIONS: usize = 8192;

/// The part of the inputs' mean square that is added to the square of each: weights that the positions say nothing about stay
/// where they are.
const DAMPING: f64 = 0.01;

/// The unit of a layer's weights and their largest size in units, as the file has them.
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

/// The numbers that a weight may have.
#[derive(Clone, Copy, Debug)]
struct Grid {
    /// A weight is a multiple of 1 / this.
    unit: f64,
    /// The largest multiple.
    limit: f64,
}

impl Grid {
    fn nearest(self, x: f64) -> f64 {
        (x * self.unit).round().clamp(-self.limit, self.limit) / self.unit
    }
}

/// Rounds the head of a network, listed as [`Shape`] says, if it is layered. All other numbers stay as they are.
///
/// It looks at [`POSITIONS`] of the samples, at most, for each output bucket. Where there are none, weights go to the nearest
/// number of the file.
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

/// The rounded weights and the biases of each layer of an output bucket.
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
        let inputs = head.inputs(parts.head, bucket, visit.sums, visit.room);
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

/// How the inputs of a layer go together: for each two of them the sum of their products over the positions seen. The first one is
/// always 1 and stands for the bias.
struct Moments {
    /// One more than the layer has inputs.
    size: usize,
    /// The lower triangle of `[size][size]`.
    sums: Vec<f32>,
    /// `[size]`: the inputs of the position at hand.
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

    /// Takes a position into account by those of its inputs that are not 0, with their places.
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

    /// The sum of the products of two inputs.
    fn sum(&self, one: usize, other: usize) -> f64 {
        f64::from(self.sums[one.max(other) * self.size + one.min(other)])
    }

    /// Rounds weights `[inputs][outputs]`, and moves the biases `[outputs]`.
    fn round(&self, weights: &mut [f32], biases: &mut [f32], grid: Grid) {
        let (size, outputs) = (self.size, biases.len());
        // Who comes later in the order is rounded earlier, when most others can still make up for it: the largest inputs.
        let mut order: Vec<usize> = (0..size).collect();
        order[1..].sort_by(|&a, &b| self.sum(a, a).total_cmp(&self.sum(b, b)));
        let factor = self.factor(&order);
        // What the weights that are rounded already leave to the others to make up for.
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

    /// The lower triangle whose product with its own transpose these sums are, damped, with the inputs in this order.
    // Source: the Cholesky decomposition, https://en.wikipedia.org/wiki/Cholesky_decomposition
    fn factor(&self, order: &[usize]) -> Vec<f64> {
        let size = self.size;
        let mean = (1..size).map(|at| self.sum(at, at)).sum::<f64>() / (size - 1) as f64;
        // Something has to be there even where no input ever was.
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
            // The sums are rounded: what is left may be nothing.
            own[at] = (sum - squares.sum::<f64>()).max(1e-9).sqrt();
        }
        factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fixtures;
    use crate::train::quantize::quantize;
    use crate::train::trainer::Trainer;
    use rejoinder::eval::network::Architecture;
    use rejoinder::types::Rng;

    const GRID: Grid = Grid {
        unit: 16.0,
        limit: 20.0,
    };
    const INPUTS: usize = 40;
    const OUTPUTS: usize = 3;

    fn random(rng: &mut Rng) -> f32 {
        (rng.next() >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// Inputs that go up and down together, each a little on its own.
    fn inputs(rng: &mut Rng) -> [f32; INPUTS] {
        let [one, other] = [random(rng), random(rng)];
        std::array::from_fn(|at| {
            let common = if at < 25 { one } else { other };
            (0.8 * common + 0.4 * random(rng) - 0.2).max(0.0)
        })
    }

    fn outputs(weights: &[f32], biases: &[f32], inputs: &[f32]) -> [f32; OUTPUTS] {
        let of = |out: usize| {
            let terms = inputs.iter().enumerate();
            biases[out]
                + terms
                    .map(|(at, x)| x * weights[at * OUTPUTS + out])
                    .sum::<f32>()
        };
        std::array::from_fn(of)
    }

    #[test]
    fn outputs_change_less_than_with_the_nearest_numbers() {
        let mut rng = Rng::new(3);
        let mut moments = Moments::of_inputs(INPUTS);
        for _ in 0..2_000 {
            moments.add(inputs(&mut rng).into_iter().enumerate());
        }
        let exact: Vec<f32> = (0..INPUTS * OUTPUTS)
            .map(|_| random(&mut rng) - 0.5)
            .collect();
        let biases = [0.1, -0.2, 0.3];
        let nearest: Vec<f32> = exact
            .iter()
            .map(|&x| GRID.nearest(x.into()) as f32)
            .collect();
        let (mut weights, mut moved) = (exact.clone(), biases);
        moments.round(&mut weights, &mut moved, GRID);
        assert!(weights.iter().all(|x| (x * 16.0).fract() == 0.0));
        let (mut before, mut after, mut sum) = (0.0, 0.0, 0.0);
        for _ in 0..2_000 {
            // Positions that the rounding has not seen.
            let inputs = inputs(&mut rng);
            let wanted = outputs(&exact, &biases, &inputs);
            let one = outputs(&nearest, &biases, &inputs);
            let other = outputs(&weights, &moved, &inputs);
            for out in 0..OUTPUTS {
                before += (one[out] - wanted[out]).powi(2);
                after += (other[out] - wanted[out]).powi(2);
                sum += other[out] - wanted[out];
            }
        }
        assert!(after < before / 3.0, "{before} {after}");
        assert!(sum.abs() / 6_000.0 < 0.003, "{sum}");
    }

    #[test]
    fn weights_stay_on_the_grid_even_where_nothing_was_seen() {
        let mut rng = Rng::new(4);
        let mut moments = Moments::of_inputs(INPUTS);
        let loud: Vec<f32> = (0..INPUTS * OUTPUTS)
            .map(|_| 4.0 * random(&mut rng) - 2.0)
            .collect();
        let nearest: Vec<f32> = loud
            .iter()
            .map(|&x| GRID.nearest(x.into()) as f32)
            .collect();
        let (mut weights, mut biases) = (loud.clone(), [0.5; OUTPUTS]);
        moments.round(&mut weights, &mut biases, GRID);
        assert_eq!((weights, biases), (nearest, [0.5; OUTPUTS]));
        // One position, again and again: all inputs say the same.
        let inputs = inputs(&mut rng);
        for _ in 0..10 {
            moments.add(inputs.into_iter().enumerate());
        }
        let (mut weights, mut biases) = (loud.clone(), [0.5; OUTPUTS]);
        moments.round(&mut weights, &mut biases, GRID);
        let on_grid = |x: &f32| x.abs() <= 20.0 / 16.0 && (x * 16.0).fract() == 0.0;
        assert!(weights.iter().all(on_grid), "{weights:?}");
        assert!(biases.iter().all(|bias| bias.is_finite()));
    }

    #[test]
    fn a_rounded_head_says_nearly_the_same() {
        let samples = fixtures::samples(6_000, 6);
        let (seen, others) = samples.split_at(4_000);
        let shape = Shape(Architecture {
            king_buckets: 4,
            hidden: 64,
            head: Head::Layered,
        });
        let mut network = shape.initial(7);
        let mut rng = Rng::new(8);
        // Without these, all units of the layers would nearly be 0.
        for x in &mut network[shape.biases()..shape.head_start()] {
            *x = random(&mut rng);
        }
        for x in &mut network[shape.head_start()..] {
            *x += 0.3 * random(&mut rng) - 0.15;
        }
        shape.head().clip(&mut network[shape.head_start()..]);
        let outputs = |network: Vec<f32>| Trainer::new(shape, network, 1).outputs(others);
        let exact = outputs(network.clone());
        let error = |samples: &[Sample]| {
            let outputs = outputs(round_head(shape, &network, samples, 2));
            let errors = outputs.iter().zip(&exact).map(|(x, y)| (x - y).abs());
            errors.sum::<f32>() / others.len() as f32
        };
        let [nearest, rounded] = [error(&[]), error(seen)];
        assert!(nearest > 1e-4, "{nearest}");
        assert!(rounded < 0.9 * nearest, "{nearest} {rounded}");
    }

    #[test]
    fn only_a_layered_head_is_rounded() {
        let samples = fixtures::samples(500, 6);
        for head in [Head::Direct, Head::Layered] {
            let shape = Shape(Architecture {
                king_buckets: 4,
                hidden: 64,
                head,
            });
            let network = shape.initial(5);
            let [one, three] = [1, 3].map(|threads| round_head(shape, &network, &samples, threads));
            assert_eq!(one, three);
            assert_eq!(one == network, head == Head::Direct);
            let (own, features) = (shape.head_start(), &network[..shape.head_start()]);
            assert_eq!(&one[..own], features);
            // Nothing is left to round.
            let (weights, _) = quantize(shape, &one);
            let (unseen, _) = quantize(shape, &round_head(shape, &network, &[], 1));
            let (nearest, _) = quantize(shape, &network);
            assert_eq!(unseen, nearest);
            assert_eq!(weights == nearest, head == Head::Direct);
        }
    }
}
