//! A report as text for a terminal.

use std::fmt::Write;

use rejoinder::types::Color;

use super::tally::{CLOCKS, Count, Opening, PHASES, PIECES, Record, Tally};
use crate::annotate::counted;

/// Returns the report.
pub fn write(tally: &Tally, title: &str) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{title}: {}", counted(tally.games, "game", "games"));
    if let Some(left_out) = left_out(tally) {
        let _ = writeln!(out, "{left_out}");
    }
    let [won, drawn, lost] = tally.all.results;
    let _ = write!(out, "\nResults   {won} won, {drawn} drawn, {lost} lost");
    let _ = writeln!(out, "{}", of(" (", tally.all.score(), "%)"));
    let sides = ["White", "Black"].into_iter().zip(&tally.sides);
    let sides =
        sides.filter_map(|(name, side)| Some(format!("{:.1}% as {name}", side.accuracy.get()?)));
    let sides: Vec<String> = sides.collect();
    let accuracy = of("", tally.all.accuracy.get(), "%");
    let _ = writeln!(out, "Accuracy {accuracy} ({})", sides.join(", "));
    let Count { moves, marks, .. } = tally.all.count;
    let [inaccuracies, mistakes, blunders] = marks;
    let _ = writeln!(
        out,
        "In {}: {}, {}, {}",
        counted(moves, "move", "moves"),
        counted(inaccuracies, "inaccuracy", "inaccuracies"),
        counted(mistakes, "mistake", "mistakes"),
        counted(blunders, "blunder", "blunders")
    );
    counts(
        &mut out,
        "Phase",
        PHASES.iter().map(|(_, name)| *name).zip(&tally.phases),
    );
    counts(
        &mut out,
        "Piece moved",
        PIECES.iter().map(|(_, name)| *name).zip(&tally.pieces),
    );
    counts(
        &mut out,
        "Time left",
        CLOCKS.iter().map(|(_, name)| *name).zip(&tally.clocks),
    );
    let (strongest, weakest, compared) = tally.openings();
    if compared > 0 {
        openings(&mut out, "Strongest openings", &strongest);
        openings(&mut out, "Weakest openings", &weakest);
    }
    out
}

/// Says which games are left out; `None` if none are.
pub fn left_out(tally: &Tally) -> Option<String> {
    let mut parts = Vec::new();
    if tally.unreviewed > 0 {
        parts.push(counted(tally.unreviewed, "game", "games") + " without a review");
    }
    if tally.unreadable > 0 {
        parts.push(format!("{} without moves", tally.unreadable));
    }
    if tally.others > 0 {
        parts.push(format!("{} of others", tally.others));
    }
    (!parts.is_empty()).then(|| format!("Left out: {}.", parts.join(" and ")))
}

fn of(before: &str, value: Option<f64>, after: &str) -> String {
    value.map_or(String::new(), |value| format!("{before}{value:.1}{after}"))
}

/// Writes a table of moves and marks, without the rows that have no moves.
fn counts<'a>(out: &mut String, title: &str, rows: impl Iterator<Item = (&'a str, &'a Count)>) {
    let rows: Vec<_> = rows.filter(|(_, count)| count.moves > 0).collect();
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n{title:<20}{:>7}{:>6}{:>6}{:>6}{:>13}{:>13}",
        "moves", "?!", "?", "??", "? ?? in 100", "loss a move"
    );
    for (name, count) in rows {
        let [inaccuracies, mistakes, blunders] = count.marks;
        let loss = of("", count.loss(), "%");
        let _ = writeln!(
            out,
            "{name:<20}{:>7}{inaccuracies:>6}{mistakes:>6}{blunders:>6}{:>13.1}{loss:>13}",
            count.moves,
            count.rate()
        );
    }
}

fn openings(out: &mut String, title: &str, openings: &[Opening<'_>]) {
    if openings.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n{title:<36}{:>6}{:>7}{:>10}{:>13}",
        "games", "score", "accuracy", "? ?? in 100"
    );
    for (name, color, record) in openings {
        let Record {
            games,
            accuracy,
            count,
            ..
        } = record;
        let side = if *color == Color::White {
            "White"
        } else {
            "Black"
        };
        let name: String = name.chars().take(27).collect();
        let name = format!("{name}, {side}");
        let score = record
            .score()
            .map_or("-".to_owned(), |score| format!("{score:.0}%"));
        let accuracy = of("", accuracy.get(), "%");
        let _ = writeln!(
            out,
            "{name:<36}{games:>6}{score:>7}{accuracy:>10}{:>13.1}",
            count.rate()
        );
    }
}
