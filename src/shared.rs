//! The state that all workers of a search share besides the transposition table: flags, counters,
//! and the result that each worker has published so far.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::locks::{Mutex, lock};
use crossbeam_utils::CachePadded;

use crate::types::{Move, Score};

/// The best result that a worker has found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResult {
    /// The iteration of the result, in plies; 0 while there is none.
    pub depth: i32,
    /// The selective depth: the length of the longest line searched, in plies.
    pub seldepth: usize,
    /// The score in internal centipawns, from the point of view of the side to move at the root.
    pub score: Score,
    /// True if the score is only a lower bound, because the search was stopped while it re-searched
    /// a better move.
    pub at_least: bool,
    /// The principal variation; its first move is the move to play.
    pub pv: Vec<Move>,
}

/// Flags that are read at every node but rarely written; they have a cache line of their own.
#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    pondering: AtomicBool,
    soft_expired: AtomicBool,
    /// The time from `go` to `ponderhit`, in microseconds.
    pondered: AtomicU64,
}

/// The counters of one worker. Only that worker writes them, so a relaxed store is enough.
#[derive(Debug, Default)]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// The shared state of the workers of one search.
#[derive(Debug)]
pub struct Shared {
    flags: CachePadded<Flags>,
    counters: Box<[CachePadded<Counters>]>,
    results: Box<[CachePadded<Mutex<SearchResult>>]>,
    lines: Mutex<Vec<SearchResult>>,
}

