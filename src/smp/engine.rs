//! The engine's public face: a game, a transposition table and the workers that search.

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

/// Time after the hard limit in which the search may still end by itself, before the main thread answers for it.
const GRACE: Duration = Duration::from_millis(5);

/// News of a search while it runs.
#[derive(Clone, Debug)]
pub enum Event {
    /// An iteration, or a new best line within one.
    Report(Report),
    /// Worker 0 turns to another root move.
    CurrentMove {
        /// The iteration, plies.
        depth: i32,
        /// The move.
        mv: Move,
        /// Its place among the root moves, from 1.
        number: usize,
    },
    /// Worker 0 has returned. Comes once for each `go`, even after its conclusion, and is the last event of it.
    Finished,
}

/// The answer to a `go`.
#[derive(Clone, Debug, Default)]
pub struct BestMove {
    /// The move to play; [`Move::NULL`] if there is none.
    pub best: Move,
    /// The reply that is expected.
    pub ponder: Option<Move>,
    /// The line behind the move, to be shown unless it was the last one shown; `None` if there is no move.
    pub report: Option<Report>,
}

/// A request for more memory or threads than there are.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The transposition table has another size than the one asked for.
    #[error("{reason}; the hash is empty and has {kept} MB")]
    Hash {
        /// Megabytes it has now.
        kept: usize,
        /// The reason.
        #[source]
        reason: MemoryError,
    },
    /// The number of threads has not changed.
    #[error("cannot start {asked} threads ({reason}); keeping {kept}")]
    Threads {
        /// The number asked for.
        asked: usize,
        /// The number kept.
        kept: usize,
        /// The reason, from the operating system.
        #[source]
        reason: io::Error,
    },
}

/// A search that is not concluded yet.
#[derive(Debug)]
struct Current {
    start: Instant,
    budget: Option<Budget>,
    /// Whether all workers vote on the answer.
    votes: bool,
    /// Whether weakened play chooses the move, at the end of the search.
    weakened: bool,
}

/// A game, a transposition table, and the workers who search.
pub struct Engine {
    game: Game,
    setup: Setup,
    probing: Probing,
    table: Arc<TranspositionTable>,
    shared: Arc<Shared>,
    pool: Pool,
    sink: Sink,
    current: Option<Current>,
    strength: Option<Strength>,
    /// Randomness of weakened play.
    rng: Rng,
}

impl Engine {
    /// An engine at the start position. `sink` receives the events of every search, on the thread of worker 0; it must not wait.
    ///
    /// # Errors
    /// If there is too little memory, or the system refuses the threads.
    pub fn new(sink: Sink, megabytes: usize, threads: usize) -> Result<Self, EngineError> {
        let no_threads = |reason| EngineError::Threads {
            asked: threads,
            kept: 0,
            reason,
        };
        // The network is read by allocations that cannot be refused.
        pool::has_spare_memory().map_err(no_threads)?;
        let setup = Setup::default();
        let table = TranspositionTable::new(megabytes)
            .map_err(|reason| EngineError::Hash { kept: 0, reason })?;
        let pool = Pool::new(threads, &setup).map_err(no_threads)?;
        let engine = Self {
            game: Game::new(Board::startpos()),
            setup,
            probing: Probing::default(),
            table: Arc::new(table),
            shared: Arc::new(Shared::new(pool.workers())),
            pool,
            sink,
            current: None,
            strength: None,
            rng: Rng::new(seed_from_clock()),
        };
        engine.pool.clear(&engine.table);
        Ok(engine)
    }

    /// Sets the game up to the position to search.
    pub fn set_position(&mut self, game: Game) {
        self.game = game;
    }

