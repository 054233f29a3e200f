//! Endgame tablebases in the search: the ranks of the root moves, probes of nodes right after
//! captures and pawn moves, and the rest of won and lost lines.
// Source: https://www.chessprogramming.org/Syzygy_Bases

use std::time::{Duration, Instant};

use super::node::{Node, NodeState};
use super::root_moves::RootMoves;
use super::{Report, Search};
use crate::board::{Board, Game};
use crate::tablebase::{Probing, Ranks, Wdl, score_of};
use crate::tt::Bound;
use crate::types::{MAX_PLY, Move, Score, score};

/// Plies by which the TT entry of a probed position is deeper than its node.
const EXTRA_DEPTH: i32 = 6;

/// The longest time that the lines of one report may take to be lengthened.
const LENGTHENING_LIMIT: Duration = Duration::from_millis(200);
/// Without a clock, each report gets at least this time.
const LENGTHENING_MIN: Duration = Duration::from_millis(20);
/// Without a clock, each report gets the time of the search so far divided by this.
const LENGTHENING_SHARE: u32 = 4;
/// With a clock, all reports of a search together get the hard limit divided by this.
const LENGTHENING_CLOCK_SHARE: u32 = 16;

/// The tablebases as one `go` uses them; by default none.
#[derive(Clone, Debug, Default)]
pub struct SearchTablebases {
    probing: Probing,
    ranks: Option<Ranks>,
}

impl SearchTablebases {
    /// Ranks the root moves once for all workers. If that is not finished by `until`, they stay
    /// unranked, because the disk is slow.
    pub fn new(probing: &Probing, game: &Game, search_moves: &[Move], until: Instant) -> Self {
        if probing.max_pieces() == 0 {
            return Self::default();
        }
        let roots = RootMoves::new(game.board(), search_moves);
        let moves: Vec<Move> = roots.iter().map(|root| root.mv).collect();
        Self {
            probing: probing.clone(),
            ranks: probing.rank_root(game, &moves, &|| Instant::now() >= until),
        }
    }

    /// Returns the ranks of the root moves, if the tablebases contain the root.
    pub(super) fn ranks(&self) -> Option<&Ranks> {
        self.ranks.as_ref()
    }

    /// Returns the largest number of pieces with which a node is probed; 0 disables probing. With a
    /// root ranked by DTZ, probing would only hide mates; in a root that is not won, there is no
    /// winning line to find.
    pub(super) fn max_pieces(&self) -> u32 {
        let is_settled = |ranks: &Ranks| ranks.by_dtz || ranks.moves[0].score < score::DECISIVE;
        if self.ranks().is_some_and(is_settled) {
            0
        } else {
            self.probing.max_pieces()
        }
    }
}

impl Search<'_> {
    /// Returns the tablebase score of a node, if it lies outside the window or is exact. Else a PV
    /// node gets a lower or upper bound of its score and is searched, since there may be a mate.
    #[cold]
    pub(super) fn probe_tablebases<N: Node>(
        &mut self,
        board: &Board,
        node: &mut NodeState,
    ) -> Option<Score> {
        let probing = &self.job.tables.probing;
        let tables = probing.tables.as_ref()?;
        let largest = board.occupied().count() == tables.largest();
        if board.halfmove_clock() != 0 || largest && node.depth < probing.depth {
            return None;
        }
        let wdl = probing.outcome(tables.wdl(board)?);
        self.tb_hits += 1;
        let score = score_of(wdl, node.ply);
        let bound = match wdl {
            Wdl::Win => Bound::Lower,
            Wdl::Loss => Bound::Upper,
            _ => Bound::Exact,
        };
        let depth = (node.depth + EXTRA_DEPTH).min(MAX_PLY as i32);
        let entry = node.new_tt_entry(Move::NULL, score, depth, bound);
        if entry.decides(node.window.alpha, node.window.beta) {
            self.tt.store(board.key(), node.ply, entry);
            return Some(score);
        }
        match bound {
            Bound::Lower if N::PV => node.tb_floor = score,
            Bound::Upper if N::PV => node.tb_ceiling = score,
            _ => {}
        }
        None
    }
}

/// The lines that the tablebases lengthened, and the time that they took.
#[derive(Debug, Default)]
pub(super) struct LongLines {
    /// Each line of the last report as the search found it, and as it was shown.
    last: Vec<(Vec<Move>, Vec<Move>)>,
    spent: Duration,
}

impl Search<'_> {
    /// Lengthens the lines of a report by the tablebases, within a small share of the time. `stop`
    /// ends it, so that the next command need not wait for it.
    pub(super) fn lengthen(&mut self, reports: &mut [Report]) {
        let begun = Instant::now();
        let limit = if let Some(budget) = self.job.budget {
            let share = budget.hard / LENGTHENING_CLOCK_SHARE;
            let share = share.saturating_sub(self.long_lines.spent);
            if self.shared.pondering() {
                share
            } else {
                let end = self.job.start + budget.hard + self.shared.pondered();
                share.min(end.saturating_duration_since(begun))
            }
        } else {
            let share = begun.saturating_duration_since(self.job.start) / LENGTHENING_SHARE;
            share.max(LENGTHENING_MIN)
        };
        let last = std::mem::take(&mut self.long_lines.last);
        for report in reports
            .iter_mut()
            .filter(|report| is_known_to_tables(report))
        {
            let same = last.iter().find(|(found, _)| *found == report.pv);
            report.lengthened = same.map(|(_, long)| long.clone());
        }
        let probing = &self.job.tables.probing;
        let until = begun + limit.min(LENGTHENING_LIMIT);
        let is_over = || self.shared.stopped() || Instant::now() >= until;
        lengthen_lines(probing, &self.job.game, reports, &is_over);
        self.long_lines.last = (reports.iter())
            .filter_map(|report| Some((report.pv.clone(), report.lengthened.clone()?)))
            .collect();
        self.long_lines.spent += begun.elapsed();
    }
}

/// Returns whether the line ends in a win or loss by the tablebases rather than in a mate.
fn is_known_to_tables(report: &Report) -> bool {
    let score = report.score;
    report.bound == Bound::Exact && score::is_decisive(score) && !score::is_mate(score)
}

/// Lengthens by the tablebases those lines that are won or lost and have not been lengthened, until
/// `is_over` ends the work.
pub(crate) fn lengthen_lines(
    probing: &Probing,
    game: &Game,
    reports: &mut [Report],
    is_over: &dyn Fn() -> bool,
) {
    if probing.max_pieces() == 0 {
        return;
    }
    for report in reports
        .iter_mut()
        .filter(|report| is_known_to_tables(report))
    {
        if report.lengthened.is_none() {
            report.lengthened = probing.lengthen(game, &report.pv, report.score > 0, is_over);
        }
    }
}
