//! The rows in a text: a table, and a line for every technique of the catalogue.

use std::fmt::Write;

use super::form::full_name;
use super::row::Row;
use crate::techniques::{Experiment, catalogue};

const BEGIN: &str = "<!-- ordering: begin -->\n";
const END: &str = "<!-- ordering: end -->";

/// The text with these rows between its markers.
///
/// # Errors
/// If a marker is missing.
pub fn replaced(text: &str, rows: &[Row]) -> Result<String, &'static str> {
    let (before, rest) = text
        .split_once(BEGIN)
        .ok_or("there is no line <!-- ordering: begin -->")?;
    let (_, after) = rest
        .split_once(END)
        .ok_or("there is no line <!-- ordering: end --> after the first marker")?;
    let entries: String = catalogue().map(|entry| line(entry, rows)).collect();
    let table = table(rows);
    Ok(format!("{before}{BEGIN}\n{table}\n{entries}\n{END}{after}"))
}

/// What was measured, and all rows as a table.
fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    // Writing to memory does not fail.
    if let Some(default) = rows.iter().find(|row| row.is_default()) {
        let _ = writeln!(
            text,
            "{} positions to depth {}, {} MB: {} nodes by default. All differences are *variant against default*. \\*: the default has \
             the technique, and the variant does without it, or otherwise.\n",
            default.positions,
            default.depth,
            default.hash_mb,
            thousands(default.nodes)
        );
    }
    text.push_str(
        "| variant | nodes | geometric mean, 95 % interval | first-move share | PV, cut, all | cutoff index | TT move | LBR first, \
         second match | LMR again; PV again, whole | branching | Elo | games |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let (nodes, mean) = if row.is_default() {
            ("–".to_owned(), "–".to_owned())
        } else {
            (format!("{:+.1} %", row.nodes_percent), mean(row))
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
        let _ = writeln!(
            text,
            "| {}{star} | {nodes}{given_up} | {mean} | {:.2} % | {:.1}, {:.1}, {:.1} | {:.3} | {:.1} % | {:.1}, {:.1} % | {:.1} %; {:.1}, {:.1} % | \
             {:.3} | {elo} | {games} |",
            row.full_name(),
            row.first_move,
            row.first_move_pv,
            row.first_move_cut,
            row.first_move_all,
            row.cut_index,
            row.tt_move,
            row.lbr_first,
            row.lbr_second,
            row.lmr_double_again,
            row.lmr_triple_again,
            row.lmr_triple_whole,
            row.branching,
        );
    }
    text
}

/// A technique: what it is, where it is from, what its variants are worth.
fn line(entry: &Experiment, rows: &[Row]) -> String {
    let worth = entry.variants.iter().map(|variant| {
        let name = full_name(entry.name, variant.name);
        let row = rows.iter().find(|row| row.full_name() == name);
        let worth = row.map_or_else(|| "not measured".to_owned(), worth);
        if variant.name.is_empty() {
            worth
        } else {
            format!("{}: {worth}", variant.name)
        }
    });
    let worth = worth.collect::<Vec<_>>().join(" · ");
    let sources = entry.source.split("; ").map(linked);
    let source = sources.collect::<Vec<_>>().join("; ");
    let place = if entry.in_default {
        "In the default"
    } else {
        "Not in the default"
    };
    format!(
        "- **{}** – {} ({source}) {place}; {worth}.\n",
        entry.name, entry.what
    )
}

/// A source; an address becomes a link.
fn linked(source: &str) -> String {
    if source.starts_with("https") {
        format!("[source]({source})")
    } else {
        source.to_owned()
    }
}

/// What a variant is worth against the default, in words and figures.
fn worth(row: &Row) -> String {
    let nodes = match () {
        () if row.mean_low > 0.0 => "more nodes",
        () if row.mean_high < 0.0 => "fewer nodes",
        // No position differs from another in how it differs from the default.
        () if row.nodes == row.default_nodes && row.mean_low >= row.mean_high => "the same nodes",
        () => "about as many nodes",
    };
    let trees = format!("{nodes}, {}", mean(row));
    let Some((elo, error)) = row.elo() else {
        return trees;
    };
    let strength = match () {
        () if elo > error => "stronger",
        () if elo < -error => "weaker",
        () => "within the noise",
    };
    format!(
        "{trees}; {strength}, {elo:+.1} ± {error:.1} Elo ({} games)",
        thousands(row.games)
    )
}

/// The geometric mean with its interval.
fn mean(row: &Row) -> String {
    format!(
        "{:+.1} % [{:+.1}, {:+.1}]",
        row.mean_percent, row.mean_low, row.mean_high
    )
}

/// A number with a comma after each thousand.
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
    use crate::ordering::form::DEFAULT;
    use crate::ordering::records::tests::row;

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
        assert!(text.contains("| killers/off\\* | +3.1 % |"), "{text}");
        assert!(text.contains("| gone | -2.0 % |"), "{text}");
        assert!(
            text.contains(
                "off: more nodes, +3.1 % [+2.1, +4.1]; weaker, -12.0 ± 7.1 Elo (4,000 games)"
            ),
            "{text}"
        );
        assert!(text.contains("first: not measured"), "{text}");
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
    fn thousands_are_parted() {
        assert_eq!(
            [7, 999, 1000, 1234567].map(thousands),
            ["7", "999", "1,000", "1,234,567"]
        );
    }
}
