//! When a search stops: at a limit of nodes or time, because another thread says so, or because an iteration has shown
//! enough. The event loop of the engine guards the clock a second time, should worker 0 not get a core.

use super::Search;
use super::deepening::Progress;
use crate::clock::{self, Certainty};
use crate::types::score;

/// Nodes between two looks at the clock and the counters of the others.
const POLL_INTERVAL: u64 = 1024;
/// Iterations between two scores whose difference is the trend.
const TREND_SPAN: usize = 4;
/// With one legal move this deep an iteration is enough on the clock, plies.
const FORCED_MOVE_DEPTH: i32 = 8;

impl Search<'_> {
    /// Begins a node, and now and then checks the limits. Returns whether the search is to end.
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

    /// Worker 0 finishes depth 1 whatever happens, so that there is always a move.
    #[inline(always)]
    fn must_go_on(&self) -> bool {
        self.id == 0 && self.depth == 1
    }

    #[cold]
    fn poll(&mut self) {
        self.next_poll = self.nodes + POLL_INTERVAL;
        self.count();
        if self.id != 0 {
            return;
        }
        if let Some(limit) = self.job.limits.nodes {
            let all = self.shared.nodes();
            // Alone, the worker stops at the very node.
            self.next_poll = self
                .next_poll
                .min(self.nodes + limit.saturating_sub(all).max(1));
            if all >= limit {
                self.shared.stop();
            }
        }
        if self.hard_limit_is_over() {
            self.shared.stop();
        }
    }

    /// Publishes what has been counted so far.
    pub(super) fn count(&self) {
        self.shared.set_nodes(self.id, self.nodes);
        self.shared.set_tb_hits(self.id, self.tb_hits);
    }

    fn hard_limit_is_over(&self) -> bool {
        self.job.budget.is_some_and(|budget| {
            self.job.start.elapsed() >= budget.hard + self.shared.pondered()
                && !self.shared.pondering()
        })
    }

    /// Whether worker 0 may stop after a finished iteration.
    pub(super) fn is_enough(&self, progress: &Progress) -> bool {
        let limits = &self.job.limits;
        let best = self.result.score;
        if limits
            .mate
            .is_some_and(|moves| best > 0 && score::mate_distance(best).is_some_and(|n| n <= moves))
        {
            return true;
        }
        if limits
            .soft_nodes
            .is_some_and(|soft| self.shared.nodes().max(self.nodes) >= soft)
        {
            return true;
        }
        let Some(budget) = self.job.budget else {
            return false;
        };
        let count = progress.scores.len();
        let trend = best - progress.scores[count.saturating_sub(1 + TREND_SPAN)];
        let found = Certainty {
            node_share_1024: self.roots.best_node_share_1024() as i32,
            stable_iterations: progress.stable,
            changes_1024: progress.changes_1024,
            trend,
            since_last_move: self.last_score.map_or(0, |last| best - last),
        };
        let soft = clock::scaled_soft(&budget, found, &self.p);
        let settled = self.roots.rivals(0).len() == 1 && self.depth >= FORCED_MOVE_DEPTH
            || self.mate_is_found();
        if budget.soft < budget.hard && settled || self.job.start.elapsed() >= soft {
            // In this order: a `ponderhit` in between sees the mark.
            self.shared.mark_soft_expired();
            return !self.shared.pondering();
        }
        false
    }

    /// Whether the iteration has looked well beyond the end of a mate.
    fn mate_is_found(&self) -> bool {
        score::mate_distance(self.result.score)
            .is_some_and(|moves| self.depth > 4 * moves.abs() + 4)
    }
}
