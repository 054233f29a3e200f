//! The measurements of a training run, and their chart.

use plotters::style::{BLACK, BLUE, RED, RGBColor};
use serde::{Deserialize, Serialize};

use crate::plot;

/// The measurement at the end of a superbatch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Number of positions trained on so far.
    pub positions: u64,
    /// Mean loss of the training positions of the superbatch, each before its step.
    pub training_loss: f64,
    /// Mean loss of the validation positions.
    pub validation_loss: f64,
    /// Mean loss of the validation positions against the target at the end of the run, which is
    /// comparable along the run.
    pub final_loss: f64,
    /// Learning rate.
    pub rate: f32,
    /// WDL weight (lambda): share of the result in the target, 0 to 1.
    #[serde(alias = "blend")]
    pub lambda: f32,
    /// Positions per second in the superbatch.
    pub speed: f64,
}

/// A line of the chart: name, color and value.
type Line = (&'static str, RGBColor, fn(&Measurement) -> f64);

const LINES: [Line; 3] = [
    ("training", BLUE, |point| point.training_loss),
    ("validation", RED, |point| point.validation_loss),
    ("validation, final target", BLACK, |point| point.final_loss),
];

/// Draws the losses over the number of positions as SVG.
///
/// # Errors
/// The reason why the numbers cannot be drawn.
pub fn svg(title: &str, points: &[Measurement]) -> Result<String, String> {
    let line = |(name, color, loss): Line| {
        let point = |point: &Measurement| (point.positions as f64 / 1e6, loss(point));
        plot::Line {
            name,
            color,
            points: points.iter().map(point).collect(),
        }
    };
    let axes = ["million positions", "mean loss"];
    plot::svg(title, axes, &LINES.map(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chart_shows_the_losses() {
        let point = |number: u64| Measurement {
            positions: number * 1_000_000,
            training_loss: 0.1 / number as f64,
            validation_loss: 0.12 / number as f64,
            final_loss: 0.14 / number as f64,
            rate: 0.001,
            lambda: 0.3,
            speed: 1e6,
        };
        let points: Vec<Measurement> = (1..6).map(point).collect();
        for points in [&points[..], &points[..1], &[]] {
            let svg = svg("a title", points).expect("a chart");
            assert!(svg.starts_with("<svg") && svg.contains("a title"), "{svg}");
        }
        let svg = svg("t", &points).expect("a chart");
        assert!(svg.matches("<polyline").count() >= 3);
    }
}
