//! SPSA without the games: the choice of the two points to compare, and the step that follows from
//! a result.
//!
//! All parameters are perturbed at once, each by +c or -c at random. The resulting two players play
//! each other, and every parameter moves toward the winner's side. The noise from the other
//! parameters averages out.

use serde::{Deserialize, Serialize};

use super::rows::Row;
use rejoinder::types::Rng;

/// Exponent with which the learning rate falls.
const ALPHA: f64 = 0.602;
/// Exponent with which the perturbation falls.
const GAMMA: f64 = 0.101;
/// The constant A of SPSA as a share of all iterations: during these the rate hardly falls.
const STABILITY: f64 = 0.1;

/// The parameters and their values so far.
// Source: Spall, "Implementation of the simultaneous perturbation algorithm" (1998); gains given by
// their values in the last iteration and results as wins less losses, as on fishtest and OpenBench.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spsa {
    /// The parameters with their ranges and gains.
    #[serde(with = "lines")]
    pub rows: Vec<Row>,
    /// The value of each parameter.
    pub theta: Vec<f64>,
    /// Number of iterations of the run.
    pub iterations: u64,
}

/// The two points that an iteration compares.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Number of the iteration, from 0.
    number: u64,
    /// +1 or -1 for each parameter.
    flips: Vec<f64>,
    /// The values moved with the flips, and against them.
    points: [Vec<f64>; 2],
}

impl Spsa {
    /// Creates a run that begins with the start values of the rows.
    pub fn new(rows: Vec<Row>, iterations: u64) -> Self {
        Self {
            theta: rows.iter().map(|row| row.start.into()).collect(),
            rows,
            iterations,
        }
    }

    /// Returns the two points of an iteration, counted from 0.
    pub fn propose(&self, number: u64, rng: &mut Rng) -> Trial {
        let flips: Vec<f64> = self.rows.iter().map(|_| rng.sign()).collect();
        let point = |side: f64| {
            let numbers = self.rows.iter().zip(&self.theta).zip(&flips);
            let moved = numbers.map(|((row, theta), flip)| {
                within(row, theta + side * flip * self.perturbation(row, number))
            });
            moved.collect()
        };
        Trial {
            number,
            points: [point(1.0), point(-1.0)],
            flips,
        }
    }

    /// Moves toward the better point. The result is the number of games that the first point won
    /// less those that it lost. Other trials may have moved the values in the meantime.
    pub fn learn(&mut self, trial: &Trial, result: f64) {
        for (at, row) in self.rows.iter().enumerate() {
            let c = self.perturbation(row, trial.number);
            let step = self.rate(row, trial.number) * c * result * trial.flips[at];
            self.theta[at] = within(row, self.theta[at] + step);
        }
    }

    /// c: half the distance between the two points.
    fn perturbation(&self, row: &Row, number: u64) -> f64 {
        let left = self.iterations as f64 / (number + 1) as f64;
        row.c_end * left.powf(GAMMA)
    }

    /// r = a / c²: the step of a parameter for one game won, in units of c.
    fn rate(&self, row: &Row, number: u64) -> f64 {
        let all = self.iterations as f64;
        let stability = STABILITY * all;
        let left = (stability + all) / (stability + (number + 1) as f64);
        let a = row.r_end * row.c_end.powi(2) * left.powf(ALPHA);
        a / self.perturbation(row, number).powi(2)
    }

    /// Returns the values rounded to integers.
    pub fn rounded(&self) -> Vec<i32> {
        self.theta
            .iter()
            .map(|theta| theta.round() as i32)
            .collect()
    }

    /// Returns the distance of each value from its start, in units of `c_end`.
    pub fn moved<'a>(&'a self, theta: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let numbers = self.rows.iter().zip(theta);
        numbers.map(|(row, theta)| (theta - f64::from(row.start)) / row.c_end)
    }

    /// Returns the mean distance of the values from their starts, as a share of their ranges.
    pub fn distance(&self) -> f64 {
        let shares = self.rows.iter().zip(&self.theta).map(|(row, theta)| {
            (theta - f64::from(row.start)).abs() / (f64::from(row.max) - f64::from(row.min))
        });
        shares.sum::<f64>() / self.rows.len() as f64
    }

    /// Returns whether each parameter has a value within its range.
    pub fn is_sound(&self) -> bool {
        self.theta.len() == self.rows.len()
            && self
                .rows
                .iter()
                .zip(&self.theta)
                .all(|(row, theta)| (f64::from(row.min)..=row.max.into()).contains(theta))
    }
}

impl Trial {
    /// Both points in integers. A value is rounded up with a probability equal to its fraction, and
    /// both points use the same random numbers, which keeps their distance.
    pub fn rounded(&self, rng: &mut Rng) -> [Vec<i32>; 2] {
        let shifts: Vec<f64> = self.flips.iter().map(|_| rng.unit()).collect();
        let round = |point: &Vec<f64>| {
            let numbers = point.iter().zip(&shifts);
            numbers
                .map(|(number, shift)| (number + shift).floor() as i32)
                .collect()
        };
        self.points.each_ref().map(round)
    }
}

