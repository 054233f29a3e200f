//! The scale of everything that is shown: the winning chance that a score stands for, and how much of
//! it makes a mark. Marks, graphs and bars measure by it, so that they agree.

use rejoinder::board::Board;
use rejoinder::eval::win_rate::{self, WinRate};
use rejoinder::types::score;

/// Steepness of the curve of Lichess, per centipawn.
// Source: https://lichess.org/page/accuracy
const STEEPNESS: f64 = 0.003_682_08;
/// Highest centipawns of the curve of Lichess, which also stand for a mate.
pub(crate) const HIGHEST: i32 = 1000;

/// The choice of a scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Scale {
    /// The curve and the thresholds of Lichess: what the games of people are measured by
    #[default]
    Lichess,
    /// The engine's own expected score against an equal opponent, far steeper
    Engine,
}

/// Losses of the winning chance, 0 to 1, from which a move gets a mark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    pub inaccuracy: f64,
    pub mistake: f64,
    pub blunder: f64,
    /// Least loss of every other move that makes a move stand out.
    pub stands_out: f64,
    /// The same for a move that gives up material.
    pub sacrifice_stands_out: f64,
}

impl Scale {
    /// Returns the name of the scale in the arguments.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lichess => "lichess",
            Self::Engine => "engine",
        }
    }

    pub(crate) const fn thresholds(self) -> Thresholds {
        match self {
            // Source: https://lichess.org/page/accuracy and the judgments in Lichess' analyses
            Self::Lichess => Thresholds {
                inaccuracy: 0.05,
                mistake: 0.10,
                blunder: 0.15,
                stands_out: 0.15,
                sacrifice_stands_out: 0.10,
            },
            Self::Engine => Thresholds {
                inaccuracy: 0.07,
                mistake: 0.13,
                blunder: 0.22,
                stands_out: 0.25,
                sacrifice_stands_out: 0.13,
            },
        }
    }
}

/// A scale with the network's win-rate model, which says what its scores mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruler {
    pub scale: Scale,
    pub model: WinRate,
}

impl Ruler {
    /// Returns the winning chance, 0 to 1, of a side for an internal score from its own point of view,
    /// with the material on the board.
    pub fn chance(&self, score: i32, board: &Board) -> f64 {
        match self.scale {
            Scale::Lichess => chance(self.centipawns(score, board)),
            Scale::Engine => {
                let [win, draw, _] = self.model.chances(score, win_rate::material(board));
                f64::from(win) / 1000.0 + f64::from(draw) / 2000.0
            }
        }
    }

    /// Returns a score in the centipawns that users see, at most 1000 from zero; mates are 1000.
    pub fn centipawns(&self, score: i32, board: &Board) -> i32 {
        if score::is_mate(score) {
            return HIGHEST * score.signum();
        }
        let material = win_rate::material(board);
        (self.model.centipawns(score, material)).clamp(-HIGHEST, HIGHEST)
    }
}

/// Returns the winning chance on the scale of Lichess, 0 to 1, of the side that has so many of the
/// centipawns that users see.
pub(crate) fn chance(centipawns: i32) -> f64 {
    let centipawns = f64::from(centipawns.clamp(-HIGHEST, HIGHEST));
    1.0 / (1.0 + (-STEEPNESS * centipawns).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_the_published_one() {
        let ruler = Ruler {
            scale: Scale::Lichess,
            model: WinRate {
                a: [100, 100],
                b: [50, 50],
            },
        };
        let board = Board::startpos();
        for (centipawns, percent) in [
            (0, 50.0),
            (100, 59.1),
            (300, 75.1),
            (-300, 24.9),
            (1000, 97.5),
            (5000, 97.5),
            (score::mate_in(1), 97.5),
            (score::mated_in(7), 2.5),
        ] {
            let chance = 100.0 * ruler.chance(centipawns, &board);
            assert!((chance - percent).abs() < 0.06, "{centipawns}: {chance}");
        }
    }
}
