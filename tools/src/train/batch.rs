//! The gradient of a batch.
//!
//! A batch is cut into blocks of positions. Inputs and head are computed block by block; forward
//! and backward go through the feature weights tile by tile, so that a tile stays in the cache for
//! the whole batch. Blocks and tiles are given to threads in any order, but each sum has a fixed
//! order, so the gradient does not depend on the threads.
//!
//! Forward, the rows are in 16 bits, which halves memory and additions. Backward, the derivatives
//! of all positions of a block with the same input are added up before they are added to its row.

use super::dropout::Dropout;
use super::model::{Row, Shape, TILE, Target, add, sigmoid};
use super::parallel;
use super::sample::Sample;

/// Number of positions of a block: 256 KB of derivatives for each tile.
pub const BLOCK: usize = 1024;

/// A row of effective weights of a tile in units of 1 / [`UNIT`].
pub type ShortRow = [i16; TILE];

/// The unit of the rows in the forward pass: four times as fine as in the network file. Sums reach
/// from -16 to 16, and beyond 1 they make no difference.
pub const UNIT: f32 = 2048.0;

/// Rounds a row for the forward pass.
#[inline(always)]
pub fn shorten(row: &Row) -> ShortRow {
    /// Added to a small number, it moves the nearest integer to the lowest bits of the sum.
    const SHIFT: f32 = 1.5 * (1 << 23) as f32;
    let limit = f32::from(i16::MAX);
    let mut short = [0; TILE];
    // A loop becomes vector instructions, unlike `map` and checked conversions.
    for (short, x) in short.iter_mut().zip(row) {
        let shifted = (x * UNIT).max(-limit).min(limit) + SHIFT;
        *short = shifted.to_bits() as i16;
    }
    short
}

/// The positions of a batch, or of a part of it, on their way through the network.
#[derive(Clone, Debug)]
pub struct Batch {
    shape: Shape,
    threads: usize,
    blocks: Vec<Block>,
    /// Number of blocks that are in use.
    used: usize,
}

/// A block of positions.
#[derive(Clone, Debug, Default)]
struct Block {
    inputs: BlockInputs,
    /// The hidden sums, `[H / TILE][position][side]`, in units of 1 / [`UNIT`].
    sums: Vec<ShortRow>,
    /// The derivatives of the loss by the sums, in the same order.
    slopes: Vec<Row>,
    /// The gradient of the head.
    head: Vec<f32>,
    /// The sum of the losses.
    loss: f64,
}

/// The inputs of a block by position and by input.
#[derive(Clone, Debug, Default)]
struct BlockInputs {
    /// The positions, sorted by output bucket.
    seen: Vec<Seen>,
    /// The active inputs of each position for the side to move and the other side.
    pairs: Vec<[u16; 2]>,
    /// The inputs that occur, in ascending order.
    occurring: Vec<Occurring>,
    /// For each input that occurs, the places among a tile's sums where it is active.
    places: Vec<u16>,
}

/// A position of a block.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Index of the position in the block.
    at: usize,
    /// Output bucket.
    bucket: usize,
    /// Place of the first input among those of the block.
    start: usize,
    /// Number of active inputs of each side.
    count: usize,
}

/// An input that occurs in a block.
#[derive(Clone, Copy, Debug)]
struct Occurring {
    input: usize,
    /// The end of its places; they begin where those of the input before it end.
    end: usize,
}

/// The derivatives by the sums of a tile, for each block.
#[derive(Debug)]
pub struct TileSlopes<'a>(Vec<(&'a BlockInputs, &'a [Row])>);

impl Batch {
    /// Buffers for networks of this shape.
    pub const fn new(shape: Shape, threads: usize) -> Self {
        Self {
            shape,
            threads,
            blocks: Vec::new(),
            used: 0,
        }
    }

    /// Memory of the buffers for this many positions in bytes.
    pub const fn bytes(shape: Shape, positions: usize) -> usize {
        /// An upper bound for the usual number of inputs of a side.
        const INPUTS: usize = 40;
        let sums = 2 * shape.hidden() * (size_of::<f32>() + size_of::<i16>());
        positions * (sums + 4 * INPUTS * size_of::<u16>())
    }

