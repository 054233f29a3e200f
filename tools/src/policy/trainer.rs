//! Trains a small network to prefer the best move: softmax over the scores of a position's moves,
//! cross-entropy loss and Adam.

use std::fmt;

use crate::progress::Progress;
use crate::train::optimizer::Schedule;
use rejoinder::ordering::small_net::{CLIP, ONE, Shape, SmallNet};
use rejoinder::types::Rng;

use super::dataset::{PolicyDataset, PolicySample};

/// Number of positions in a batch.
const BATCH: usize = 1024;
/// Learning rate at the end.
const FINAL_RATE: f64 = 0.00002;
/// Maximum size of a weight, so that rounding does not cut it and no output exceeds 32 bits.
const LIMIT: f32 = 8.0;
/// Number of partial sums that are computed side by side; it divides every width.
const LANES: usize = 16;

/// The network in training; its weights are in the order of the network file.
#[derive(Clone, Debug)]
struct Model<const H: usize> {
    shape: Shape,
    list: Vec<f32>,
}

impl<const H: usize> Model<H> {
    /// Small random weights, biases of 0.
    fn new(shape: Shape, rng: &mut Rng) -> Self {
        let mut list = vec![0.0; shape.numbers(H)];
        let size = 1.0 / (H as f64).sqrt();
        let weights = (0..shape.inputs).chain(shape.inputs + 1..=shape.inputs + shape.outputs);
        for row in weights {
            list[row * H..][..H].fill_with(|| ((2.0 * rng.unit() - 1.0) * size) as f32);
        }
        Self { shape, list }
    }

    /// The weights and biases of a network.
    fn of(network: &SmallNet<H>, shape: Shape) -> Self {
        let numbers = network.numbers();
        let list = numbers.map(|x| f32::from(x) / ONE as f32).collect();
        Self { shape, list }
    }

    /// Index of an output's row.
    const fn row(&self, output: u16) -> usize {
        self.shape.inputs + 1 + output as usize
    }

    /// Index of an output's bias.
    const fn bias(&self, output: u16) -> usize {
        (self.shape.inputs + 1 + self.shape.outputs) * H + output as usize
    }

    /// Returns the rows of weights, without the biases of the outputs.
    fn rows(&self) -> &[[f32; H]] {
        self.list.as_chunks().0
    }

    fn hidden(&self, inputs: &[u16]) -> [f32; H] {
        let rows = self.rows();
        let mut sums = rows[self.shape.inputs];
        for &input in inputs {
            for (sum, weight) in sums.iter_mut().zip(&rows[usize::from(input)]) {
                *sum += weight;
            }
        }
        sums.map(|sum| sum.clamp(0.0, CLIP as f32))
    }

    fn output(&self, hidden: &[f32; H], output: u16) -> f32 {
        // The compiler cannot reorder a single sum, but it can vectorize several partial sums.
        let mut sums = [0.0; LANES];
        let weights = self.rows()[self.row(output)].as_chunks::<LANES>().0;
        for (hidden, weights) in hidden.as_chunks::<LANES>().0.iter().zip(weights) {
            for ((sum, x), weight) in sums.iter_mut().zip(hidden).zip(weights) {
                *sum += x * weight;
            }
        }
        sums.iter().sum::<f32>() + self.list[self.bias(output)]
    }

    fn quantized(&self) -> SmallNet<H> {
        let round = |&x: &f32| (x * ONE as f32).round() as i16;
        SmallNet::from_numbers(self.list.iter().map(round), self.shape)
    }
}

/// The gradient of a batch, and buffers for its computation.
#[derive(Clone, Debug)]
struct Gradient {
    list: Vec<f32>,
    /// Sum of the losses.
    loss: f64,
    /// Outputs of the current position by index, as far as they have been computed.
    outputs: Vec<Option<f32>>,
    /// Derivatives of the loss by these outputs.
    slopes: Vec<f32>,
    /// Indices of the outputs that the moves of the current position need.
    needed: Vec<u16>,
    /// Scores of the moves.
    scores: Vec<f32>,
}

impl Gradient {
    fn new<const H: usize>(shape: Shape) -> Self {
        Self {
            list: vec![0.0; shape.numbers(H)],
            loss: 0.0,
            outputs: vec![None; shape.outputs],
            slopes: vec![0.0; shape.outputs],
            needed: Vec::new(),
            scores: Vec::new(),
        }
    }