    /// The game up to the position to search.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Starts a search of `multi_pv` lines. The `go` was read at `start`, and `overhead` is lost with each move on the way to the clock.
    ///
    /// Stops the search before if there is one, and waits for it.
    pub fn go(&mut self, limits: Limits, start: Instant, overhead: Duration, multi_pv: usize) {
        self.halt();
        let side = self.game.board().side_to_move();
        let move_number = self.game.board().fullmove_number();
        let budget = clock::plan(&limits, side, move_number, overhead, &self.setup.params);
        self.shared.reset();
        self.shared.set_pondering(limits.ponder);
        // A slow disk must not spend the clock.
        let until = budget.and_then(|budget| start.checked_add(budget.hard / 4));
        let tables = if self.strength.is_none() {
            SearchTablebases::new(&self.probing, &self.game, &limits.search_moves, until)
        } else {
            SearchTablebases::default()
        };
        self.table.new_search();
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
            table: Arc::clone(&self.table),
            sink: Arc::clone(&self.sink),
        };
        self.pool.search(&Arc::new(task));
    }

    /// Sets the playing strength from the next `go` on; `None` is full strength.
    pub fn set_strength(&mut self, strength: Option<Strength>) {
        self.strength = strength;
    }

    /// Ends the search, without an answer yet. [`Event::Finished`] follows if it has not come.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// The move pondered on was played: the limits hold from now on. If the search would have moved by now, it ends.
    pub fn ponderhit(&mut self) {
        let Some(current) = self.current.as_ref().filter(|_| self.shared.pondering()) else {
            return;
        };
        self.shared.ponderhit(current.start.elapsed());
        if self.shared.soft_expired() {
            self.shared.stop();
        }
    }

    /// Whether a `go` waits for its conclusion.
    pub fn is_searching(&self) -> bool {
        self.current.is_some()
    }

    /// When to conclude if the search has not ended by itself.
    pub fn deadline(&self) -> Option<Instant> {
        let current = self.current.as_ref()?;
        let budget = current.budget.filter(|_| !self.shared.pondering())?;
        current
            .start
            .checked_add(self.shared.pondered() + budget.hard + GRACE)
    }

    /// Stops the search and answers from what is published by now. Waits for worker 0 if that is nothing, as
    /// it is before depth 1, or if a strength has still to choose. Without a search the answer is empty.
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
            ponder: (winner.pv.get(1).copied()).or_else(|| self.reply_in_table(best)),
            report: Some(Report::new(
                0,
                winner,
                &self.shared,
                &self.table,
                current.start,
            )),
        }
    }

    /// The table's answer to a move. A line cut off by the clock may be one move long.
    fn reply_in_table(&self, best: Move) -> Option<Move> {
        let mut board = *self.game.board();
        board.make(best);
        let entry = self.table.probe(board.key(), 0)?;
        board.is_legal(entry.mv).then_some(entry.mv)
    }

    /// Forgets everything learned from earlier games. Stops a search.
    pub fn new_game(&mut self) {
        self.halt();
        self.pool.new_game();
        self.pool.clear(&self.table);
    }

    /// Empties the transposition table; every worker clears a part. Stops a search.
    pub fn clear_hash(&mut self) {
        self.halt();
        self.pool.clear(&self.table);
    }

    /// Gives the transposition table another size; it is empty afterwards. Stops a search.
    ///
    /// # Errors
    /// If there is too little memory. The old size comes back then, or as much of it as fits.
    pub fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        self.halt();
        let result = self.replace_table(megabytes);
        self.pool.clear(&self.table);
        let kept = self.table.megabytes();
        result.map_err(|reason| EngineError::Hash { kept, reason })
    }

    /// Frees the old table first, as there may be no room for both; the smallest possible one stands in for it.
    fn replace_table(&mut self, megabytes: usize) -> Result<(), MemoryError> {
        let before = self.table.megabytes();
        self.table = Arc::new(TranspositionTable::new(1)?);
        match TranspositionTable::new(megabytes) {
            Ok(table) => self.table = Arc::new(table),
            Err(reason) => {
                let fallback = iter::successors(Some(before), |size| Some(size / 2))
                    .take_while(|&size| size > 1)
                    .find_map(|size| TranspositionTable::new(size).ok());
                if let Some(table) = fallback {
                    self.table = Arc::new(table);
                }
                return Err(reason);
            }
        }
        Ok(())
    }

    /// Changes the number of workers, at least one; what they learnt is forgotten. Stops a search.
    ///
    /// # Errors
    /// If the system gives fewer threads. There are as many as before then.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
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

    /// The parameters, network and kernel of the workers.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Replaces the parameters, network or kernel. The workers and the transposition table start empty. Stops a search.
    ///
    /// # Errors
    /// If the system does not give their threads; the workers are as before then.
    pub fn set_up(&mut self, setup: Setup) -> Result<(), EngineError> {
        self.halt();
        let workers = self.pool.workers();
        self.pool = Pool::new(workers, &setup).map_err(|reason| EngineError::Threads {
            asked: workers,
            kept: workers,
            reason,
        })?;
        self.setup = setup;
        // It holds evaluations.
        self.pool.clear(&self.table);
        Ok(())
    }

    /// The endgame tables that searches probe, and when they do.
    pub fn probing(&self) -> &Probing {
        &self.probing
    }

    /// Changes which endgame tables searches probe, or when. Stops a search. Empties the transposition table if its scores may be
    /// wrong now.
    pub fn set_probing(&mut self, probing: Probing) {
        self.halt();
        let known = |probing: &Probing| probing.tables.as_ref().map(Arc::as_ptr);
        if known(&probing) != known(&self.probing) || probing.fifty != self.probing.fifty {
            self.pool.clear(&self.table);
        }
        self.probing = probing;
    }

    /// Stops, and waits until every worker has.
    fn halt(&self) {
        self.shared.stop();
        self.pool.wait();
    }
}

/// A different number at each start of the program.
fn seed_from_clock() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_nanos() as u64)
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Else the pool would wait for the end of the search.
        self.shared.stop();
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("megabytes", &self.table.megabytes())
            .field("workers", &self.pool.workers())
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
