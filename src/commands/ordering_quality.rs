//! The statistics of the move ordering that `bench --stats` prints.

use std::fmt::{self, Display, Formatter};

use crate::ordering::NodeKind;
use crate::ordering::Stage;
use crate::search::ordering_stats::{BANDS, OrderingStats, Tally};

/// The table of the statistics.
#[derive(Debug)]
pub struct Table<'a>(pub &'a OrderingStats);

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let counted = self.0;
        head(f, "all nodes")?;
        row(f, "all moves", counted.sum(|_, _, _| true))?;
        for (band, &from) in BANDS.iter().enumerate() {
            let name = format!("depth {}", depths(band, from));
            row(f, &name, counted.sum(|_, other, _| other == band))?;
        }
        for stage in Stage::ALL {
            let name = format!("{stage:?}");
            row(f, &name, counted.sum(|_, _, other| other == stage))?;
        }
        head(f, "node kinds")?;
        for kind in NodeKind::ALL {
            row(f, &format!("{kind:?}"), counted.of_kind(kind).moves)?;
        }
        head(f, "last best replies")?;
        row(
            f,
            "all but TT moves",
            counted.lbr_replies(|stage| stage != Stage::TtMove),
        )?;
        for stage in Stage::ALL {
            let name = format!("{stage:?}");
            row(f, &name, counted.lbr_replies(|other| other == stage))?;
        }
        for (with, title) in [
            (true, "nodes with a TT move"),
            (false, "nodes without a TT move"),
        ] {
            head(f, title)?;
            let all = counted.sum(|tt_move, _, _| tt_move == with);
            row(f, "all moves", all)?;
            for (band, &from) in BANDS.iter().enumerate() {
                let name = format!("depth {}", depths(band, from));
                let tally = counted.sum(|tt_move, other, _| tt_move == with && other == band);
                row(f, &name, tally)?;
            }
            for stage in Stage::ALL {
                let tally = counted.sum(|tt_move, _, other| tt_move == with && other == stage);
                if tally.tried > 0 {
                    row(f, &format!("{stage:?}"), tally)?;
                }
            }
        }
        tt_moves(f, counted)?;
        re_searches(f, counted)?;
        writeln!(
            f,
            "LBR lookups {}, first match {:.2} %, second match {:.2} %",
            counted.asked,
            100.0 * counted.first_match_rate(),
            100.0 * counted.second_match_rate()
        )
    }
}

fn tt_moves(f: &mut Formatter, counted: &OrderingStats) -> fmt::Result {
    let rate = 100.0 * counted.of_all_kinds().tt_move_rate();
    write!(f, "TT move at {rate:.2} % of the nodes")?;
    for kind in NodeKind::ALL {
        let counted = counted.of_kind(kind);
        let rate = 100.0 * counted.tt_move_rate();
        write!(f, ", {kind:?} {rate:.2} % of {}", counted.nodes)?;
    }
    writeln!(f)
}

fn re_searches(f: &mut Formatter, counted: &OrderingStats) -> fmt::Result {
    let [others, pv] = [false, true].map(|pv| counted.researches(pv));
    writeln!(
        f,
        "LMR non-PV reduced {}, re-searched to full depth {:.2} %; PV reduced {}, re-searched to full depth {:.2} %, full window {:.2} %",
        others.reduced,
        100.0 * others.full_depth_rate(),
        pv.reduced,
        100.0 * pv.full_depth_rate(),
        100.0 * pv.full_window_rate()
    )
}

/// Returns the name of a range of depths.
fn depths(band: usize, from: i32) -> String {
    match BANDS.get(band + 1) {
        None => format!("{from}+"),
        Some(&next) if next == from + 1 => from.to_string(),
        Some(&next) => format!("{from}-{}", next - 1),
    }
}

fn head(f: &mut Formatter, title: &str) -> fmt::Result {
    let [tried, cuts, rate] = ["tried", "cuts", "cut %"];
    let [first, share, index] = ["as first", "first %", "index"];
    writeln!(
        f,
        "{title:<24} {tried:>9} {cuts:>9} {rate:>6} {first:>9} {share:>7} {index:>6}"
    )
}

fn row(f: &mut Formatter, name: &str, tally: Tally) -> fmt::Result {
    writeln!(
        f,
        "  {name:<22} {:>9} {:>9} {:>6.2} {:>9} {:>7.2} {:>6.3}",
        tally.tried,
        tally.cuts,
        percent(tally.cuts, tally.tried),
        tally.first,
        percent(tally.first, tally.cuts),
        tally.index_sum as f64 / tally.cuts.max(1) as f64,
    )
}

fn percent(part: u64, whole: u64) -> f64 {
    part as f64 * 100.0 / whole.max(1) as f64
}
