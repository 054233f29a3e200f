//! What a search says about a position of the game.

use rejoinder::board::Board;
use rejoinder::types::{Move, Score};

/// The engine's evaluation of a position of the game.
#[derive(Clone, Debug)]
pub(super) struct Evaluation {
    /// The analyzed position.
    pub board: Board,
    /// The score for the side to move, in internal centipawns.
    pub score: Score,
    /// The principal variation; empty if the game is over.
    pub line: Vec<Move>,
    /// The score of the second-best move, if it was needed.
    pub second: Option<Score>,
}

/// The evaluations of all positions of a game, and their cost.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    /// The evaluations of the position before each move and of the last one.
    pub evaluations: Vec<Evaluation>,
    /// How often the effort was doubled at each of these positions.
    pub doublings: Vec<u32>,
    /// Number of nodes of all searches.
    pub nodes: u64,
}
