//! How a generation is made: the settings of a run, and what follows from them and from how far the run is.

use serde::{Deserialize, Serialize};

use super::Args;

/// Learning rate of a network that has seen next to nothing.
const FIRST_RATE: f64 = 1e-3;
/// From so many positions on, the rate falls with the square root of their number.
const RATE_POSITIONS: f64 = 2e6;
/// The rate falls no further.
const LAST_RATE: f64 = 5e-5;
/// What a network that a run begins with has learnt from already, about; positions.
const HEAD_START: f64 = 30e6;
/// A generation's rate falls to this part of itself.
const FINAL_PART: f64 = 0.01;
/// Positions that the first generation of a run from nothing plays.
const FIRST_POSITIONS: u64 = 300_000;
/// Positions a generation learns from at least, if that takes no more than [`MOST_PASSES`].
const LEAST_LEARNED: u64 = 10_000_000;
/// Passes over the window, at most.
const MOST_PASSES: u64 = 8;

/// What generations are made by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Nodes after which no new iteration begins, for the games.
    pub nodes: u64,
    /// Positions to learn from that a generation plays.
    pub positions: u64,
    /// Newest positions that a generation learns from.
    pub window: u64,
    /// Size of the hidden layer, if not that of the network before.
    pub hidden: Option<usize>,
    /// King buckets, if not those of the network before.
    pub king_buckets: Option<usize>,
    /// Learning rate at the beginning of a generation, if it does not follow from the positions so far.
    pub lr: Option<f64>,
    /// Share of the result in the targets.
    pub blend: f64,
    /// Games against the network before.
    pub games: u64,
    /// Nodes a move in these.
    pub match_nodes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            nodes: 300,
            positions: 2_000_000,
            window: 20_000_000,
            hidden: None,
            king_buckets: None,
            lr: None,
            blend: 0.0,
            games: 900,
            match_nodes: 2000,
        }
    }
}

impl Settings {
    /// These, with what the arguments say otherwise.
    pub fn with(&self, args: &Args) -> Self {
        Self {
            nodes: args.nodes.unwrap_or(self.nodes),
            positions: args.positions.unwrap_or(self.positions),
            window: args.window.unwrap_or(self.window),
            hidden: args.hidden.or(self.hidden),
            king_buckets: args.king_buckets.or(self.king_buckets),
            lr: args.lr.or(self.lr),
            blend: args.blend.unwrap_or(self.blend),
            games: args.games.unwrap_or(self.games),
            match_nodes: args.match_nodes.unwrap_or(self.match_nodes),
        }
    }

    /// How the next generation is made, after so many positions of this run; `from_zero` says that it began with nothing.
    pub fn plan(&self, positions: u64, from_zero: bool) -> Plan {
        let fresh = if from_zero {
            // Early networks are poor teachers: little is played with each.
            FIRST_POSITIONS.max(positions / 2).min(self.positions)
        } else {
            self.positions
        };
        let seen = positions as f64 + if from_zero { 0.0 } else { HEAD_START };
        let falling = FIRST_RATE * (RATE_POSITIONS / seen.max(1.0)).sqrt();
        let lr = self.lr.unwrap_or(falling.clamp(LAST_RATE, FIRST_RATE));
        let share = fresh as f64 / self.positions as f64;
        Plan {
            fresh,
            rates: [lr, lr * FINAL_PART],
            games: ((self.games as f64 * share) as u64)
                .max(100)
                .min(self.games),
        }
    }
}

/// How a generation is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Positions to play.
    pub fresh: u64,
    /// Learning rate after the warm-up and at the end.
    pub rates: [f64; 2],
    /// Games against the network before.
    pub games: u64,
}

/// Positions to learn from in all, where the window holds so many.
pub fn learned(window: u64) -> u64 {
    LEAST_LEARNED.min(MOST_PASSES * window).max(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_generations_are_short_and_learn_fast() {
        let settings = Settings::default();
        let first = settings.plan(0, true);
        assert_eq!((first.fresh, first.games), (300_000, 135));
        assert!((first.rates[0] - 1e-3).abs() < 1e-9);
        let later = settings.plan(200_000_000, true);
        assert_eq!((later.fresh, later.games), (2_000_000, 900));
        assert!((later.rates[0] - 1e-4).abs() < 1e-9 && later.rates[1] < later.rates[0]);
        let trained = settings.plan(0, false);
        assert_eq!(trained.fresh, 2_000_000);
        assert!(trained.rates[0] < 3e-4);
        let given = Settings {
            lr: Some(0.5),
            ..settings
        };
        assert!((given.plan(0, true).rates[0] - 0.5).abs() < 1e-9);
    }

    #[test]
    fn little_data_is_seen_several_times() {
        assert_eq!(learned(300_000), 2_400_000);
        assert_eq!(learned(5_000_000), 10_000_000);
        assert_eq!(learned(20_000_000), 20_000_000);
    }
}
