//! The search stack: a frame for each ply, through which the nodes of a line see each other's
//! state.

use crate::ordering::PRIOR;
use crate::types::{Bitboard, MAX_PLY, Move, Played, Score, score};

/// Number of frames before the root. They hold the last moves of the game, so that looking back
/// needs no bounds check.
const GUARD: usize = PRIOR;

/// Number of frames from that of the deepest node on: a node accesses frames up to two plies below
/// its own.
const AHEAD: usize = 3;

/// The state of a node that other nodes of its line read.
///
/// A frame fills a cache line, so that its address is computed by a shift.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Frame {
    /// The move made from the node; [`Played::NONE`] for a null move.
    pub played: Played,
    /// The static evaluation in centipawns; [`score::NONE`] in check.
    pub static_eval: Score,
    /// The squares that the opponent attacks.
    pub attacked: Bitboard,
    /// The move that a singular search leaves out; [`Move::NULL`] in every other search.
    pub excluded: Move,
    /// The reduction of the move made from the node, in 1/1024 plies.
    pub reduction: i32,
    /// Number of extensions by more than a ply in the line so far.
    pub double_extensions: i32,
    /// Number of nodes of this ply that failed high since the move loop of the last node two plies
    /// before began.
    pub cutoffs: i32,
    /// The number of the move made from the node, from 1.
    pub move_number: i32,
    /// True if the node is a PV node, or was one when its TT entry was stored.
    pub tt_pv: bool,
}

impl Frame {
    const EMPTY: Self = Self {
        played: Played::NONE,
        static_eval: score::NONE,
        attacked: Bitboard::EMPTY,
        excluded: Move::NULL,
        reduction: 0,
        double_extensions: 0,
        cutoffs: 0,
        move_number: 0,
        tt_pv: false,
    };
}

/// The frames of all plies.
#[derive(Clone, Debug)]
pub struct Stack {
    frames: Box<[Frame]>,
}

impl Stack {
    /// Creates an empty stack.
    pub fn new() -> Self {
        Self {
            frames: vec![Frame::EMPTY; GUARD + MAX_PLY + AHEAD].into_boxed_slice(),
        }
    }

    /// Empties the stack for a new search. `before` are the last moves of the game, the last one
    /// first.
    pub fn reset(&mut self, before: [Played; PRIOR]) {
        self.frames.fill(Frame::EMPTY);
        for (frame, played) in self.frames[..GUARD].iter_mut().rev().zip(before) {
            frame.played = played;
        }
    }

    /// Returns the frame of the node at this ply.
    #[inline(always)]
    pub fn at(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[GUARD + ply]
    }

    /// Returns the frame of the node's parent. That of the root has only the last move of the game.
    #[inline(always)]
    pub fn parent(&self, ply: usize) -> &Frame {
        &self.frames[GUARD + ply - 1]
    }

    /// Returns the frame of the node's children.
    #[inline(always)]
    pub fn child(&self, ply: usize) -> &Frame {
        &self.frames[GUARD + ply + 1]
    }

    /// Returns the moves that led to the node, the last one first.
    #[inline(always)]
    pub fn prior(&self, ply: usize) -> [Played; PRIOR] {
        std::array::from_fn(|back| self.frames[GUARD + ply - 1 - back].played)
    }

    /// Returns the rise of the static evaluation since the last move of the side to move, in
    /// centipawns. If that side was in check then, its move before is used. The result is 0 if
    /// either evaluation is missing.
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

    /// Returns the sum of the static evaluations of the node and of its parent, in centipawns, each
    /// from its side to move. It is negative if the last move raised the evaluation for the side
    /// that made it. `None` if either evaluation is missing.
    #[inline(always)]
    pub fn evals_of_both_sides(&self, ply: usize) -> Option<Score> {
        let [before, now] = [GUARD + ply - 1, GUARD + ply].map(|at| self.frames[at].static_eval);
        (before != score::NONE && now != score::NONE).then_some(before + now)
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
