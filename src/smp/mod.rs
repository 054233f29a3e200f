//! Many workers on one position: Lazy SMP.
//!
//! All workers search the same root and share only the transposition table and what is in [`Shared`].
//! Worker 0 watches the limits and reports. The answer is elected from what each of them has published,
//! at once: whoever is slow to stop is awaited only when the next order comes.
//!
//! No text here: `uci` speaks, this room moves.

mod mailbox;
mod pool;
/// What [`mailbox`] is made of; tests/mailbox.rs makes it of something else.
mod sync {
    pub use parking_lot::{Condvar, Mutex};
}
mod vote;

use std::fmt;
use std::io;
use std::iter;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::board::{Board, Game};
use crate::clock::{self, Budget, Limits};
use crate::memory::MemoryError;
use crate::search::strength::Strength;
use crate::search::{Job, Report, SearchTablebases, Setup};
use crate::shared::{Shared, WorkerResult};
use crate::tablebase::Probing;
use crate::tt::TranspositionTable;
use crate::types::{Move, Rng};
use pool::{Pool, Task};

pub use pool::Sink;

/// How long after the hard limit the search may still end by itself.
const GRACE: Duration = Duration::from_millis(5);

/// What a search says while it runs.
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

/// Why there is not as much of something as was asked for.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The table keeps another size.
    #[error("{reason}; the hash is empty and has {kept} MB")]
    Hash {
        /// Megabytes it has now.
        kept: usize,
        /// What is wrong.
        #[source]
        reason: MemoryError,
    },
    /// There are as many threads as before.
    #[error("no {asked} threads: {reason}; there are {kept}")]
    Threads {
        /// How many were asked for.
        asked: usize,
        /// How many there are.
        kept: usize,
        /// What the system says.
        #[source]
        reason: io::Error,
    },
}

/// A search that is not concluded yet.
#[derive(Debug)]
struct Current {
    start: Instant,
    budget: Option<Budget>,
    /// Whether all workers have a say in the answer.
    votes: bool,
    /// Whether worker 0 settles the answer only at the end.
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
    /// Luck of the weaker play.
    rng: Rng,
}

impl Engine {
    /// An engine at the start position. `sink` receives the events of every search, on the thread of worker 0; it must not wait.
    ///
    /// # Errors
    /// If there is not so much memory, or not so many threads; nothing is kept then.
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
            rng: Rng::new(seed_of_today()),
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

