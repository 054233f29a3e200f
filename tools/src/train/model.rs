//! The network in training: the order of its weights, the target, and the way forward to the
//! output, in 32-bit floats.
//!
//! All weights are in one list, whose order [`Shape`] defines. The feature weights lie in tiles:
//! [`TILE`] columns of all rows, `[H / TILE][rows][TILE]`. A block of positions uses one tile
//! before the next one, so that the rows stay in the cache whatever H is, and the sums stay in
//! registers. Here is the forward pass; the gradient is in [`batch`](super::batch).
//!
//! With king buckets, a feature weight is the sum of two weights: one for each king bucket, and one
//! that all buckets share, the *factorizer*. A bucket that few positions reach profits from the
//! shared weights, which all positions train. In the same way, the inputs for a relation of a kind of
//! piece share weights, whatever the square. Outside the trainer only the sums exist.
// Source: factorized features,
// https://github.com/official-stockfish/nnue-pytorch/blob/master/docs/nnue.md

use rejoinder::eval::features::{MAX_PIECES, PIECE_SQUARES};
use rejoinder::eval::network::Architecture;
use rejoinder::types::{Rng, Square};

use super::head::HeadShape;
use super::sample::Sample;

/// Number of columns of a tile.
pub const TILE: usize = 32;

pub type Row = [f32; TILE];

/// Number of positions of a block.
const BLOCK: usize = 128;

/// Active inputs of a side for which a block reserves memory; few positions have more.
const USUAL_INPUTS: usize = 128;

/// The order of a network's weights: the features of each king bucket, the shared features, the
/// feature biases `[H]`, and the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape(pub Architecture);

impl Shape {
    /// Size H of the hidden layer.
    pub const fn hidden(self) -> usize {
        self.0.hidden
    }

    /// Returns the number of rows of pieces that all king buckets share; 0 if there is only one
    /// bucket.
    const fn shared_piece_rows(self) -> usize {
        if self.0.king_buckets > 1 {
            PIECE_SQUARES
        } else {
            0
        }
    }

    /// Returns the number of rows that several inputs share: those of pieces, and then one for each
    /// relation of each piece.
    pub const fn shared_rows(self) -> usize {
        self.shared_piece_rows() + self.0.relation_inputs() / Square::COUNT
    }

    /// Returns the shared row to which an input belongs, if there is one.
    pub const fn shared_row(self, input: usize) -> Option<usize> {
        match input.checked_sub(self.piece_rows()) {
            Some(relation) => Some(self.shared_piece_rows() + relation / Square::COUNT),
            None if self.shared_piece_rows() > 0 => Some(input % PIECE_SQUARES),
            None => None,
        }
    }

    /// Returns the number of rows of pieces, for all king buckets together; those of relations
    /// follow.
    pub const fn piece_rows(self) -> usize {
        self.0.king_buckets * PIECE_SQUARES
    }

    /// Returns the number of feature weights without the shared ones.
    pub const fn features(self) -> usize {
        self.0.inputs() * self.hidden()
    }

    /// Offset of the feature biases.
    pub const fn biases(self) -> usize {
        self.features() + self.shared_rows() * self.hidden()
    }

    /// Offset of the head.
    pub const fn head_start(self) -> usize {
        self.biases() + self.hidden()
    }

    /// Returns the head of the network.
    pub const fn head(self) -> HeadShape {
        HeadShape::of(self.0)
    }

    /// Returns the number of weights and biases.
    pub const fn numbers(self) -> usize {
        self.head_start() + self.head().numbers()
    }

    /// Index of the weight from an input to a hidden unit.
    pub const fn feature(self, input: usize, unit: usize) -> usize {
        ((unit / TILE) * self.0.inputs() + input) * TILE + unit % TILE
    }

    /// Index of the weight from a shared row to a hidden unit.
    pub const fn shared(self, row: usize, unit: usize) -> usize {
        self.features() + ((unit / TILE) * self.shared_rows() + row) * TILE + unit % TILE
    }