    /// Finds the inputs of these samples, which replace those before.
    pub fn see(&mut self, samples: &[Sample]) {
        let shape = self.shape;
        self.used = samples.len().div_ceil(BLOCK);
        if self.blocks.len() < self.used {
            self.blocks.resize_with(self.used, Block::default);
        }
        let blocks = self.blocks.iter_mut().zip(samples.chunks(BLOCK));
        parallel::each(self.threads, blocks, |(block, samples)| {
            block.inputs.see(shape, samples);
            let sums = 2 * samples.len() * shape.hidden() / TILE;
            block.sums.resize(sums, [0; TILE]);
            block.slopes.resize(sums, [0.0; TILE]);
        });
    }

    /// Computes the hidden sums, given the tiles of rows `[H / TILE][inputs]` and the biases.
    pub fn forward(&mut self, rows: &[ShortRow], biases: &[f32]) {
        let tiles = self.shape.hidden() / TILE;
        let mut work: Vec<_> = (0..tiles).map(|_| Vec::new()).collect();
        for block in &mut self.blocks[..self.used] {
            let count = 2 * block.inputs.seen.len();
            let sums = block.sums.chunks_exact_mut(count);
            for (work, sums) in work.iter_mut().zip(sums) {
                work.push((&block.inputs, sums));
            }
        }
        let rows = rows.chunks_exact(self.shape.0.inputs());
        let tiles = work.into_iter().zip(rows).zip(biases.as_chunks().0);
        parallel::each(self.threads, tiles, |((blocks, rows), bias)| {
            let bias = shorten(bias);
            for (inputs, sums) in blocks {
                inputs.forward(rows, &bias, sums);
            }
        });
    }

    /// Computes the derivatives by the hidden sums. Adds to the gradient of the head and returns
    /// the sum of the losses. `dropout` chooses for each block the units to leave out.
    pub fn learn_head(
        &mut self,
        head: &[f32],
        samples: &[Sample],
        target: Target,
        dropout: impl Fn(usize) -> Dropout + Sync,
        gradient: &mut [f32],
    ) -> f64 {
        let shape = self.shape;
        let blocks = self.blocks.iter_mut().zip(samples.chunks(BLOCK));
        parallel::each(
            self.threads,
            blocks.enumerate(),
            |(number, (block, samples))| {
                block.learn_head(shape, head, samples, target, dropout(number));
            },
        );
        let mut loss = 0.0;
        for block in &self.blocks[..self.used] {
            loss += block.loss;
            for (sum, part) in gradient.iter_mut().zip(&block.head) {
                *sum += part;
            }
        }
        loss
    }

    /// Calls `work` for each tile with its derivatives, from which the gradient follows.
    pub fn backward<T: Send>(&self, tiles: Vec<T>, work: impl Fn(T, TileSlopes<'_>) + Sync) {
        let tiles = tiles.into_iter().enumerate();
        parallel::each(self.threads, tiles, |(number, tile)| {
            let blocks = self.blocks[..self.used].iter();
            let blocks = blocks.map(|Block { inputs, slopes, .. }| {
                let count = 2 * inputs.seen.len();
                (inputs, &slopes[number * count..][..count])
            });
            work(tile, TileSlopes(blocks.collect()));
        });
    }
}

impl TileSlopes<'_> {
    /// Adds to the gradient of the tile's rows and biases.
    pub fn add_to(&self, rows: &mut [Row], bias: &mut Row) {
        for &(inputs, slopes) in &self.0 {
            let mut sum = [0.0; TILE];
            for slopes in slopes {
                add(&mut sum, slopes);
            }
            add(bias, &sum);
            let mut start = 0;
            for &Occurring { input, end } in &inputs.occurring {
                let mut sum = [0.0; TILE];
                for &place in &inputs.places[start..end] {
                    add(&mut sum, &slopes[usize::from(place)]);
                }
                add(&mut rows[input], &sum);
                start = end;
            }
        }
    }
}

impl BlockInputs {
    /// Finds the inputs of a block. Positions of one output bucket are visited together, because
    /// they share the weights of the head.
    fn see(&mut self, shape: Shape, samples: &[Sample]) {
        self.seen.clear();
        self.pairs.clear();
        for (at, sample) in samples.iter().enumerate() {
            let start = self.pairs.len();
            sample.each_input(shape.0, |pair| self.pairs.push(pair));
            self.seen.push(Seen {
                at,
                bucket: sample.bucket(),
                start,
                count: self.pairs.len() - start,
            });
        }
        self.seen.sort_by_key(|seen| seen.bucket);
        self.sort(shape.0.inputs());
    }

