//! The measurements by number of threads as Markdown, CSV and SVG.

use std::fmt;
use std::time::Duration;

use plotters::style::{BLACK, BLUE, RED};

use crate::elo::Estimate;
use crate::plot;

/// The measurements with one number of threads.
#[derive(Clone, Debug)]
pub struct Measurements {
    /// Number of threads.
    pub threads: u64,
    /// Number of nodes of all searches.
    pub nodes: u64,
    /// Total time of the searches of each position.
    pub times: Vec<Duration>,
    /// Time from each stop to the best move.
    pub stops: Vec<Duration>,
}

impl Measurements {
    /// No measurements yet; `positions` is the number of positions.
    pub fn new(threads: u64, positions: usize) -> Self {
        Self {
            threads,
            nodes: 0,
            times: vec![Duration::ZERO; positions],
            stops: Vec::new(),
        }
    }

    /// Adds a search of the position with this index.
    pub fn add(&mut self, position: usize, nodes: u64, elapsed: Duration) {
        self.nodes += nodes;
        self.times[position] += elapsed;
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableLine {
    /// Number of threads.
    pub threads: u64,
    /// Nodes per second.
    pub nps: f64,
    /// Nodes per second divided by those of the first line.
    pub ratio: f64,
    /// Total time of all searches in seconds.
    pub seconds: f64,
    /// Time to depth of the first line divided by that of this line: the geometric mean over the
    /// positions.
    pub speed_up: Estimate,
    /// Milliseconds from a stop to the best move: the median, the 99th percentile and the maximum.
    pub stop: [f64; 3],
}

/// The table; all lines are compared with the first one.
#[derive(Clone, Debug)]
pub struct ScalingTable {
    pub lines: Vec<TableLine>,
}

/// The names of the columns in a CSV file.
const COLUMNS: &str =
    "threads,nps,nps_ratio,seconds,speed_up,speed_up_error,stop_p50_ms,stop_p99_ms,stop_max_ms\n";

impl ScalingTable {
    /// Returns the table of these measurements.
    pub fn of(rows: Vec<Measurements>) -> Self {
        let mut lines: Vec<TableLine> = Vec::new();
        let first = rows
            .first()
            .map(|row| row.times.clone())
            .unwrap_or_default();
        for mut row in rows {
            row.stops.sort_unstable();
            let seconds = row.times.iter().sum::<Duration>().as_secs_f64().max(1e-6);
            let nps = row.nodes as f64 / seconds;
            lines.push(TableLine {
                threads: row.threads,
                nps,
                ratio: nps / lines.first().map_or(nps, |line| line.nps),
                seconds,
                speed_up: speed_up(&first, &row.times),
                stop: [0.5, 0.99, 1.0].map(|share| quantile(&row.stops, share)),
            });
        }
        Self { lines }
    }

    /// Returns the table as comma-separated values.
    pub fn csv(&self) -> String {
        let row = |line: &TableLine| {
            let [median, high, longest] = line.stop;
            format!(
                "{},{:.0},{:.4},{:.3},{:.4},{:.4},{median:.4},{high:.4},{longest:.4}\n",
                line.threads,
                line.nps,
                line.ratio,
                line.seconds,
                line.speed_up.value,
                line.speed_up.error
            )
        };
        COLUMNS.to_owned() + &self.lines.iter().map(row).collect::<String>()
    }

    /// Draws speed and time to depth over the number of threads as SVG.
    ///
    /// # Errors
    /// The reason why the numbers cannot be drawn.
    pub fn svg(&self) -> Result<String, String> {
        let first = self.lines.first().map_or(1, |line| line.threads) as f64;
        let over_threads = |value: fn(&TableLine) -> f64| -> Vec<(f64, f64)> {
            let point = |line: &TableLine| (line.threads as f64, value(line));
            self.lines.iter().map(point).collect()
        };
        let cores = num_cpus::get() as f64;
        let ideal = over_threads(|line| line.threads as f64).into_iter();
        let ideal = ideal.map(|(threads, _)| (threads, threads.min(cores) / first.min(cores)));
        let lines = [
            plot::Line {
                name: "nodes a second",
                color: BLUE,
                points: over_threads(|line| line.ratio),
            },
            plot::Line {
                name: "speed to depth",
                color: RED,
                points: over_threads(|line| line.speed_up.value),
            },
            plot::Line {
                name: "number of cores in use",
                color: BLACK,
                points: ideal.collect(),
            },
        ];
        let title = format!("{cores} cores");
        plot::svg(&title, ["threads", "times as much"], &lines)
    }
}

/// Formats the table as Markdown, which is readable on a terminal, too.
impl fmt::Display for ScalingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| threads | nodes a second | ratio | seconds to depth | speed-up | stop p50, ms | p99 | max |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|")?;
        for line in &self.lines {
            let [median, high, longest] = line.stop;
            writeln!(
                f,
                "| {} | {:.0} | {:.3} | {:.2} | {:.2} ± {:.2} | {median:.3} | {high:.3} | {longest:.3} |",
                line.threads,
                line.nps,
                line.ratio,
                line.seconds,
                line.speed_up.value,
                line.speed_up.error
            )?;
        }
        Ok(())
    }
}

/// Returns the geometric mean of `before` divided by `now` over the positions, with its 95% error.
fn speed_up(before: &[Duration], now: &[Duration]) -> Estimate {
    let seconds = |time: &Duration| time.as_secs_f64().max(1e-9);
    let logs: Vec<f64> = (before.iter().zip(now))
        .map(|(before, now)| (seconds(before) / seconds(now)).ln())
        .collect();
    let count = logs.len().max(1) as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
    let deviation = (squares / (count - 1.0).max(1.0) / count).sqrt();
    Estimate {
        value: mean.exp(),
        error: mean.exp() * 1.96 * deviation,
    }
}

/// Returns a quantile of the sorted times in milliseconds; 0 if there are none.
fn quantile(sorted: &[Duration], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    let time = sorted.get(rank.saturating_sub(1));
    time.map_or(0.0, |time| 1000.0 * time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(threads: u64, nodes: u64, millis: [u64; 2]) -> Measurements {
        let mut row = Measurements::new(threads, 2);
        row.nodes = nodes;
        row.times = millis.map(Duration::from_millis).to_vec();
        row.stops = (1..=200).rev().map(Duration::from_millis).collect();
        row
    }

    #[test]
    fn lines_are_compared_with_the_first() {
        let table = ScalingTable::of(vec![row(1, 3000, [1000, 2000]), row(2, 3000, [500, 500])]);
        let [first, second] = table.lines[..] else {
            panic!("two lines");
        };
        assert_eq!(
            (first.ratio, first.speed_up.value, first.speed_up.error),
            (1.0, 1.0, 0.0)
        );
        assert!((first.nps - 1000.0).abs() < 1e-6 && (second.ratio - 3.0).abs() < 1e-6);
        assert!((second.speed_up.value - 8_f64.sqrt()).abs() < 1e-6);
        assert!(second.speed_up.error > 1.0);
        for (milliseconds, expected) in second.stop.into_iter().zip([100.0, 198.0, 200.0]) {
            assert!((milliseconds - expected).abs() < 1e-6);
        }
        assert!(table.csv().contains("\n2,3000,3.0000,1.000,2.8284,"));
    }

    #[test]
    fn nothing_makes_an_empty_table() {
        let table = ScalingTable::of(Vec::new());
        assert_eq!(table.csv(), COLUMNS);
        assert!(table.svg().expect("a chart").starts_with("<svg"));
    }
}
