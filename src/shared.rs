//! What all workers of a search see, beside the transposition table: flags, counters, and the result
//! each has published so far. Nothing else is shared.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_utils::CachePadded;
use parking_lot::Mutex;

use crate::types::{Move, Score};

/// What a worker has settled so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerResult {
    /// Iteration of the result, plies; 0 while there is none.
    pub depth: i32,
    /// Deepest line looked at, plies.
    pub seldepth: usize,
    /// Score from the side to move at the root.
    pub score: Score,
    /// The search was cut off while a better move proved itself: it is worth `score` or more.
    pub at_least: bool,
    /// Best line; its first move is the move to play.
    pub pv: Vec<Move>,
}

/// Written seldom, read at every node: they share one cache line, and nobody else has it.
#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    pondering: AtomicBool,
    soft_expired: AtomicBool,
    /// Microseconds from `go` to `ponderhit`.
    pondered: AtomicU64,
}

/// One worker's counters. It alone writes them: a relaxed load and store, never a locked add.
#[derive(Debug, Default)]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// The common state of the workers of one search.
#[derive(Debug)]
pub struct Shared {
    flags: CachePadded<Flags>,
    counters: Box<[CachePadded<Counters>]>,
    results: Box<[CachePadded<Mutex<WorkerResult>>]>,
}

impl Shared {
    /// State for this many workers, numbered from 0.
    pub fn new(workers: usize) -> Self {
        Self {
            flags: CachePadded::default(),
            counters: (0..workers).map(|_| CachePadded::default()).collect(),
            results: (0..workers).map(|_| CachePadded::default()).collect(),
        }
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.results.len()
    }

    /// Back to the state before a `go`. No worker may be searching.
    pub fn reset(&self) {
        for flag in [
            &self.flags.stop,
            &self.flags.pondering,
            &self.flags.soft_expired,
        ] {
            flag.store(false, Ordering::SeqCst);
        }
        self.flags.pondered.store(0, Ordering::SeqCst);
        for worker in 0..self.workers() {
            self.set_nodes(worker, 0);
            self.set_table_hits(worker, 0);
            self.publish(worker, &WorkerResult::default());
        }
    }

    /// Tells every worker to return.
    pub fn stop(&self) {
        self.flags.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the search is to end.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.flags.stop.load(Ordering::Relaxed)
    }

    /// Says at the start of a `go` whether it ponders.
    pub fn set_pondering(&self, pondering: bool) {
        self.flags.pondering.store(pondering, Ordering::SeqCst);
    }

    /// Whether the move pondered on is not played yet; no limit of time ends the search before.
    pub fn pondering(&self) -> bool {
        self.flags.pondering.load(Ordering::SeqCst)
    }

    /// The move pondered on was played, `after` the `go`: the hard limit begins here.
    pub fn ponderhit(&self, after: Duration) {
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        self.flags.pondered.store(micros, Ordering::SeqCst);
        self.set_pondering(false);
    }

    /// Time from `go` to `ponderhit`, by which the hard limit moves; zero without one.
    pub fn pondered(&self) -> Duration {
        Duration::from_micros(self.flags.pondered.load(Ordering::SeqCst))
    }

    /// Worker 0 is past its soft limit while it ponders: a `ponderhit` may be answered at once.
    ///
    /// Like the pondering flag it is sequentially consistent: if worker 0 marks and then still reads
    /// "pondering", the `ponderhit` that comes then reads the mark.
    pub fn mark_soft_expired(&self) {
        self.flags.soft_expired.store(true, Ordering::SeqCst);
    }

    /// Whether worker 0 would have moved by now.
    pub fn soft_expired(&self) -> bool {
        self.flags.soft_expired.load(Ordering::SeqCst)
    }

    /// Sets the nodes one worker has searched; for that worker only.
    #[inline(always)]
    pub fn set_nodes(&self, worker: usize, nodes: u64) {
        self.counters[worker].nodes.store(nodes, Ordering::Relaxed);
    }

    /// Nodes of all workers.
    pub fn nodes(&self) -> u64 {
        let count = |counters: &CachePadded<Counters>| counters.nodes.load(Ordering::Relaxed);
        self.counters.iter().map(count).sum()
    }

    /// Sets the positions one worker has found in the tablebases; for that worker only.
    #[inline(always)]
    pub fn set_table_hits(&self, worker: usize, hits: u64) {
        self.counters[worker].tb_hits.store(hits, Ordering::Relaxed);
    }

    /// Tablebase hits of all workers.
    pub fn tb_hits(&self) -> u64 {
        let count = |counters: &CachePadded<Counters>| counters.tb_hits.load(Ordering::Relaxed);
        self.counters.iter().map(count).sum()
    }

    /// Replaces the result of one worker. The line is copied into the slot's own memory, which is
    /// allocated once.
    pub fn publish(&self, worker: usize, result: &WorkerResult) {
        let mut slot = self.results[worker].lock();
        slot.depth = result.depth;
        slot.seldepth = result.seldepth;
        slot.score = result.score;
        slot.at_least = result.at_least;
        slot.pv.clone_from(&result.pv);
    }

    /// The last result of one worker.
    pub fn published(&self, worker: usize) -> WorkerResult {
        self.results[worker].lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(depth: i32) -> WorkerResult {
        WorkerResult {
            depth,
            seldepth: 9,
            score: 31,
            at_least: false,
            pv: vec![Move::from_bits(0x0123); depth as usize],
        }
    }

    #[test]
    fn counters_add_up() {
        let shared = Shared::new(3);
        shared.set_nodes(0, 5);
        shared.set_nodes(2, 7);
        shared.set_nodes(2, 8);
        shared.set_table_hits(1, 4);
        assert_eq!((shared.nodes(), shared.tb_hits()), (13, 4));
    }

    #[test]
    fn a_slot_holds_the_last_result_of_its_worker() {
        let shared = Shared::new(2);
        shared.publish(1, &result(8));
        shared.publish(1, &result(3));
        assert_eq!(shared.published(1), result(3));
        assert_eq!(shared.published(0), WorkerResult::default());
    }

    #[test]
    fn reset_forgets_the_last_go() {
        let shared = Shared::new(1);
        shared.set_pondering(true);
        shared.mark_soft_expired();
        shared.ponderhit(Duration::from_millis(7));
        assert!(!shared.pondering() && shared.soft_expired());
        assert_eq!(shared.pondered(), Duration::from_millis(7));
        shared.stop();
        shared.set_nodes(0, 1);
        shared.set_table_hits(0, 1);
        shared.publish(0, &result(2));
        shared.reset();
        assert!(!shared.stopped() && !shared.pondering() && !shared.soft_expired());
        assert_eq!(shared.pondered(), Duration::ZERO);
        assert_eq!((shared.nodes(), shared.tb_hits()), (0, 0));
        assert_eq!(shared.published(0), WorkerResult::default());
    }

    #[test]
    fn workers_do_not_share_a_cache_line() {
        let shared = Shared::new(2);
        let address = |worker: usize| std::ptr::from_ref(&shared.counters[worker]).addr();
        assert!(address(1) - address(0) >= 64);
    }
}
