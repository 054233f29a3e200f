//! The generations of a run, which the file `grow.json` holds, and their chart.

use std::fmt;
use std::path::Path;

use plotters::style::BLUE;
use serde::{Deserialize, Serialize};

use crate::data::tally::Tally;
use crate::files::{self, FileError};
use crate::matches::MatchSummary;
use crate::plot;

use super::plan::GrowSettings;

/// The widest difference that a match measures well, in Elo; beyond it one side wins nearly every game.
const WIDEST: f64 = 400.0;

/// The contents of `grow.json`: the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// Settings of the next generation.
    pub settings: GrowSettings,
    /// Name of the first network.
    pub first: String,
    /// True if the first network was the untrained one.
    pub from_zero: bool,
    /// The generations, in order.
    pub generations: Vec<Generation>,
}

/// A finished generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Number of the generation, from 1.
    pub number: usize,
    /// Settings of the generation.
    pub settings: GrowSettings,
    /// Name of the network that played the games.
    pub player: String,
    /// Games and positions played.
    pub games: Tally,
    /// Number of different positions trained on.
    pub window: u64,
    /// Number of positions trained on, counted in every epoch.
    pub learned: u64,
    /// Learning rate at the beginning.
    pub lr: f64,
    /// Name of the new network.
    pub network: String,
    /// Result of the match against the network before.
    pub before: Strength,
    /// Result of the match against the first network of the run.
    pub first: Strength,
    /// True if the new network plays the games of the next generation.
    pub accepted: bool,
    /// Duration in seconds, since the last start of the program if it was interrupted.
    pub seconds: f64,
}

/// The result of a match from the view of the new network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// Number of games.
    pub games: u64,
    /// Elo difference, limited to ±1,000.
    pub elo: f64,
    /// Half the width of the 95% interval in Elo.
    pub error: f64,
}

impl Strength {
    /// The largest Elo difference that is stored. That of a match in which one side won every game
    /// is infinite, which JSON cannot express.
    const LIMIT: f64 = 1000.0;

    /// Returns the result of a match from the view of its side A.
    pub fn of(summary: &MatchSummary) -> Self {
        let elo = summary.pairs.elo();
        Self {
            games: 2 * summary.pairs.count(),
            elo: elo.value.clamp(-Self::LIMIT, Self::LIMIT),
            error: elo.error.min(Self::LIMIT),
        }
    }

    /// Returns whether the difference is below the limit. Beyond it, the match only says who is stronger.
    fn is_measured(&self) -> bool {
        self.elo.abs() < Self::LIMIT
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_measured() {
            write!(f, "{:+.1} ± {:.1}", self.elo, self.error)
        } else {
            let verb = if self.elo > 0.0 { "won" } else { "lost" };
            write!(f, "{verb} all of {} games", self.games)
        }
    }
}

impl History {
    /// Reads the run from a file; `None` if the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read or does not hold a run.
    pub fn load(path: &Path) -> Result<Option<Self>, FileError> {
        files::read_json(path)
    }

    /// Writes the run to a file and replaces its earlier state.
    ///
    /// # Errors
    /// If the file cannot be written; the earlier state remains then.
    pub fn save(&self, path: &Path) -> Result<(), FileError> {
        files::replace_json(path, self)
    }

    /// The newest generation whose network was accepted; `None` if the first network of the run
    /// still plays.
    pub fn champion(&self) -> Option<&Generation> {
        self.generations
            .iter()
            .rev()
            .find(|generation| generation.accepted)
    }

    /// Returns the number of positions to train on that all generations have played.
    pub fn positions(&self) -> u64 {
        self.generations
            .iter()
            .map(|generation| generation.games.kept)
            .sum()
    }

    /// Draws the strength over the number of positions as SVG.
    ///
    /// # Errors
    /// The reason why the numbers cannot be drawn.
    pub fn svg(&self) -> Result<String, String> {
        plot::svg(
            &format!("Strength over the first network, {}", self.first),
            ["million positions played", "Elo"],
            &[plot::Line {
                name: "strength",
                color: BLUE,
                points: self.curve(),
            }],
        )
    }

    /// Returns the strength of the newest accepted network over the first one, in Elo.
    pub fn strength(&self) -> f64 {
        self.curve().last().map_or(0.0, |point| point.1)
    }

