//! The results of games by score, and the win-rate model and the score scale that are fitted to
//! them.

use rejoinder::eval::win_rate::{FULL_MATERIAL, WinRate};

/// Width of a cell in centipawns.
const WIDTH: i32 = 10;
/// Maximum size of a score in centipawns; larger ones are not counted, because their result is
/// plain.
const LIMIT: i32 = 4000;
/// Number of cells of one material count.
const CELLS: usize = (2 * LIMIT / WIDTH + 1) as usize;

/// Counts of results by material and score from the view of the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcomes {
    /// `[material][score]`: number of losses, draws and wins.
    counts: Vec<[u32; 3]>,
}

/// The results of positions with one material count and score.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Material as a share of full material, 0 to 1.
    material: f64,
    /// Score in centipawns.
    score: f64,
    /// Number of losses, draws and wins.
    counts: [f64; 3],
}

impl Default for Outcomes {
    fn default() -> Self {
        Self {
            counts: vec![[0; 3]; (FULL_MATERIAL as usize + 1) * CELLS],
        }
    }
}

impl Outcomes {
    /// Counts a position by its material in points and its score in centipawns. `half_points` is
    /// the result of the side to move, 0 to 2.
    pub fn add(&mut self, material: i32, score: i32, half_points: u8) {
        if score.abs() <= LIMIT {
            let cell = (score + LIMIT + WIDTH / 2) / WIDTH;
            let row = material.clamp(0, FULL_MATERIAL) as usize;
            self.counts[row * CELLS + cell as usize][usize::from(half_points.min(2))] += 1;
        }
    }

    /// Returns the number of positions counted.
    pub fn positions(&self) -> u64 {
        self.counts.iter().flatten().copied().map(u64::from).sum()
    }

    /// Adds the counts of another value.
    pub fn merge(&mut self, other: &Self) {
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            for (own, other) in own.iter_mut().zip(other) {
                *own += other;
            }
        }
    }

    /// Returns the cells with at least one position.
    fn cells(&self) -> Vec<Cell> {
        let cell = |(at, counts): (usize, &[u32; 3])| Cell {
            material: (at / CELLS) as f64 / f64::from(FULL_MATERIAL),
            score: f64::from((at % CELLS) as i32 * WIDTH - LIMIT),
            counts: counts.map(f64::from),
        };
        let full = |(_, counts): &(usize, &[u32; 3])| counts.iter().any(|&count| count > 0);
        self.counts
            .iter()
            .enumerate()
            .filter(full)
            .map(cell)
            .collect()
    }

    /// Returns the K in centipawns for which sigmoid(score / K) predicts the results best by
    /// logistic loss. `None` if there are no results.
    pub fn score_scale(&self) -> Option<f64> {
        let cells = self.cells();
        let [mut from, mut to] = [10.0, 5000.0];
        // The loss has one minimum, which ternary search finds.
        while to - from > 0.1 {
            let third = (to - from) / 3.0;
            let loss = |scale| logistic_loss(&cells, scale);
            if loss(from + third) < loss(to - third) {
                to -= third;
            } else {
                from += third;
            }
        }
        (!cells.is_empty()).then_some(f64::midpoint(from, to))
    }

    /// Returns the most likely win-rate model; `None` if there are no results.
    pub fn win_rate(&self) -> Option<WinRate> {
        let cells = self.cells();
        let mut best = Curve([250.0, 250.0, 80.0, 80.0]);
        let mut least = best.loss(&cells);
        let mut steps = [50.0, 50.0, 20.0, 20.0];
        // Compass search is enough for four constants and a smooth loss.
        while steps.iter().any(|&step| step > 0.2) {
            for (constant, step) in steps.iter_mut().enumerate() {
                let try_one = |by: f64| {
                    let mut curve = best;
                    curve.0[constant] = (curve.0[constant] + by).clamp(1.0, 100_000.0);
                    (curve, curve.loss(&cells))
                };
                let (up, down) = (try_one(*step), try_one(-*step));
                let (curve, loss) = if up.1 < down.1 { up } else { down };
                if loss < least {
                    (best, least) = (curve, loss);
                    *step *= 1.2;
                } else {
                    *step /= 2.0;
                }
            }
        }
        (!cells.is_empty()).then(|| best.model())
    }
}

