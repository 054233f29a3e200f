//! The statistics of the move ordering that `bench --stats` prints.

use std::fmt::{self, Display, Formatter};

use crate::ordering::{NodeKind, Stage};
use crate::search::ordering_stats::{OrderingStats, Tally};

/// The table of the statistics.
#[derive(Debug)]
pub struct Table<'a>(pub &'a OrderingStats);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let counted = self.0;
        let all = counted.of(&NodeKind::ALL);
        let [tried, cuts, rate] = ["tried", "cuts", "cut %"];
        let [first, share, index] = ["as first", "first %", "index"];
        writeln!(
            f,
            "{:<18} {tried:>9} {cuts:>9} {rate:>6} {first:>9} {share:>7} {index:>6}",
            "moves"
        )?;
        row(f, "all", all.moves())?;
        for (stage, tally) in Stage::ALL.into_iter().zip(all.stages) {
            row(f, &format!("{stage:?}"), tally)?;
        }
        row(f, "last best replies", all.lbr_replies)?;
        for kind in NodeKind::ALL {
            let moves = counted.of(&[kind]).moves();
            row(f, &format!("{kind:?} nodes"), moves)?;
        }
        let rate = 100.0 * all.tt_move_rate();
        write!(f, "TT move at {rate:.2} % of the nodes")?;
        for kind in NodeKind::ALL {
            let stats = counted.of(&[kind]);
            let rate = 100.0 * stats.tt_move_rate();
            write!(f, ", {kind:?} {rate:.2} % of {}", stats.nodes)?;
        }
        let pv = counted.of(&[NodeKind::Pv]);
        let others = counted.of(&[NodeKind::Cut, NodeKind::All]);
        writeln!(
            f,
            "\nLMR non-PV reduced {}, re-searched to full depth {:.2} %; PV reduced {}, re-searched to full depth {:.2} %, full window {:.2} %",
            others.reduced,
            100.0 * others.full_depth_rate(),
            pv.reduced,
            100.0 * pv.full_depth_rate(),
            100.0 * pv.full_window_rate()
        )?;
        writeln!(
            f,
            "LBR lookups {}, first match {:.2} %, second match {:.2} %",
            counted.asked,
            100.0 * counted.first_match_rate(),
            100.0 * counted.second_match_rate()
        )
    }
}

fn row(f: &mut Formatter, name: &str, tally: Tally) -> fmt::Result {
    writeln!(
        f,
        "{name:<18} {:>9} {:>9} {:>6.2} {:>9} {:>7.2} {:>6.3}",
        tally.tried,
        tally.cuts,
        100.0 * tally.cuts as f64 / tally.tried.max(1) as f64,
        tally.first,
        100.0 * tally.first_move_share(),
        tally.mean_index(),
    )
}
