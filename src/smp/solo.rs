//! A search in the calling thread: for programs that play many games at once, and where no other
//! thread can be started.

use std::fmt;

use crate::memory::MemoryError;
use crate::search::stats::Stats;
use crate::search::{Reporter, SearchPlan, SearchRequest, Setup, Worker};
use crate::shared::{SearchResult, Shared};
use crate::tt::TranspositionTable;
use crate::types::Rng;

/// One worker with a transposition table of its own.
///
/// What it finds depends only on the requests and the seed since it last forgot everything, unless
/// a clock limits them.
pub struct Solo {
    worker: Worker,
    shared: Shared,
    tt: TranspositionTable,
    /// Makes the seeds of weakened play.
    rng: Rng,
}

impl Solo {
    /// Creates a worker with this setup and a table of this size in MB.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(setup: Setup, megabytes: usize) -> Result<Self, MemoryError> {
        Ok(Self {
            worker: Worker::new(0, setup),
            shared: Shared::new(1),
            tt: TranspositionTable::new(megabytes)?,
            rng: Rng::new(0),
        })
    }

    /// Makes the random choices of weakened play from this seed from now on; at first it is 0.
    pub fn set_seed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }

    /// Forgets everything, so that a search does not depend on earlier ones.
    pub fn forget(&mut self) {
        self.worker.new_game();
        self.clear_hash();
    }

    /// Clears the transposition table.
    pub fn clear_hash(&mut self) {
        self.tt.clear(0, 1);
    }

    /// Replaces the transposition table by an empty one of this size in MB.
    ///
    /// # Errors
    /// If there is not enough memory; the table has 1 MB then.
    pub fn resize(&mut self, megabytes: usize) -> Result<(), MemoryError> {
        // The old table is freed first, because there may not be memory for both.
        self.tt = TranspositionTable::new(1)?;
        self.tt = TranspositionTable::new(megabytes)?;
        Ok(())
    }

    /// Searches, and hands each report to `reporter`. The line of the result is empty if and only if
    /// there is no legal move.
    pub fn search(&mut self, request: &SearchRequest, reporter: &mut dyn Reporter) -> SearchResult {
        let resumes = self.tt.new_search();
        self.run(request, resumes, reporter)
    }

    /// Searches like [`search`](Self::search), but begins with the iteration in which an earlier
    /// search has left the root in the table, if it is there.
    pub fn resume(&mut self, request: &SearchRequest, reporter: &mut dyn Reporter) -> SearchResult {
        self.tt.new_search();
        self.run(request, true, reporter)
    }

    fn run(
        &mut self,
        request: &SearchRequest,
        resumes: bool,
        reporter: &mut dyn Reporter,
    ) -> SearchResult {
        self.shared.reset();
        let mut plan = SearchPlan::new(request, self.worker.params());
        plan.resumes = resumes;
        if request.strength.is_some() {
            plan.seed = self.rng.next();
        }
        (self.worker).search(request, &plan, &self.shared, &self.tt, reporter)
    }

    /// Returns the counters of the last search.
    pub fn stats(&self) -> &Stats {
        self.worker.stats()
    }

    /// Returns the worker, to change its parameters or what it counts.
    pub fn worker(&mut self) -> &mut Worker {
        &mut self.worker
    }

    /// Returns the size of the transposition table in MB.
    pub fn megabytes(&self) -> usize {
        self.tt.megabytes()
    }
}

impl fmt::Debug for Solo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solo")
            .field("megabytes", &self.megabytes())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Game};
    use crate::clock::Limits;
    use crate::search::Silent;

    fn request(depth: i32) -> SearchRequest {
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        SearchRequest::new(Game::new(Board::startpos()), limits)
    }

    #[test]
    fn what_is_forgotten_changes_nothing() {
        let mut solo = Solo::new(Setup::default(), 1).expect("memory");
        let mut nodes = || {
            solo.search(&request(6), &mut Silent);
            let fresh = solo.stats().nodes;
            solo.search(&request(6), &mut Silent);
            let again = solo.stats().nodes;
            solo.forget();
            (fresh, again)
        };
        let (fresh, again) = nodes();
        assert!(again < fresh);
        assert_eq!(nodes(), (fresh, again));
    }

    #[test]
    fn a_search_is_resumed_at_the_depth_of_the_one_before() {
        let mut solo = Solo::new(Setup::default(), 1).expect("memory");
        solo.search(&request(8), &mut Silent);
        solo.resume(&request(9), &mut Silent);
        assert!(solo.stats().iterations.len() <= 2);
        solo.resize(2).expect("2 MB");
        assert_eq!(solo.megabytes(), 2);
        solo.resume(&request(9), &mut Silent);
        assert_eq!(solo.stats().iterations.len(), 9);
    }
}
