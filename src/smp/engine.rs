//! The engine's interface: a transposition table and the workers that search.

#![warn(missing_docs)]

use std::fmt;
use std::io;
use std::iter;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::lengthening::Lengthening;
use super::pool::{Pool, Sink, Task};
use super::{pool, vote};
use crate::board::Board;
use crate::memory::MemoryError;
use crate::numa::{Binding, Placement};
use crate::search::{Report, SearchPlan, SearchRequest, SearchTablebases, Setup};
use crate::shared::{SearchResult, Shared};
use crate::tablebase::Probing;
use crate::tt::{HashFileError, Origin, SavedTable, TranspositionTable};
use crate::types::{Move, Rng};

/// The time after the hard limit within which the search may still end by itself, before the main
/// thread stops it and lets the workers vote.
const GRACE: Duration = Duration::from_millis(5);
/// Ranking the root moves by the tablebases may take at most this time, for the disk may be slow and
/// nothing else is answered meanwhile.
const RANKING_LIMIT: Duration = Duration::from_secs(2);
/// With a clock, it may take at most the hard limit divided by this.
const RANKING_SHARE: u32 = 4;
/// An event of a running search.
#[derive(Clone, Debug)]
pub enum Event {
    /// All lines, the best first, after one of them got a new score.
    Lines(Vec<Report>),
    /// A bound of a line's score, after which the line is searched again.
    Bound(Report),
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
    /// answer.
    Finished,
}

/// The answer to a `go`.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The move to play; [`Move::NULL`] if there is none.
    pub best: Move,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The MultiPV lines, to be shown unless they were the last ones shown. The first one begins
    /// with the move, except in weakened play. Empty if there is no move.
    pub lines: Vec<Report>,
    /// The search, and the time by which the move has to be played.
    search: Option<(Arc<Task>, Option<Instant>)>,
}

impl Answer {
    /// Lengthens won and lost lines by the tablebases, as far as the time allows.
    pub fn lengthen(&mut self) {
        if let Some((task, due)) = &self.search {
            let game = &task.request.game;
            (task.lengthening).answer(game, &task.plan, *due, &mut self.lines);
        }
    }
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
        reason: io::Error,
    },
}

/// A transposition table, and the workers that search.
pub struct Engine {
    setup: Setup,
    probing: Probing,
    tt: Arc<TranspositionTable>,
    shared: Arc<Shared>,
    pool: Pool,
    /// The reason why the transposition table is not on the nodes of the workers, if any.
    unspread: Option<MemoryError>,
    sink: Sink,
    /// The search without an answer so far.
    current: Option<Arc<Task>>,
    /// The source of randomness for weakened play.
    rng: Rng,
}

