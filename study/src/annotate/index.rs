//! The page that leads to the pages of games in a folder. Each of them holds its own row of the
//! table, so that runs on several machines, or at several times, have one index.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Context;

use super::part::PartFile;
use super::report::{Report, Side, counted};
use super::svg::escaped;
use super::unreadable;

const PAGE: &str = include_str!("index.html");
/// What stands around a row in the page of its game, in one line.
const ROW: [&str; 2] = ["<template id=\"row\">", "</template>"];

/// Returns the row of a game, as it stands in its page.
pub(super) fn row(report: &Report) -> String {
    let record = &report.record;
    let mut row = String::new();
    let date = record.tag("Date").unwrap_or("????.??.??");
    let [white, black] = ["White", "Black"].map(|name| record.player(name));
    for value in [white, black, record.outcome(), date] {
        let words: Vec<&str> = value.split_whitespace().collect();
        let _ = write!(row, "<td>{}", escaped(&words.join(" ")));
    }
    for Side { accuracy, .. } in report.sides {
        let accuracy = accuracy.map(|accuracy| format!("{accuracy:.1}%"));
        let _ = write!(row, "<td class=\"n\">{}", accuracy.unwrap_or_default());
    }
    row.insert_str(0, ROW[0]);
    row + ROW[1]
}

/// Writes the index of all pages in a folder, if there are several.
///
/// # Errors
/// Fails if a page cannot be read, or if the index cannot be written.
pub(super) fn write(folder: &Path) -> anyhow::Result<()> {
    // If two programs write pages into this folder, the later index has those of both.
    let mut file = PartFile::wait_for(&folder.join("index.html"))?;
    let mut numbers = numbers(folder).with_context(unreadable(folder))?;
    if numbers.len() < 2 {
        return Ok(());
    }
    numbers.sort_unstable();
    let mut rows = String::new();
    for (number, name) in &numbers {
        let path = folder.join(name);
        let row = row_of(&path).with_context(unreadable(&path))?;
        let _ = writeln!(
            rows,
            "<tr><td class=\"n\"><a href=\"{name}\">{number}</a>{row}"
        );
    }
    let count = counted(numbers.len() as u64, "game", "games");
    file.add(&PAGE.replace("@@count@@", &count).replace("@@rows@@", &rows))?;
    file.publish()
}

/// Returns the numbers of the games that have a page, and the names of the pages.
fn numbers(folder: &Path) -> io::Result<Vec<(u64, String)>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix("game-");
        let number = number.and_then(|name| name.strip_suffix(".html"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            numbers.push((number, name));
        }
    }
    Ok(numbers)
}

/// Returns the row in the page of a game; empty if the page has none, as of an earlier version.
fn row_of(path: &Path) -> io::Result<String> {
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        let row = line.strip_prefix(ROW[0]);
        if let Some(row) = row.and_then(|line| line.strip_suffix(ROW[1])) {
            return Ok(row.to_owned());
        }
    }
    Ok(String::new())
}
