//! Iterative deepening: one iteration after the other, aspiration windows, several lines, and when to stop.

use super::node::Root;
use super::{Report, Search};
use crate::board::Board;
use crate::clock;
use crate::tt::Bound;
use crate::types::{MAX_PLY, Score, score};

/// Iterations between two scores whose difference is the trend.
const TREND_SPAN: usize = 4;
/// With one legal move this deep an iteration is enough on the clock, plies.
const FORCED_MOVE_DEPTH: i32 = 8;

/// How the best move came through the iterations.
#[derive(Default)]
struct Progress {
    /// Best score of each iteration.
    scores: Vec<Score>,
    /// Iterations since the best move last changed.
    stable: i32,
}

impl Search<'_> {
    /// Searches deeper and deeper; leaves the answer in `result`.
    pub(super) fn deepen(&mut self, board: &Board) {
        let Some(first) = self.roots.best() else {
            self.report_game_over(board);
            return;
        };
        // Until depth 1 is settled, any legal move is better than none.
        self.result.pv = vec![first.mv];

        let deepest = self
            .job
            .limits
            .depth
            .unwrap_or(MAX_PLY as i32)
            .clamp(1, MAX_PLY as i32);
        let mut progress = Progress::default();
        for depth in 1..=deepest {
            self.depth = depth;
            self.seldepth = 0;
            self.roots.start_iteration();
            let lines = self.job.multi_pv.clamp(1, self.roots.len());
            let before = self.result.pv.first().copied();
            let nodes_before = self.nodes;

            for line in 0..lines {
                self.line = line;
                self.search_line(board);
                if self.aborted {
                    break;
                }
            }
            if self.aborted {
                self.report_lines(lines);
                return;
            }
            self.roots.sort_after_iteration(lines);
            self.publish(0);
            self.report_lines(lines);

            self.stats.iterations.push(self.nodes - nodes_before);
            progress.scores.push(self.result.score);
            let same = before == self.result.pv.first().copied();
            progress.stable = if same { progress.stable + 1 } else { 0 };
            if self.id == 0 && self.is_enough(&progress) {
                return;
            }
        }
    }

    /// One line of one iteration: aspiration windows around the last score, wider at each fail.
    // Source: https://www.chessprogramming.org/Aspiration_Windows
    fn search_line(&mut self, board: &Board) {
        let last = self.roots[self.line].previous_score;
        let (mut alpha, mut beta) = (-score::INFINITE, score::INFINITE);
        let mut delta =
            self.p.aspiration_delta() + self.p.aspiration_worker() * (self.id as i32 % 8);
        if self.depth >= self.p.aspiration_depth() && !score::is_decisive(last) {
            alpha = last - delta;
            beta = last + delta;
        }
        // After a fail high the move is good enough: how good is found out less deep.
        let mut fails_high = 0;
        loop {
            let depth = (self.depth - fails_high.min(self.p.aspiration_fail_high())).max(1);
            let score = self.node::<Root>(board, alpha, beta, depth, 0, false);
            self.roots.sort_line(self.line);
            if self.aborted {
                return;
            }
            if score <= alpha {
                self.report(self.line, self.depth, score, Bound::Upper);
                beta = i32::midpoint(alpha, beta);
                alpha = widen(score, -delta);
                fails_high = 0;
            } else if score >= beta {
                self.report(self.line, self.depth, score, Bound::Lower);
                beta = widen(score, delta);
                fails_high += 1;
            } else {
                return;
            }
            delta += delta * self.p.aspiration_growth() / 1024 + 1;
        }
    }

    /// Whether worker 0 may stop after a finished iteration.
    fn is_enough(&self, progress: &Progress) -> bool {
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
        let share = self.roots.best_node_share_1024() as i32;
        let soft = clock::scaled_soft(&budget, share, progress.stable, trend, &self.p);
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

    /// Makes the root move at this index the answer so far.
    pub(super) fn publish(&mut self, index: usize) {
        let root = &self.roots[index];
        self.result.depth = self.depth;
        self.result.seldepth = self.seldepth;
        self.result.score = root.shown(root.latest_score());
        self.result.pv.clone_from(&root.pv);
        self.shared.publish(self.id, &self.result);
    }

    /// Reports what is known of the first lines. One that this iteration has not reached shows what the last
    /// one found.
    fn report_lines(&mut self, lines: usize) {
        for line in 0..lines {
            let root = &self.roots[line];
            let depth = if root.is_settled() {
                self.depth
            } else {
                self.depth - 1
            };
            if root.latest_score() != -score::INFINITE {
                let score = root.shown(root.latest_score());
                self.report(line, depth, score, Bound::Exact);
            }
        }
    }

    fn report(&mut self, line: usize, depth: i32, score: Score, bound: Bound) {
        // The tables know more than a bound.
        let known = self.roots[line].table_score.is_some() && bound != Bound::Exact;
        if self.id != 0 || known {
            return;
        }
        self.count();
        let report = Report {
            depth,
            seldepth: self.seldepth,
            multi_pv: line + 1,
            score,
            bound,
            nodes: self.shared.nodes(),
            elapsed: self.job.start.elapsed(),
            hashfull: self.table.hashfull(),
            table_hits: self.shared.table_hits(),
            pv: self.roots[line].pv.clone(),
        };
        self.reporter.report(&report);
    }

    /// Mate or stalemate is on the board: there is a score, but no move.
    fn report_game_over(&mut self, board: &Board) {
        let score = if board.in_check() {
            score::mated_in(0)
        } else {
            score::DRAW
        };
        self.result.score = score;
        if self.id == 0 {
            self.reporter.report(&Report {
                depth: 0,
                seldepth: 0,
                multi_pv: 1,
                score,
                bound: Bound::Exact,
                nodes: 0,
                elapsed: self.job.start.elapsed(),
                hashfull: self.table.hashfull(),
                table_hits: 0,
                pv: Vec::new(),
            });
        }
    }
}

/// A bound moved outwards; near the mates it opens altogether.
fn widen(bound: Score, by: Score) -> Score {
    let moved = bound + by;
    if score::is_decisive(moved) {
        score::INFINITE * by.signum()
    } else {
        moved
    }
}