    /// Adds the gradient of one position.
    fn add<const H: usize>(&mut self, model: &Model<H>, sample: &PolicySample) {
        let hidden = model.hidden(sample.inputs);
        self.scores.clear();
        for outputs in sample.moves() {
            let mut score = 0.0;
            for &output in outputs {
                let known = &mut self.outputs[usize::from(output)];
                score += *known.get_or_insert_with(|| {
                    self.needed.push(output);
                    model.output(&hidden, output)
                });
            }
            self.scores.push(score);
        }
        let highest = self.scores.iter().copied().fold(f32::MIN, f32::max);
        let best = self.scores[sample.best];
        for score in &mut self.scores {
            *score = (*score - highest).exp();
        }
        let total: f32 = self.scores.iter().sum();
        self.loss += f64::from(total.ln() + highest - best);

        for (at, (outputs, score)) in sample.moves().zip(&self.scores).enumerate() {
            let slope = score / total - if at == sample.best { 1.0 } else { 0.0 };
            for &output in outputs {
                self.slopes[usize::from(output)] += slope;
                self.list[model.bias(output)] += slope;
            }
        }
        let rows = self.list.as_chunks_mut::<H>().0;
        let mut back = [0.0; H];
        for output in self.needed.drain(..) {
            self.outputs[usize::from(output)] = None;
            let slope = std::mem::take(&mut self.slopes[usize::from(output)]);
            let row = model.row(output);
            let (sums, weights) = (&mut rows[row], &model.rows()[row]);
            for (((sum, weight), x), back) in
                sums.iter_mut().zip(weights).zip(hidden).zip(&mut back)
            {
                *sum += slope * x;
                *back += slope * weight;
            }
        }
        for (back, x) in back.iter_mut().zip(hidden) {
            if x <= 0.0 || x >= CLIP as f32 {
                *back = 0.0;
            }
        }
        for &input in sample.inputs.iter().chain([&(model.shape.inputs as u16)]) {
            for (sum, back) in rows[usize::from(input)].iter_mut().zip(back) {
                *sum += back;
            }
        }
    }
}

/// Running means of the gradient and of its square.
// Source: Kingma, Ba, "Adam: a method for stochastic optimization" (2015).
#[derive(Clone, Debug)]
struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    steps: i32,
}

impl Adam {
    const DECAYS: [f32; 2] = [0.9, 0.999];

    /// Takes a step down the mean gradient of a batch and resets the gradient to zero.
    fn step(&mut self, list: &mut [f32], gradient: &mut Gradient, batch: usize, rate: f32) {
        self.steps += 1;
        let [first, second] = Self::DECAYS.map(|decay| 1.0 / (1.0 - decay.powi(self.steps)));
        let (scale, rate) = (1.0 / batch as f32, rate * first);
        let means = self.means.iter_mut().zip(&mut self.squares);
        for ((x, sum), (mean, square)) in list.iter_mut().zip(&mut gradient.list).zip(means) {
            let slope = std::mem::take(sum) * scale;
            *mean += (1.0 - Self::DECAYS[0]) * (slope - *mean);
            *square += (1.0 - Self::DECAYS[1]) * (slope * slope - *square);
            let size = (*square * second).sqrt() + 1e-8;
            *x = (*x - rate * *mean / size).clamp(-LIMIT, LIMIT);
        }
    }
}

/// The course of a training.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Number of times that each position is seen.
    pub epochs: u64,
    /// Learning rate after the warm-up.
    pub rate: f64,
    /// Seed of the first weights and of the order of the positions.
    pub seed: u64,
}

/// Trains a network on the dataset, with the positions in another order in each epoch: the given
/// network, or else a new one.
pub fn learn<const H: usize>(
    shape: Shape,
    from: Option<&SmallNet<H>>,
    dataset: &PolicyDataset,
    settings: Settings,
) -> SmallNet<H> {
    let mut rng = Rng::new(settings.seed);
    let mut model = match from {
        Some(network) => Model::of(network, shape),
        None => Model::new(shape, &mut rng),
    };
    let mut gradient = Gradient::new::<H>(shape);
    let mut adam = Adam {
        means: vec![0.0; shape.numbers(H)],
        squares: vec![0.0; shape.numbers(H)],
        steps: 0,
    };
    let mut order: Vec<u32> = (0..dataset.len() as u32).collect();
    let steps = dataset.len().div_ceil(BATCH) as u64;
    let schedule = Schedule {
        steps: steps * settings.epochs,
        rates: [settings.rate, FINAL_RATE],
        lambdas: [0.0; 2],
    };
    let progress = Progress::new(schedule.steps, "steps");
    let mut step = 0;
    for epoch in 1..=settings.epochs {
        rng.shuffle(&mut order);
        gradient.loss = 0.0;
        let mut seen = 0;
        for batch in order.chunks(BATCH) {
            for &at in batch {
                gradient.add(&model, &dataset.get(at as usize));
            }
            seen += batch.len();
            let rate = schedule.rate(step);
            adam.step(&mut model.list, &mut gradient, batch.len(), rate);
            step += 1;
            let loss = gradient.loss / seen as f64;
            progress.update(step, format_args!("epoch {epoch}, loss {loss:.4}"));
        }
        let loss = gradient.loss / seen.max(1) as f64;
        progress.say(format_args!("epoch {epoch}: training loss {loss:.4}"));
    }
    progress.finish();
    model.quantized()
}

/// Accuracy of an order of the quiet moves: the ranks that it gives to the best moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accuracy {
    positions: u64,
    /// Number of positions whose best move came first.
    first: u64,
    /// Number of positions whose best move was among the first three.
    first_three: u64,
    /// Sum of the ranks of the best moves, from 1.
    ranks: u64,
}

