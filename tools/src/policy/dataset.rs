//! The training data of the policy network: positions as its inputs, their quiet moves as its
//! outputs, and the best move of each.

use std::ops::Range;

/// A position to train on.
#[derive(Clone, Copy, Debug)]
pub struct PolicySample<'a> {
    /// The active inputs.
    pub inputs: &'a [u16],
    /// The outputs of all moves, one move after the other.
    outputs: &'a [u16],
    /// The number of outputs of each move.
    sizes: &'a [u8],
    /// Index of the best move.
    pub best: usize,
}

impl<'a> PolicySample<'a> {
    /// Each move as the outputs whose sum is its score.
    pub fn moves(&self) -> impl Iterator<Item = &'a [u16]> {
        let mut rest = self.outputs;
        self.sizes.iter().map(move |&size| {
            let (first, behind) = rest.split_at(usize::from(size));
            rest = behind;
            first
        })
    }
}

/// Many positions to train on, packed.
#[derive(Clone, Debug, Default)]
pub struct PolicyDataset {
    inputs: Vec<u16>,
    outputs: Vec<u16>,
    sizes: Vec<u8>,
    /// For each position, the index of its best move and the ends of its inputs, outputs and moves.
    ends: Vec<(u8, [usize; 3])>,
}

impl PolicyDataset {
    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a position. It may have at most 256 moves, and a move at most 255 outputs.
    pub fn push<M: IntoIterator<Item = u16>>(
        &mut self,
        inputs: impl IntoIterator<Item = u16>,
        moves: impl IntoIterator<Item = M>,
        best: usize,
    ) {
        self.inputs.extend(inputs);
        for outputs in moves {
            let before = self.outputs.len();
            self.outputs.extend(outputs);
            self.sizes.push((self.outputs.len() - before) as u8);
        }
        let ends = [&self.inputs, &self.outputs].map(Vec::len);
        self.ends
            .push((best as u8, [ends[0], ends[1], self.sizes.len()]));
    }

    /// Returns the position with this index.
    pub fn get(&self, at: usize) -> PolicySample<'_> {
        let starts = at.checked_sub(1).map_or([0; 3], |last| self.ends[last].1);
        let (best, ends) = self.ends[at];
        let range = |part: usize| -> Range<usize> { starts[part]..ends[part] };
        PolicySample {
            inputs: &self.inputs[range(0)],
            outputs: &self.outputs[range(1)],
            sizes: &self.sizes[range(2)],
            best: usize::from(best),
        }
    }
}