impl Shared {
    /// Creates the state for this many workers, which are numbered from 0.
    pub fn new(workers: usize) -> Self {
        Self {
            flags: CachePadded::default(),
            counters: (0..workers).map(|_| CachePadded::default()).collect(),
            results: (0..workers).map(|_| CachePadded::default()).collect(),
            lines: Mutex::default(),
        }
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> usize {
        self.results.len()
    }

    /// Resets everything to the state before a `go`. No worker may be searching.
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
            self.set_tb_hits(worker, 0);
            self.publish(worker, &SearchResult::default());
        }
        self.publish_lines(Vec::new());
    }

    /// Tells all workers to end the search.
    pub fn stop(&self) {
        self.flags.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the workers were told to end the search.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.flags.stop.load(Ordering::Relaxed)
    }

    /// Sets whether the search that starts now ponders.
    pub(crate) fn set_pondering(&self, pondering: bool) {
        self.flags.pondering.store(pondering, Ordering::SeqCst);
    }

    /// Returns whether the engine is pondering. No time limit ends the search until `ponderhit`.
    pub(crate) fn pondering(&self) -> bool {
        self.flags.pondering.load(Ordering::SeqCst)
    }

    /// Ends pondering because the expected move was played, this long `after` the `go`. The hard
    /// limit is counted from here.
    pub(crate) fn ponderhit(&self, after: Duration) {
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        self.flags.pondered.store(micros, Ordering::SeqCst);
        self.set_pondering(false);
    }

    /// Returns the time from `go` to `ponderhit`, by which the hard limit is shifted; zero without
    /// pondering.
    pub(crate) fn pondered(&self) -> Duration {
        Duration::from_micros(self.flags.pondered.load(Ordering::SeqCst))
    }

    /// Notes that worker 0 has passed its soft limit while pondering, so that a `ponderhit` may be
    /// answered at once.
    ///
    /// Like the pondering flag, the mark is sequentially consistent: if worker 0 sets it and still
    /// reads "pondering" afterwards, the next `ponderhit` sees the mark.
    pub(crate) fn mark_soft_expired(&self) {
        self.flags.soft_expired.store(true, Ordering::SeqCst);
    }

    /// Takes the mark back, because the answer is in doubt again.
    pub(crate) fn clear_soft_expired(&self) {
        self.flags.soft_expired.store(false, Ordering::SeqCst);
    }

    /// Returns whether worker 0 has passed its soft limit while pondering.
    pub(crate) fn soft_expired(&self) -> bool {
        self.flags.soft_expired.load(Ordering::SeqCst)
    }

    /// Sets the number of nodes that a worker has searched. Only that worker may call this.
    #[inline(always)]
    pub(crate) fn set_nodes(&self, worker: usize, nodes: u64) {
        self.counters[worker].nodes.store(nodes, Ordering::Relaxed);
    }

    /// Returns the number of nodes searched by all workers.
    pub fn nodes(&self) -> u64 {
        let count = |counters: &CachePadded<Counters>| counters.nodes.load(Ordering::Relaxed);
        self.counters.iter().map(count).sum()
    }

    /// Sets the number of positions that a worker has found in the tablebases. Only that worker may
    /// call this.
    #[inline(always)]
    pub(crate) fn set_tb_hits(&self, worker: usize, hits: u64) {
        self.counters[worker].tb_hits.store(hits, Ordering::Relaxed);
    }

    /// Returns the number of tablebase hits of all workers.
    pub fn tb_hits(&self) -> u64 {
        let count = |counters: &CachePadded<Counters>| counters.tb_hits.load(Ordering::Relaxed);
        self.counters.iter().map(count).sum()
    }

    /// Replaces the published result of a worker. The line is copied into the memory of the old
    /// one.
    pub(crate) fn publish(&self, worker: usize, result: &SearchResult) {
        let mut slot = lock(&self.results[worker]);
        slot.depth = result.depth;
        slot.seldepth = result.seldepth;
        slot.score = result.score;
        slot.at_least = result.at_least;
        slot.pv.clone_from(&result.pv);
    }

    /// Returns the result that a worker published last.
    pub(crate) fn published(&self, worker: usize) -> SearchResult {
        lock(&self.results[worker]).clone()
    }

    /// Replaces the MultiPV lines of worker 0, the best first.
    pub(crate) fn publish_lines(&self, lines: Vec<SearchResult>) {
        *lock(&self.lines) = lines;
    }

    /// Returns the MultiPV lines that worker 0 published last, the best first. Empty before the end
    /// of depth 1, and in a search of a single line.
    pub(crate) fn published_lines(&self) -> Vec<SearchResult> {
        lock(&self.lines).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(depth: i32) -> SearchResult {
        SearchResult {
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
        shared.set_tb_hits(1, 4);
        assert_eq!((shared.nodes(), shared.tb_hits()), (13, 4));
    }

    #[test]
    fn a_slot_holds_the_last_result_of_its_worker() {
        let shared = Shared::new(2);
        shared.publish(1, &result(8));
        shared.publish(1, &result(3));
        assert_eq!(shared.published(1), result(3));
        assert_eq!(shared.published(0), SearchResult::default());
    }

    #[test]
    fn reset_forgets_the_last_go() {
        let shared = Shared::new(1);
        shared.set_pondering(true);
        shared.mark_soft_expired();
        shared.ponderhit(Duration::from_millis(7));
        assert!(!shared.pondering() && shared.soft_expired());
        assert_eq!(shared.pondered(), Duration::from_millis(7));
        shared.clear_soft_expired();
        assert!(!shared.soft_expired());
        shared.mark_soft_expired();
        shared.stop();
        shared.set_nodes(0, 1);
        shared.set_tb_hits(0, 1);
        shared.publish(0, &result(2));
        shared.publish_lines(vec![result(2)]);
        shared.reset();
        assert!(!shared.stopped() && !shared.pondering() && !shared.soft_expired());
        assert_eq!(shared.pondered(), Duration::ZERO);
        assert_eq!((shared.nodes(), shared.tb_hits()), (0, 0));
        assert_eq!(shared.published(0), SearchResult::default());
        assert!(shared.published_lines().is_empty());
    }

    #[test]
    fn workers_do_not_share_a_cache_line() {
        let shared = Shared::new(2);
        let address = |worker: usize| std::ptr::from_ref(&shared.counters[worker]).addr();
        assert!(address(1) - address(0) >= 64);
    }
}
