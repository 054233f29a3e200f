//! The engine's interface: a game, a transposition table and the workers that search.

use std::fmt;
use std::io;
use std::iter;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::pool::{Pool, Sink, Task};
use super::{pool, vote};
use crate::board::{Board, Game};
use crate::clock::{self, Budget, Limits};
use crate::memory::MemoryError;
use crate::search::strength::Strength;
use crate::search::{Job, Report, SearchTablebases, Setup};
use crate::shared::{Shared, WorkerResult};
use crate::tablebase::Probing;
use crate::tt::TranspositionTable;
use crate::types::{Move, Rng};

/// The time after the hard limit within which the search may still end by itself, before the main
/// thread concludes it.
const GRACE: Duration = Duration::from_millis(5);

/// An event of a running search.
#[derive(Clone, Debug)]
pub enum Event {
    /// A new score or bound of a line.
    Report(Report),
    /// Worker 0 begins to search another root move.
    CurrentMove {
        /// Depth of the iteration, in plies.
        depth: i32,
        /// The root move.
        mv: Move,
        /// Its number among the root moves, from 1.
        number: usize,
    },
    /// Worker 0 has finished. This is the last event of each `go`, and may come after its
    /// conclusion.
    Finished,
}

/// The answer to a `go`.
#[derive(Clone, Debug, Default)]
pub struct BestMove {
    /// The move to play; [`Move::NULL`] if there is none.
    pub best: Move,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The line that begins with the move, to be shown unless it was the last one shown; `None` if
    /// there is no move.
    pub report: Option<Report>,
}

/// A refusal by the operating system to provide memory or threads.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The transposition table does not have the requested size.
    #[error("{reason}; the hash is empty and has {kept} MB")]
    Hash {
        /// The present size, in megabytes.
        kept: usize,
        /// The reason.
        #[source]
        reason: MemoryError,
    },
    /// The threads could not be started; their number is unchanged.
    #[error("cannot start {asked} threads ({reason}); keeping {kept}")]
    Threads {
        /// The requested number.
        asked: usize,
        /// The present number.
        kept: usize,
        /// The reason, from the operating system.
        #[source]
        reason: io::Error,
    },
}

/// A search that has not been concluded.
#[derive(Debug)]
struct Current {
    start: Instant,
    budget: Option<Budget>,
    /// True if all workers vote on the answer.
    votes: bool,
    /// True if weakened play chooses the move at the end of the search.
    weakened: bool,
}

/// A game, a transposition table, and the workers that search.
pub struct Engine {
    game: Game,
    setup: Setup,
    probing: Probing,
    tt: Arc<TranspositionTable>,
    shared: Arc<Shared>,
    pool: Pool,
    sink: Sink,
    current: Option<Current>,
    strength: Option<Strength>,
    /// The source of randomness for weakened play.
    rng: Rng,
}

impl Engine {
    /// Creates an engine at the start position. `sink` receives the events of every search on the
    /// thread of worker 0 and must not block.
    ///
    /// # Errors
    /// If there is not enough memory, or the operating system refuses the threads.
    pub fn new(sink: Sink, megabytes: usize, threads: usize) -> Result<Self, EngineError> {
        let no_threads = |reason| EngineError::Threads {
            asked: threads,
            kept: 0,
            reason,
        };
        // A failed allocation for the network would end the program, so the memory is checked
        // before.
        pool::has_spare_memory().map_err(no_threads)?;
        let setup = Setup::default();
        let tt = TranspositionTable::new(megabytes)
            .map_err(|reason| EngineError::Hash { kept: 0, reason })?;
        let pool = Pool::new(threads, &setup).map_err(no_threads)?;
        let engine = Self {
            game: Game::new(Board::startpos()),
            setup,
            probing: Probing::default(),
            tt: Arc::new(tt),
            shared: Arc::new(Shared::new(pool.workers())),
            pool,
            sink,
            current: None,
            strength: None,
            rng: Rng::new(seed_from_clock()),
        };
        engine.pool.clear_hash(&engine.tt);
        Ok(engine)
    }

    /// Sets the game up to the position to search.
    pub fn set_position(&mut self, game: Game) {
        self.game = game;
    }