    /// Small random weights, and biases of zero.
    pub fn initial(self, seed: u64) -> Vec<f32> {
        let mut rng = Rng::new(seed);
        // An average position has about 20 active inputs.
        let size = 1.0 / 20.0_f32.sqrt();
        let mut uniform = || {
            let unit = (rng.next() >> 40) as f32 / (1_u32 << 24) as f32;
            (2.0 * unit - 1.0) * size
        };
        let mut list = vec![0.0; self.numbers()];
        // Relations begin without influence, and all buckets begin alike.
        let (tiles, rows, random) = if self.shared_piece_rows() > 0 {
            let (rows, random) = (self.shared_rows(), self.shared_piece_rows());
            (self.features()..self.biases(), rows, random)
        } else {
            (0..self.features(), self.0.inputs(), self.piece_rows())
        };
        for tile in list[tiles].chunks_exact_mut(rows * TILE) {
            tile[..random * TILE].fill_with(&mut uniform);
        }
        list[self.head_start()..].copy_from_slice(&self.head().initial(&mut rng));
        list
    }

    /// Fills `sums` with the effective feature weights: an input's own plus the shared ones.
    pub fn add_up(self, list: &[f32], sums: &mut [f32]) {
        let (own, shared) = list[..self.biases()].split_at(self.features());
        let (sums, _) = sums.as_chunks_mut::<TILE>();
        let (own, _) = own.as_chunks::<TILE>();
        let (shared, _) = shared.as_chunks::<TILE>();
        if !shared.is_empty() {
            sums.copy_from_slice(own);
        }
        for (of_one, of_all) in self.sharing() {
            add(&mut sums[of_one], &shared[of_all]);
        }
    }

    /// Returns the tiles of a list.
    pub fn tiles(self, list: &mut [f32]) -> Vec<Tile<'_>> {
        let (own, rest) = list.split_at_mut(self.features());
        let (shared, rest) = rest.split_at_mut(self.biases() - self.features());
        let mut own = own.as_chunks_mut().0;
        let mut shared = shared.as_chunks_mut().0;
        let biases = rest[..self.hidden()].as_chunks_mut().0;
        let tile = |bias| Tile {
            own: own.split_off_mut(..self.0.inputs()).unwrap_or_default(),
            shared: shared
                .split_off_mut(..self.shared_rows())
                .unwrap_or_default(),
            bias,
        };
        biases.iter_mut().map(tile).collect()
    }

    /// For each input that has a shared row, in each tile: the places of its own row among the
    /// features and of the shared row, in units of [`TILE`] weights.
    fn sharing(self) -> impl Iterator<Item = (usize, usize)> {
        let (inputs, shared_rows) = (self.0.inputs(), self.shared_rows());
        (0..self.hidden() / TILE).flat_map(move |tile| {
            (0..inputs).filter_map(move |input| {
                let shared = self.shared_row(input)?;
                Some((tile * inputs + input, tile * shared_rows + shared))
            })
        })
    }
}

/// The numbers of a list that belong to a tile.
#[derive(Debug)]
pub struct Tile<'a> {
    /// The rows of the inputs.
    pub own: &'a mut [Row],
    pub shared: &'a mut [Row],
    /// The biases.
    pub bias: &'a mut Row,
}

impl Tile<'_> {
    /// If the tile is one of a gradient, computes that of the shared rows, which is the sum of the
    /// inputs' gradients.
    pub fn share_out(&mut self, shape: Shape) {
        self.shared.fill([0.0; TILE]);
        for (input, own) in self.own.iter().enumerate() {
            if let Some(row) = shape.shared_row(input) {
                add(&mut self.shared[row], own);
            }
        }
    }
}

/// The effective weights of a network.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Feature weights in tiles; see [`Shape::feature`].
    pub features: &'a [f32],
    /// Feature biases `[H]`.
    pub feature_biases: &'a [f32],
    /// Weights of the head; see [`HeadShape`].
    pub head: &'a [f32],
}

impl<'a> Parts<'a> {
    /// Returns the parts of a list. If the shape has shared rows, `sums` is the result of
    /// [`Shape::add_up`].
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

/// The training target of a position, and the loss of an error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// WDL weight (lambda): share of the result, 0 to 1; the rest is the score of the search.
    pub lambda: f32,
    /// Score in centipawns that corresponds to an output of 1.
    pub score_scale: f32,
    /// The loss is the size of the error raised to this power.
    pub power: f32,
    /// The weight of a position in the training loss for each number of pieces.
    pub weights: [f32; MAX_PIECES + 1],
}

