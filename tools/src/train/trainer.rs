//! Training steps on several threads.
//!
//! A tile's gradient, the step of the optimizer and the rows for the next forward pass follow each
//! other while the tile is in the cache. Every sum has a fixed order, so the same batches give
//! exactly the same weights.

use std::thread;

use rejoinder::eval::network::{MAX_RELATION_WEIGHT, QA};

use super::batch::{Batch, ShortRow, TileSlopes, shorten};
use super::dropout::Dropout;
use super::model::{Parts, Pass, Row, Shape, TILE, Target, Tile, add, sigmoid};
use super::optimizer::{AdamW, Floor, Learning, Step};
use super::sample::Sample;

/// Number of positions of a batch that pass through the network at once; they need 6 KB each for a
/// hidden layer of 512.
const AT_ONCE: usize = 16_384;

/// A network in training.
#[derive(Clone, Debug)]
pub struct Trainer {
    /// Order of the weights.
    pub shape: Shape,
    /// The weights.
    pub network: Vec<f32>,
    /// State of the optimizer.
    pub adam: AdamW,
    /// Share of the hidden units that are left out at random at each position, 0 to less than 1.
    pub dropout: f64,
    /// Seed of the choice of these units.
    pub seed: u64,
    /// Number of finished batches.
    pub step: u64,
    /// The running mean of the weights; empty without one.
    pub mean: Vec<f32>,
    /// Share of itself that the mean keeps at each step, 0 to 1.
    mean_decay: f32,
    threads: usize,
    /// The sum of the gradients of a batch in the order of the weights; zero between batches.
    gradient: Vec<f32>,
    /// The effective rows `[H / TILE][inputs]` for the forward pass.
    rows: Vec<ShortRow>,
    /// The floor of each tile.
    floors: Vec<Floor>,
    batch: Batch,
}

impl Trainer {
    /// Begins training with these weights, for example those of [`Shape::initial`].
    pub fn new(shape: Shape, network: Vec<f32>, threads: usize) -> Self {
        let mut trainer = Self {
            shape,
            network,
            adam: AdamW::new(shape.numbers()),
            dropout: 0.0,
            seed: 0,
            step: 0,
            mean: Vec::new(),
            mean_decay: 0.0,
            threads,
            gradient: vec![0.0; shape.numbers()],
            rows: vec![[0; TILE]; shape.features() / TILE],
            floors: vec![Floor::NONE; shape.hidden() / TILE],
            batch: Batch::new(shape, threads),
        };
        trainer.refresh();
        trainer
    }

    /// Memory of a trainer of this shape for batches of this size in bytes.
    pub fn bytes(shape: Shape, batch: usize, threads: usize) -> usize {
        let lists = 4 * size_of::<f32>() + size_of::<i16>();
        lists * shape.numbers()
            + Batch::bytes(shape, batch.min(AT_ONCE))
            + threads * Pass::bytes(shape)
    }

    /// Must be called after a change of the weights or of the optimizer's state from outside.
    pub fn refresh(&mut self) {
        let step = self.adam.step(1, 0.0, self.step.max(1));
        let tiles = self.shape.tiles(&mut self.adam.second);
        for (tile, floor) in tiles.into_iter().zip(&mut self.floors) {
            *floor = Floor::NONE;
            for row in tile.shared.iter().chain(tile.own.iter()) {
                step.count_row(row, floor);
            }
            step.raise(floor);
        }
        let tiles = self.shape.tiles(&mut self.network);
        let rows = self.rows.chunks_exact_mut(self.shape.0.inputs());
        for (tile, rows) in tiles.into_iter().zip(rows) {
            for (input, row) in rows.iter_mut().enumerate() {
                let shared = self.shape.shared_row(input);
                *row = effective(&tile.own[input], shared.map(|row| &tile.shared[row]));
            }
        }
    }

    /// Begins a running mean of the weights, which keeps this share of itself at each step, 0 to 1.
    // Source: Polyak, Juditsky, "Acceleration of stochastic approximation by averaging" (1992).
    pub fn average(&mut self, decay: f64) {
        self.mean.clone_from(&self.network);
        self.mean_decay = decay as f32;
    }

    /// The part of the way to the new weights that the mean goes at this step, from 1. Early means
    /// are those of about the last tenth of the steps, so that they forget the first weights.
    // Source: https://www.tensorflow.org/api_docs/python/tf/train/ExponentialMovingAverage
    fn mean_share(&self, step: u64) -> f32 {
        let warm_up = (1 + step) as f32 / (10 + step) as f32;
        1.0 - self.mean_decay.min(warm_up)
    }

    /// Returns the weights that are the result of the training: their mean, if there is one.
    pub fn result(&self) -> &[f32] {
        if self.mean.is_empty() {
            &self.network
        } else {
            &self.mean
        }
    }

