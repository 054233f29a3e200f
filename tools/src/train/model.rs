//! The network while it learns: forward, and backward to the gradient, in 32-bit floats.
//!
//! All numbers are one list, [`Shape`] says which is which. The feature weights lie in tiles: [`TILE`] columns of all rows,
//! `[H / TILE][rows][TILE]`. Some hundred positions take their turn with a tile before the next one, so that its rows are found
//! in the second cache whatever H is, and sums are made in registers.
//!
//! With king buckets the network learns its feature weights as sums of two: a row for each king bucket, and a row that all
//! buckets share, the *factorizer*. What few positions teach a bucket, many teach the shared row. Outside the trainer there
//! are only the sums.
// Source: factorized features, https://github.com/official-stockfish/nnue-pytorch/blob/master/docs/nnue.md

use rejoinder::eval::features::{KingBuckets, PIECE_SQUARES};
use rejoinder::eval::network::Architecture;
use rejoinder::types::Rng;

use super::head::{HeadShape, Room};
use super::sample::{Inputs, MAX_PIECES, Sample};

/// Columns of a tile.
pub const TILE: usize = 32;

/// Positions that take their turn with a tile together.
const BLOCK: usize = 128;

/// Where the numbers of a network are in its list: the features of each king bucket, the shared ones, feature biases `[H]`, and the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(pub Architecture);

impl Shape {
    /// H.
    pub const fn hidden(self) -> usize {
        self.0.hidden
    }

    /// The grouping of king squares.
    ///
    /// # Panics
    /// If there is none with so many groups, which [`Architecture::check`] rules out.
    pub fn king_buckets(self) -> &'static KingBuckets {
        KingBuckets::of_count(self.0.king_buckets).expect("a grouping of king squares")
    }

    /// Rows that all king buckets share; none where there is one bucket only.
    pub const fn shared_rows(self) -> usize {
        if self.0.king_buckets > 1 {
            PIECE_SQUARES
        } else {
            0
        }
    }

    /// How many feature weights there are, without the shared ones.
    pub const fn features(self) -> usize {
        self.0.inputs() * self.hidden()
    }

    /// Where the feature biases begin.
    pub const fn biases(self) -> usize {
        self.features() + self.shared_rows() * self.hidden()
    }

    /// Where the head begins.
    pub const fn head_start(self) -> usize {
        self.biases() + self.hidden()
    }

    /// What comes behind the hidden units.
    pub const fn head(self) -> HeadShape {
        HeadShape::of(self.0)
    }

    /// How many numbers there are.
    pub const fn numbers(self) -> usize {
        self.head_start() + self.head().numbers()
    }

    /// Where the weight from an input to a hidden unit is.
    pub const fn feature(self, input: usize, unit: usize) -> usize {
        ((unit / TILE) * self.0.inputs() + input) * TILE + unit % TILE
    }

    /// Where the weight that all king buckets share is, from an input below [`PIECE_SQUARES`] to a hidden unit.
    pub const fn shared(self, input: usize, unit: usize) -> usize {
        self.features() + ((unit / TILE) * PIECE_SQUARES + input) * TILE + unit % TILE
    }

    /// Small random weights, and biases of zero.
    pub fn initial(self, seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed);
        // A side sees all pieces, about this many of them.
        let size = 1.0 / 20.0_f32.sqrt();
        let mut uniform = || {
            let unit = (rng.next() >> 40) as f32 / (1_u32 << 24) as f32;
            (2.0 * unit - 1.0) * size
        };
        let mut list = vec![0.0; self.numbers()];
        // Where rows are shared the buckets begin alike.
        let rows = if self.shared_rows() == 0 {
            0..self.features()
        } else {
            self.features()..self.biases()
        };
        list[rows].fill_with(&mut uniform);
        list[self.head_start()..].copy_from_slice(&self.head().initial(&mut rng));
        list
    }

    /// Fills `sums` with the feature weights that positions meet: those of each bucket plus the shared ones.
    pub fn add_up(self, list: &[f32], sums: &mut [f32]) {
        let (own, shared) = (
            &list[..self.features()],
            &list[self.features()..self.biases()],
        );
        let tiles = own
            .chunks_exact(self.0.inputs() * TILE)
            .zip(shared.chunks_exact(PIECE_SQUARES * TILE));
        let sums = sums.chunks_exact_mut(self.0.inputs() * TILE);
        for ((own, shared), sums) in tiles.zip(sums) {
            let buckets = own
                .chunks_exact(shared.len())
                .zip(sums.chunks_exact_mut(shared.len()));
            for (own, sums) in buckets {
                for ((sum, own), shared) in sums.iter_mut().zip(own).zip(shared) {
                    *sum = own + shared;
                }
            }
        }
    }

    /// Fills in the gradient of the shared rows: the sum of those of the buckets.
    fn share_out(self, gradient: &mut [f32]) {
        let (own, rest) = gradient.split_at_mut(self.features());
        let shared = &mut rest[..self.shared_rows() * self.hidden()];
        shared.fill(0.0);
        let tiles = own
            .chunks_exact(self.0.inputs() * TILE)
            .zip(shared.chunks_exact_mut(PIECE_SQUARES * TILE));
        for (own, shared) in tiles {
            for own in own.chunks_exact(shared.len()) {
                for (shared, own) in shared.iter_mut().zip(own) {
                    *shared += own;
                }
            }
        }
    }
}