impl Target {
    /// Returns the expected points of the side to move, 0 to 1.
    pub fn of(&self, sample: &Sample) -> f32 {
        let score = sigmoid(f32::from(sample.score) / self.score_scale);
        let result = f32::from(sample.result) / 2.0;
        self.lambda * result + (1.0 - self.lambda) * score
    }

    /// Returns the weight of a position in the training loss.
    pub fn weight(&self, sample: &Sample) -> f32 {
        self.weights[sample.pieces_on_board().min(MAX_PIECES)]
    }

    /// Returns the loss for an error, and its derivative by the error.
    pub fn loss(&self, error: f32) -> [f32; 2] {
        let size = error.abs().max(1e-9);
        let slope = size.powf(self.power - 1.0);
        [size * slope, self.power * slope.copysign(error)]
    }
}

/// Converts an output to expected points.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// The buffers of one thread for passes through a network, a block of positions at a time.
#[derive(Clone, Debug)]
pub struct Pass {
    shape: Shape,
    /// The positions of a block, sorted by output bucket.
    seen: Vec<Seen>,
    /// The active inputs of a block: for each position those of the side to move, and then as many
    /// of the other side.
    inputs: Vec<u16>,
    /// The hidden sums `[BLOCK][2][H]`.
    hidden: Vec<f32>,
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

impl Seen {
    /// Returns the active inputs of a side: 0 for the side to move, 1 for the other side.
    #[inline(always)]
    fn side(self, inputs: &[u16], side: usize) -> &[u16] {
        &inputs[self.start + side * self.count..][..self.count]
    }
}

impl Pass {
    /// Buffers for networks of this shape.
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            seen: Vec::with_capacity(BLOCK),
            inputs: Vec::with_capacity(BLOCK * 2 * USUAL_INPUTS),
            hidden: vec![0.0; BLOCK * 2 * shape.hidden()],
        }
    }

    /// Memory of the buffers in bytes.
    pub const fn bytes(shape: Shape) -> usize {
        let inputs = 2 * USUAL_INPUTS * size_of::<u16>();
        BLOCK * (2 * shape.hidden() * size_of::<f32>() + size_of::<Seen>() + inputs)
    }

    /// Writes the outputs of the network for these samples.
    pub fn outputs(&mut self, parts: &Parts<'_>, samples: &[Sample], outputs: &mut [f32]) {
        let head = self.shape.head();
        for (block, outputs) in samples.chunks(BLOCK).zip(outputs.chunks_mut(BLOCK)) {
            self.see(block);
            self.forward(parts);
            let hidden = self.hidden.chunks_exact(2 * self.shape.hidden());
            for (seen, sums) in self.seen.iter().zip(hidden) {
                outputs[seen.at] = head.of_bucket(parts.head, seen.bucket, 1.0).output(sums);
            }
        }
    }

    /// Finds the inputs of a block. Positions of one output bucket are visited together, because
    /// they share the weights of the head.
    fn see(&mut self, block: &[Sample]) {
        self.seen.clear();
        self.inputs.clear();
        for (at, sample) in block.iter().enumerate() {
            let inputs = sample.inputs(self.shape.0);
            self.seen.push(Seen {
                at,
                bucket: inputs.bucket,
                start: self.inputs.len(),
                count: inputs.sides[0].len(),
            });
            for side in &inputs.sides {
                self.inputs.extend_from_slice(side);
            }
        }
        self.seen.sort_by_key(|seen| seen.bucket);
    }

    /// Computes the hidden sums of the block.
    fn forward(&mut self, parts: &Parts<'_>) {
        let size = self.shape.hidden();
        let (rows, _) = parts.features.as_chunks::<TILE>();
        let (biases, _) = parts.feature_biases.as_chunks::<TILE>();
        let rows = rows.chunks_exact(self.shape.0.inputs());
        for (tile, (rows, bias)) in rows.zip(biases).enumerate() {
            let hidden = self.hidden.chunks_exact_mut(2 * size);
            for (seen, hidden) in self.seen.iter().zip(hidden) {
                for (side, half) in hidden.chunks_exact_mut(size).enumerate() {
                    let mut sum = *bias;
                    for &input in seen.side(&self.inputs, side) {
                        add(&mut sum, &rows[usize::from(input)]);
                    }
                    half.as_chunks_mut::<TILE>().0[tile] = sum;
                }
            }
        }
    }
}

#[inline(always)]
pub fn add(sum: &mut Row, row: &Row) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests;
