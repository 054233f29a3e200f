//! One side of a game in this process: a worker with a transposition table of its own.

use std::fmt;
use std::iter::Sum;
use std::time::{Duration, Instant};

use crate::board::{Board, Game};
use crate::clock::Limits;
use crate::memory::MemoryError;
use crate::params::Params;
use crate::search::{Job, Setup, Silent, Worker};
use crate::shared::{Shared, WorkerResult};
use crate::tt::TranspositionTable;
use crate::types::Score;

/// An opening is lost for the side that is behind by more than this, centipawns.
const OPENING_LIMIT: Score = 1000;

/// One side of a game: a worker and all it learns from.
pub struct Player {
    worker: Worker,
    shared: Shared,
    table: TranspositionTable,
    limits: Limits,
    effort: SearchCost,
}

/// Work done in searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCost {
    /// Searches begun.
    pub searches: u64,
    /// Nodes visited.
    pub nodes: u64,
    /// Time inside the searches.
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
    /// A player with this setup, this much hash and these limits for each move. Small tables are best:
    /// they are cleared for every game, and a few thousand nodes a move never fill them.
    ///
    /// # Errors
    /// If the memory is not there.
    pub fn new(setup: Setup, megabytes: usize, limits: Limits) -> Result<Self, MemoryError> {
        Ok(Self {
            worker: Worker::new(0, setup),
            shared: Shared::new(1),
            table: TranspositionTable::new(megabytes)?,
            limits,
            effort: SearchCost::default(),
        })
    }

    /// All this player has done so far.
    pub const fn effort(&self) -> SearchCost {
        self.effort
    }

    /// Plays by these numbers from the next game on.
    pub fn set_params(&mut self, params: Params) {
        self.worker.set_params(params);
    }

    /// Forgets everything, so that a game depends on nothing that was played before it.
    pub fn forget(&mut self) {
        self.worker.new_game();
        self.table.clear(0, 1);
    }

    /// Whether a search of so many nodes finds neither side lost already.
    pub fn finds_fair(&mut self, opening: Board, nodes: u64) -> bool {
        let limits = Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        let score = self
            .search(&mut Job::new(Game::new(opening), Limits::default()), limits)
            .score;
        score.abs() <= OPENING_LIMIT
    }

    /// Score of the position a game has come to, for the side to move, in centipawns.
    pub fn score(&mut self, game: &Game) -> Score {
        self.think(&mut Job::new(game.clone(), Limits::default()))
            .score
    }

    /// The move this player makes, and its score.
    pub fn think(&mut self, job: &mut Job) -> WorkerResult {
        self.search(job, self.limits.clone())
    }

    fn search(&mut self, job: &mut Job, limits: Limits) -> WorkerResult {
        job.limits = limits;
        job.start = Instant::now();
        self.shared.reset();
        self.table.new_search();
        let result = self
            .worker
            .search(job, &self.shared, &self.table, &mut Silent);
        self.effort.searches += 1;
        self.effort.nodes += self.worker.stats().nodes;
        self.effort.time += job.start.elapsed();
        result
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player")
            .field("megabytes", &self.table.megabytes())
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