/// A network as positions meet it.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// In tiles; see [`Shape::feature`].
    pub features: &'a [f32],
    /// `[H]`
    pub feature_biases: &'a [f32],
    /// See [`HeadShape`].
    pub head: &'a [f32],
}

impl<'a> Parts<'a> {
    /// The parts of a list; `sums` is what [`Shape::add_up`] made of it where rows are shared.
    pub fn new(shape: Shape, list: &'a [f32], sums: &'a [f32]) -> Self {
        Self {
            features: if shape.shared_rows() == 0 {
                &list[..shape.features()]
            } else {
                sums
            },
            feature_biases: &list[shape.biases()..shape.head_start()],
            head: &list[shape.head_start()..],
        }
    }
}

/// What the network is to say of a position, and how mistakes count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The share of the result, 0 to 1; the rest is what the search said.
    pub blend: f32,
    /// Centipawns of an output of 1.
    pub score_scale: f32,
    /// The loss is the size of the error raised to this power.
    pub power: f32,
    /// The weight of a position with two pieces; one with 32 pieces weighs 1, and between them the weight follows a straight line.
    pub few_pieces: f32,
}

impl Target {
    /// Expected points of the side to move, 0 to 1.
    pub fn of(&self, sample: &Sample) -> f32 {
        let score = sigmoid(f32::from(sample.score) / self.score_scale);
        let result = f32::from(sample.result) / 2.0;
        self.blend * result + (1.0 - self.blend) * score
    }

    /// How much a position counts among those that are learned from.
    pub fn weight(&self, sample: &Sample) -> f32 {
        let pieces = sample.pieces_on_board().clamp(2, MAX_PIECES);
        let full = (pieces - 2) as f32 / (MAX_PIECES - 2) as f32;
        self.few_pieces + (1.0 - self.few_pieces) * full
    }

    /// The loss for an error, and its derivative by the error.
    pub fn loss(&self, error: f32) -> [f32; 2] {
        let size = error.abs().max(1e-9);
        let slope = size.powf(self.power - 1.0);
        [size * slope, self.power * slope.copysign(error)]
    }
}

/// From an output to points.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// One thread's room to take positions through a network, some of them at a time.
#[derive(Clone, Debug)]
pub struct Pass {
    shape: Shape,
    /// Those of a block sorted by output bucket, each with its place in the block.
    inputs: Vec<(usize, Inputs)>,
    /// `[BLOCK][2][H]`: sums on the way forward, the slopes by them on the way back.
    hidden: Vec<f32>,
    room: Room,
}

/// A position on its way through a network, before the head.
#[derive(Debug)]
pub struct Visit<'a> {
    /// Its place among the samples.
    pub at: usize,
    /// Its output bucket.
    pub bucket: usize,
    /// The sums of both sides, the side to move first; the slopes by them may take their place.
    pub sums: &'a mut [f32],
    /// Room for the way through the head.
    pub room: &'a mut Room,
}