    /// Returns the game up to the position to search.
    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    /// Starts a search of `multi_pv` lines. The `go` was read at `start`, and each move loses
    /// `overhead` on the way to the clock.
    ///
    /// A search in progress is stopped first, and its workers are awaited.
    pub fn go(&mut self, limits: Limits, start: Instant, overhead: Duration, multi_pv: usize) {
        self.halt();
        let side = self.game.board().side_to_move();
        let move_number = self.game.board().fullmove_number();
        let budget = clock::plan(&limits, side, move_number, overhead, &self.setup.params);
        self.shared.reset();
        self.shared.set_pondering(limits.ponder);
        // Probing a slow disk may take at most a quarter of the hard limit.
        let until = budget.and_then(|budget| start.checked_add(budget.hard / 4));
        let tables = if self.strength.is_none() {
            SearchTablebases::new(&self.probing, &self.game, &limits.search_moves, until)
        } else {
            SearchTablebases::default()
        };
        self.tt.new_search();
        self.current = Some(Current {
            start,
            budget,
            votes: multi_pv <= 1 && !limits.is_exact() && self.strength.is_none(),
            weakened: self.strength.is_some(),
        });
        let strength = self.strength.map(|strength| (strength, self.rng.next()));
        let task = Task {
            job: Job {
                game: self.game.clone(),
                limits,
                budget,
                start,
                multi_pv,
                strength,
                tables,
            },
            shared: Arc::clone(&self.shared),
            tt: Arc::clone(&self.tt),
            sink: Arc::clone(&self.sink),
        };
        self.pool.search(&Arc::new(task));
    }

    /// Sets the playing strength from the next `go` on; `None` is full strength.
    pub(crate) fn set_strength(&mut self, strength: Option<Strength>) {
        self.strength = strength;
    }

    /// Handles `ponderhit`: the limits hold from now on. The search ends at once if it would have
    /// ended by now without pondering.
    pub(crate) fn ponderhit(&mut self) {
        let Some(current) = self.current.as_ref().filter(|_| self.shared.pondering()) else {
            return;
        };
        self.shared.ponderhit(current.start.elapsed());
        if self.shared.soft_expired() {
            self.shared.stop();
        }
    }

