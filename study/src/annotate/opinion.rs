//! What a search says about a position of the game.

use rejoinder::board::Board;
use rejoinder::types::{Move, Score};

/// The engine's opinion of a position of the game.
#[derive(Clone, Debug)]
pub(super) struct Opinion {
    /// The analyzed position.
    pub board: Board,
    /// The score for the side to move, in internal centipawns.
    pub score: Score,
    /// The principal variation; empty if the game is over.
    pub line: Vec<Move>,
    /// The score of the second-best move, if it was needed.
    pub second: Option<Score>,
}
