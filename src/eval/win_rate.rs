//! The win-rate model: the chances to win, draw and lose that a score stands for, fitted to games
//! of this engine.
//!
//! For a given material, the chance to win is a logistic function of the score, which is one half
//! at `a` and steeper for a smaller `b`. Both depend linearly on the material, from bare kings to
//! the full board.
// Source: Stockfish's model for UCI_ShowWDL, https://github.com/official-stockfish/WDL_model

use crate::board::Board;
use crate::types::{PieceType, Score, score};

/// The material of a full board in points: pawn 1, minor piece 3, rook 5, queen 9.
pub const FULL_MATERIAL: i32 = 78;

/// The centipawns that users see for a tablebase win at the root.
const TB_WIN_CENTIPAWNS: i32 = 20_000;
/// The highest centipawns that users see for an evaluation.
const HIGHEST: i64 = TB_WIN_CENTIPAWNS as i64 - 1000;

/// The constants of the model, in internal centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WinRate {
    /// The score at which half of the games are won, without material and with all of it; above 0.
    pub a: [i32; 2],
    /// The width of the curve, without material and with all of it; above 0.
    pub b: [i32; 2],
}

impl WinRate {
    /// Round numbers for a network whose games have not been analyzed.
    pub const DEFAULT: Self = Self {
        a: [200, 300],
        b: [60, 90],
    };

    /// Returns whether the constants define a curve.
    pub(crate) fn is_valid(&self) -> bool {
        let fine = |x: i32| (1..=100_000).contains(&x);
        self.a.into_iter().chain(self.b).all(fine)
    }

    /// Returns the chances of the side to move to win, draw and lose, per mille; they add up to
    /// 1000. Mates and tablebase wins are certain.
    pub fn chances(&self, score: Score, material: i32) -> [u32; 3] {
        if score::is_decisive(score) {
            return if score > 0 {
                [1000, 0, 0]
            } else {
                [0, 0, 1000]
            };
        }
        let (a, b) = (
            f64::from(at(self.a, material)),
            f64::from(at(self.b, material)),
        );
        let beyond = |score: f64| (1000.0 / (1.0 + ((a - score) / b).exp())).round() as u32;
        let win = beyond(f64::from(score));
        let loss = beyond(f64::from(-score)).min(1000 - win);
        [win, 1000 - win - loss, loss]
    }

    /// Converts an internal score to the centipawns that users see, where 100 means a chance of one
    /// half to win. A tablebase win is 20,000 minus the plies to it, above all evaluations. Mates
    /// are returned unchanged.
    pub fn centipawns(&self, score: Score, material: i32) -> i32 {
        if score::is_mate(score) {
            return score;
        }
        if score::is_decisive(score) {
            return score - score.signum() * (score::TB_WIN - TB_WIN_CENTIPAWNS);
        }
        let a = i64::from(at(self.a, material));
        let score = i64::from(score);
        let centipawns = (200 * score + score.signum() * a) / (2 * a);
        centipawns.clamp(-HIGHEST, HIGHEST) as i32
    }

    /// Converts an internal score to centipawns that users see, as [`centipawns`](Self::centipawns)
    /// does, but without rounding.
    pub fn exact_centipawns(&self, score: Score, material: i32) -> f64 {
        if score::is_decisive(score) {
            return f64::from(self.centipawns(score, material));
        }
        let centipawns = 100.0 * f64::from(score) / f64::from(at(self.a, material));
        centipawns.clamp(-(HIGHEST as f64), HIGHEST as f64)
    }

    /// Converts centipawns that users see, whole or not, back to the internal score. It is the one
    /// in the middle of those that are shown as these centipawns, so it is right
    /// where `a` is 100 or less, and off by at most `a / 200 + 1/2` elsewhere. Scores of mates must not be given.
    pub fn score(&self, centipawns: f64, material: i32) -> Score {
        let plies = f64::from(TB_WIN_CENTIPAWNS) - centipawns.abs();
        if (0.0..f64::from(score::TB_WIN - score::DECISIVE + 1)).contains(&plies) {
            let size = score::TB_WIN - plies.round() as Score;
            return if centipawns > 0.0 { size } else { -size };
        }
        let score = (centipawns * f64::from(at(self.a, material)) / 100.0).round();
        score::clamp_eval(score as Score)
    }
}