    /// Sorts the places by input, by counting.
    fn sort(&mut self, inputs: usize) {
        let mut ends = vec![0; inputs];
        for &input in self.pairs.as_flattened() {
            ends[usize::from(input)] += 1;
        }
        self.occurring.clear();
        let mut end = 0;
        for (input, place) in ends.iter_mut().enumerate() {
            let count = std::mem::replace(place, end);
            if count > 0 {
                end += count;
                self.occurring.push(Occurring { input, end });
            }
        }
        self.places.resize(end, 0);
        for (number, seen) in self.seen.iter().enumerate() {
            for pair in &self.pairs[seen.start..][..seen.count] {
                for (side, &input) in pair.iter().enumerate() {
                    let next = &mut ends[usize::from(input)];
                    self.places[*next] = (2 * number + side) as u16;
                    *next += 1;
                }
            }
        }
    }

    /// Computes the sums of a tile.
    fn forward(&self, rows: &[ShortRow], bias: &ShortRow, sums: &mut [ShortRow]) {
        for (seen, out) in self.seen.iter().zip(sums.as_chunks_mut().0) {
            let [mut own, mut other] = [*bias; 2];
            for &[one, two] in &self.pairs[seen.start..][..seen.count] {
                add_short(&mut own, &rows[usize::from(one)]);
                add_short(&mut other, &rows[usize::from(two)]);
            }
            *out = [own, other];
        }
    }
}

impl Block {
    fn learn_head(
        &mut self,
        shape: Shape,
        head: &[f32],
        samples: &[Sample],
        target: Target,
        mut dropout: Dropout,
    ) {
        let head_shape = shape.head();
        let mut sums = vec![0.0; 2 * shape.hidden()];
        let scale = dropout.scale();
        let Self {
            inputs,
            sums: all_sums,
            slopes,
            head: gradient,
            loss,
        } = self;
        gradient.clear();
        gradient.resize(head_shape.numbers(), 0.0);
        *loss = 0.0;
        let count = 2 * inputs.seen.len();
        for (number, seen) in inputs.seen.iter().enumerate() {
            let (own, other) = sums.split_at_mut(shape.hidden());
            let rows = own
                .as_chunks_mut()
                .0
                .iter_mut()
                .zip(other.as_chunks_mut().0);
            for (tile, (own, other)) in rows.enumerate() {
                let at = tile * count + 2 * number;
                lengthen(&all_sums[at], own);
                lengthen(&all_sums[at + 1], other);
            }
            dropout.apply(&mut sums);
            let sample = &samples[seen.at];
            let [wanted, weight] = [target.of(sample), target.weight(sample)];
            let slope = |output| {
                let points = sigmoid(output);
                let [one_loss, by_error] = target.loss(points - wanted);
                *loss += f64::from(weight * one_loss);
                weight * by_error * points * (1.0 - points)
            };
            let bucket = head_shape.of_bucket(head, seen.bucket, scale);
            bucket.learn(&mut sums, gradient, slope);
            let (own, other) = sums.split_at(shape.hidden());
            let rows = own.as_chunks().0.iter().zip(other.as_chunks().0);
            for (tile, (own, other)) in rows.enumerate() {
                let at = tile * count + 2 * number;
                slopes[at] = *own;
                slopes[at + 1] = *other;
            }
        }
    }
}

/// Converts sums back to floats.
#[inline(always)]
fn lengthen(row: &ShortRow, out: &mut Row) {
    for (out, x) in out.iter_mut().zip(row) {
        *out = f32::from(*x) * (1.0 / UNIT);
    }
}

#[inline(always)]
fn add_short(sum: &mut ShortRow, row: &ShortRow) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum = sum.saturating_add(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_rounded_to_the_nearest_unit() {
        let mut row = [0.0; TILE];
        let values = [
            0.3,
            -0.3,
            1.94,
            -1.94,
            15.9,
            100.0,
            -100.0,
            0.4 / UNIT,
            -0.6 / UNIT,
        ];
        row[..values.len()].copy_from_slice(&values);
        for (short, x) in shorten(&row).into_iter().zip(row) {
            let expected = (x * UNIT).round().clamp(-32_767.0, 32_767.0);
            assert!((f32::from(short) - expected).abs() < 0.5, "{x} {short}");
        }
    }
}
