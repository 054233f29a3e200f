//! The report of a tuning run: a table, the values in the forms that other programs read, and a
//! chart.

use std::cmp::Reverse;
use std::fmt::{self, Write};
use std::path::Path;

use plotters::prelude::*;

use crate::plot::{self, PlotError};

use super::checkpoint::SpsaState;

/// Number of paths with a name and a color: those that end farthest from their start.
const NAMED: usize = 12;

/// Formats a run as text.
pub fn text(state: &SpsaState) -> String {
    let mut text = String::new();
    // Writing to a string never fails.
    let _ = write_text(state, &mut text);
    text
}

fn write_text(state: &SpsaState, out: &mut String) -> fmt::Result {
    let algorithm = &state.algorithm;
    let [wins, draws, losses] = state.games;
    let games = wins + draws + losses;
    writeln!(
        out,
        "iterations  {} of {}, {games} games in {:.0} s: changes +{wins} ={draws} -{losses} against their opposites",
        state.done, algorithm.iterations, state.seconds
    )?;
    writeln!(
        out,
        "moved       {:.2}% of the ranges on average\n",
        100.0 * algorithm.distance()
    )?;
    let width = algorithm.rows.iter().map(|row| row.name.len()).max();
    let width = width.unwrap_or(0).max("name".len());
    let now = algorithm.rounded();
    writeln!(
        out,
        "{:width$} {:>7} {:>7} {:>9}",
        "name", "start", "now", "in c_end"
    )?;
    let moved = algorithm.moved(&algorithm.theta);
    for ((row, now), moved) in algorithm.rows.iter().zip(&now).zip(moved) {
        writeln!(
            out,
            "{:width$} {:>7} {now:>7} {moved:>+9.2}",
            row.name, row.start
        )?;
    }

    let rows = algorithm.rows.iter().zip(&now);
    let values: Vec<String> = rows
        .clone()
        .map(|(row, now)| format!("{}={now}", row.name))
        .collect();
    writeln!(
        out,
        "\nfor `rejoinder-tools match --a`:\n{}",
        values.join(",")
    )?;
    writeln!(out, "\nfor OpenBench and --params:")?;
    for (row, &start) in rows {
        let mut row = row.clone();
        row.start = start;
        writeln!(out, "{row}")?;
    }
    Ok(())
}

/// Draws the paths of the parameters to this file, if there is one.
///
/// # Errors
/// If the paths cannot be drawn, or the file cannot be written.
pub fn draw(path: Option<&Path>, state: &SpsaState) -> Result<(), PlotError> {
    let Some(path) = path else { return Ok(()) };
    let mut svg = String::new();
    let drawn = paths(state, &mut svg).map_err(|error| error.to_string());
    plot::save(path, drawn.map(|()| svg))
}

fn paths(state: &SpsaState, text: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let algorithm = &state.algorithm;
    let mut paths = vec![Vec::new(); algorithm.rows.len()];
    for point in &state.history {
        for (path, moved) in paths.iter_mut().zip(algorithm.moved(&point.theta)) {
            path.push((point.done as f64, moved));
        }
    }
    // The axes need ends even if nothing has moved yet.
    let reach = |end: f64, &(_, moved): &(f64, f64)| end.max(moved.abs());
    let most = paths.iter().flatten().fold(0.1, reach) * 1.05;
    let end = state.done.max(1) as f64;

    let area = SVGBackend::with_string(text, (1000, 600)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(
            format!("{} parameters, {} iterations", paths.len(), state.done),
            ("sans-serif", 18),
        )
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..end, -most..most)?;
    chart
        .configure_mesh()
        .x_desc("iterations")
        .y_desc("distance from the start, in c_end")
        .draw()?;
    let mut order: Vec<usize> = (0..paths.len()).collect();
    let distance = |&at: &usize| {
        paths[at]
            .last()
            .map_or(0, |&(_, moved)| (moved.abs() * 1e6) as i64)
    };
    order.sort_by_key(|at| Reverse(distance(at)));
    let (named, others) = order.split_at(NAMED.min(order.len()));
    for &at in others {
        chart.draw_series(LineSeries::new(paths[at].iter().copied(), BLACK.mix(0.25)))?;
    }
    for (rank, &at) in named.iter().enumerate() {
        let color = Palette99::pick(rank).to_rgba();
        chart
            .draw_series(LineSeries::new(paths[at].iter().copied(), &color))?
            .label(&algorithm.rows[at].name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    area.present()?;
    Ok(())
}