    /// Takes a step on a batch. Returns the sum of the losses before the step.
    pub fn learn(&mut self, batch: &[Sample], target: Target, rate: f32) -> f64 {
        let shape = self.shape;
        let step = self.adam.step(batch.len(), rate, self.step + 1);
        let mean_share = self.mean_share(self.step + 1);
        let mut loss = 0.0;
        let parts = batch.chunks(AT_ONCE);
        let last = parts.len().saturating_sub(1);
        for (number, part) in parts.enumerate() {
            loss += self.run(part, target, number);
            let Self {
                network,
                adam,
                mean,
                gradient,
                rows,
                floors,
                batch,
                ..
            } = self;
            let tiles = shape.tiles(network).into_iter();
            let tiles = tiles
                .zip(optional_tiles(shape, &mut adam.factors))
                .zip(optional_tiles(shape, mean))
                .zip(shape.tiles(&mut adam.first))
                .zip(shape.tiles(&mut adam.second))
                .zip(shape.tiles(gradient))
                .zip(rows.chunks_exact_mut(shape.0.inputs()))
                .zip(floors);
            let tiles = tiles.map(
                |(((((((network, factors), mean), first), second), gradient), rows), floor)| {
                    LearningTile {
                        network,
                        factors,
                        mean,
                        first,
                        second,
                        gradient,
                        rows,
                        floor,
                    }
                },
            );
            batch.backward(tiles.collect(), |mut tile: LearningTile<'_>, slopes| {
                tile.add(&slopes);
                if number == last {
                    tile.step(step, mean_share, shape);
                }
            });
        }
        let head = shape.head_start();
        step.take(Learning {
            network: &mut self.network[head..],
            factors: self.adam.factors.get(head..),
            first: &mut self.adam.first[head..],
            second: &mut self.adam.second[head..],
            gradient: &mut self.gradient[head..],
        });
        if let Some(mean) = self.mean.get_mut(head..) {
            approach(mean, &self.network[head..], mean_share);
        }
        self.step += 1;
        loss
    }

    /// Runs a part of a batch forward and through the head. Returns the sum of the losses.
    fn run(&mut self, part: &[Sample], target: Target, number: usize) -> f64 {
        let shape = self.shape;
        let (dropout, seed, step) = (self.dropout, self.seed, self.step);
        // A stream of random numbers for each block.
        let stream = |block| (step << 24) + (number << 12) as u64 + block as u64;
        let (features, head) = self.network.split_at(shape.head_start());
        self.batch.see(part);
        self.batch.forward(&self.rows, &features[shape.biases()..]);
        self.batch.learn_head(
            head,
            part,
            target,
            |block| Dropout::new(dropout, seed, stream(block)),
            &mut self.gradient[shape.head_start()..],
        )
    }

    /// Returns the sum of the losses of these samples and its gradient, in the order of the
    /// weights.
    #[cfg(test)]
    pub fn gradient(&mut self, samples: &[Sample], target: Target) -> (f64, Vec<f32>) {
        let loss = self.run(samples, target, 0);
        let shape = self.shape;
        let tiles = shape.tiles(&mut self.gradient);
        self.batch.backward(tiles, |mut tile: Tile<'_>, slopes| {
            slopes.add_to(tile.own, tile.bias);
            tile.share_out(shape);
        });
        let numbers = vec![0.0; shape.numbers()];
        (loss, std::mem::replace(&mut self.gradient, numbers))
    }

    /// Returns the outputs of the [result](Self::result) for these samples.
    pub fn outputs(&self, samples: &[Sample]) -> Vec<f32> {
        let mut outputs = vec![0.0; samples.len()];
        let mut sums = vec![0.0; self.shape.features()];
        self.shape.add_up(self.result(), &mut sums);
        let network = Parts::new(self.shape, self.result(), &sums);
        let part = samples.len().div_ceil(self.threads.max(1)).max(1);
        thread::scope(|scope| {
            for (samples, outputs) in samples.chunks(part).zip(outputs.chunks_mut(part)) {
                scope.spawn(move || Pass::new(self.shape).outputs(&network, samples, outputs));
            }
        });
        outputs
    }

    /// Returns the mean loss over these samples for each target; 0 if there are no samples.
    pub fn losses<const N: usize>(&self, samples: &[Sample], targets: [Target; N]) -> [f64; N] {
        let outputs = self.outputs(samples);
        let points: Vec<f32> = outputs.into_iter().map(sigmoid).collect();
        targets.map(|target| {
            let loss = |(sample, points): (&Sample, &f32)| {
                f64::from(target.loss(points - target.of(sample))[0])
            };
            let sum: f64 = samples.iter().zip(&points).map(loss).sum();
            sum / samples.len().max(1) as f64
        })
    }
}

