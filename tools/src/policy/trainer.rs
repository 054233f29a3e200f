//! Teaches a small network to prefer the best move: softmax over the scores of a position's moves, cross-entropy, Adam.

use std::fmt;

use crate::progress::Progress;
use crate::train::optimizer::Schedule;
use rejoinder::ordering::small_net::{CLIP, ONE, Shape, SmallNet};
use rejoinder::types::Rng;

use super::lessons::{Lesson, Lessons};

/// Positions of a step.
const BATCH: usize = 1024;
/// Learning rate after the warm-up, and at the end.
const RATES: [f64; 2] = [0.003, 0.00002];
/// The largest size of a number: rounding keeps it, and no output leaves 32 bits.
const LIMIT: f32 = 8.0;
/// Sums side by side; divides every width.
const LANES: usize = 16;

/// The network in training: its numbers as they are listed in the file.
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

    /// Number of an output's row.
    const fn row(&self, output: u16) -> usize {
        self.shape.inputs + 1 + output as usize
    }

    /// Where an output's bias is.
    const fn bias(&self, output: u16) -> usize {
        (self.shape.inputs + 1 + self.shape.outputs) * H + output as usize
    }

    /// The rows in their order; the biases of the outputs are not among them.
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
        // Several sums side by side: of one the compiler would have to keep the order.
        let mut sums = [0.0; LANES];
        let weights = self.rows()[self.row(output)].as_chunks::<LANES>().0;
        for (hidden, weights) in hidden.as_chunks::<LANES>().0.iter().zip(weights) {
            for ((sum, x), weight) in sums.iter_mut().zip(hidden).zip(weights) {
                *sum += x * weight;
            }
        }
        sums.iter().sum::<f32>() + self.list[self.bias(output)]
    }

    fn quantised(&self) -> SmallNet<H> {
        let round = |&x: &f32| (x * ONE as f32).round() as i16;
        SmallNet::from_numbers(self.list.iter().map(round), self.shape)
    }
}

/// The derivatives of a batch, and room to work in.
#[derive(Clone, Debug)]
struct Gradient {
    list: Vec<f32>,
    /// The sum of the losses.
    loss: f64,
    /// Outputs of the current position, by number …
    outputs: Vec<Option<f32>>,
    /// … and the loss's derivatives by them.
    slopes: Vec<f32>,
    /// Which of them its moves need.
    needed: Vec<u16>,
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

    /// Adds one position's.
    fn add<const H: usize>(&mut self, model: &Model<H>, lesson: &Lesson) {
        let hidden = model.hidden(lesson.inputs);
        self.scores.clear();
        for outputs in lesson.moves() {
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
        let best = self.scores[lesson.best];
        for score in &mut self.scores {
            *score = (*score - highest).exp();
        }
        let total: f32 = self.scores.iter().sum();
        self.loss += f64::from(total.ln() + highest - best);

        for (at, (outputs, score)) in lesson.moves().zip(&self.scores).enumerate() {
            let slope = score / total - if at == lesson.best { 1.0 } else { 0.0 };
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
        for &input in lesson.inputs.iter().chain([&(model.shape.inputs as u16)]) {
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

    /// Goes down the mean gradient of a batch, which is zero afterwards.
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

/// Goes over the lessons so many times, each time in another order.
pub fn learn<const H: usize>(
    shape: Shape,
    lessons: &Lessons,
    epochs: u64,
    seed: u64,
) -> SmallNet<H> {
    let mut rng = Rng::new(seed);
    let mut model = Model::<H>::new(shape, &mut rng);
    let mut gradient = Gradient::new::<H>(shape);
    let mut adam = Adam {
        means: vec![0.0; shape.numbers(H)],
        squares: vec![0.0; shape.numbers(H)],
        steps: 0,
    };
    let mut order: Vec<u32> = (0..lessons.len() as u32).collect();
    let steps = lessons.len().div_ceil(BATCH) as u64;
    let schedule = Schedule {
        steps: steps * epochs,
        rates: RATES,
        blends: [0.0; 2],
    };
    let progress = Progress::new(schedule.steps, "steps");
    let mut step = 0;
    for epoch in 1..=epochs {
        rng.shuffle(&mut order);
        gradient.loss = 0.0;
        let mut seen = 0;
        for batch in order.chunks(BATCH) {
            for &at in batch {
                gradient.add(&model, &lessons.get(at as usize));
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
    model.quantised()
}

/// How well an order of the quiet moves finds the best.
#[derive(Clone, Copy, Debug, Default)]
pub struct Accuracy {
    positions: u64,
    first: u64,
    first_three: u64,
    ranks: u64,
}

impl Accuracy {
    /// Of the moves as they were generated.
    pub fn generated(lessons: &Lessons) -> Self {
        Self::of(lessons, |lesson| vec![0; lesson.moves().count()])
    }

    /// Of a network.
    pub fn network<const H: usize>(network: &SmallNet<H>, lessons: &Lessons) -> Self {
        Self::of(lessons, |lesson| {
            let hidden = network.hidden(lesson.inputs);
            let score = |outputs: &[u16]| -> i32 {
                let each = outputs.iter();
                each.map(|&output| network.output(&hidden, usize::from(output)))
                    .sum()
            };
            lesson.moves().map(score).collect()
        })
    }

    /// Of moves by their scores; equals stay as they were generated.
    fn of(lessons: &Lessons, scores: impl Fn(&Lesson) -> Vec<i32>) -> Self {
        let mut accuracy = Self::default();
        for lesson in (0..lessons.len()).map(|at| lessons.get(at)) {
            let scores = scores(&lesson);
            let best = scores[lesson.best];
            let before = scores[..lesson.best].iter().filter(|&&score| score >= best);
            let behind = scores[lesson.best..].iter().filter(|&&score| score > best);
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

    /// Random positions in which the move that has the output of the first input is the best.
    fn fixtures(count: usize, seed: u64) -> Lessons {
        let mut rng = Rng::new(seed);
        let mut lessons = Lessons::default();
        for _ in 0..count {
            let right = rng.below(4) as u16;
            let noise = [4, 8].map(|from| from + rng.below(4) as u16);
            let mut moves = [0, 1, 2, 3];
            rng.shuffle(&mut moves);
            let best = moves
                .iter()
                .position(|&mv| mv == right)
                .expect("it is there");
            let more = [4 + rng.below(2) as u16, 6 + rng.below(3) as u16];
            let moves = moves.map(|mv| [mv, more[usize::from(mv % 2)]]);
            lessons.push([right, noise[0], noise[1]], moves, best);
        }
        lessons
    }

    #[test]
    fn gradients_are_those_of_differences() {
        let mut model = Model::<32>::new(SHAPE, &mut Rng::new(1));
        let lessons = fixtures(20, 2);
        let losses = |model: &Model<32>| {
            let mut gradient = Gradient::new::<32>(SHAPE);
            for at in 0..lessons.len() {
                gradient.add(model, &lessons.get(at));
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

    #[test]
    fn what_is_always_best_is_learnt() {
        let (lessons, others) = (fixtures(20_000, 3), fixtures(1000, 4));
        let network = learn::<32>(SHAPE, &lessons, 3, 5);
        let learnt = Accuracy::network(&network, &others);
        let before = Accuracy::generated(&others);
        assert!(learnt.first > 990, "{learnt}");
        assert!((150..350).contains(&before.first), "{before}");
        assert_eq!(network, learn(SHAPE, &lessons, 3, 5));
    }
}
