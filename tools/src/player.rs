//! A player in games within this process: a worker with a transposition table of its own.

use std::fmt;
use std::iter::Sum;
use std::time::{Duration, Instant};

use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::memory::MemoryError;
use rejoinder::params::Params;
use rejoinder::search::{Reporter, SearchRequest, Setup, Silent};
use rejoinder::shared::SearchResult;
use rejoinder::smp::Solo;
use rejoinder::types::Score;

/// Microseconds in a millisecond.
const MILLI: i64 = 1000;

/// A player: a worker with everything it needs.
pub struct Player {
    solo: Solo,
    limits: Limits,
    /// Time left for each color in microseconds, if the limits have a clock.
    left: [i64; 2],
    effort: SearchCost,
}

/// The cost of searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCost {
    /// The number of searches.
    pub searches: u64,
    /// The number of nodes.
    pub nodes: u64,
    /// The time spent in searches.
    pub time: Duration,
}

impl Sum for SearchCost {
    fn sum<I: Iterator<Item = Self>>(efforts: I) -> Self {
        efforts.fold(Self::default(), |all, one| Self {
            searches: all.searches + one.searches,
            nodes: all.nodes + one.nodes,
            time: all.time + one.time,
        })
    }
}

impl Player {
    /// Creates a player with this setup, this size of the transposition table, and these limits for
    /// each move. A clock in the limits is the one at the beginning of each game, and must count
    /// nodes ([`Limits::node_clock`]). Small tables are best: they are cleared for every game, and a few thousand nodes
    /// per move never fill them.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(setup: Setup, megabytes: usize, limits: Limits) -> Result<Self, MemoryError> {
        Ok(Self {
            solo: Solo::new(setup, megabytes)?,
            left: full_clock(&limits),
            limits,
            effort: SearchCost::default(),
        })
    }

    /// Returns the cost of all searches so far.
    pub const fn effort(&self) -> SearchCost {
        self.effort
    }

    /// Plays with these parameters from the next game on.
    pub fn set_params(&mut self, params: Params) {
        self.solo.worker().set_params(params);
    }

    /// Forgets everything, so that a game does not depend on earlier ones.
    pub fn forget(&mut self) {
        self.solo.forget();
        self.left = full_clock(&self.limits);
    }

    /// Returns whether the score of an opening, according to a search of this many nodes, is at
    /// most `limit` for either side.
    pub fn finds_fair(&mut self, opening: Board, nodes: u64, limit: Score) -> bool {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let score = self
            .search(
                &mut SearchRequest::new(Game::new(opening), Limits::default()),
                limits,
            )
            .score;
        score.abs() <= limit
    }

    /// Returns the score of the current position of a game for the side to move, in internal
    /// centipawns.
    pub fn score(&mut self, game: &Game) -> Score {
        self.think(&mut SearchRequest::new(game.clone(), Limits::default()))
            .score
    }

    /// Searches the position of a request within the player's limits. The result contains the move and
    /// its score.
    pub fn think(&mut self, request: &mut SearchRequest) -> SearchResult {
        self.search(request, self.limits.clone())
    }

    /// Searches the position of a request within these limits instead of the player's. The result
    /// contains the move and its score.
    pub fn search(&mut self, request: &mut SearchRequest, limits: Limits) -> SearchResult {
        self.run(request, limits, Solo::search)
    }

    /// Searches like [`search`](Self::search), but begins with the iteration in which the search of
    /// the ply before has left the position in the table.
    pub fn resume(&mut self, request: &mut SearchRequest, limits: Limits) -> SearchResult {
        self.run(request, limits, Solo::resume)
    }

    fn run(
        &mut self,
        request: &mut SearchRequest,
        limits: Limits,
        search: impl FnOnce(&mut Solo, &SearchRequest, &mut dyn Reporter) -> SearchResult,
    ) -> SearchResult {
        let side = request.game.board().side_to_move().index();
        request.limits = limits;
        if request.limits.node_clock {
            request.limits.time = self.left.map(|left| Some(left / MILLI));
        }
        request.start = Instant::now();
        let result = search(&mut self.solo, request, &mut Silent);
        let nodes = self.solo.stats().nodes;
        if request.limits.node_clock {
            let left = &mut self.left[side];
            *left = (*left - nodes as i64).max(0) + request.limits.increment[side] * MILLI;
        }
        self.effort.searches += 1;
        self.effort.nodes += nodes;
        self.effort.time += request.start.elapsed();
        result
    }
}

/// Returns both clocks at the beginning of a game, in microseconds; 0 without a clock.
fn full_clock(limits: &Limits) -> [i64; 2] {
    limits.time.map(|time| time.unwrap_or(0) * MILLI)
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("megabytes", &self.solo.megabytes())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
