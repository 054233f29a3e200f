//! The rows as a table for the terminal.

use std::fmt::{self, Display, Formatter};

use super::row::ResultRow;

/// A compact table with the main figures of each row.
#[derive(Debug)]
pub struct TextTable<'a>(pub &'a [&'a ResultRow]);

impl Display for TextTable<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(
            f,
            "Each variant against the default. A star marks variants that leave out or change a technique of the default."
        )?;
        let widest = self.0.iter().map(|row| name(row).chars().count()).max();
        let width = widest.unwrap_or(0);
        writeln!(
            f,
            "{:<width$} {:>8} {:>26} {:>8} {:>6} {:>6} {:>6} {:>5}  Elo",
            "", "nodes %", "geo mean % [95%]", "first %", "index", "TT %", "branch", "nps"
        )?;
        for row in self.0 {
            let mean = format!(
                "{:+.2} [{:+.2}, {:+.2}]",
                row.mean_percent, row.mean_low, row.mean_high
            );
            write!(
                f,
                "{:<width$} {:>+8.2} {mean:>26} {:>8.2} {:>6.3} {:>6.2} {:>6.3} {:>5.2}",
                name(row),
                row.nodes_percent,
                row.first_move,
                row.cut_index,
                row.tt_move,
                row.branching,
                row.nps_ratio,
            )?;
            if let Some((elo, error)) = row.elo() {
                write!(f, "  {elo:+.1} ± {error:.1} ({} games)", row.games)?;
            }
            if row.limited > 0 {
                write!(f, "  [{} positions given up]", row.limited)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

fn name(row: &ResultRow) -> String {
    let star = if row.in_default && !row.is_default() {
        "*"
    } else {
        ""
    };
    row.full_name() + star
}
