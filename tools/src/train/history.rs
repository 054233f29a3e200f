//! What was measured along a run, and its picture.

use plotters::style::{BLACK, BLUE, RED, RGBColor};
use serde::{Deserialize, Serialize};

use crate::plot;

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
    let line = |(name, color, loss): Line| {
        let point = |point: &Point| (point.positions as f64 / 1e6, loss(point));
        plot::Line {
            name,
            color,
            points: points.iter().map(point).collect(),
        }
    };
    let axes = ["million positions", "mean squared error"];
    plot::svg(title, axes, &LINES.map(line))
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