impl Pass {
    /// Room for networks of this shape.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            inputs: Vec::with_capacity(BLOCK),
            hidden: vec![0.0; BLOCK * 2 * shape.hidden()],
            room: Room::new(shape.head()),
        }
    }

    /// Bytes that this room takes.
    pub const fn bytes(shape: Shape) -> usize {
        BLOCK * (2 * shape.hidden() * size_of::<f32>() + size_of::<(usize, Inputs)>())
    }

    /// Takes all samples up to the head and hands each to `visit`, in any order.
    pub fn each(
        &mut self,
        parts: &Parts<'_>,
        samples: &[Sample],
        mut visit: impl FnMut(Visit<'_>),
    ) {
        for (number, block) in samples.chunks(BLOCK).enumerate() {
            self.block(parts, block, |position| {
                let at = number * BLOCK + position.at;
                visit(Visit { at, ..position });
            });
        }
    }

    /// Takes the samples of a block, [`BLOCK`] at most, up to the head and hands each to `visit`.
    #[inline(always)]
    fn block(&mut self, parts: &Parts<'_>, block: &[Sample], mut visit: impl FnMut(Visit<'_>)) {
        self.see(block);
        self.forward(parts);
        let hidden = self.hidden.chunks_exact_mut(2 * self.shape.hidden());
        for ((at, inputs), sums) in self.inputs.iter().zip(hidden) {
            visit(Visit {
                at: *at,
                bucket: inputs.bucket,
                sums,
                room: &mut self.room,
            });
        }
    }

    /// Looks at a block. Positions of one output bucket stand together: they share the numbers of the head.
    fn see(&mut self, block: &[Sample]) {
        let buckets = self.shape.king_buckets();
        self.inputs.clear();
        let inputs = block.iter().map(|sample| sample.inputs(buckets));
        self.inputs.extend(inputs.enumerate());
        self.inputs.sort_by_key(|(_, inputs)| inputs.bucket);
    }

    /// Fills `hidden` for the block.
    fn forward(&mut self, parts: &Parts<'_>) {
        let size = self.shape.hidden();
        let (rows, _) = parts.features.as_chunks::<TILE>();
        let (biases, _) = parts.feature_biases.as_chunks::<TILE>();
        let rows = rows.chunks_exact(self.shape.0.inputs());
        for (tile, (rows, bias)) in rows.zip(biases).enumerate() {
            let hidden = self.hidden.chunks_exact_mut(2 * size);
            for ((_, inputs), hidden) in self.inputs.iter().zip(hidden) {
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

    /// Adds what the slopes in `hidden` come to to the gradients of features and biases; the shared rows wait for the end of the batch.
    fn backward(&self, gradient: &mut [f32]) {
        let size = self.shape.hidden();
        let (features, rest) = gradient.split_at_mut(self.shape.biases());
        let (rows, _) = features[..self.shape.features()].as_chunks_mut::<TILE>();
        let (biases, _) = rest[..size].as_chunks_mut::<TILE>();
        let rows = rows.chunks_exact_mut(self.shape.0.inputs());
        for (tile, (rows, bias)) in rows.zip(biases).enumerate() {
            let hidden = self.hidden.chunks_exact(2 * size);
            for ((_, inputs), hidden) in self.inputs.iter().zip(hidden) {
                for (side, half) in hidden.chunks_exact(size).enumerate() {
                    // A copy stays in registers.
                    let step = half.as_chunks::<TILE>().0[tile];
                    add(bias, &step);
                    for &input in inputs.side(side) {
                        add(&mut rows[usize::from(input)], &step);
                    }
                }
            }
        }
    }
}

/// One thread's sums over its part of a batch.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// Derivatives of the sum of losses, listed as the network's numbers are.
    pub list: Vec<f32>,
    /// The sum of losses.
    pub loss: f64,
    /// The room to find them in.
    pub pass: Pass,
}

impl Gradient {
    /// The gradient of no samples.
    pub fn new(shape: Shape) -> Self {
        Self {
            list: vec![0.0; shape.numbers()],
            loss: 0.0,
            pass: Pass::new(shape),
        }
    }

    /// Adds what these samples say about the network.
    pub fn add(&mut self, parts: &Parts<'_>, samples: &[Sample], target: Target) {
        let shape = self.pass.shape;
        let head = shape.head();
        for block in samples.chunks(BLOCK) {
            let gradient = &mut self.list[shape.head_start()..];
            let loss = &mut self.loss;
            self.pass.block(parts, block, |position| {
                let Visit {
                    at,
                    bucket,
                    sums,
                    room,
                } = position;
                let [wanted, weight] = [target.of(&block[at]), target.weight(&block[at])];
                let slope = |output| {
                    let points = sigmoid(output);
                    let [one_loss, by_error] = target.loss(points - wanted);
                    *loss += f64::from(weight * one_loss);
                    weight * by_error * points * (1.0 - points)
                };
                head.learn(parts.head, bucket, sums, room, gradient, slope);
            });
            self.pass.backward(&mut self.list);
        }
        shape.share_out(&mut self.list);
    }

    /// Writes the network's outputs for these samples, one for each.
    pub fn outputs(&mut self, parts: &Parts<'_>, samples: &[Sample], outputs: &mut [f32]) {
        let head = self.pass.shape.head();
        self.pass.each(parts, samples, |position| {
            let Visit {
                at,
                bucket,
                sums,
                room,
            } = position;
            outputs[at] = head.output(parts.head, bucket, sums, room);
        });
    }
}

#[inline(always)]
fn add<const N: usize>(sum: &mut [f32; N], row: &[f32; N]) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fixtures;
    use rejoinder::board::Board;
    use rejoinder::eval::features::OUTPUT_BUCKETS;
    use rejoinder::eval::network::{FIRST, Head, SECOND, SECOND_INPUTS};

    const TARGET: Target = Target {
        blend: 0.3,
        score_scale: 300.0,
        power: 2.4,
        few_pieces: 0.4,
    };

    const fn shape(king_buckets: usize, head: Head) -> Shape {
        Shape(Architecture {
            king_buckets,
            hidden: 64,
            head,
        })
    }

    /// A layer of one bucket in 64 bits: weighted sums and biases.
    fn layer(numbers: &[f64], inputs: &[f64], outputs: usize, bucket: usize) -> Vec<f64> {
        let weights = &numbers[bucket * inputs.len() * outputs..];
        let biases = &numbers[OUTPUT_BUCKETS * inputs.len() * outputs + bucket * outputs..];
        let of = |out: usize| {
            let terms = inputs.iter().enumerate();
            let sum: f64 = terms.map(|(at, x)| x * weights[at * outputs + out]).sum();
            biases[out] + sum
        };
        (0..outputs).map(of).collect()
    }

    /// The sum of losses in 64 bits, written down as plainly as it can be.
    fn loss(shape: Shape, network: &[f64], samples: &[Sample]) -> f64 {
        let size = shape.hidden();
        let biases = &network[shape.biases()..];
        let error = |sample: &Sample| {
            let inputs = sample.inputs(shape.king_buckets());
            let mut sums = Vec::new();
            for side in 0..2 {
                for unit in 0..size {
                    let row = |&input: &u16| {
                        let input = usize::from(input);
                        let shared = shape.shared(input % PIECE_SQUARES, unit);
                        let shared = if shape.shared_rows() > 0 {
                            network[shared]
                        } else {
                            0.0
                        };
                        network[shape.feature(input, unit)] + shared
                    };
                    let sum = biases[unit] + inputs.side(side).iter().map(row).sum::<f64>();
                    sums.push(sum.clamp(0.0, 1.0));
                }
            }
            let squares = |list: &[f64]| {
                list.iter()
                    .map(|x| x.clamp(0.0, 1.0).powi(2))
                    .collect::<Vec<_>>()
            };
            let head = &network[shape.head_start()..];
            let output = match shape.0.head {
                Head::Direct => layer(head, &squares(&sums), 1, inputs.bucket)[0],
                Head::Layered => {
                    let pair = |at: usize| {
                        let at = at / (size / 2) * size + at % (size / 2);
                        sums[at] * sums[at + size / 2]
                    };
                    let pairs: Vec<f64> = (0..size).map(pair).collect();
                    let first = layer(head, &pairs, FIRST, inputs.bucket);
                    let values = first.iter().map(|x| x.clamp(0.0, 1.0));
                    let both: Vec<f64> = first
                        .iter()
                        .map(|x| (x * x).min(1.0))
                        .chain(values)
                        .collect();
                    let head = &head[OUTPUT_BUCKETS * (size + 1) * FIRST..];
                    let second = layer(head, &both, SECOND, inputs.bucket);
                    let head = &head[OUTPUT_BUCKETS * (SECOND_INPUTS + 1) * SECOND..];
                    layer(head, &squares(&second), 1, inputs.bucket)[0]
                }
            };
            let error = 1.0 / (1.0 + (-output).exp()) - f64::from(TARGET.of(sample));
            f64::from(TARGET.weight(sample)) * error.abs().powf(f64::from(TARGET.power))
        };
        samples.iter().map(error).sum()
    }

    /// Weights large enough that both ends of the activation occur.
    fn network(shape: Shape) -> Vec<f32> {
        let mut network = shape.initial(3);
        let mut rng = Rng::new(4);
        for x in &mut network[..shape.features()] {
            *x += rng.below(100) as f32 / 1000.0 - 0.05;
        }
        for x in &mut network[shape.biases()..shape.head_start()] {
            *x = rng.below(100) as f32 / 100.0;
        }
        for x in &mut network[shape.head_start()..] {
            *x += rng.below(100) as f32 / 400.0 - 0.125;
        }
        network
    }

    fn gradient(shape: Shape, network: &[f32], samples: &[Sample]) -> Gradient {
        let mut sums = vec![0.0; shape.features()];
        shape.add_up(network, &mut sums);
        let mut gradient = Gradient::new(shape);
        gradient.add(&Parts::new(shape, network, &sums), samples, TARGET);
        gradient
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let with_buckets = KingBuckets::counts().map(|count| shape(count, Head::Direct));
        for shape in with_buckets.chain([shape(1, Head::Layered), shape(4, Head::Layered)]) {
            let network = network(shape);
            // More than one block of them.
            let samples = fixtures::samples(BLOCK + 40, 1);
            let gradient = gradient(shape, &network, &samples);
            let exact: Vec<f64> = network.iter().copied().map(f64::from).collect();
            let expected = loss(shape, &exact, &samples);
            assert!((gradient.loss / expected - 1.0).abs() < 1e-4);

            // Some of each part: features that occur, shared ones, biases, the layers of the head.
            let mut rng = Rng::new(5);
            let mut places: Vec<usize> = (shape.biases()..shape.head_start()).collect();
            rng.shuffle(&mut places);
            places.truncate(20);
            let mut head: Vec<usize> = (shape.head_start()..shape.numbers()).collect();
            rng.shuffle(&mut head);
            places.extend(&head[..60]);
            places.extend(shape.numbers() - 300..shape.numbers());
            for _ in 0..30 {
                let inputs = samples[rng.below(samples.len())].inputs(shape.king_buckets());
                let half = inputs.side(rng.below(2));
                let input = usize::from(rng.choose(half).expect("a piece"));
                let unit = rng.below(shape.hidden());
                places.push(shape.feature(input, unit));
                if shape.shared_rows() > 0 {
                    places.push(shape.shared(input % PIECE_SQUARES, unit));
                }
            }
            let [mut flat, mut bends] = [0; 2];
            for &at in &places {
                let step = 1e-5;
                let at_offset = |offset: f64| {
                    let mut moved = exact.clone();
                    moved[at] += offset;
                    loss(shape, &moved, &samples)
                };
                let [below, above] = [at_offset(-step), at_offset(step)];
                let slope = (above - below) / (2.0 * step);
                if ((above - expected) - (expected - below)).abs() > 1e-3 * step {
                    // A position at the end of an activation: there is no slope here.
                    bends += 1;
                    continue;
                }
                let found = f64::from(gradient.list[at]);
                let error = (slope - found).abs();
                assert!(
                    error < 1e-4 + 2e-3 * slope.abs(),
                    "{shape:?} {at}: {slope} {found}"
                );
                flat += usize::from(slope == 0.0);
            }
            assert!(bends < places.len() / 20, "{bends}");
            assert!(flat < places.len() * 2 / 3, "{flat}");
        }
    }

    #[test]
    fn outputs_and_losses_agree() {
        let shape = shape(4, Head::Layered);
        let network = network(shape);
        let samples = fixtures::samples(BLOCK + 7, 2);
        let mut outputs = vec![0.0; samples.len()];
        let mut sums = vec![0.0; shape.features()];
        shape.add_up(&network, &mut sums);
        let parts = Parts::new(shape, &network, &sums);
        Gradient::new(shape).outputs(&parts, &samples, &mut outputs);
        let loss = |(output, sample)| {
            let error = sigmoid(output) - TARGET.of(sample);
            f64::from(TARGET.weight(sample) * TARGET.loss(error)[0])
        };
        let sum: f64 = outputs.into_iter().zip(&samples).map(loss).sum();
        let gradient = gradient(shape, &network, &samples);
        assert!(
            (sum - gradient.loss).abs() < 1e-5,
            "{sum} {}",
            gradient.loss
        );
    }

    #[test]
    fn few_pieces_weigh_what_was_asked_for() {
        let weight = |fen, few_pieces| {
            let board = Board::from_fen(fen).expect("a position");
            let target = Target {
                few_pieces,
                ..TARGET
            };
            target.weight(&Sample::new(&board, 0, 1))
        };
        let start = Board::startpos().fen(false);
        let (kings, middle) = (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
            "4k3/pppppp2/pp6/8/8/8/PPPPPPP1/4K3 w - - 0 1",
        );
        assert!((weight(kings, 0.2) - 0.2).abs() < 1e-6);
        assert!((weight(middle, 0.2) - 0.6).abs() < 1e-6);
        assert!((weight(&start, 0.2) - 1.0).abs() < 1e-6);
        assert!((weight(kings, 1.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn targets_blend_score_and_result() {
        let of = |score, result, blend| {
            let target = Target { blend, ..TARGET };
            target.of(&Sample::new(&Board::startpos(), score, result))
        };
        assert!((of(0, 0, 0.25) - 0.375).abs() < 1e-6);
        assert!((of(300, 0, 0.0) - 0.731).abs() < 1e-3);
        assert!((of(300, 1, 1.0) - 0.5).abs() < 1e-6);
    }
}
