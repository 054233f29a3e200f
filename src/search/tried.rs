//! The moves a node has searched, so that the histories may learn from it.

use arrayvec::ArrayVec;

use crate::types::Move;

/// What was tried, and how many moves in all.
#[derive(Default)]
pub(super) struct Tried {
    /// All moves searched, whether or not there was room for them.
    pub count: i32,
    /// Quiet moves, the first ones.
    pub quiets: ArrayVec<Move, 64>,
    /// Captures and promotions, the first ones.
    pub captures: ArrayVec<Move, 32>,
}

impl Tried {
    /// Takes note of a move that is not the node's answer.
    pub fn add(&mut self, mv: Move) {
        // What does not fit any more was too late to matter.
        let _ = if mv.is_quiet() {
            self.quiets.try_push(mv)
        } else {
            self.captures.try_push(mv)
        };
    }
}
