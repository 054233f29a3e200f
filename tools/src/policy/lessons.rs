//! What is to be learnt: positions as a small network sees them, their quiet moves, and the one that was best.

use std::ops::Range;

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Lesson<'a> {
    /// The inputs that are there.
    pub inputs: &'a [u16],
    /// The outputs of all moves, one move's after the other's.
    outputs: &'a [u16],
    /// How many outputs each move has.
    sizes: &'a [u8],
    /// Which move was best.
    pub best: usize,
}

impl<'a> Lesson<'a> {
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

/// Many of them, packed.
#[derive(Clone, Debug, Default)]
pub struct Lessons {
    inputs: Vec<u16>,
    outputs: Vec<u16>,
    sizes: Vec<u8>,
    /// The best move of each, and where its inputs, outputs and moves end.
    ends: Vec<(u8, [usize; 3])>,
}

impl Lessons {
    /// How many.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One more. A position of more than 256 moves, or a move of as many outputs, does not exist in chess.
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

    /// Number `at`, from 0.
    pub fn get(&self, at: usize) -> Lesson<'_> {
        let starts = at.checked_sub(1).map_or([0; 3], |last| self.ends[last].1);
        let (best, ends) = self.ends[at];
        let range = |part: usize| -> Range<usize> { starts[part]..ends[part] };
        Lesson {
            inputs: &self.inputs[range(0)],
            outputs: &self.outputs[range(1)],
            sizes: &self.sizes[range(2)],
            best: usize::from(best),
        }
    }
}
