//! What the nodes of one line know of each other: a frame for each ply, reached by index.

use crate::board::Threats;
use crate::ordering::PRIOR;
use crate::types::{Bitboard, MAX_PLY, Move, Played, Score, score};

/// Frames below the root, so that looking back never needs a question: the last moves of the game.
const GUARD: usize = PRIOR;

/// Frames beyond the deepest node: it looks at its own and clears those of its children's children.
const AHEAD: usize = 3;

/// What one node leaves for those below and above it.
///
/// A cache line each, so that finding one is a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Frame {
    /// The move made from the node.
    pub played: Played,
    /// Static evaluation; [`score::NONE`] in check.
    pub static_eval: Score,
    /// Squares the opponent attacks.
    pub threats: Threats,
    /// The move a singular search leaves out; [`Move::NULL`] in every other search.
    pub excluded: Move,
    /// By how much the move made from the node is being searched shallower, 1/1024 ply.
    pub reduction: i32,
    /// Extensions by more than a ply in the line so far.
    pub double_extensions: i32,
    /// Nodes of this ply that were cut since the node two plies before was entered.
    pub cutoffs: i32,
    /// The number of the move made from the node, from 1.
    pub move_number: i32,
    /// The node is, or once was, a PV node.
    pub tt_pv: bool,
}

impl Frame {
    const EMPTY: Self = Self {
        played: Played::NONE,
        static_eval: score::NONE,
        threats: Threats {
            pawns: Bitboard::EMPTY,
            minors: Bitboard::EMPTY,
            rooks: Bitboard::EMPTY,
            all: Bitboard::EMPTY,
        },
        excluded: Move::NULL,
        reduction: 0,
        double_extensions: 0,
        cutoffs: 0,
        move_number: 0,
        tt_pv: false,
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
            frames: vec![Frame::EMPTY; GUARD + MAX_PLY + AHEAD].into_boxed_slice(),
        }
    }

    /// Empties it for a new search. `before` are the last moves of the game, the last first.
    pub fn reset(&mut self, before: [Played; PRIOR]) {
        self.frames.fill(Frame::EMPTY);
        for (frame, played) in self.frames[..GUARD].iter_mut().rev().zip(before) {
            frame.played = played;
        }
    }

    /// The frame of a node.
    #[inline(always)]
    pub fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[GUARD + ply]
    }

    /// The frame before that of a node; an empty one before the root.
    #[inline(always)]
    pub fn parent(&self, ply: usize) -> &Frame {
        &self.frames[GUARD + ply - 1]
    }

    /// The frame after that of a node.
    #[inline(always)]
    pub fn child(&self, ply: usize) -> &Frame {
        &self.frames[GUARD + ply + 1]
    }

    /// The moves before a node, the last first.
    #[inline(always)]
    pub fn prior(&self, ply: usize) -> [Played; PRIOR] {
        std::array::from_fn(|back| self.frames[GUARD + ply - 1 - back].played)
    }

    /// By how much the side to move stands better than at its last move, centipawns; if it was in check then, than at the
    /// one before. Without either it is 0.
    #[inline(always)]
    pub fn improvement(&self, ply: usize) -> Score {
        let at = GUARD + ply;
        let now = self.frames[at].static_eval;
        let before = match self.frames[at - 2].static_eval {
            score::NONE => self.frames[at - 4].static_eval,
            eval => eval,
        };
        if now == score::NONE || before == score::NONE {
            0
        } else {
            now - before
        }
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
        let improvements = [0, 2, 4, 6, 8].map(|ply| stack.improvement(ply));
        assert_eq!(improvements, [0, 0, 1, 0, 1]);
    }
}
