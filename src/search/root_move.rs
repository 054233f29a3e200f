//! A root move and its results.

use crate::shared::SearchResult;
use crate::types::{Move, Score, score};

/// A legal move of the root with what the search has found out about it.
#[derive(Clone, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// The score in this iteration, in centipawns: exact or a lower bound. It is `-INFINITE` if the
    /// move has not been searched yet or did not raise alpha.
    pub score: Score,
    /// Size of the subtree in this iteration, in nodes, summed over all windows and lines.
    pub nodes: u64,
    /// The same of all earlier iterations, those further back counting less.
    pub earlier_nodes: u64,
    /// The last exact score with its depth and its line, which begins with the move. The depth is 0
    /// until there is one.
    pub found: SearchResult,
    /// The rank by the endgame tablebases, where higher is better and 0 stands for no tablebases.
    /// The search compares only moves of the same rank.
    pub rank: i32,
    /// The score by the endgame tablebases in centipawns, if they contain the position.
    pub tb_score: Option<Score>,
}

impl RootMove {
    /// Creates a move that has not been searched.
    pub fn new(mv: Move) -> Self {
        Self {
            mv,
            score: -score::INFINITE,
            nodes: 0,
            earlier_nodes: 0,
            found: SearchResult {
                pv: vec![mv],
                ..SearchResult::default()
            },
            rank: 0,
            tb_score: None,
        }
    }

    /// Returns whether any search so far gave the move an exact score.
    pub fn is_known(&self) -> bool {
        self.found.depth > 0
    }

    /// Returns the result to report: the last exact one. A tablebase score replaces its score,
    /// unless the search has found a mate.
    pub fn shown(&self) -> SearchResult {
        let mut shown = self.found.clone();
        if let Some(known) = self.tb_score
            && !score::is_mate(shown.score)
        {
            shown.score = known;
        }
        shown
    }
}
