//! What a match says about strength: Elo from pairs of games, and when enough have been played.
//!
//! Both games of a pair start from one opening with colours reversed, so they are not independent;
//! the pair is. Counting pairs by their points gives an honest error and needs fewer games.

use std::f64::consts::LN_10;

/// 95% of a normal distribution lies within this many standard deviations.
const Z_95: f64 = 1.959_964;

/// Pairs of games by the points of the first side: 0, ½, 1, 1½, 2.
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

    /// How many pairs there are.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Share of the points the first side made, 0 to 1; ½ if there are no pairs.
    pub fn score(&self) -> f64 {
        if self.count() == 0 {
            return 0.5;
        }
        self.mean(|share| share)
    }

    /// Logistic Elo difference. Infinite if one side won everything.
    pub fn elo(&self) -> Estimate {
        let (score, error) = (self.score(), Z_95 * self.standard_error());
        let (low, high) = ((score - error).max(0.0), (score + error).min(1.0));
        Estimate {
            value: to_elo(score),
            error: (to_elo(high) - to_elo(low)) / 2.0,
        }
    }

    /// Normalised Elo: the score in standard deviations of one game, on the scale of Elo.
    /// It says how many games a difference takes to show, whatever the book.
    // Source: Michel Van den Bergh, "Normalized Elo" (2020).
    pub fn normalised_elo(&self) -> Estimate {
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

    /// Natural logarithm of how much more likely these pairs are if the first side is `elo1` stronger than
    /// if it is `elo0` stronger, each hypothesis taking the distribution that explains the pairs best.
    // Source: Michel Van den Bergh, "A practical introduction to the GSPRT" (2020).
    pub fn log_likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        // A kind of pair that has not come up yet is rare, not impossible.
        let counts = self.0.map(|count| (count as f64).max(1e-3));
        surprise(&counts, to_score(elo0)) - surprise(&counts, to_score(elo1))
    }

    /// Mean over the pairs of something that depends on the share of the points.
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

/// Log-likelihood that is lost when the distribution has to have this expected score.
/// The best such distribution is `p / (1 + x (share - score))`, with `x` where the sum below vanishes.
fn surprise(counts: &[f64; 5], score: f64) -> f64 {
    let offset = |i: usize| i as f64 / 4.0 - score;
    let slope = |x: f64| -> f64 {
        (0..5)
            .map(|i| counts[i] * offset(i) / (1.0 + x * offset(i)))
            .sum()
    };
    // The slope falls all the way from +∞ to -∞ between the poles of its outer terms.
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

/// Share of the points that an Elo difference gives.
fn to_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// A sequential probability ratio test of "`elo1` stronger" against "`elo0` stronger", 5% error either way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// The difference that is not worth having, Elo.
    pub elo0: f64,
    /// The difference hoped for, Elo; above `elo0`.
    pub elo1: f64,
}

/// What a test has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `elo1` is accepted.
    Passed,
    /// `elo0` is accepted.
    Failed,
    /// More games are needed.
    Open,
}

impl Sprt {
    /// Where the log-likelihood ratio ends the test: ln(0.95 / 0.05).
    pub const BOUND: f64 = 2.944_438_979_166_440_3;

    /// What the pairs say so far.
    pub fn verdict(&self, pairs: &Pairs) -> Verdict {
        let ratio = pairs.log_likelihood_ratio(self.elo0, self.elo1);
        if ratio >= Self::BOUND {
            Verdict::Passed
        } else if ratio <= -Self::BOUND {
            Verdict::Failed
        } else {
            Verdict::Open
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
            let (elo, normalised) = (Pairs(counts).elo(), Pairs(counts).normalised_elo());
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
        assert_eq!(sprt.verdict(&Pairs::default()), Verdict::Open);
        assert_eq!(sprt.verdict(&Pairs([5, 40, 110, 60, 15])), Verdict::Open);
        assert_eq!(
            sprt.verdict(&Pairs([50, 400, 1100, 600, 150])),
            Verdict::Passed
        );
        assert_eq!(
            sprt.verdict(&Pairs([150, 600, 1100, 400, 50])),
            Verdict::Failed
        );
    }

    #[test]
    fn extremes_are_numbers_or_infinite() {
        close(Pairs::default().score(), 0.5);
        let even = Pairs([0, 0, 7, 0, 0]).elo();
        close(even.value, 0.0);
        close(even.error, 0.0);
        close(Pairs([0, 0, 7, 0, 0]).normalised_elo().value, 0.0);
        assert!(Pairs([0, 0, 0, 0, 3]).elo().value.is_infinite());
        assert!(Pairs([3, 0, 0, 0, 0]).elo().value < -1e9);
    }
}
