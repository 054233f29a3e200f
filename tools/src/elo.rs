//! Elo differences from pairs of games, and the sequential test that ends a match.
//!
//! Both games of a pair start from the same opening with colors reversed, so the games are not
//! independent, but the pairs are. Counting pairs by their points gives a correct error and needs
//! fewer games.

use std::f64::consts::LN_10;

/// Number of standard deviations around the mean that hold 95% of a normal distribution.
const Z_95: f64 = 1.959_964;

/// Number of pairs of games by the points of the first side: 0, ½, 1, 1½ and 2 (the pentanomial
/// result).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairs(pub [u64; 5]);

/// A value with its 95% error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The most likely value.
    pub value: f64,
    /// Half the width of the 95% interval.
    pub error: f64,
}

impl Pairs {
    /// Counts one pair, by the half points of the first side, 0 to 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Score of the first side as a share of the points, 0 to 1; ½ if there are no pairs.
    pub fn score(&self) -> f64 {
        if self.count() == 0 {
            return 0.5;
        }
        self.mean(|share| share)
    }

    /// Logistic Elo difference; infinite, with an infinite error, if one side has won every game.
    pub fn elo(&self) -> Estimate {
        let (score, error) = (self.score(), Z_95 * self.standard_error());
        let (low, high) = ((score - error).max(0.0), (score + error).min(1.0));
        let value = to_elo(score);
        Estimate {
            value,
            error: if value.is_infinite() {
                f64::INFINITY
            } else {
                (to_elo(high) - to_elo(low)) / 2.0
            },
        }
    }

    /// Normalized Elo: the score in standard deviations of one game, on the scale of Elo. It
    /// determines how many games are needed to detect a difference, whatever the opening book.
    // Source: Michel Van den Bergh, "Normalized Elo" (2020).
    pub fn normalized_elo(&self) -> Estimate {
        let scale = 800.0 / LN_10;
        let games = 2.0 * self.count() as f64;
        let ahead = self.score() - 0.5;
        Estimate {
            value: if ahead == 0.0 {
                0.0
            } else {
                ahead / (2.0 * self.variance()).sqrt() * scale
            },
            error: Z_95 / games.sqrt() * scale,
        }
    }

    /// Natural logarithm of the likelihood ratio of two hypotheses: the first side is stronger by
    /// `elo1`, or by `elo0`. Each hypothesis takes the distribution of pairs that explains the
    /// result best.
    // Source: Michel Van den Bergh, "A practical introduction to the GSPRT" (2020).
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        // A kind of pair that has not occurred yet is rare, but not impossible.
        let counts = self.0.map(|count| (count as f64).max(1e-3));
        surprise(&counts, to_score(elo0)) - surprise(&counts, to_score(elo1))
    }

    /// Mean over the pairs of a function of their share of the points.
    fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 = (0..5).map(|i| self.0[i] as f64 * of(i as f64 / 4.0)).sum();
        sum / self.count() as f64
    }

    fn variance(&self) -> f64 {
        let score = self.score();
        self.mean(|share| (share - score).powi(2))
    }

    fn standard_error(&self) -> f64 {
        (self.variance() / self.count() as f64).sqrt()
    }
}

/// Returns the loss of log-likelihood if the distribution must have this expected score. The best
/// such distribution is `p / (1 + x (share - score))`, where `x` is the root of `slope` below.
fn surprise(counts: &[f64; 5], score: f64) -> f64 {
    let offset = |i: usize| i as f64 / 4.0 - score;
    let slope = |x: f64| -> f64 {
        (0..5)
            .map(|i| counts[i] * offset(i) / (1.0 + x * offset(i)))
            .sum()
    };
    // The slope falls monotonically from +∞ to -∞ between the poles of its outer terms.
    let (mut low, mut high) = (-1.0 / offset(4), -1.0 / offset(0));
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if slope(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let x = f64::midpoint(low, high);
    (0..5).map(|i| counts[i] * (x * offset(i)).ln_1p()).sum()
}

/// Elo difference that gives this share of the points.
fn to_elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Returns the share of the points that an Elo difference gives.
fn to_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test of "stronger by `elo1`" against "stronger by `elo0`", with
/// an error of 5% either way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// Elo difference of the null hypothesis.
    pub elo0: f64,
    /// Elo difference of the alternative hypothesis; above `elo0`.
    pub elo1: f64,
}

