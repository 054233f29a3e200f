//! What the later course of a game says about each of its positions: the evaluations of the positions
//! that follow, of which a nearer one counts more, and at last the result.
// Source: R. Sutton, "Learning to predict by the methods of temporal differences", Machine Learning
// 3(1), 1988; https://www.chessprogramming.org/Temporal_Difference_Learning

use serde::{Deserialize, Serialize};

/// How later positions teach earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Returns {
    /// Lambda, 0 to 1: the share of a return that is left to the positions behind the next one.
    pub lambda: f64,
    /// K in sigmoid(score / K), the expected points for a score in centipawns: the scale of the
    /// network that gives the scores, so that they stand for its own output.
    pub score_scale: f64,
}

impl Returns {
    /// Replaces the scores of a game's positions, in centipawns from White's view, by their
    /// lambda-returns. Positions without a score keep none and are passed over. `points` are those of
    /// White at the end of the game, 0 to 1.
    ///
    /// The return of a position leaves out its own score, which it is to correct. It is a mean of
    /// expected points, given as the score that stands for them.
    pub fn replace(self, scores: &mut [Option<f64>], points: f64) {
        let mut later = points;
        for score in scores.iter_mut().rev().flatten() {
            let own = 1.0 / (1.0 + (-*score / self.score_scale).exp());
            *score = self.score_of(later);
            later = (1.0 - self.lambda) * own + self.lambda * later;
        }
    }

    /// Returns the score in centipawns that stands for expected points; certain points stand for
    /// about eight times the scale.
    fn score_of(self, points: f64) -> f64 {
        let points = points.clamp(0.0003, 0.9997);
        self.score_scale * (points / (1.0 - points)).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(lambda: f64, scores: &[Option<f64>], points: f64) -> Vec<Option<f64>> {
        let returns = Returns {
            lambda,
            score_scale: 200.0,
        };
        let mut scores = scores.to_vec();
        returns.replace(&mut scores, points);
        scores
    }

    /// Returns the score for expected points.
    fn score(points: f64) -> f64 {
        200.0 * (points / (1.0 - points)).ln()
    }

    fn assert_near(scores: &[Option<f64>], expected: &[Option<f64>]) {
        assert_eq!(scores.len(), expected.len());
        for (score, expected) in scores.iter().zip(expected) {
            match (score, expected) {
                (Some(score), Some(expected)) => assert!((score - expected).abs() < 1e-6),
                _ => assert_eq!(score, expected),
            }
        }
    }

    #[test]
    fn without_a_trace_each_position_learns_from_the_next_one() {
        let scores = [score(0.2), score(0.6), score(0.3)].map(Some);
        let expected = [score(0.6), score(0.3), score(0.5)].map(Some);
        assert_near(&replaced(0.0, &scores, 0.5), &expected);
    }

    #[test]
    fn later_positions_and_the_result_count_less_the_later_they_are() {
        let scores = [Some(score(0.9)), Some(score(0.8)), None, Some(score(0.4))];
        let last = 0.75 * 0.4 + 0.25 * 0.5;
        let expected = [
            Some(score(0.75 * 0.8 + 0.25 * last)),
            Some(score(last)),
            None,
            Some(score(0.5)),
        ];
        assert_near(&replaced(0.25, &scores, 0.5), &expected);
    }

    #[test]
    fn a_result_is_a_finite_score() {
        let [won, lost] = [1.0, 0.0].map(|points| replaced(0.5, &[Some(0.0)], points)[0]);
        assert!(won.is_some_and(|won| (1500.0..1700.0).contains(&won)));
        assert_near(&[lost], &[won.map(|won| -won)]);
    }
}