fn logistic_loss(cells: &[Cell], scale: f64) -> f64 {
    let loss = |cell: &Cell| {
        let [losses, draws, wins] = cell.counts;
        let x = cell.score / scale;
        (wins + draws / 2.0) * (-x).exp().ln_1p() + (losses + draws / 2.0) * x.exp().ln_1p()
    };
    cells.iter().map(loss).sum()
}

/// The constants of the model at 20 and 60 points of material: two of `a` and two of `b`. In this
/// form they hardly depend on each other.
#[derive(Clone, Copy, Debug)]
struct Curve([f64; 4]);

impl Curve {
    const ENDS: [f64; 2] = [20.0, 60.0];

    /// Interpolates between the two ends, or extrapolates; the result is at least 1.
    fn at(ends: [f64; 2], material: f64) -> f64 {
        let [from, to] = Self::ENDS.map(|end| end / f64::from(FULL_MATERIAL));
        (ends[0] + (ends[1] - ends[0]) * (material - from) / (to - from)).max(1.0)
    }

    /// Returns the negative logarithm of the likelihood.
    fn loss(self, cells: &[Cell]) -> f64 {
        let Self([a0, a1, b0, b1]) = self;
        let loss = |cell: &Cell| {
            let (a, b) = (
                Self::at([a0, a1], cell.material),
                Self::at([b0, b1], cell.material),
            );
            let beyond = |score: f64| 1.0 / (1.0 + ((a - score) / b).exp());
            let (win, loss) = (beyond(cell.score), beyond(-cell.score));
            let chances = [loss, 1.0 - win - loss, win];
            let likely = |(count, chance): (f64, f64)| -count * chance.max(1e-9).ln();
            cell.counts
                .into_iter()
                .zip(chances)
                .map(likely)
                .sum::<f64>()
        };
        cells.iter().map(loss).sum()
    }

    fn model(self) -> WinRate {
        let Self([a0, a1, b0, b1]) = self;
        let ends = |pair| [0.0, 1.0].map(|end| Self::at(pair, end).round().min(100_000.0) as i32);
        WinRate {
            a: ends([a0, a1]),
            b: ends([b0, b1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoinder::types::Rng;

    #[test]
    fn known_constants_are_found_again() {
        let model = WinRate {
            a: [150, 350],
            b: [50, 110],
        };
        let mut rng = Rng::new(5);
        let mut outcomes = Outcomes::default();
        for _ in 0..400_000 {
            let material = 10 + rng.below(68) as i32;
            let score = rng.below(1601) as i32 - 800;
            let [win, draw, _] = model.chances(score, material);
            let roll = rng.below(1000) as u32;
            let half_points = if roll < win {
                2
            } else {
                u8::from(roll < win + draw)
            };
            outcomes.add(material, score, half_points);
        }
        let found = outcomes.win_rate().expect("counts");
        let near = |found: i32, wanted: i32, by| assert!((found - wanted).abs() <= by, "{found}");
        for end in [0, 1] {
            near(found.a[end], model.a[end], 6);
            near(found.b[end], model.b[end], 5);
        }
    }

    #[test]
    fn the_scale_of_scores_is_found_again() {
        let mut rng = Rng::new(6);
        let mut outcomes = Outcomes::default();
        for _ in 0..200_000 {
            let score = rng.below(2001) as i32 - 1000;
            let points = 1.0 / (1.0 + (f64::from(-score) / 320.0).exp());
            outcomes.add(40, score, if rng.chance(points) { 2 } else { 0 });
        }
        let scale = outcomes.score_scale().expect("counts");
        assert!((scale - 320.0).abs() < 6.0, "{scale}");
        assert_eq!(Outcomes::default().score_scale(), None);
        assert_eq!(Outcomes::default().win_rate(), None);
    }
}