/// Interpolates between the two ends by the material.
fn at(ends: [i32; 2], material: i32) -> i32 {
    ends[0] + (ends[1] - ends[0]) * material / FULL_MATERIAL
}

/// Returns the points of a piece, as they are taught: pawn 1, minor piece 3, rook 5, queen 9, king 0.
pub const fn points(kind: PieceType) -> i32 {
    match kind {
        PieceType::Pawn => 1,
        PieceType::Knight | PieceType::Bishop => 3,
        PieceType::Rook => 5,
        PieceType::Queen => 9,
        PieceType::King => 0,
    }
}

/// Returns the material of both sides in points, 0 to [`FULL_MATERIAL`]; promotions do not raise it
/// further.
pub fn material(board: &Board) -> i32 {
    let count = |kind| board.kind(kind).count() as i32 * points(kind);
    PieceType::ALL
        .into_iter()
        .map(count)
        .sum::<i32>()
        .min(FULL_MATERIAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_is_an_even_chance_to_win() {
        let model = WinRate::DEFAULT;
        for material in [0, 20, FULL_MATERIAL] {
            let a = at(model.a, material);
            assert_eq!(model.centipawns(a, material), 100);
            assert_eq!(model.centipawns(-a, material), -100);
            assert_eq!(model.chances(a, material)[0], 500);
            assert_eq!(model.centipawns(0, material), 0);
            assert_eq!(model.chances(score::mated_in(4), material), [0, 0, 1000]);
        }
    }

    #[test]
    fn tablebase_wins_are_above_all_evaluations() {
        let model = WinRate {
            a: [1, 1],
            b: [1, 1],
        };
        assert_eq!(
            model.centipawns(score::TB_WIN - 7, 10),
            TB_WIN_CENTIPAWNS - 7
        );
        assert_eq!(
            model.centipawns(7 - score::TB_WIN, 10),
            7 - TB_WIN_CENTIPAWNS
        );
        let best = model.centipawns(score::EVAL_LIMIT, 10);
        assert!(best < model.centipawns(score::DECISIVE, 10));
    }

    #[test]
    fn centipawns_lead_back_to_the_score() {
        let network = WinRate {
            a: [154, 79],
            b: [16, 50],
        };
        for (model, exact_from) in [(network, 57), (WinRate::DEFAULT, FULL_MATERIAL + 1)] {
            for material in 0..=FULL_MATERIAL {
                let a = at(model.a, material);
                assert_eq!(a <= 100, material >= exact_from);
                // Every score that is not cut off at the highest evaluation.
                let most = (a * 189).min(score::EVAL_LIMIT);
                for score in (-most..=most).step_by(if a <= 100 { 1 } else { 7 }) {
                    let shown = model.centipawns(score, material);
                    let back = model.score(f64::from(shown), material);
                    let off = (back - score).abs();
                    assert!(
                        off <= i32::from(a > 100) * (1 + a / 200),
                        "{score} {material}"
                    );
                    assert_eq!(model.centipawns(back, material), shown);
                    let exact = model.exact_centipawns(score, material);
                    assert_eq!(
                        model.score((exact * 100.0).round() / 100.0, material),
                        score
                    );
                }
            }
        }
        for score in [score::TB_WIN, score::TB_WIN - 7, score::DECISIVE] {
            for score in [score, -score] {
                let shown = f64::from(network.centipawns(score, 9));
                assert_eq!(network.score(shown, 9), score);
                assert!((network.exact_centipawns(score, 9) - shown).abs() < 1e-9);
            }
        }
        // What no network shows: centipawns between evaluations and tablebase wins, and beyond both.
        assert_eq!(network.score(1e9, 0), score::EVAL_LIMIT);
        assert_eq!(network.score(-1e9, 0), -score::EVAL_LIMIT);
        assert_eq!(network.score(19_500.0, 0), 30_030);
    }

    #[test]
    fn chances_are_fair_and_add_up() {
        for score in (-3000..3000).step_by(7) {
            let [win, draw, loss] = WinRate::DEFAULT.chances(score, 40);
            assert_eq!(win + draw + loss, 1000);
            let [other_win, _, other_loss] = WinRate::DEFAULT.chances(-score, 40);
            assert!(win.abs_diff(other_loss) <= 1 && loss.abs_diff(other_win) <= 1);
        }
    }

    #[test]
    fn the_full_board_is_full() {
        assert_eq!(material(&Board::startpos()), FULL_MATERIAL);
    }
}
