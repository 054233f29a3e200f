//! Line charts as SVG.

use std::path::{Path, PathBuf};

use plotters::prelude::*;

use crate::files::{self, FileError};

/// A chart cannot be drawn, or its file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The numbers cannot be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Draw {
        /// The file of the chart.
        path: PathBuf,
        reason: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes a chart to a file and replaces an earlier one. `svg` is the drawing, or the reason why
/// there is none.
///
/// # Errors
/// If there is no drawing, or the file cannot be written.
pub fn save(path: &Path, svg: Result<String, String>) -> Result<(), PlotError> {
    match svg {
        Ok(text) => Ok(files::replace(path, text.as_bytes())?),
        Err(reason) => Err(PlotError::Draw {
            path: path.to_path_buf(),
            reason,
        }),
    }
}

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// Name in the legend.
    pub name: &'a str,
    /// Color of the line.
    pub color: RGBColor,
    /// Points as (x, y), from left to right.
    pub points: Vec<(f64, f64)>,
}

/// Draws a chart of lines as SVG. The x axis begins at 0; the y axis covers the range of the lines.
/// `axes` are the names of the x and the y axis.
///
/// # Errors
/// The reason why the numbers cannot be drawn.
pub fn svg(title: &str, axes: [&str; 2], lines: &[Line]) -> Result<String, String> {
    let mut text = String::new();
    draw(title, axes, lines, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw(
    title: &str,
    [x_axis, y_axis]: [&str; 2],
    lines: &[Line],
    text: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let points = || lines.iter().flat_map(|line| line.points.iter());
    let end = points().map(|(x, _)| *x).reduce(f64::max).unwrap_or(1.0);
    let (least, most) = points().fold((f64::MAX, f64::MIN), |(least, most), (_, y)| {
        (least.min(*y), most.max(*y))
    });
    // The axes need ends even if there is nothing to show yet.
    let (least, most) = if least <= most && (most - least).is_finite() {
        (least, most)
    } else {
        (0.0, 1.0)
    };
    let margin = (most - least).abs().max(1e-6) / 20.0;

    let area = SVGBackend::with_string(text, (900, 500)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..end, least - margin..most + margin)?;
    chart
        .configure_mesh()
        .x_desc(x_axis)
        .y_desc(y_axis)
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .draw()?;
    for line in lines {
        let color = line.color;
        chart
            .draw_series(LineSeries::new(line.points.iter().copied(), color))?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    if lines.len() > 1 {
        // Losses fall, so that there is room at the top on the right.
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE)
            .border_style(BLACK.mix(0.3))
            .draw()?;
    }
    area.present()?;
    Ok(())
}
