//! The end of a search: at a limit of nodes or time, at a stop by another thread, or after an
//! iteration that is good enough. The event loop of the engine watches the clock as well, in case
//! worker 0 does not get a core.

use std::time::Duration;

use super::Search;
use super::deepening::Progress;
use crate::clock::{self, Certainty};
use crate::types::score;

/// Number of nodes between two checks of the clock and of the other workers' counters.
const POLL_INTERVAL: u64 = 1024;
/// Number of iterations between the two scores whose difference is the trend.
const TREND_SPAN: usize = 4;
/// The depth, in plies, after which a search on the clock ends if there is only one legal move.
const FORCED_MOVE_DEPTH: i32 = 8;

impl Search<'_> {
    /// Enters a node, and checks the limits from time to time. Returns whether the search is
    /// aborted.
    #[inline(always)]
    pub(super) fn enter(&mut self, ply: usize) -> bool {
        self.seldepth = self.seldepth.max(ply);
        if self.nodes >= self.next_poll {
            self.poll();
        }
        if self.shared.stopped() && !self.must_go_on() {
            self.aborted = true;
        }
        self.aborted
    }

    /// Returns whether the search ignores a stop: worker 0 always finishes depth 1, so that there
    /// is a move.
    #[inline(always)]
    fn must_go_on(&self) -> bool {
        self.id == 0 && self.depth == 1
    }

    #[cold]
    fn poll(&mut self) {
        self.next_poll = self.nodes + POLL_INTERVAL;
        self.publish_counters();
        if self.id != 0 {
            return;
        }
        if let Some(limit) = self.request.limits.nodes {
            let all = self.shared.nodes();
            // A single worker stops exactly at the limit.
            self.next_poll = self
                .next_poll
                .min(self.nodes + limit.saturating_sub(all).max(1));
            if all >= limit {
                self.shared.stop();
            }
        }
        if let Some(budget) = (self.plan.budget).filter(|_| self.request.limits.node_clock) {
            let hard = budget.hard.as_micros() as u64;
            self.next_poll = self.next_poll.min(hard.max(self.nodes + 1));
        }
        if self.hard_limit_is_over() {
            self.shared.stop();
        }
    }

    /// Publishes the counters of nodes and tablebase hits.
    pub(super) fn publish_counters(&self) {
        self.shared.set_nodes(self.id, self.nodes);
        self.shared.set_tb_hits(self.id, self.tb_hits);
    }

    /// Returns the time since the `go`, by the clock that the limits ask for.
    fn elapsed(&self) -> Duration {
        if self.request.limits.node_clock {
            Duration::from_micros(self.nodes)
        } else {
            self.request.start.elapsed()
        }
    }

    /// Returns whether the hard time limit is exceeded.
    fn hard_limit_is_over(&self) -> bool {
        // `ponderhit` shifts the limit before it clears the flag, so the flag is read first.
        self.plan.budget.is_some_and(|budget| {
            !self.shared.pondering() && self.elapsed() >= budget.hard + self.shared.pondered()
        })
    }

    /// Returns whether worker 0 stops after a finished iteration.
    pub(super) fn is_enough(&self, progress: &Progress) -> bool {
        let limits = &self.request.limits;
        let best = self.result.score;
        if limits
            .mate
            .is_some_and(|moves| score::mate_distance(best).is_some_and(|n| n.abs() <= moves))
        {
            return true;
        }
        let tactical = (self.result.pv.first()).is_some_and(|best| !best.is_quiet());
        let soft_nodes = limits.soft_nodes_tactical.filter(|_| tactical);
        let soft_nodes = soft_nodes.or(limits.soft_nodes);
        if soft_nodes.is_some_and(|soft| self.shared.nodes().max(self.nodes) >= soft) {
            return true;
        }
        let Some(budget) = self.plan.budget else {
            return false;
        };
        let count = progress.scores.len();
        let trend = best - progress.scores[count.saturating_sub(1 + TREND_SPAN)];
        let found = Certainty {
            node_share_1024: self.roots.best_node_share_1024() as i32,
            stable_iterations: progress.stable_iterations,
            changes_1024: progress.changes_1024,
            calm_iterations: progress.calm_iterations,
            trend,
            since_last_move: self.last_score.map_or(0, |last| best - last),
        };
        let soft = clock::scaled_soft(&budget, found, self.p);
        let is_settled = self.roots.candidates(0).len() == 1 && self.depth >= FORCED_MOVE_DEPTH
            || self.mate_is_found();
        if budget.soft < budget.hard && is_settled || self.elapsed() >= soft {
            // In this order, because a `ponderhit` in between has to see the mark.
            self.shared.mark_soft_expired();
            return !self.shared.pondering();
        }
        false
    }

    /// Returns whether the iteration was much deeper than the mate that it found.
    fn mate_is_found(&self) -> bool {
        score::mate_distance(self.result.score)
            .is_some_and(|moves| self.depth > 4 * moves.abs() + 4)
    }
}
