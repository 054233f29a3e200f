//! The accuracy of a side, from 0 to 100, by the formula that Lichess publishes.
//!
//! The accuracy of a move that loses `d` percent of the winning chance, 0 to 100, is
//!
//! ```text
//! 103.1668 · exp(-0.04354 · d) - 3.1669 + 1
//! ```
//!
//! where the 1 allows for the errors of an engine. The accuracy of a side is the average of two
//! means over its moves: a mean weighted by the volatility of the game around each move, and the
//! harmonic mean, which a single blunder pulls down.
// Source: https://lichess.org/page/accuracy

/// Bounds of the window that measures volatility, in positions; it is a tenth of the game.
const WINDOW: [usize; 2] = [2, 8];
/// Bounds of a move's weight, which is the standard deviation of the winning chances in its window,
/// in percent.
const WEIGHT: [f64; 2] = [0.5, 12.0];

/// Returns the accuracy of a move, 0 to 100, given the winning chances of its side before and after
/// it, in percent.
fn of_move(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    let raw = 103.1668 * (-0.04354 * (before - after)).exp() - 3.1669;
    (raw + 1.0).clamp(0.0, 100.0)
}

/// Returns the accuracies of the side that moves first and of the other side, `None` for a side
/// without moves. `chances` holds the winning chances of the first side, 0 to 1, before its first
/// move and after each move.
pub(super) fn of_game(chances: &[f64]) -> [Option<f64>; 2] {
    let percent: Vec<f64> = chances.iter().map(|chance| 100.0 * chance).collect();
    let moves = percent.len().saturating_sub(1);
    let width = (moves / 10).clamp(WINDOW[0], WINDOW[1]).min(percent.len());
    let mut sums = [Sums::default(); 2];
    for (ply, pair) in percent.windows(2).enumerate() {
        // The first windows all begin at the first position.
        let start = (ply + 2).saturating_sub(width);
        let weight = deviation(&percent[start..start + width]).clamp(WEIGHT[0], WEIGHT[1]);
        let accuracy = match ply % 2 {
            0 => of_move(pair[0], pair[1]),
            _ => of_move(100.0 - pair[0], 100.0 - pair[1]),
        };
        sums[ply % 2].add(accuracy, weight);
    }
    sums.map(Sums::mean)
}

#[derive(Clone, Copy, Default)]
struct Sums {
    moves: f64,
    weights: f64,
    weighted: f64,
    inverse: f64,
}

impl Sums {
    fn add(&mut self, accuracy: f64, weight: f64) {
        self.moves += 1.0;
        self.weights += weight;
        self.weighted += weight * accuracy;
        self.inverse += 1.0 / accuracy.max(1.0);
    }

    fn mean(self) -> Option<f64> {
        let means = self.weighted / self.weights + self.moves / self.inverse;
        (self.moves > 0.0).then_some(means / 2.0)
    }
}

fn deviation(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_without_loss_is_perfect_and_a_blunder_is_not() {
        assert!(of_move(50.0, 60.0) > 99.9);
        assert!((of_move(50.0, 40.0) - 64.6).abs() < 0.1);
        assert!(of_move(100.0, 0.0) < 1.0);
    }

    #[test]
    fn each_side_has_its_own_moves() {
        let [first, second] = of_game(&[0.5, 0.5, 0.9, 0.9, 0.9]);
        assert_eq!(first, Some(100.0));
        assert!(second.is_some_and(|accuracy| accuracy < 80.0), "{second:?}");
        assert_eq!(of_game(&[0.5]), [None, None]);
        assert_eq!(of_game(&[]), [None, None]);
        assert_eq!(of_game(&[0.5, 0.5]), [Some(100.0), None]);
        for side in of_game(&[0.5; 200]) {
            assert!(side.is_some_and(|accuracy| (accuracy - 100.0).abs() < 1e-9));
        }
    }
}