    /// Plays weaker from the next `go` on, or at full strength again.
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
        let hit = self.table.probe(board.key(), 0)?;
        board.is_legal(hit.mv).then_some(hit.mv)
    }

    /// Forgets all that earlier games taught. Stops a search.
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
    /// If there is not so much memory. The old size comes back then, or as much of it as there is.
    pub fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        self.halt();
        let result = self.replace_table(megabytes);
        self.pool.clear(&self.table);
        let kept = self.table.megabytes();
        result.map_err(|reason| EngineError::Hash { kept, reason })
    }

    /// The old table goes first, as there may be no room for both; meanwhile the least of tables stands in.
    fn replace_table(&mut self, megabytes: usize) -> Result<(), MemoryError> {
        let before = self.table.megabytes();
        self.table = Arc::new(TranspositionTable::new(1)?);
        match TranspositionTable::new(megabytes) {
            Ok(table) => self.table = Arc::new(table),
            Err(reason) => {
                let what_is_left = iter::successors(Some(before), |size| Some(size / 2))
                    .take_while(|&size| size > 1)
                    .find_map(|size| TranspositionTable::new(size).ok());
                if let Some(table) = what_is_left {
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

    /// What the workers play by.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Plays on by something else and with new workers, who know nothing; the table is empty. Stops a search.
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

    /// Which endgame tables the searches ask, and when.
    pub fn probing(&self) -> &Probing {
        &self.probing
    }

    /// Asks other endgame tables, or at other times, from now on. Stops a search. The transposition table is emptied if
    /// its scores may be wrong now.
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

/// Another number at each start of the program.
fn seed_of_today() -> u64 {
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
mod tests {
    use std::sync::mpsc::{self, Receiver};

    use parking_lot::Mutex;

    use super::*;
    use crate::types::score::MATE;

    const NO_OVERHEAD: Duration = Duration::ZERO;

    /// Far more than any of these searches takes, on a machine as busy as it may be.
    const PATIENCE: Duration = Duration::from_secs(20);

    fn engine(threads: usize) -> (Engine, Receiver<Event>) {
        let (events, inbox) = mpsc::channel();
        let sink = move |event| drop(events.send(event));
        let engine = Engine::new(Arc::new(sink), 1, threads).expect("an engine");
        (engine, inbox)
    }

    fn go(engine: &mut Engine, limits: Limits) {
        engine.go(limits, Instant::now(), NO_OVERHEAD, 1);
    }

    fn infinite() -> Limits {
        Limits {
            infinite: true,
            ..Limits::default()
        }
    }

    fn depth(depth: i32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// The last report before the end of the search.
    fn last_report(inbox: &Receiver<Event>) -> Option<Report> {
        let mut last = None;
        loop {
            match inbox.recv_timeout(PATIENCE).expect("the search ends") {
                Event::Report(report) => last = Some(report),
                Event::CurrentMove { .. } => {}
                Event::Finished => return last,
            }
        }
    }

    #[test]
    fn a_search_ends_by_itself_and_waits_for_its_conclusion() {
        for threads in [1, 2, 4, 16] {
            let (mut engine, inbox) = engine(threads);
            go(&mut engine, depth(4));
            let last = last_report(&inbox).expect("a report");
            assert!(engine.is_searching());
            let conclusion = engine.conclude();
            assert!(!engine.is_searching());
            let report = conclusion.report.expect("a line");
            assert_eq!((report.depth, report.score), (4, last.score));
            assert_eq!(report.pv, last.pv);
            assert_eq!(
                (conclusion.best, conclusion.ponder),
                (last.pv[0], Some(last.pv[1]))
            );
        }
    }

    #[test]
    fn every_go_has_an_answer_and_an_end() {
        for threads in [1, 2, 4, 16] {
            let (mut engine, inbox) = engine(threads);
            for _ in 0..20 {
                go(&mut engine, infinite());
                let conclusion = engine.conclude();
                assert!(engine.game().board().is_legal(conclusion.best));
                assert_eq!(
                    conclusion.report.map(|report| report.pv[0]),
                    Some(conclusion.best)
                );
            }
            for _ in 0..20 {
                last_report(&inbox);
            }
            engine.halt();
            assert!(inbox.try_recv().is_err());
        }
    }

    /// Worker 0 is held up in its first report, when its result is published.
    #[test]
    fn a_conclusion_does_not_wait_for_the_workers() {
        let (events, inbox) = mpsc::channel();
        let (release, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let sink = move |event: Event| {
            let is_report = matches!(event, Event::Report(_));
            drop(events.send(event));
            if is_report {
                gate.lock().recv_timeout(PATIENCE).ok();
            }
        };
        let mut engine = Engine::new(Arc::new(sink), 1, 2).expect("an engine");
        go(&mut engine, infinite());
        let mut events = iter::from_fn(|| inbox.recv_timeout(PATIENCE).ok());
        assert!(events.any(|event| matches!(event, Event::Report(_))));
        let asked = Instant::now();
        let conclusion = engine.conclude();
        assert!(asked.elapsed() < PATIENCE / 2 && !conclusion.best.is_null());
        drop(release);
        last_report(&inbox);
    }

    #[test]
    fn all_workers_search() {
        let (mut engine, _inbox) = engine(4);
        go(&mut engine, infinite());
        let begun = Instant::now();
        while (0..4).any(|worker| engine.shared.published(worker).depth < 2) {
            assert!(begun.elapsed() < PATIENCE);
        }
        let (first, all) = (engine.shared.published(0), engine.conclude());
        assert!(all.report.expect("a line").depth >= first.depth);
    }

    #[test]
    fn without_a_legal_move_there_is_no_answer() {
        let (mut engine, inbox) = engine(2);
        let mated = "7k/5KQ1/8/8/8/8/8/8 b - - 0 1";
        engine.set_position(Game::new(Board::from_fen(mated).expect("a position")));
        go(&mut engine, Limits::default());
        let report = last_report(&inbox).expect("a report");
        assert_eq!((report.depth, report.score), (0, -MATE));
        let conclusion = engine.conclude();
        assert!(conclusion.best.is_null() && conclusion.report.is_none());
    }

    #[test]
    fn the_clock_ends_a_search_by_the_deadline() {
        let (mut engine, inbox) = engine(2);
        let limits = Limits {
            time: [Some(100), None],
            ..Limits::default()
        };
        let begun = Instant::now();
        engine.go(limits, begun, Duration::from_millis(30), 1);
        let deadline = engine.deadline().expect("a deadline");
        assert!(deadline - begun < Duration::from_millis(50));
        assert!(last_report(&inbox).is_some());
        assert!(!engine.conclude().best.is_null());
        assert_eq!(engine.deadline(), None);
    }

    #[test]
    fn a_ponder_search_ends_after_the_ponderhit() {
        let (mut engine, inbox) = engine(2);
        let ponder = || Limits {
            time: [Some(1_000), None],
            ponder: true,
            ..Limits::default()
        };
        // The soft limit is long past when the hit comes.
        go(&mut engine, ponder());
        let begun = Instant::now();
        while !engine.shared.soft_expired() {
            assert!(begun.elapsed() < PATIENCE);
            assert_eq!(engine.deadline(), None);
        }
        engine.ponderhit();
        assert!(last_report(&inbox).is_some());
        engine.conclude();
        // The hit comes at once; a second one changes nothing.
        go(&mut engine, ponder());
        engine.ponderhit();
        let deadline = engine.deadline();
        engine.ponderhit();
        assert!(deadline.is_some() && engine.deadline() == deadline);
        assert!(last_report(&inbox).is_some());
        assert!(!engine.conclude().best.is_null());
    }

    #[test]
    fn only_a_free_search_is_voted_on() {
        let (mut engine, _inbox) = engine(2);
        for (limits, multi_pv, votes) in [
            (infinite(), 1, true),
            (infinite(), 2, false),
            (depth(2), 1, false),
        ] {
            engine.go(limits, Instant::now(), NO_OVERHEAD, multi_pv);
            assert_eq!(
                engine.current.as_ref().map(|current| current.votes),
                Some(votes)
            );
        }
    }

    #[test]
    fn threads_come_and_go() {
        let (mut engine, inbox) = engine(1);
        for threads in [16, 2, 0, 3] {
            engine.set_threads(threads).expect("so few threads");
            assert_eq!(engine.pool.workers(), threads.max(1));
            go(&mut engine, depth(2));
            assert!(last_report(&inbox).is_some());
            assert!(!engine.conclude().best.is_null());
        }
    }

    #[test]
    fn a_search_in_the_way_is_stopped() {
        let (mut engine, inbox) = engine(2);
        let begin = |engine: &mut Engine| go(engine, infinite());
        begin(&mut engine);
        engine.new_game();
        begin(&mut engine);
        engine.clear_hash();
        begin(&mut engine);
        engine.resize(3).expect("3 MB");
        begin(&mut engine);
        engine.set_threads(3).expect("3 threads");
        for _ in 0..4 {
            last_report(&inbox);
        }
        begin(&mut engine);
        drop(engine);
        last_report(&inbox);
    }

    #[test]
    fn a_table_too_large_leaves_the_old_size() {
        let (mut engine, inbox) = engine(2);
        engine.resize(5).expect("5 MB");
        let refusal = engine.resize(usize::MAX / 2).expect_err("too much");
        assert!(matches!(refusal, EngineError::Hash { kept: 5, .. }));
        assert_eq!(engine.table.megabytes(), 5);
        go(&mut engine, depth(2));
        assert!(last_report(&inbox).is_some());
    }

    #[test]
    fn a_new_game_forgets_the_table() {
        let (mut engine, inbox) = engine(2);
        let mut forget: [fn(&mut Engine); 2] = [Engine::new_game, Engine::clear_hash];
        for forget in &mut forget {
            go(&mut engine, depth(6));
            last_report(&inbox);
            let key = engine.game.board().key();
            assert!(engine.table.probe(key, 0).is_some());
            forget(&mut engine);
            assert!(engine.table.probe(key, 0).is_none());
        }
    }
}