/// A tile, and the state of the optimizer for it.
struct LearningTile<'a> {
    network: Tile<'a>,
    factors: Option<Tile<'a>>,
    mean: Option<Tile<'a>>,
    first: Tile<'a>,
    second: Tile<'a>,
    gradient: Tile<'a>,
    rows: &'a mut [ShortRow],
    floor: &'a mut Floor,
}

impl LearningTile<'_> {
    /// Adds to the gradient.
    fn add(&mut self, slopes: &TileSlopes<'_>) {
        slopes.add_to(self.gradient.own, self.gradient.bias);
    }

    /// Takes a step of the optimizer, row by row, because memory is slower than arithmetic.
    fn step(&mut self, step: Step, mean_share: f32, shape: Shape) {
        let limit = f32::from(MAX_RELATION_WEIGHT) / QA as f32;
        self.gradient.share_out(shape);
        let mut floor = *self.floor;
        for row in 0..self.gradient.shared.len() {
            step.take_row(self.learning(|tile| &mut tile.shared[row]), &mut floor);
            if let Some(mean) = &mut self.mean {
                approach(&mut mean.shared[row], &self.network.shared[row], mean_share);
            }
        }
        step.take(self.learning(|tile| tile.bias));
        if let Some(mean) = &mut self.mean {
            approach(mean.bias, self.network.bias, mean_share);
        }
        for input in 0..self.gradient.own.len() {
            step.take_row(self.learning(|tile| &mut tile.own[input]), &mut floor);
            let shared = shape.shared_row(input).map(|row| &self.network.shared[row]);
            let own = &mut self.network.own[input];
            if let Some(shared) = shared
                && input >= shape.piece_rows()
            {
                clip(own, shared, limit);
            }
            self.rows[input] = effective(own, shared);
            if let Some(mean) = &mut self.mean {
                approach(&mut mean.own[input], own, mean_share);
            }
        }
        step.raise(&mut floor);
        *self.floor = floor;
    }

    /// Returns the same row of all lists.
    #[inline(always)]
    fn learning(&mut self, row: impl for<'a> Fn(&'a mut Tile<'_>) -> &'a mut Row) -> Learning<'_> {
        Learning {
            network: row(&mut self.network),
            factors: self.factors.as_mut().map(|factors| row(factors).as_slice()),
            first: row(&mut self.first),
            second: row(&mut self.second),
            gradient: row(&mut self.gradient),
        }
    }
}

/// Returns the tiles of a list that may be empty.
fn optional_tiles(shape: Shape, list: &mut [f32]) -> Vec<Option<Tile<'_>>> {
    if list.is_empty() {
        (0..shape.hidden() / TILE).map(|_| None).collect()
    } else {
        shape.tiles(list).into_iter().map(Some).collect()
    }
}

/// Moves a mean by this part of the way to new weights.
#[inline(always)]
fn approach(mean: &mut [f32], weights: &[f32], share: f32) {
    for (mean, x) in mean.iter_mut().zip(weights) {
        *mean += share * (x - *mean);
    }
}

/// Clips the weights of a relation, whose sums with the shared weights are stored in 8 bits.
#[inline(always)]
fn clip(own: &mut Row, shared: &Row, limit: f32) {
    for (own, shared) in own.iter_mut().zip(shared) {
        let sum = *own + shared;
        let clipped = limit.copysign(sum) - shared;
        *own = if sum.abs() > limit { clipped } else { *own };
    }
}

