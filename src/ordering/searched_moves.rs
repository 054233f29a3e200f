//! What the histories learn from: the result of a node, and the moves that it has searched.

use arrayvec::ArrayVec;

use super::NodeKind;
use crate::types::{Move, Score};

/// The result of a node.
#[derive(Clone, Copy, Debug)]
pub struct NodeOutcome<'a> {
    /// The expected type of the node.
    pub kind: NodeKind,
    /// The move of its TT entry; [`Move::NULL`] if it had none.
    pub tt_move: Move,
    /// The last move that raised alpha or failed high; [`Move::NULL`] if the node failed low.
    pub best: Move,
    /// The score in centipawns.
    pub score: Score,
    /// True if the node failed high, by the move that was searched last.
    pub fails_high: bool,
    /// Depth of the node in plies.
    pub depth: i32,
    /// The moves that were searched; the best move may be among them.
    pub searched: &'a SearchedMoves,
}

/// The moves that a node has searched.
#[derive(Clone, Debug, Default)]
pub struct SearchedMoves {
    /// Number of all moves searched, including those for which the lists have no room.
    pub count: i32,
    /// The first quiet moves.
    pub quiets: ArrayVec<Move, 64>,
    /// The first captures and promotions.
    pub captures: ArrayVec<Move, 32>,
}

impl SearchedMoves {
    /// Adds a move that did not fail high to its list.
    pub fn add(&mut self, mv: Move) {
        // Moves for which there is no room came too late to matter.
        let _ = if mv.is_quiet() {
            self.quiets.try_push(mv)
        } else {
            self.captures.try_push(mv)
        };
    }
}

impl FromIterator<Move> for SearchedMoves {
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        let mut searched = Self::default();
        for mv in moves {
            searched.count += 1;
            searched.add(mv);
        }
        searched
    }
}
