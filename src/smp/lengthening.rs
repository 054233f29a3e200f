//! Won and lost lines, which the endgame tablebases continue to the mate as far as the time allows.

use std::time::{Duration, Instant};

use crate::board::Game;
use crate::locks::{Mutex, lock};
use crate::search::{Report, SearchPlan, SearchRequest};
use crate::shared::Shared;
use crate::tablebase::Probing;
use crate::tt::Bound;
use crate::types::{Move, score};

/// The longest time that the lines of one report may take.
const REPORT_LIMIT: Duration = Duration::from_millis(200);
/// Without a clock, each report gets at least this time.
const REPORT_MIN: Duration = Duration::from_millis(20);
/// Without a clock, each report gets the time of the search so far divided by this.
const REPORT_SHARE: u32 = 4;
/// With a clock, all reports of a search together get the hard limit divided by this.
const CLOCK_SHARE: u32 = 16;
/// The longest time that the lines of an answer may take.
const ANSWER_LIMIT: Duration = Duration::from_millis(4);

/// What was lengthened in one search.
#[derive(Debug, Default)]
pub struct Lengthening(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Each line of the last report as the search found it, and as it was shown.
    known: Vec<(Vec<Move>, Vec<Move>)>,
    /// The time that all reports have taken.
    spent: Duration,
}

impl Lengthening {
    /// Lengthens the lines of a report of the running search, within a small share of its time.
    /// A stop ends it, so that the next command need not wait for it.
    pub fn report(
        &self,
        request: &SearchRequest,
        plan: &SearchPlan,
        shared: &Shared,
        reports: &mut [Report],
    ) {
        let begun = Instant::now();
        let limit = if let Some(budget) = plan.budget {
            let share = budget.hard / CLOCK_SHARE;
            let share = share.saturating_sub(lock(&self.0).spent);
            if shared.pondering() {
                share
            } else {
                let end = request.start + budget.hard + shared.pondered();
                share.min(end.saturating_duration_since(begun))
            }
        } else {
            let share = begun.saturating_duration_since(request.start) / REPORT_SHARE;
            share.max(REPORT_MIN)
        };
        let until = begun + limit.min(REPORT_LIMIT);
        let is_over = || shared.stopped() || Instant::now() >= until;
        self.lengthen(&request.game, plan, reports, &is_over);
        let mut state = lock(&self.0);
        state.known = (reports.iter())
            .filter_map(|report| Some((report.pv.clone(), report.lengthened.clone()?)))
            .collect();
        state.spent += begun.elapsed();
    }

    /// Lengthens the lines of the answer, which must be given by the time `due` if there is one.
    pub fn answer(
        &self,
        game: &Game,
        plan: &SearchPlan,
        due: Option<Instant>,
        reports: &mut [Report],
    ) {
        let limit = Instant::now() + ANSWER_LIMIT;
        let until = due.map_or(limit, |due| limit.min(due));
        self.lengthen(game, plan, reports, &|| Instant::now() >= until);
    }

    /// Lengthens the lines that are won or lost by the tablebases, those of the last report at no
    /// cost, until `is_over` ends the work.
    fn lengthen(
        &self,
        game: &Game,
        plan: &SearchPlan,
        reports: &mut [Report],
        is_over: &dyn Fn() -> bool,
    ) {
        let probing = plan.tables.probing();
        if probing.max_pieces() == 0 {
            return;
        }
        let mut decided: Vec<&mut Report> = reports.iter_mut().filter(is_decided).collect();
        {
            let state = lock(&self.0);
            for report in &mut decided {
                let same = state.known.iter().find(|(found, _)| *found == report.pv);
                report.lengthened = same.map(|(_, long)| long.clone());
            }
        }
        for report in decided {
            if report.lengthened.is_none() {
                report.lengthened = continued(probing, game, report, is_over);
            }
        }
    }
}

/// Returns the line of a report with its continuation; `None` if there is none or no time for it.
fn continued(
    probing: &Probing,
    game: &Game,
    report: &Report,
    is_over: &dyn Fn() -> bool,
) -> Option<Vec<Move>> {
    probing.lengthen(game, &report.pv, report.score > 0, is_over)
}

/// Returns whether the line ends in a win or loss by the tablebases rather than in a mate.
fn is_decided(report: &&mut Report) -> bool {
    let score = report.score;
    report.bound == Bound::Exact && score::is_decisive(score) && !score::is_mate(score)
}
