//! Iterative deepening with aspiration windows and MultiPV.

use std::time::{Duration, Instant};

use super::node::Root;
use super::root_move::RootMove;
use super::window::Window;
use super::{Report, Search};
use crate::board::Board;
use crate::params::Params;
use crate::shared::SearchResult;
use crate::tt::Bound;
use crate::types::{MAX_PLY, Rng, Score, score};

/// The shortest time between two reports of the lines of an unfinished iteration.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// The score is calm while it changes by at most this many centipawns from iteration to iteration.
const CALM: Score = 8;

/// The history of the best move over the iterations, from which the time manager decides.
#[derive(Default)]
pub(super) struct Progress {
    /// The best score of each iteration, in centipawns.
    pub scores: Vec<Score>,
    /// Number of iterations since the best move last changed.
    pub stable_iterations: i32,
    /// Number of changes of the best move, in 1/1024. The changes of each iteration count half as
    /// much as those of the next one.
    pub changes_1024: i32,
    /// Number of iterations since the score last changed by more than [`CALM`].
    pub calm_iterations: i32,
}

impl Search<'_> {
    /// Searches iteration by iteration until a limit is reached, and leaves the answer in `result`.
    pub(super) fn deepen(&mut self, board: &Board) {
        let Some(first) = self.roots.best() else {
            self.report_game_over(board);
            return;
        };
        // Until depth 1 is finished, any legal move is better than none.
        self.result.pv = vec![first.mv];

        let strength = self.request.strength;
        let deepest = strength.map(|strength| strength.depth(board, self.plan.seed));
        let max_depth = [self.request.limits.depth, deepest];
        let max_depth = max_depth.into_iter().flatten().min();
        let max_depth = max_depth.map_or(MAX_PLY as i32, |depth| depth.clamp(1, MAX_PLY as i32));
        let lines = strength.map_or(1, |strength| strength.lines(board));
        let lines = (lines.max(self.request.multi_pv)).clamp(1, self.roots.len());
        let mut progress = Progress::default();
        for depth in self.first_depth(board).min(max_depth)..=max_depth {
            self.depth = depth;
            self.seldepth = 0;
            self.best_changes = 0;
            self.roots.start_iteration(self.p.clock_share_memory());
            let best_before = self.result.pv.first().copied();
            let nodes_before = self.nodes;

            self.search_lines(board, lines);
            self.report_lines();
            if self.aborted {
                return;
            }
            self.roots.sort_rest(lines);

            self.stats.iterations.push(self.nodes - nodes_before);
            let score = self.result.score;
            let is_calm = (progress.scores.last()).is_some_and(|last| (score - last).abs() <= CALM);
            progress.scores.push(score);
            let is_stable = best_before == self.result.pv.first().copied();
            let streak = |so_far, goes_on| if goes_on { so_far + 1 } else { 0 };
            progress.calm_iterations = streak(progress.calm_iterations, is_calm);
            progress.stable_iterations = streak(progress.stable_iterations, is_stable);
            progress.changes_1024 = progress.changes_1024 / 2 + 1024 * self.best_changes;
            if self.id == 0 && self.is_enough(&progress) {
                return;
            }
        }
    }

    /// Returns the depth of the first iteration. It is 1, unless the transposition table knows the
    /// root from the analysis that is to be resumed; then the table's move becomes the answer so
    /// far. With a clock, only finished iterations make the answer sure.
    fn first_depth(&mut self, board: &Board) -> i32 {
        let alone = self.request.multi_pv == 1 && self.request.strength.is_none();
        if !self.plan.resumes || !alone || self.plan.budget.is_some() {
            return 1;
        }
        let known = self.tt.probe(board.key(), 0);
        // A mate is shown with its line, which has to be found again.
        let known = known.filter(|known| {
            known.bound == Bound::Exact && known.depth > 1 && !score::is_mate(known.score)
        });
        let Some(known) = known.filter(|known| self.roots.promote(known.mv)) else {
            return 1;
        };
        let before = known.depth - 1;
        self.roots
            .settle(0, before, before as usize, known.score, &[]);
        self.publish(0);
        known.depth
    }

    /// Searches the MultiPV lines of one iteration, the best one first. If that takes long,
    /// finished lines are reported meanwhile.
    fn search_lines(&mut self, board: &Board, lines: usize) {
        let mut last_report = Instant::now();
        for line in 0..lines {
            self.line = line;
            self.aspiration_search(board);
            if self.aborted {
                if line == 0 {
                    // A re-search of the published answer may have been aborted: it stays the
                    // answer.
                    if let Some(&answer) = self.result.pv.first() {
                        self.roots.promote(answer);
                    }
                } else if self.roots[line].found.depth == self.depth {
                    // A move of the line got an exact score before the limit was reached, and may
                    // be better than the lines before.
                    self.roots.sort_lines(line);
                    self.publish(0);
                }
                return;
            }
            if line == 0 {
                self.roots.recall_mate();
            }
            self.roots.sort_lines(line);
            self.publish(0);
            if line + 1 < lines && last_report.elapsed() >= REPORT_INTERVAL {
                self.report_lines();
                last_report = Instant::now();
            }
        }
    }

    /// Chooses the answer among the lines if the engine plays below full strength. The lines
    /// themselves stay as the search found them.
    pub(super) fn pick_weakened_move(&mut self, board: &Board) {
        let Some(strength) = self.request.strength else {
            return;
        };
        let lines = strength.lines(board);
        if self.id != 0 || lines == 1 {
            return;
        }
        let known = self.roots.iter().filter(|root| root.is_known());
        let lines: Vec<SearchResult> = known.map(RootMove::shown).take(lines).collect();
        if let Some(choice) = strength.choose(&lines, &mut Rng::new(self.plan.seed)) {
            self.result.clone_from(choice);
            self.shared.publish(self.id, &self.result);
        }
    }

    /// Searches one line of an iteration with aspiration windows, which become wider with each fail
    /// low and fail high. Their center lies between the last score and the running average of all
    /// scores.
    // Source: https://www.chessprogramming.org/Aspiration_Windows
    fn aspiration_search(&mut self, board: &Board) {
        let root = &self.roots[self.line];
        let (last, known) = (root.found.score, root.is_known());
        let mut window = Window::FULL;
        let mut delta = aspiration_delta(self.p, self.id, last);
        if known && !score::is_decisive(last) {
            let center = self.window_center(last);
            if self.depth >= self.p.aspiration_depth() {
                window = Window {
                    alpha: center - delta,
                    beta: center + delta,
                };
            }
        }
        // Each fail high in a row makes the next search a ply less deep, up to a limit.
        let mut fail_highs = 0;
        loop {
            let depth = (self.depth - fail_highs.min(self.p.aspiration_fail_high())).max(1);
            let score = self.node::<Root>(board, window, depth, 0, false);
            self.roots.sort_line(self.line);
            if self.aborted {
                return;
            }
            if score <= window.alpha {
                self.report_bound(score, Bound::Upper);
                // An answer in doubt is not played at once if the opponent replies now.
                if self.id == 0 {
                    self.shared.clear_soft_expired();
                }
                window.beta = i32::midpoint(window.alpha, window.beta);
                window.alpha = widened(score, -delta);
                fail_highs = 0;
            } else if score >= window.beta {
                self.report_bound(score, Bound::Lower);
                window.alpha = window.alpha.max(window.beta - delta);
                window.beta = widened(score, delta);
                fail_highs += 1;
            } else {
                return;
            }
            delta += delta * self.p.aspiration_growth() / 1024 + 1;
        }
    }

    /// Returns the center of the present line's first aspiration window: the last score, for the
    /// first line moved toward the running average of all scores.
    // Source: Stockfish, Reckless and Viridithas search around averages.
    fn window_center(&mut self, last: Score) -> Score {
        if self.line > 0 {
            return last;
        }
        let average = self.average.unwrap_or(last);
        self.average = Some(i32::midpoint(average, last));
        last + (average - last) * self.p.aspiration_average() / 1024
    }

    /// Makes the root move at this index the answer so far, and publishes it. A proven mate stays
    /// the answer until one that is as short is proven.
    // Source: Stockfish and Reckless
    pub(super) fn publish(&mut self, index: usize) {
        let shown = self.roots[index].shown();
        if !score::is_won_mate(self.result.score) || shown.score >= self.result.score {
            self.result = shown;
        }
        self.publish_result();
    }

    /// Publishes the answer so far, and with MultiPV all lines. Before the end of depth 1 there are
    /// too few lines; the main thread waits for that.
    fn publish_result(&self) {
        if self.id == 0 && self.request.multi_pv > 1 {
            let lines = self.request.multi_pv.min(self.roots.len());
            if self.depth == 1 && self.line + 1 < lines {
                return;
            }
            self.shared.publish_lines(self.lines());
        }
        self.shared.publish(self.id, &self.result);
    }

    /// Makes the root move at this index, which failed high, the answer so far, and publishes it.
    /// If it was the answer before, its earlier exact score is kept.
    pub(super) fn publish_bound(&mut self, index: usize, beta: Score) {
        let root = &self.roots[index];
        if self.result.depth > 0 && self.result.pv.first() == Some(&root.mv) {
            return;
        }
        self.result = SearchResult {
            depth: self.depth,
            seldepth: self.seldepth,
            // A mate score is reported only with a line that leads to the mate.
            score: match root.tb_score {
                Some(known) => known,
                None if score::is_decisive(root.score) => beta,
                None => root.score,
            },
            at_least: root.tb_score.is_none(),
            pv: vec![root.mv],
        };
        self.publish_result();
    }

    /// Returns the MultiPV lines: the answer, then the others by rank and score. A line that this
    /// iteration has not reached has the result of the last one.
    fn lines(&self) -> Vec<SearchResult> {
        let answer = self.result.pv.first();
        let is_recent = |root: &&RootMove| root.is_known() && root.found.depth + 1 >= self.depth;
        let others = self.roots.iter().filter(|root| Some(&root.mv) != answer);
        let mut others: Vec<&RootMove> = others
            .filter(is_recent)
            .take(self.request.multi_pv.saturating_sub(1))
            .collect();
        others.sort_by_key(|root| (-root.rank, -root.found.score));
        let mut lines = vec![self.result.clone()];
        for root in others {
            let mut shown = root.shown();
            // The search chooses among moves that the tablebases consider equal, and the order is
            // the search's. A line does not seem to win faster than a better one.
            if let Some(above) = lines.last()
                && root.tb_score.is_some()
                && !score::is_mate(above.score)
                && !score::is_mate(shown.score)
            {
                shown.score = shown.score.min(above.score);
            }
            lines.push(shown);
        }
        lines
    }

    /// Reports the MultiPV lines.
    fn report_lines(&mut self) {
        if self.id != 0 {
            return;
        }
        self.publish_counters();
        if !self.reporter.wants_lines() {
            return;
        }
        let reports = Report::of_lines(self.lines(), self.shared, self.tt, self.request.start);
        self.reporter.lines(&reports);
    }

    /// Reports the bound that a fail low or fail high of the present line has found.
    fn report_bound(&mut self, score: Score, bound: Bound) {
        let root = &self.roots[self.line];
        // The tablebases know the exact result.
        if self.id == 0 && root.tb_score.is_none() && self.reporter.wants_lines() {
            let failed = SearchResult {
                depth: self.depth,
                seldepth: self.seldepth,
                score,
                ..root.found.clone()
            };
            self.publish_counters();
            let report = Report::new(self.line, failed, self.shared, self.tt, self.request.start);
            self.reporter.report(&Report { bound, ..report });
        }
    }

    /// Reports the score of a root that is mate or stalemate and has no move.
    fn report_game_over(&mut self, board: &Board) {
        let score = if board.in_check() {
            score::mated_in(0)
        } else {
            score::DRAW
        };
        self.result.score = score;
        self.report_lines();
    }
}

/// Returns a bound of the window moved outward by `by` centipawns. Among decisive scores it becomes
/// infinite.
fn widened(bound: Score, by: Score) -> Score {
    let moved = bound + by;
    if score::is_decisive(moved) {
        score::INFINITE * by.signum()
    } else {
        moved
    }
}

/// Returns half the width of the first aspiration window around a score, in centipawns, for the
/// worker with this number.
// Source: https://www.chessprogramming.org/Aspiration_Windows
fn aspiration_delta(p: &Params, worker: usize, score: Score) -> Score {
    let by_score = score.abs().min(1000).pow(2) / p.aspiration_square();
    p.aspiration_delta() + p.aspiration_worker() * (worker % 8) as i32 + by_score
}