/// The state of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtVerdict {
    /// `elo1` is accepted.
    Passed,
    /// `elo0` is accepted.
    Failed,
    /// More games are needed.
    Open,
}

impl Sprt {
    /// The size of the log-likelihood ratio that ends the test: ln(0.95 / 0.05).
    pub const BOUND: f64 = 2.944_438_979_166_440_3;

    /// Returns the verdict of the pairs so far.
    pub fn verdict(&self, pairs: &Pairs) -> SprtVerdict {
        let ratio = pairs.log_likelihood_ratio(self.elo0, self.elo1);
        if ratio >= Self::BOUND {
            SprtVerdict::Passed
        } else if ratio <= -Self::BOUND {
            SprtVerdict::Failed
        } else {
            SprtVerdict::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 0.006,
            "{found} is not {expected}"
        );
    }

    /// The first three are the worked values of fastchess's own tests, the last two were
    /// computed apart from this code.
    #[test]
    fn elo_agrees_with_worked_values() {
        let cases = [
            ([34, 54, 63, 64, 75], [55.58, 27.65, 57.94, 28.28]),
            ([332, 433, 498, 333, 334], [-8.64, 10.33, -9.17, 10.96]),
            (
                [7895, 8757, 5685, 568, 9999],
                [-21.04, 2.945, -19.01, 2.655],
            ),
            ([5, 40, 110, 60, 15], [30.288, 19.643, 49.258, 31.750]),
            ([0, 3, 20, 7, 0], [23.197, 35.197, 58.312, 87.912]),
        ];
        for (counts, expected) in cases {
            let (elo, normalised) = (Pairs(counts).elo(), Pairs(counts).normalized_elo());
            close(elo.value, expected[0]);
            close(elo.error, expected[1]);
            close(normalised.value, expected[2]);
            close(normalised.error, expected[3]);
        }
    }

    /// The first two are fastchess's, the others a golden-section search of the same likelihood.
    #[test]
    fn the_likelihood_ratio_agrees_with_worked_values() {
        let cases = [
            ([223, 9863, 21279, 10037, 246], 0.5, 2.5, -3.0741),
            ([871, 26175, 55983, 26678, 821], 0.0, 2.0, -4.9787),
            ([5, 40, 110, 60, 15], 0.0, 10.0, 2.5032),
            ([0, 3, 20, 7, 0], -3.0, 3.0, 0.4134),
            ([0, 0, 0, 0, 104], 0.0, 5.0, 1.4859),
            ([0, 0, 50, 0, 0], 0.0, 5.0, -0.7176),
        ];
        for (counts, elo0, elo1, expected) in cases {
            close(Pairs(counts).log_likelihood_ratio(elo0, elo1), expected);
        }
    }

    #[test]
    fn sides_are_treated_alike() {
        let mut reversed = [5, 40, 110, 60, 15];
        reversed.reverse();
        let (here, there) = (Pairs([5, 40, 110, 60, 15]), Pairs(reversed));
        close(here.elo().value, -there.elo().value);
        close(
            here.log_likelihood_ratio(-2.0, 6.0),
            -there.log_likelihood_ratio(-6.0, 2.0),
        );
    }

    #[test]
    fn a_test_ends_at_its_bounds() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 5.0,
        };
        assert_eq!(sprt.verdict(&Pairs::default()), SprtVerdict::Open);
        assert_eq!(
            sprt.verdict(&Pairs([5, 40, 110, 60, 15])),
            SprtVerdict::Open
        );
        assert_eq!(
            sprt.verdict(&Pairs([50, 400, 1100, 600, 150])),
            SprtVerdict::Passed
        );
        assert_eq!(
            sprt.verdict(&Pairs([150, 600, 1100, 400, 50])),
            SprtVerdict::Failed
        );
    }

    #[test]
    fn extremes_are_numbers_or_infinite() {
        close(Pairs::default().score(), 0.5);
        let even = Pairs([0, 0, 7, 0, 0]).elo();
        close(even.value, 0.0);
        close(even.error, 0.0);
        close(Pairs([0, 0, 7, 0, 0]).normalized_elo().value, 0.0);
        for (counts, value) in [
            ([0, 0, 0, 0, 3], f64::INFINITY),
            ([3, 0, 0, 0, 0], f64::NEG_INFINITY),
        ] {
            let error = f64::INFINITY;
            assert_eq!(Pairs(counts).elo(), Estimate { value, error });
        }
    }
}