fn within(row: &Row, theta: f64) -> f64 {
    theta.clamp(row.min.into(), row.max.into())
}

/// Stores rows in a checkpoint as the lines that `rejoinder params` prints.
mod lines {
    use crate::spsa::rows::Row;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(rows: &[Row], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rows.iter().map(ToString::to_string))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Row>, D::Error> {
        let lines = Vec::<String>::deserialize(deserializer)?;
        let rows = lines.iter().map(|line| Row::parse(line));
        rows.collect::<Result<_, _>>().map_err(Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(start: i32, min: i32, max: i32) -> Row {
        Row {
            name: String::new(),
            start,
            min,
            max,
            c_end: f64::from(max - min) / 20.0,
            r_end: 0.01,
        }
    }

    /// Wins less losses of 16 games; Elo falls with the square of the distance from the best point.
    fn result(points: &[Vec<i32>; 2], best: &[f64], rows: &[Row], rng: &mut Rng) -> f64 {
        let elo = |point: &Vec<i32>| {
            let distances = point
                .iter()
                .zip(best)
                .zip(rows)
                .map(|((&x, best), row)| (f64::from(x) - best) / f64::from(row.max - row.min));
            -400.0 * distances.map(|distance| distance.powi(2)).sum::<f64>()
        };
        let wins = 1.0 / (1.0 + 10_f64.powf((elo(&points[1]) - elo(&points[0])) / 400.0));
        (0..16)
            .map(|_| if rng.chance(wins) { 1.0 } else { -1.0 })
            .sum()
    }

    fn rows() -> Vec<Row> {
        vec![
            row(20, 0, 100),
            row(3000, 1000, 4000),
            row(0, -50, 50),
            row(9, 0, 10),
        ]
    }

    const BEST: [f64; 4] = [60.0, 1500.0, 0.0, 10.0];

    fn go_on(algorithm: &mut Spsa, numbers: std::ops::Range<u64>) {
        for number in numbers {
            let mut rng = Rng::stream(7, number);
            let trial = algorithm.propose(number, &mut rng);
            let points = trial.rounded(&mut rng);
            let result = result(&points, &BEST, &algorithm.rows, &mut rng);
            algorithm.learn(&trial, result);
        }
    }

    #[test]
    fn a_noisy_hill_is_climbed() {
        let mut algorithm = Spsa::new(rows(), 20_000);
        go_on(&mut algorithm, 0..20_000);
        for ((row, theta), best) in algorithm.rows.iter().zip(&algorithm.theta).zip(BEST) {
            let distance = (theta - best).abs() / f64::from(row.max - row.min);
            assert!(distance < 0.08, "{theta} instead of {best}");
        }
        assert!(algorithm.distance() > 0.2 && algorithm.is_sound());
    }

    #[test]
    fn gains_end_as_the_rows_say() {
        let algorithm = Spsa::new(rows(), 1000);
        let row = &algorithm.rows[1];
        assert!((algorithm.perturbation(row, 999) - row.c_end).abs() < 1e-9);
        assert!((algorithm.rate(row, 999) - row.r_end).abs() < 1e-9);
        // By hand: 1000^0.101 and (1100 / 101)^0.602 / 1000^0.202.
        assert!((algorithm.perturbation(row, 0) / row.c_end - 2.0091).abs() < 1e-3);
        assert!((algorithm.rate(row, 0) / row.r_end - 1.0431).abs() < 1e-3);
    }

    #[test]
    fn a_step_is_the_rate_times_the_perturbation_times_the_result() {
        let mut algorithm = Spsa::new(vec![row(50, 0, 100)], 1);
        let trial = algorithm.propose(0, &mut Rng::new(1));
        let [plus, minus] = [&trial.points[0], &trial.points[1]].map(|point| point[0]);
        assert!(((plus - minus).abs() - 10.0).abs() < 1e-9);
        algorithm.learn(&trial, 2.0);
        assert!((algorithm.theta[0] - 50.0 - 0.01 * 2.0 * (plus - 50.0)).abs() < 1e-9);
        assert_eq!(algorithm.rounded(), [50]);
        algorithm.learn(&trial, 1e9);
        assert!([0.0, 100.0].contains(&algorithm.theta[0]), "in its range");
    }

    #[test]
    fn rounding_is_fair_and_keeps_the_distance() {
        let mut algorithm = Spsa::new(vec![row(50, 0, 100), row(100, 0, 100)], 1);
        algorithm.theta[0] = 50.25;
        let mut rng = Rng::new(3);
        let trial = algorithm.propose(0, &mut rng);
        let mut sum = 0;
        for _ in 0..4000 {
            let [plus, minus] = trial.rounded(&mut rng);
            assert_eq!((plus[0] - minus[0]).abs(), 10);
            assert!(plus[1].max(minus[1]) == 100 && plus[1].min(minus[1]) == 95);
            sum += i64::from(plus[0]);
        }
        assert!((sum as f64 / 4000.0 - trial.points[0][0]).abs() < 0.03);
    }
}