/// Returns the row of an input for the forward pass.
#[inline(always)]
fn effective(own: &Row, shared: Option<&Row>) -> ShortRow {
    let mut sum = *own;
    if let Some(shared) = shared {
        add(&mut sum, shared);
    }
    shorten(&sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fixtures;
    use rejoinder::eval::features::MAX_PIECES;
    use rejoinder::eval::network::Architecture;
    use rejoinder::types::Rng;

    const SHAPE: Shape = Shape(Architecture {
        king_buckets: 4,
        relations: 17,
        hidden: 32,
    });
    const TARGET: Target = Target {
        lambda: 0.3,
        score_scale: 300.0,
        power: 2.0,
        weights: [1.0; MAX_PIECES + 1],
    };

    fn train(threads: usize, samples: &[Sample]) -> Trainer {
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), threads);
        for batch in samples.chunks(500) {
            trainer.learn(batch, TARGET, 0.001);
        }
        trainer
    }

    #[test]
    fn the_same_batches_give_the_same_numbers_with_any_threads() {
        let samples = fixtures::samples(6_100, 3);
        let [first, second, other] = [3, 3, 1].map(|threads| train(threads, &samples));
        assert_eq!(first.network, second.network);
        assert_eq!(first.adam, second.adam);
        assert_eq!(first.network, other.network);
    }

    #[test]
    fn floors_survive_a_break() {
        let samples = fixtures::samples(3_000, 5);
        let learn = |share, breaks| {
            let begin = || {
                let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), 2);
                trainer.adam.floor_share = share;
                trainer
            };
            let mut trainer = begin();
            for batch in samples.chunks(500) {
                if breaks {
                    let next = begin();
                    let before = std::mem::replace(&mut trainer, next);
                    (trainer.network, trainer.adam) = (before.network, before.adam);
                    trainer.step = before.step;
                    trainer.refresh();
                }
                trainer.learn(batch, TARGET, 0.001);
            }
            trainer.network
        };
        let whole = learn(64.0, false);
        assert_eq!(whole, learn(64.0, true));
        assert_ne!(whole, learn(0.0, false));
    }

    #[test]
    fn the_mean_follows_the_weights() {
        let samples = fixtures::samples(3_000, 9);
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), 2);
        trainer.average(0.8);
        let mut expected: Vec<f64> = trainer.network.iter().copied().map(f64::from).collect();
        for (batch, step) in samples.chunks(100).zip(1..) {
            trainer.learn(batch, TARGET, 0.001);
            let decay = 0.8_f64.min(f64::from(1 + step) / f64::from(10 + step));
            for (mean, x) in expected.iter_mut().zip(&trainer.network) {
                *mean = decay * *mean + (1.0 - decay) * f64::from(*x);
            }
        }
        let mut pairs = trainer.mean.iter().zip(&expected);
        assert!(pairs.all(|(mean, expected)| (f64::from(*mean) - expected).abs() < 1e-5));
        assert_eq!(trainer.result(), trainer.mean);
        // Without the mean, the weights are the same.
        let mut plain = Trainer::new(SHAPE, SHAPE.initial(7), 2);
        for batch in samples.chunks(100) {
            plain.learn(batch, TARGET, 0.001);
        }
        assert_eq!(plain.network, trainer.network);
        assert_eq!(plain.result(), plain.network);
    }

    #[test]
    fn weights_of_relations_stay_inside_eight_bits() {
        let samples = fixtures::samples(600, 6);
        let mut trainer = train(2, &samples);
        let target = Target {
            lambda: 1.0,
            ..TARGET
        };
        for _ in 0..20 {
            trainer.learn(&samples, target, 0.1);
        }
        let mut sums = vec![0.0; SHAPE.features()];
        SHAPE.add_up(&trainer.network, &mut sums);
        let relations = &sums[SHAPE.piece_rows() * TILE..];
        let largest = relations.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
        let limit = f32::from(MAX_RELATION_WEIGHT) / QA as f32;
        assert!((largest / limit - 1.0).abs() < 1e-6, "{largest}");
    }

    #[test]
    fn large_batches_pass_through_in_parts() {
        let samples = fixtures::samples(1_500, 8);
        let many: Vec<_> = samples.iter().cycle().take(24_000).copied().collect();
        let learn = |batch: &[Sample]| {
            let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), 2);
            let loss = trainer.learn(batch, TARGET, 0.001) / batch.len() as f64;
            (loss, trainer.network)
        };
        let [(few_loss, few), (loss, network)] = [learn(&samples), learn(&many)];
        assert!((few_loss / loss - 1.0).abs() < 1e-6, "{few_loss} {loss}");
        let same = few
            .iter()
            .zip(&network)
            .filter(|(a, b)| (*a - *b).abs() < 1e-5);
        assert!(same.count() > network.len() * 99 / 100);
    }

    #[test]
    fn it_learns() {
        let mut samples = fixtures::samples(8_000, 4);
        Rng::new(1).shuffle(&mut samples);
        let (training, validation) = samples.split_at(7_000);
        // The pieces on the board say all.
        let target = Target {
            lambda: 0.0,
            ..TARGET
        };
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), 2);
        let before = trainer.losses(validation, [target])[0];
        for _ in 0..6 {
            for batch in training.chunks(200) {
                trainer.learn(batch, target, 0.002);
            }
        }
        let after = trainer.losses(validation, [target])[0];
        assert!(after < before / 3.0, "{before} {after}");
        let losses = trainer.losses(&[], [TARGET, TARGET]);
        assert!(losses.iter().all(|loss| loss.abs() < 1e-9));
    }

    #[test]
    fn fewer_samples_than_threads_are_enough() {
        let samples = fixtures::samples(2, 5);
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(7), 4);
        assert!(trainer.learn(&samples, TARGET, 0.001) > 0.0);
        assert_eq!(trainer.outputs(&samples).len(), 2);
    }
}