    /// Returns the time at which the search must be concluded if it has not ended by itself; `None`
    /// without a clock.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let current = self.current.as_ref()?;
        let budget = current.budget.filter(|_| !self.shared.pondering())?;
        current
            .start
            .checked_add(self.shared.pondered() + budget.hard + GRACE)
    }

    /// Stops the search and returns the answer from the results published so far. Waits for worker
    /// 0 if it has no result yet, as before depth 1, or if weakened play has to choose the move.
    /// Without a search the answer is empty.
    pub fn conclude(&mut self) -> BestMove {
        self.shared.stop();
        let Some(current) = self.current.take() else {
            return BestMove::default();
        };
        if current.weakened || self.shared.published(0).pv.is_empty() {
            self.pool.wait_for_first();
        }
        let voters = if current.votes {
            self.pool.workers()
        } else {
            1
        };
        let mut results: Vec<WorkerResult> = (0..voters)
            .map(|worker| self.shared.published(worker))
            .collect();
        let winner = results.swap_remove(vote::elect(&results));
        let Some(&best) = winner.pv.first() else {
            return BestMove::default();
        };
        BestMove {
            best,
            ponder: (winner.pv.get(1).copied()).or_else(|| self.reply_from_tt(best)),
            report: Some(Report::new(
                0,
                winner,
                &self.shared,
                &self.tt,
                current.start,
            )),
        }
    }

    /// Returns the reply to a move by the transposition table, for a line that was cut off after
    /// one move.
    fn reply_from_tt(&self, best: Move) -> Option<Move> {
        let mut board = *self.game.board();
        board.make(best);
        let entry = self.tt.probe(board.key(), 0)?;
        board.is_legal(entry.mv).then_some(entry.mv)
    }

    /// Forgets everything learned from earlier games. A search in progress is stopped.
    pub fn new_game(&mut self) {
        self.halt();
        self.pool.new_game();
        self.pool.clear_hash(&self.tt);
    }

    /// Empties the transposition table, of which each worker clears a part. A search in progress is
    /// stopped.
    pub(crate) fn clear_hash(&mut self) {
        self.halt();
        self.pool.clear_hash(&self.tt);
    }

    /// Changes the size of the transposition table, which is empty afterwards. A search in progress
    /// is stopped.
    ///
    /// # Errors
    /// If there is not enough memory. The table then has its old size, or as much of it as fits.
    pub(crate) fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        self.halt();
        let result = self.replace_tt(megabytes);
        self.pool.clear_hash(&self.tt);
        let kept = self.tt.megabytes();
        result.map_err(|reason| EngineError::Hash { kept, reason })
    }

    /// Replaces the transposition table. The old one is freed first, because there may not be
    /// memory for both, and a table of 1 MB takes its place meanwhile.
    fn replace_tt(&mut self, megabytes: usize) -> Result<(), MemoryError> {
        let before = self.tt.megabytes();
        self.tt = Arc::new(TranspositionTable::new(1)?);
        match TranspositionTable::new(megabytes) {
            Ok(tt) => self.tt = Arc::new(tt),
            Err(reason) => {
                let fallback = iter::successors(Some(before), |size| Some(size / 2))
                    .take_while(|&size| size > 1)
                    .find_map(|size| TranspositionTable::new(size).ok());
                if let Some(tt) = fallback {
                    self.tt = Arc::new(tt);
                }
                return Err(reason);
            }
        }
        Ok(())
    }

    /// Changes the number of workers, at least one. All workers forget what they have learnt. A
    /// search in progress is stopped.
    ///
    /// # Errors
    /// If the operating system refuses the threads. Their number is unchanged then.
    pub(crate) fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.halt();
        let result = self.pool.resize(threads, &self.setup);
        let kept = self.pool.workers();
        self.shared = Arc::new(Shared::new(kept));
        result.map_err(|reason| EngineError::Threads {
            asked: threads,
            kept,
            reason,
        })
    }

    /// Returns what the present search has used so far: the nodes of all workers, the share of the
    /// transposition table in use (per mille), and the tablebase hits.
    pub(crate) fn usage(&self) -> (u64, usize, u64) {
        (
            self.shared.nodes(),
            self.tt.hashfull(),
            self.shared.tb_hits(),
        )
    }

    /// Returns the parameters, network and kernel of the workers.
    pub(crate) fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Replaces the parameters, network or kernel. Workers and transposition table are empty
    /// afterwards. A search in progress is stopped.
    ///
    /// # Errors
    /// If the operating system refuses the threads. The workers are unchanged then.
    pub(crate) fn set_up(&mut self, setup: Setup) -> Result<(), EngineError> {
        self.halt();
        let workers = self.pool.workers();
        self.pool = Pool::new(workers, &setup).map_err(|reason| EngineError::Threads {
            asked: workers,
            kept: workers,
            reason,
        })?;
        self.setup = setup;
        // The transposition table holds evaluations by the old network.
        self.pool.clear_hash(&self.tt);
        Ok(())
    }

    /// Returns the endgame tablebases, and the conditions under which they are probed.
    pub(crate) fn probing(&self) -> &Probing {
        &self.probing
    }

    /// Changes the endgame tablebases or the conditions under which they are probed. The
    /// transposition table is emptied if its scores may have become wrong. A search in progress is
    /// stopped.
    pub fn set_probing(&mut self, probing: Probing) {
        self.halt();
        let known = |probing: &Probing| probing.tables.as_ref().map(Arc::as_ptr);
        if known(&probing) != known(&self.probing) || probing.fifty != self.probing.fifty {
            self.pool.clear_hash(&self.tt);
        }
        self.probing = probing;
    }

    /// Stops the search and waits for all workers.
    fn halt(&self) {
        self.shared.stop();
        self.pool.wait();
    }
}

/// Returns a seed that is different at each start of the program.
fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_nanos() as u64)
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Without a stop the pool would wait for the end of the search.
        self.shared.stop();
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("megabytes", &self.tt.megabytes())
            .field("workers", &self.pool.workers())
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