impl Accuracy {
    /// Returns the accuracy of the order in which the moves were generated.
    pub fn generated(dataset: &PolicyDataset) -> Self {
        Self::of(dataset, |sample| vec![0; sample.moves().count()])
    }

    /// Returns the accuracy of a network's order.
    pub fn network<const H: usize>(network: &SmallNet<H>, dataset: &PolicyDataset) -> Self {
        Self::of(dataset, |sample| {
            let hidden = network.hidden(sample.inputs);
            let score = |outputs: &[u16]| -> i32 {
                let each = outputs.iter();
                each.map(|&output| network.output(&hidden, usize::from(output)))
                    .sum()
            };
            sample.moves().map(score).collect()
        })
    }

    /// Returns the accuracy of an order by scores; moves with equal scores stay in the order of
    /// generation.
    fn of(dataset: &PolicyDataset, scores: impl Fn(&PolicySample) -> Vec<i32>) -> Self {
        let mut accuracy = Self::default();
        for sample in (0..dataset.len()).map(|at| dataset.get(at)) {
            let scores = scores(&sample);
            let best = scores[sample.best];
            let before = scores[..sample.best].iter().filter(|&&score| score >= best);
            let behind = scores[sample.best..].iter().filter(|&&score| score > best);
            let rank = 1 + before.count() + behind.count();
            accuracy.positions += 1;
            accuracy.first += u64::from(rank == 1);
            accuracy.first_three += u64::from(rank <= 3);
            accuracy.ranks += rank as u64;
        }
        accuracy
    }
}

impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let share = |part| part as f64 / self.positions.max(1) as f64;
        write!(
            f,
            "first {:.2} %, first three {:.2} %, mean rank {:.2}",
            100.0 * share(self.first),
            100.0 * share(self.first_three),
            share(self.ranks),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        inputs: 12,
        outputs: 9,
    };

    /// Random positions in which the best move is the one whose first output has the number of the
    /// first input.
    fn fixtures(count: usize, seed: u64) -> PolicyDataset {
        let mut rng = Rng::new(seed);
        let mut dataset = PolicyDataset::default();
        for _ in 0..count {
            let right = rng.below(4) as u16;
            let noise = [4, 8].map(|from| from + rng.below(4) as u16);
            let mut moves = [0, 1, 2, 3];
            rng.shuffle(&mut moves);
            let best = moves
                .iter()
                .position(|&mv| mv == right)
                .expect("the best move");
            let more = [4 + rng.below(2) as u16, 6 + rng.below(3) as u16];
            let moves = moves.map(|mv| [mv, more[usize::from(mv % 2)]]);
            dataset.push([right, noise[0], noise[1]], moves, best);
        }
        dataset
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let mut model = Model::<32>::new(SHAPE, &mut Rng::new(1));
        let dataset = fixtures(20, 2);
        let losses = |model: &Model<32>| {
            let mut gradient = Gradient::new::<32>(SHAPE);
            for at in 0..dataset.len() {
                gradient.add(model, &dataset.get(at));
            }
            gradient
        };
        let gradient = losses(&model);
        let step = 2e-3;
        let mut checked = 0;
        for at in (0..SHAPE.numbers(32)).step_by(7) {
            let middle = model.list[at];
            let [up, down] = [step, -step].map(|step| {
                model.list[at] = middle + step;
                losses(&model).loss
            });
            model.list[at] = middle;
            let slope = (up - down) / f64::from(2.0 * step);
            let error = (slope - f64::from(gradient.list[at])).abs();
            assert!(
                error < 0.05 * slope.abs() + 0.02,
                "{at}: {slope}, off by {error}"
            );
            checked += usize::from(slope.abs() > 0.1);
        }
        assert!(checked > 20, "{checked}");
    }

    fn settings(epochs: u64, seed: u64) -> Settings {
        let rate = 0.003;
        Settings { epochs, rate, seed }
    }

    #[test]
    fn a_plain_rule_is_learned() {
        let (dataset, others) = (fixtures(20_000, 3), fixtures(1000, 4));
        let settings = settings(3, 5);
        let network = learn::<32>(SHAPE, None, &dataset, settings);
        let trained = Accuracy::network(&network, &others);
        let before = Accuracy::generated(&others);
        assert!(trained.first > 990, "{trained}");
        assert!((150..350).contains(&before.first), "{before}");
        assert_eq!(network, learn(SHAPE, None, &dataset, settings));
    }

    #[test]
    fn a_network_is_trained_further() {
        let (dataset, others) = (fixtures(3000, 6), fixtures(1000, 7));
        let before = learn::<32>(SHAPE, None, &dataset, settings(1, 8));
        assert_eq!(
            learn(SHAPE, Some(&before), &dataset, settings(0, 8)),
            before
        );
        let after = learn(SHAPE, Some(&before), &dataset, settings(3, 8));
        let [before, after] = [before, after].map(|network| Accuracy::network(&network, &others));
        assert!(after.first > before.first + 100, "{before}; {after}");
    }
}