impl Engine {
    /// Creates an engine. `sink` receives the events of every search on the
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
            setup,
            probing: Probing::default(),
            tt: Arc::new(tt),
            shared: Arc::new(Shared::new(pool.workers())),
            pool,
            unspread: None,
            sink,
            current: None,
            rng: Rng::new(seed_from_clock()),
        };
        engine.pool.clear_hash(&engine.tt);
        Ok(engine)
    }

    /// Starts a search on all workers. The engine itself adds the time for the move and the endgame
    /// tablebases to the request.
    ///
    /// A search in progress is stopped first, and its workers are awaited.
    pub fn go(&mut self, request: SearchRequest) {
        self.halt();
        let mut plan = SearchPlan::new(&request, &self.setup.params);
        self.shared.reset();
        self.shared.set_pondering(request.limits.ponder);
        plan.resumes = self.tt.new_search();
        if request.strength.is_none() {
            let patience =
                (plan.budget).map_or(RANKING_LIMIT, |budget| budget.hard / RANKING_SHARE);
            let until = request.start + patience.min(RANKING_LIMIT);
            plan.tables = SearchTablebases::new(&self.probing, &request, until);
        } else {
            plan.seed = self.rng.next();
        }
        let task = Arc::new(Task {
            request,
            plan,
            shared: Arc::clone(&self.shared),
            tt: Arc::clone(&self.tt),
            sink: Arc::clone(&self.sink),
            lengthening: Lengthening::default(),
        });
        self.pool.search(&task);
        self.current = Some(task);
    }

    /// Handles `ponderhit`: the limits hold from now on. The search ends at once if it would have
    /// ended by now without pondering.
    pub(crate) fn ponderhit(&mut self) {
        let Some(task) = self.current.as_ref().filter(|_| self.shared.pondering()) else {
            return;
        };
        self.shared.ponderhit(task.request.start.elapsed());
        if self.shared.soft_expired() {
            self.shared.stop();
        }
    }

    /// Returns the time at which the search must be stopped if it has not ended by itself; `None`
    /// without a clock.
    pub fn deadline(&self) -> Option<Instant> {
        let Task { request, plan, .. } = &**self.current.as_ref()?;
        let budget = plan.budget.filter(|_| !self.shared.pondering())?;
        (request.start).checked_add(self.shared.pondered() + budget.hard + GRACE)
    }

    /// Stops the search and returns the answer from the results published so far. Waits for worker
    /// 0 if it has no result yet, as before depth 1, or if weakened play has to choose the move.
    /// Without a search the answer is empty.
    pub fn stop_and_vote(&mut self) -> Answer {
        self.shared.stop();
        let due = self.deadline().and_then(|late| late.checked_sub(GRACE));
        let Some(task) = self.current.take() else {
            return Answer::default();
        };
        let request = &task.request;
        let is_weakened = request.strength.is_some();
        if is_weakened || self.shared.published(0).pv.is_empty() {
            self.pool.wait_for_first();
        }
        let lines = if request.multi_pv > 1 {
            self.shared.published_lines()
        } else {
            let voters = if request.is_voted() {
                self.pool.workers()
            } else {
                1
            };
            let results = (0..voters).map(|worker| self.shared.published(worker));
            let mut results: Vec<SearchResult> = results.collect();
            vec![results.swap_remove(vote::elect(&results))]
        };
        let winner = if is_weakened {
            self.shared.published(0).pv
        } else {
            lines.first().map_or_else(Vec::new, |line| line.pv.clone())
        };
        let Some(&best) = winner.first() else {
            return Answer::default();
        };
        let lines = Report::of_lines(lines, &self.shared, &self.tt, request.start);
        let reply = winner.get(1).copied();
        Answer {
            best,
            ponder: reply.or_else(|| self.reply_from_tt(request.game.board(), best)),
            lines,
            search: Some((task, due)),
        }
    }

    /// Returns the reply to a move on this board by the transposition table, for a line that was cut
    /// off after one move.
    fn reply_from_tt(&self, board: &Board, best: Move) -> Option<Move> {
        let mut board = *board;
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
        self.unspread = None;
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

    /// Returns the size of the transposition table in megabytes.
    pub(crate) fn hash_megabytes(&self) -> usize {
        self.tt.megabytes()
    }

    /// Returns a remark about the pages of the transposition table, on systems where their size
    /// depends on the rights of the user.
    pub(crate) fn hash_page_remark(&self) -> Option<&'static str> {
        self.tt.page_remark()
    }

    /// Saves the transposition table in a file. A search in progress is stopped.
    ///
    /// # Errors
    /// If the file cannot be written. An earlier file of that name is unchanged then.
    pub(crate) fn save_hash(&mut self, path: &Path) -> Result<(), HashFileError> {
        self.halt();
        self.tt.save(path, self.origin())
    }

    /// Loads the transposition table from a file. The table gets the size that it had when it was
    /// saved. A search in progress is stopped.
    ///
    /// # Errors
    /// If the file cannot be read, is not a complete table, or was saved under other conditions.
    /// The table is unchanged then, except for [`HashFileError::Changed`].
    pub(crate) fn load_hash(&mut self, path: &Path) -> Result<(), HashFileError> {
        self.halt();
        let mut saved = SavedTable::open(path, self.origin())?;
        if saved.megabytes() == self.tt.megabytes() {
            let loaded = saved.load_into(&self.tt);
            if loaded.is_err() {
                self.pool.clear_hash(&self.tt);
            }
            return loaded;
        }
        let tt = TranspositionTable::new(saved.megabytes()).map_err(HashFileError::Memory)?;
        let tt = Arc::new(tt);
        // The workers touch the memory first, each a part of it.
        self.pool.clear_hash(&tt);
        saved.load_into(&tt)?;
        self.tt = tt;
        self.unspread = None;
        Ok(())
    }

    /// Returns what the content of the transposition table depends on.
    fn origin(&self) -> Origin {
        Origin {
            network: self.setup.network.checksum(),
            fifty: self.probing.fifty,
        }
    }

    /// Changes the number of workers, at least one. All workers forget what they have learned. A
    /// search in progress is stopped.
    ///
    /// # Errors
    /// If the operating system refuses the threads. Their number is unchanged then.
    pub(crate) fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.halt();
        let before = self.pool.placement().clone();
        let result = self.pool.resize(threads, &self.setup);
        self.spread_hash(&before);
        let kept = self.pool.workers();
        self.shared = Arc::new(Shared::new(kept));
        result.map_err(|reason| EngineError::Threads {
            asked: threads,
            kept,
            reason,
        })
    }

    /// Changes which nodes of the machine the workers are bound to. A search in progress is stopped.
    pub(crate) fn set_numa_binding(&mut self, binding: Binding) {
        self.halt();
        let before = self.pool.placement().clone();
        self.pool.set_binding(binding, &self.setup);
        self.spread_hash(&before);
    }

    /// Returns which nodes the workers are bound to.
    pub(crate) fn placement(&self) -> &Placement {
        self.pool.placement()
    }

    /// Returns the reason why a worker could not be bound to its node, if any.
    pub(crate) fn numa_refusal(&self) -> Option<&io::Error> {
        self.pool.refusal()
    }

    /// Returns the reason why the transposition table could not be brought to the nodes of the
    /// workers when these changed last, if any.
    pub(crate) fn hash_refusal(&self) -> Option<&MemoryError> {
        self.unspread.as_ref()
    }

    /// Brings the transposition table into the memory of the nodes on which the workers are now.
    /// The memory of a page is on the node of the worker that touched it first. If there is not
    /// enough memory for another table, the old one stays where it is.
    fn spread_hash(&mut self, before: &Placement) {
        if self.pool.placement().has_same_nodes(before) {
            return;
        }
        self.unspread = match TranspositionTable::new(self.tt.megabytes()) {
            Ok(tt) => {
                let tt = Arc::new(tt);
                self.pool.copy_hash(&self.tt, &tt);
                self.tt = tt;
                None
            }
            Err(reason) => Some(reason),
        };
    }

    /// Returns what the present search has used so far: the nodes of all workers, the share of the
    /// transposition table in use (per mille), and the tablebase hits.
    pub fn usage(&self) -> (u64, usize, u64) {
        (
            self.shared.nodes(),
            self.tt.hashfull(),
            self.shared.tb_hits(),
        )
    }

    /// Returns the parameters, network and kernel of the workers.
    pub fn setup(&self) -> &Setup {
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
        self.pool = (self.pool.renewed(&setup)).map_err(|reason| EngineError::Threads {
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
pub fn seed_from_clock() -> u64 {
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
