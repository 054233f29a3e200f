//! The generated block of docs/ordering-table.md: a table of all rows, and a line for every
//! experiment of the catalogue.

use std::fmt::Write;

use super::row::ResultRow;
use crate::techniques::{Experiment, catalogue};

const BEGIN: &str = "<!-- ordering: begin -->\n";
const END: &str = "<!-- ordering: end -->";
/// The first line of the block.
const NOTICE: &str = "<!-- `rejoinder-lab ordering --doc` writes the lines between these markers; do not edit them. -->";

/// Replaces the block between the markers of a text. All other lines stay unchanged.
///
/// # Errors
/// If a marker is missing.
pub fn replaced(text: &str, rows: &[ResultRow]) -> Result<String, &'static str> {
    let (before, rest) = text
        .split_once(BEGIN)
        .ok_or("there is no line <!-- ordering: begin -->")?;
    let (_, after) = rest
        .split_once(END)
        .ok_or("there is no line <!-- ordering: end --> after the first marker")?;
    let entries: String = catalogue().map(line).collect();
    let (settings, table) = (settings(rows), table(rows));
    Ok(format!(
        "{before}{BEGIN}{NOTICE}\n\n{settings} {table}\n{entries}\n{END}{after}"
    ))
}

/// States the settings of the measurement.
fn settings(rows: &[ResultRow]) -> String {
    let Some(default) = rows.iter().find(|row| row.is_default()) else {
        return "Nothing has been measured yet.".to_owned();
    };
    format!(
        "The trees are those of {} positions to depth {} with a transposition table of {} MB; by default they have {} nodes. All differences \
         are those of a variant from the default.",
        default.positions,
        default.depth,
        default.hash_mb,
        thousands(default.nodes)
    )
}

/// Returns the rows as a Markdown table.
fn table(rows: &[ResultRow]) -> String {
    let mut text = String::from(
        "A star (\\*) marks variants that leave out or change a technique of the default.\n\n\
         | variant | nodes | geometric mean, 95% interval | first-move share | cutoff index | Elo | games |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let (nodes, mean) = if row.is_default() {
            ("–".to_owned(), "–".to_owned())
        } else {
            (format!("{:+.1}%", row.nodes_percent), mean(row))
        };
        let star = if row.in_default && !row.is_default() {
            "\\*"
        } else {
            ""
        };
        let given_up = match row.limited {
            0 => String::new(),
            count => format!(" ({count} positions given up)"),
        };
        let (elo, games) = row.elo().map_or_else(Default::default, |(elo, error)| {
            (format!("{elo:+.1} ± {error:.1}"), thousands(row.games))
        });
        // Writing to a string never fails.
        let _ = writeln!(
            text,
            "| {}{star} | {nodes}{given_up} | {mean} | {:.2}% | {:.3} | {elo} | {games} |",
            row.full_name(),
            row.first_move,
            row.cut_index,
        );
    }
    text
}

/// Returns the line of an experiment: its description and its source.
fn line(experiment: &Experiment) -> String {
    let sources = experiment.source.split("; ").map(linked);
    let source = sources.collect::<Vec<_>>().join("; ");
    format!(
        "- **{}** – {} ({source})\n",
        experiment.name, experiment.what
    )
}

/// Formats a source; an address becomes a link.
fn linked(source: &str) -> String {
    if source.starts_with("https") {
        format!("[source]({source})")
    } else {
        source.to_owned()
    }
}

/// Formats the geometric mean with its interval.
fn mean(row: &ResultRow) -> String {
    format!(
        "{:+.1}% [{:+.1}, {:+.1}]",
        row.mean_percent, row.mean_low, row.mean_high
    )
}

/// Formats a number with a comma after each group of three digits.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ordering::records::tests::row;
    use crate::ordering::variants::DEFAULT;

    /// A text with both markers.
    pub const MARKED: &str =
        "# Before\n\n<!-- ordering: begin -->\nwhat was here\n<!-- ordering: end -->\n\nAfter\n";

    #[test]
    fn rows_stand_between_the_markers() {
        let rows = [
            row(DEFAULT, "", 1000, 0),
            row("killers", "off", 1031, 4000),
            row("gone", "", 980, 0),
        ];
        let text = replaced(MARKED, &rows).expect("markers");
        assert!(text.starts_with("# Before\n\n<!-- ordering: begin -->\n"));
        assert!(text.ends_with("<!-- ordering: end -->\n\nAfter\n"));
        assert!(!text.contains("what was here"), "{text}");
        assert!(text.contains("by default they have 1,000 nodes"), "{text}");
        assert!(text.contains("| killers/off\\* | +3.1% |"), "{text}");
        assert!(text.contains("| gone | -2.0% |"), "{text}");
        assert!(
            text.contains("| +3.1% [+2.1, +4.1] | 0.00% | 0.000 | -12.0 ± 7.1 | 4,000 |"),
            "{text}"
        );
        assert!(text.contains("- **recapture** – "), "{text}");
        assert_eq!(linked("https://a.b"), "[source](https://a.b)");
        assert_eq!(linked("S. Edwards 2011"), "S. Edwards 2011");
        assert_eq!(replaced(&text, &rows), Ok(text.clone()), "again");
    }

    #[test]
    fn a_missing_marker_is_an_error() {
        for text in [
            "",
            "<!-- ordering: begin -->\n",
            "<!-- ordering: end -->\n<!-- ordering: begin -->\n",
        ] {
            assert!(replaced(text, &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(
            [7, 999, 1000, 1234567].map(thousands),
            ["7", "999", "1,000", "1,234,567"]
        );
    }
}
