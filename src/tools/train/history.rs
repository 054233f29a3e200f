//! What was measured along a run, and its picture.

use plotters::prelude::*;
use serde::{Deserialize, Serialize};

/// What was measured at a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Positions learnt from so far.
    pub positions: u64,
    /// Mean squared error of the training positions since the last point, each before it was learnt from.
    pub training_loss: f64,
    /// Mean squared error of the validation positions.
    pub validation_loss: f64,
    /// The same against the target of the run's end, to compare along the run.
    pub final_loss: f64,
    /// The learning rate.
    pub rate: f32,
    /// The share of the result in the target.
    pub blend: f32,
    /// Positions a second since the last point.
    pub speed: f64,
}

/// A line of the picture: name, colour, and what it shows.
type Line = (&'static str, RGBColor, fn(&Point) -> f64);

const LINES: [Line; 3] = [
    ("training", BLUE, |point| point.training_loss),
    ("validation", RED, |point| point.validation_loss),
    ("validation, final target", BLACK, |point| point.final_loss),
];

/// The losses against the positions learnt from, as SVG.
///
/// # Errors
/// Says what is wrong with the numbers.
pub fn svg(title: &str, points: &[Point]) -> Result<String, String> {
    let mut text = String::new();
    draw(title, points, &mut text).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw(
    title: &str,
    points: &[Point],
    text: &mut String,
) -> Result<(), Box<dyn std::error::Error>> {
    let losses = || LINES.iter().flat_map(|line| points.iter().map(line.2));
    let millions = |point: &Point| point.positions as f64 / 1e6;
    let end = points.last().map_or(1.0, millions);
    let (least, most) = losses().fold((f64::MAX, f64::MIN), |(least, most), loss| {
        (least.min(loss), most.max(loss))
    });
    // Axes need numbers to end at, even if there is nothing to show yet.
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
        .x_desc("million positions")
        .y_desc("mean squared error")
        .draw()?;
    for (name, color, loss) in LINES {
        let line = points.iter().map(|point| (millions(point), loss(point)));
        chart
            .draw_series(LineSeries::new(line, color))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE)
        .border_style(BLACK)
        .draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_shows_the_losses() {
        let point = |number: u64| Point {
            positions: number * 1_000_000,
            training_loss: 0.1 / number as f64,
            validation_loss: 0.12 / number as f64,
            final_loss: 0.14 / number as f64,
            rate: 0.001,
            blend: 0.3,
            speed: 1e6,
        };
        let points: Vec<Point> = (1..6).map(point).collect();
        for points in [&points[..], &points[..1], &[]] {
            let svg = svg("a title", points).expect("a picture");
            assert!(svg.starts_with("<svg") && svg.contains("a title"), "{svg}");
        }
        let svg = svg("t", &points).expect("a picture");
        assert!(svg.matches("<polyline").count() >= 3);
    }
}
