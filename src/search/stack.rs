//! What the nodes of one line know of each other: a frame for each ply, reached by index.

use crate::types::{MAX_PLY, Played, Score, score};

/// Frames below the root, so that looking back never needs a question: the last moves of the game.
const GUARD: usize = 4;

/// What one node leaves for those below and above it.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The move made from the node.
    pub played: Played,
    /// Static evaluation; [`score::NONE`] in check.
    pub static_eval: Score,
}

impl Frame {
    const EMPTY: Self = Self {
        played: Played::NONE,
        static_eval: score::NONE,
    };
}

/// The frames from the root down.
#[derive(Clone, Debug)]
pub struct Stack {
    frames: Box<[Frame]>,
}

impl Stack {
    /// An empty stack.
    pub fn new() -> Self {
        Self {
            frames: vec![Frame::EMPTY; GUARD + MAX_PLY + 1].into_boxed_slice(),
        }
    }

    /// Empties it for a new search. `before` are the last moves of the game, the last first.
    pub fn reset(&mut self, before: [Played; 2]) {
        self.frames.fill(Frame::EMPTY);
        self.frames[GUARD - 1].played = before[0];
        self.frames[GUARD - 2].played = before[1];
    }

    /// The frame of a node.
    #[inline(always)]
    pub fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[GUARD + ply]
    }

    /// The moves one and two plies before a node.
    #[inline(always)]
    pub fn prior(&self, ply: usize) -> [Played; 2] {
        [
            self.frames[GUARD + ply - 1].played,
            self.frames[GUARD + ply - 2].played,
        ]
    }

    /// Whether the side to move stands better than at its last move; if it was in check then, than at the one
    /// before. Without either it counts as not.
    #[inline(always)]
    pub fn is_improving(&self, ply: usize) -> bool {
        let at = GUARD + ply;
        let now = self.frames[at].static_eval;
        let before = match self.frames[at - 2].static_eval {
            score::NONE => self.frames[at - 4].static_eval,
            eval => eval,
        };
        now != score::NONE && before != score::NONE && now > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn improving_looks_past_a_check() {
        let mut stack = Stack::new();
        for (ply, eval) in [(0, 10), (2, score::NONE), (4, 11), (6, 11), (8, 12)] {
            stack.at(ply).static_eval = eval;
        }
        assert!(stack.is_improving(4));
        assert!(!stack.is_improving(6));
        assert!(stack.is_improving(8));
        assert!(!stack.is_improving(0) && !stack.is_improving(2));
    }
}
