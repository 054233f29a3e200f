//! A search that a client asks for, and what the engine adds to it.

#![warn(missing_docs)]

use std::time::{Duration, Instant};

use super::SearchTablebases;
use super::strength::Strength;
use crate::board::Game;
use crate::clock::{self, Budget, Limits};
use crate::params::Params;

/// What is asked for: the position, the limits, and how to play.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The game up to the position to search.
    pub game: Game,
    /// The limits of the `go` command.
    pub limits: Limits,
    /// The time at which the `go` was read.
    pub start: Instant,
    /// The time that each move loses on the way to the clock.
    pub overhead: Duration,
    /// Number of lines to search (MultiPV), at least 1.
    pub multi_pv: usize,
    /// The strength of weakened play; `None` for full strength.
    pub strength: Option<Strength>,
}

impl SearchRequest {
    /// Creates a request of one line at full strength, from now on.
    pub fn new(game: Game, limits: Limits) -> Self {
        Self {
            game,
            limits,
            start: Instant::now(),
            overhead: Duration::ZERO,
            multi_pv: 1,
            strength: None,
        }
    }

    /// Returns whether all workers vote on the answer. With more than one line, or with a limit of
    /// the work, it is that of worker 0; weakened play chooses for itself.
    pub(crate) fn is_voted(&self) -> bool {
        self.multi_pv <= 1 && !self.limits.is_exact() && self.strength.is_none()
    }
}

/// What the engine adds to a request, the same for all workers.
#[derive(Clone, Debug, Default)]
pub(crate) struct SearchPlan {
    /// The time for this move; `None` without a clock.
    pub budget: Option<Budget>,
    /// True if the search may begin with the iteration in which the transposition table has the
    /// root: the table was loaded from a file, or earlier searches of a game of few nodes left it.
    pub resumes: bool,
    /// The endgame tablebases.
    pub tables: SearchTablebases,
    /// The seed of the random choices of weakened play.
    pub seed: u64,
}

impl SearchPlan {
    /// Plans the time of a request, for a search from the first iteration on, without tablebases.
    pub fn new(request: &SearchRequest, params: &Params) -> Self {
        let board = request.game.board();
        let (side, number) = (board.side_to_move(), board.fullmove_number());
        Self {
            budget: clock::plan(&request.limits, side, number, request.overhead, params),
            ..Self::default()
        }
    }
}