    /// Returns the strength over the first network after each generation, over millions of positions
    /// played. It is the result of the match against the first network as long as that match can
    /// measure it; from then on, the gains over the network before are added.
    fn curve(&self) -> Vec<(f64, f64)> {
        let (mut positions, mut elo) = (0.0, 0.0);
        let mut points = vec![(0.0, 0.0)];
        for generation in &self.generations {
            positions += generation.games.kept as f64 / 1e6;
            if generation.accepted {
                let direct = generation.first.elo;
                if direct.abs() <= WIDEST {
                    elo = direct;
                } else {
                    elo += generation.before.elo;
                }
            }
            points.push((positions, elo));
        }
        points
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "generation {}: {} games, {} positions; learned {} of {}; against the one before {}, against the first {} (Elo); {}{:.0} s",
            self.number,
            self.games.games(),
            self.games.kept,
            self.learned,
            self.window,
            self.before,
            self.first,
            if self.accepted {
                ""
            } else {
                "weaker, so that the one before plays on, as is usual with few positions; "
            },
            self.seconds
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation(number: usize, elo: f64, accepted: bool) -> Generation {
        let strength = Strength {
            games: 100,
            elo,
            error: 20.0,
        };
        Generation {
            number,
            settings: GrowSettings::default(),
            player: "0".repeat(16),
            games: Tally {
                draws: 10,
                kept: 1_000_000,
                ..Tally::default()
            },
            window: 1_000_000,
            learned: 4_000_000,
            lr: 0.1 / 3.0,
            network: "1".repeat(16),
            before: strength,
            first: strength,
            accepted,
            seconds: 10.0,
        }
    }

    fn history(generations: Vec<Generation>) -> History {
        History {
            settings: GrowSettings::default(),
            first: "2".repeat(16),
            from_zero: true,
            generations,
        }
    }

    #[test]
    fn a_run_comes_back_as_it_was() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("grow.json");
        assert_eq!(History::load(&path).expect("no file"), None);
        let history = history(vec![generation(1, 50.0, true), generation(2, -30.0, false)]);
        for _ in 0..2 {
            history.save(&path).expect("a writable directory");
        }
        assert_eq!(History::load(&path).expect("a run"), Some(history.clone()));
        assert_eq!(
            history.champion().map(|generation| generation.number),
            Some(1)
        );
        assert_eq!(history.positions(), 2_000_000);
        let svg = history.svg().expect("a chart");
        assert!(svg.starts_with("<svg") && svg.matches("<polyline").count() >= 1);
    }

    #[test]
    fn a_run_of_any_length_is_read_again() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("grow.json");
        let numbers = 1..=3000;
        let history = history(
            numbers
                .map(|number| generation(number, 1.0, true))
                .collect(),
        );
        history.save(&path).expect("a writable directory");
        let bytes = path.metadata().expect("a file").len();
        assert!(bytes > 2 << 20, "{bytes} bytes");
        assert!(History::load(&path).expect("a long run") == Some(history));
    }

    #[test]
    fn a_match_without_a_loss_can_be_stored() {
        let infinite = Strength {
            elo: f64::INFINITY.clamp(-Strength::LIMIT, Strength::LIMIT),
            ..generation(1, 0.0, true).before
        };
        let text = serde_json::to_string(&infinite).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Strength>(&text).expect("JSON"),
            infinite
        );
        assert_eq!(infinite.to_string(), "won all of 100 games");
        let lost = Strength {
            elo: -Strength::LIMIT,
            ..infinite
        };
        assert_eq!(lost.to_string(), "lost all of 100 games");
    }

    #[test]
    fn gains_are_added_where_the_first_network_is_too_weak_to_measure() {
        let mut all_won = generation(2, 50.0, true);
        all_won.first.elo = Strength::LIMIT;
        let history = history(vec![
            generation(1, 120.0, true),
            all_won,
            generation(3, -9.0, false),
        ]);
        assert_eq!(
            history.curve(),
            [(0.0, 0.0), (1.0, 120.0), (2.0, 170.0), (3.0, 170.0)]
        );
        assert!((history.strength() - 170.0).abs() < 1e-9);
    }
}
