//! What became of each generation, kept in the file `grow.json`, and its picture.

use std::fmt;
use std::path::Path;

use plotters::style::{BLUE, RED};
use serde::{Deserialize, Serialize};

use crate::data::shard::{self, ShardError};
use crate::data::tally::Tally;
use crate::matches::Summary;
use crate::plot;

use super::GrowError;
use super::plan::Settings;

/// The whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct History {
    /// What generations are made by from now on.
    pub settings: Settings,
    /// Name of the network that the run began with.
    pub first: String,
    /// Whether that network knew nothing.
    pub from_zero: bool,
    /// The generations, in order.
    pub generations: Vec<Generation>,
}

/// A generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub number: usize,
    /// What it was made by.
    pub settings: Settings,
    /// Name of the network that played its games.
    pub player: String,
    /// Its games.
    pub games: Tally,
    /// Positions of the window that it learnt from.
    pub window: u64,
    /// Positions that it learnt from, each pass over the window counted.
    pub learned: u64,
    /// The learning rate at its beginning.
    pub lr: f64,
    /// Name of the network that came out.
    pub network: String,
    /// The match against the network before.
    pub before: Strength,
    /// The match against the first network of the run.
    pub first: Strength,
    /// Whether the network plays on.
    pub accepted: bool,
    /// Time it took, where the run was not stopped within, seconds.
    pub seconds: f64,
}

/// The result of a match, from the view of the new network.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// Games played.
    pub games: u64,
    /// Elo difference; at most 1,000 in size.
    pub elo: f64,
    /// Half its 95% interval.
    pub error: f64,
}

impl Strength {
    /// What a match said of its side A.
    pub fn of(summary: &Summary) -> Self {
        let elo = summary.pairs.elo();
        Self {
            games: 2 * summary.pairs.count(),
            // Who won every game has no finite Elo, and JSON no infinity.
            elo: elo.value.clamp(-1000.0, 1000.0),
            error: elo.error.min(1000.0),
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.1} ± {:.1}", self.elo, self.error)
    }
}

impl History {
    /// The run in this file, if there is one.
    ///
    /// # Errors
    /// If it cannot be read, or is none.
    pub fn load(path: &Path) -> Result<Option<Self>, ShardError> {
        shard::read_json(path)
    }

    /// Writes the run in place of what was there.
    ///
    /// # Errors
    /// If it cannot be written; what was there is still there then.
    pub fn save(&self, path: &Path) -> Result<(), GrowError> {
        let mut text = serde_json::to_string_pretty(self).map_err(std::io::Error::from)?;
        text.push('\n');
        Ok(shard::replace(path, text.as_bytes())?)
    }

    /// The newest generation whose network plays on: its place in the list. `None` for the first network.
    pub fn champion(&self) -> Option<&Generation> {
        self.generations
            .iter()
            .rev()
            .find(|generation| generation.accepted)
    }

    /// Positions to learn from that all generations have played.
    pub fn positions(&self) -> u64 {
        self.generations
            .iter()
            .map(|generation| generation.games.kept)
            .sum()
    }

    /// Strength over positions as SVG: the sum of what each generation gained, and each match against the first network.
    ///
    /// # Errors
    /// Says what is wrong with the numbers.
    pub fn svg(&self) -> Result<String, String> {
        let (mut positions, mut sum) = (0.0, 0.0);
        let mut steps = vec![(0.0, 0.0)];
        let mut direct = vec![(0.0, 0.0)];
        for generation in &self.generations {
            positions += generation.games.kept as f64 / 1e6;
            if generation.accepted {
                sum += generation.before.elo;
                direct.push((positions, generation.first.elo));
            }
            steps.push((positions, sum));
        }
        let line = |name, color, points| plot::Line {
            name,
            color,
            points,
        };
        plot::svg(
            &format!("strength over the first network, {}", self.first),
            ["million positions played", "Elo"],
            &[
                line("sum of the gains", BLUE, steps),
                line("match against the first", RED, direct),
            ],
        )
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "generation {}: {} games, {} positions; learned {} of {}; Elo {} over the one before, {} over the first; {}{:.0} s",
            self.number,
            self.games.games(),
            self.games.kept,
            self.learned,
            self.window,
            self.before,
            self.first,
            if self.accepted { "" } else { "not taken; " },
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
            settings: Settings::default(),
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

    #[test]
    fn a_run_comes_back_as_it_was() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("grow.json");
        assert_eq!(History::load(&path).expect("no file"), None);
        let history = History {
            settings: Settings::default(),
            first: "2".repeat(16),
            from_zero: true,
            generations: vec![generation(1, 50.0, true), generation(2, -30.0, false)],
        };
        for _ in 0..2 {
            history.save(&path).expect("room");
        }
        assert_eq!(History::load(&path).expect("a run"), Some(history.clone()));
        assert_eq!(
            history.champion().map(|generation| generation.number),
            Some(1)
        );
        assert_eq!(history.positions(), 2_000_000);
        let svg = history.svg().expect("a picture");
        assert!(svg.starts_with("<svg") && svg.matches("<polyline").count() >= 2);
    }

    #[test]
    fn a_match_without_a_loss_can_be_stored() {
        let infinite = Strength {
            elo: f64::INFINITY.clamp(-1000.0, 1000.0),
            ..generation(1, 0.0, true).before
        };
        let text = serde_json::to_string(&infinite).expect("JSON");
        assert_eq!(
            serde_json::from_str::<Strength>(&text).expect("JSON"),
            infinite
        );
    }
}
