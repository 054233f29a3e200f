//! Iterative deepening: one iteration after the other, with aspiration windows and several lines.

use std::time::{Duration, Instant};

use super::node::Root;
use super::static_eval::optimism;
use super::strength::Strength;
use super::{Report, Search};
use crate::board::Board;

use crate::ordering::RootMove;
use crate::params::Params;
use crate::shared::WorkerResult;
use crate::tt::Bound;
use crate::types::{MAX_PLY, Rng, Score, score};

/// Lines of an unfinished iteration are shown no oftener than this.
const SHOW_INTERVAL: Duration = Duration::from_secs(1);

/// What has become of the best move from iteration to iteration.
#[derive(Default)]
pub(super) struct Progress {
    /// Best score of each iteration.
    pub scores: Vec<Score>,
    /// Iterations since the best move last changed.
    pub stable: i32,
    /// Changes of the best move within the iterations, each iteration's half as much as the next one's, /1024.
    pub changes_1024: i32,
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

        let strength = self.job.strength.map(|(strength, _)| strength);
        let deepest = [self.job.limits.depth, strength.map(Strength::depth)];
        let deepest = deepest.into_iter().flatten().min();
        let deepest = deepest.map_or(MAX_PLY as i32, |depth| depth.clamp(1, MAX_PLY as i32));
        let wanted = self.job.multi_pv.max(strength.map_or(1, Strength::lines));
        let lines = wanted.clamp(1, self.roots.len());
        let mut progress = Progress::default();
        for depth in 1..=deepest {
            self.depth = depth;
            self.seldepth = 0;
            self.best_changes = 0;
            self.roots.start_iteration();
            let before = self.result.pv.first().copied();
            let nodes_before = self.nodes;

            self.search_lines(board, lines);
            self.report_lines();
            if self.aborted {
                return;
            }
            self.roots.sort_rest(lines, &mut self.histories.hook);

            self.stats.iterations.push(self.nodes - nodes_before);
            progress.scores.push(self.result.score);
            let same = before == self.result.pv.first().copied();
            progress.stable = if same { progress.stable + 1 } else { 0 };
            progress.changes_1024 = progress.changes_1024 / 2 + 1024 * self.best_changes;
            if self.id == 0 && self.is_enough(&progress) {
                return;
            }
        }
    }

    /// The lines of one iteration, the best first. Several lines may take long: those that are done are shown then.
    fn search_lines(&mut self, board: &Board, lines: usize) {
        let mut shown = Instant::now();
        for line in 0..lines {
            self.line = line;
            self.search_line(board);
            if self.aborted {
                if line == 0 {
                    // The next window may have been about to take the answer back: it stays the answer.
                    if let Some(&answer) = self.result.pv.first() {
                        self.roots.promote(answer);
                    }
                } else if self.roots[line].found.depth == self.depth {
                    // A move of the line was settled before the limit came, and may be better than the lines before.
                    self.roots.sort_lines(line);
                    self.publish(0);
                }
                return;
            }
            self.roots.sort_lines(line);
            self.publish(0);
            if line + 1 < lines && shown.elapsed() >= SHOW_INTERVAL {
                self.report_lines();
                shown = Instant::now();
            }
        }
    }

    /// Chooses another answer if the engine is to play below its strength.
    pub(super) fn pick_weakened_move(&mut self) {
        let Some((strength, seed)) = self.job.strength.filter(|_| self.id == 0) else {
            return;
        };
        let known = self.roots.iter().filter(|root| root.is_known());
        let lines: Vec<WorkerResult> = known.map(RootMove::shown).take(strength.lines()).collect();
        if let Some(choice) = strength.choose(lines.iter(), &mut Rng::new(seed)) {
            self.result.clone_from(choice);
            self.shared.publish(self.id, &self.result);
        }
    }

    /// One line of one iteration: aspiration windows around the last score, wider at each fail.
    // Source: https://www.chessprogramming.org/Aspiration_Windows
    fn search_line(&mut self, board: &Board) {
        let root = &self.roots[self.line];
        let (last, known) = (root.found.score, root.is_known());
        let (mut alpha, mut beta) = (-score::INFINITE, score::INFINITE);
        let mut delta = aspiration_delta(&self.p, self.id, last);
        let side = board.side_to_move();
        self.optimism[side.index()] = optimism(&self.p, if known { last } else { 0 });
        self.optimism[(!side).index()] = -self.optimism[side.index()];
        if self.depth >= self.p.aspiration_depth() && known && !score::is_decisive(last) {
            alpha = last - delta;
            beta = last + delta;
        }
        // After a fail high the move is good enough: how good is found out less deep.
        let mut fails_high = 0;
        loop {
            let depth = (self.depth - fails_high.min(self.p.aspiration_fail_high())).max(1);
            self.root_width = beta - alpha;
            let score = self.node::<Root>(board, alpha, beta, depth, 0, false);
            self.roots.sort_line(self.line);
            if self.aborted {
                return;
            }
            if score <= alpha {
                self.report_fail(score, Bound::Upper);
                beta = i32::midpoint(alpha, beta);
                alpha = widen(score, -delta);
                fails_high = 0;
            } else if score >= beta {
                self.report_fail(score, Bound::Lower);
                beta = widen(score, delta);
                fails_high += 1;
            } else {
                return;
            }
            delta += delta * self.p.aspiration_growth() / 1024 + 1;
        }
    }

    /// Makes the root move at this index the answer so far.
    pub(super) fn publish(&mut self, index: usize) {
        self.result = self.roots[index].shown();
        self.shared.publish(self.id, &self.result);
    }

    /// Makes the root move at this index, which has reached beta, the answer so far. If it was the answer before,
    /// its exact score of then says more.
    pub(super) fn publish_bound(&mut self, index: usize, beta: Score) {
        let root = &self.roots[index];
        if self.result.depth > 0 && self.result.pv.first() == Some(&root.mv) {
            return;
        }
        self.result = WorkerResult {
            depth: self.depth,
            seldepth: self.seldepth,
            // A mate needs a line that shows it.
            score: match root.tb_score {
                Some(known) => known,
                None if score::is_decisive(root.score) => beta,
                None => root.score,
            },
            at_least: root.tb_score.is_none(),
            pv: vec![root.mv],
        };
        self.shared.publish(self.id, &self.result);
    }

    /// Reports what is known of the first lines, the answer and then the others by their scores. One that this
    /// iteration has not reached shows what an earlier one found.
    fn report_lines(&mut self) {
        if self.id != 0 {
            return;
        }
        let answer = self.result.clone();
        self.report(0, answer);
        let others = self.roots.iter().skip(1).filter(|root| root.is_known());
        let mut others: Vec<(i32, WorkerResult)> = others
            .take(self.job.multi_pv.saturating_sub(1))
            .map(|root| (root.rank, root.shown()))
            .collect();
        others.sort_by_key(|(rank, found)| (-rank, -found.score));
        for (line, (_, found)) in (1..).zip(others) {
            self.report(line, found);
        }
    }

    /// Reports a line.
    fn report(&mut self, line: usize, found: WorkerResult) {
        if self.id == 0 {
            let report = self.report_of(line, found);
            self.reporter.report(&report);
        }
    }

    /// Reports that the score of the line at hand lies outside the window.
    fn report_fail(&mut self, score: Score, bound: Bound) {
        let root = &self.roots[self.line];
        // The tables know more than a bound.
        if self.id == 0 && root.tb_score.is_none() {
            let fail = WorkerResult {
                depth: self.depth,
                seldepth: self.seldepth,
                score,
                ..root.found.clone()
            };
            let report = self.report_of(self.line, fail);
            self.reporter.report(&Report { bound, ..report });
        }
    }

    fn report_of(&self, line: usize, found: WorkerResult) -> Report {
        self.count();
        Report::new(line, found, self.shared, self.tt, self.job.start)
    }

    /// Mate or stalemate is on the board: there is a score, but no move.
    fn report_game_over(&mut self, board: &Board) {
        let score = if board.in_check() {
            score::mated_in(0)
        } else {
            score::DRAW
        };
        self.result.score = score;
        self.report(0, self.result.clone());
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

/// Half width of the first aspiration window around a score, centipawns, for the worker with this number.
// Source: https://www.chessprogramming.org/Aspiration_Windows
fn aspiration_delta(p: &Params, worker: usize, score: Score) -> Score {
    let by_score = match p.aspiration_square() {
        0 => 0,
        divisor => score.abs().min(1000).pow(2) / divisor,
    };
    p.aspiration_delta() + p.aspiration_worker() * (worker % 8) as i32 + by_score
}
