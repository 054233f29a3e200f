//! The settings of a run, and the plan of a generation that follows from them and from the number
//! of positions played.

use serde::{Deserialize, Serialize};

use crate::data::origin::Mixture;
use crate::datagen::NODES;

use super::args::Args;

/// Learning rate of a network that has seen few positions.
const FIRST_RATE: f64 = 1e-3;
/// Number of positions from which on the learning rate falls with the square root of their number.
const RATE_POSITIONS: f64 = 2e6;
/// Lowest learning rate at the beginning of a generation.
const LAST_RATE: f64 = 5e-5;
/// Rough number of positions that the first network of a run was trained on, if it was trained at
/// all.
const HEAD_START: f64 = 30e6;
/// Learning rate at the end of a generation, as a share of the rate at its beginning.
const FINAL_PART: f64 = 0.01;
/// The last pass learns from one position in this number of each game, because results are soon
/// learned by heart (docs/training.md).
pub const RESULTS_EVERY: u64 = 4;
/// Number of positions in a batch of the training.
pub const BATCH: u64 = 4096;
/// Share of itself that the running mean of the weights keeps at each step of the training.
pub const EMA: f64 = 0.995;
/// Learning rate of the last pass, as a share of that of the first.
const RESULTS_RATE: f64 = 1.0 / 8.0;
/// Smallest learning rate of the last pass, unless that of the first is smaller. Results were learned
/// better with 8e-5 than with more (docs/log/2026-11.md).
const LEAST_RESULTS_RATE: f64 = 8e-5;
/// Number of positions that the first generation plays if the run begins with the untrained
/// network.
const FIRST_POSITIONS: u64 = 300_000;
/// Minimum number of positions to train on, counted in every epoch, unless this takes more than
/// [`MAX_EPOCHS`].
const LEAST_LEARNED: u64 = 10_000_000;
/// Maximum number of epochs over the window.
const MAX_EPOCHS: u64 = 8;

/// The settings of the generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GrowSettings {
    /// Nodes after which a search of the games that gives a label begins no new iteration.
    pub nodes: u64,
    /// The mixture of moves and labels in the games; `None` in generations of old.
    #[serde(flatten)]
    pub mixture: Option<Mixture>,
    /// Number of positions to train on that a generation plays.
    pub positions: u64,
    /// Number of the newest positions that a generation trains on.
    pub window: u64,
    /// Size of the hidden layer; `None` for that of the network before.
    pub hidden: Option<usize>,
    /// Number of king buckets; `None` for that of the network before.
    pub king_buckets: Option<usize>,
    /// Number of relations that the network sees; `None` for that of the network before.
    #[serde(default)]
    pub relations: Option<usize>,
    /// Learning rate at the beginning of a generation; `None` if it follows from the number of
    /// positions.
    pub lr: Option<f64>,
    /// WDL weight (lambda) of the last pass: share of the result in its targets, 0 to 1; 0 for no such pass.
    #[serde(default)]
    pub results: f64,
    /// Parameters of the search of the games that differ from the default.
    #[serde(default)]
    pub params: Vec<String>,
    /// Whether a generation's network is the mean of the network before and of what it became by
    /// training; `None` for a run that began with a trained network.
    #[serde(default)]
    pub mean: Option<bool>,
    /// Number of games against the network before.
    pub games: u64,
    /// Nodes a move in the match games.
    pub match_nodes: u64,
}

impl Default for GrowSettings {
    fn default() -> Self {
        Self {
            nodes: NODES,
            mixture: Some(Mixture::default()),
            positions: 2_000_000,
            window: 20_000_000,
            hidden: None,
            king_buckets: None,
            relations: None,
            lr: None,
            results: 0.5,
            params: Vec::new(),
            mean: None,
            games: 900,
            match_nodes: 2000,
        }
    }
}

impl GrowSettings {
    /// These settings with the changes that the arguments ask for.
    pub fn with(&self, args: &Args) -> Self {
        let mixture = self.mixture.unwrap_or_default();
        Self {
            nodes: args.nodes.unwrap_or(self.nodes),
            mixture: Some(args.mixture.over(args.label_every, mixture)),
            positions: args.positions.unwrap_or(self.positions),
            window: args.window.unwrap_or(self.window),
            hidden: args.hidden.or(self.hidden),
            king_buckets: args.king_buckets.or(self.king_buckets),
            relations: args.relations.or(self.relations),
            lr: args.lr.or(self.lr),
            results: args.results.unwrap_or(self.results),
            params: if args.params.is_empty() {
                self.params.clone()
            } else {
                args.params.clone()
            },
            mean: args.mean.or(self.mean),
            games: args.games.unwrap_or(self.games),
            match_nodes: args.match_nodes.unwrap_or(self.match_nodes),
        }
    }

    /// Returns whether a generation's network is a mean, given whether the run began with the
    /// untrained network.
    pub fn averaged(&self, from_zero: bool) -> bool {
        self.mean.unwrap_or(!from_zero)
    }

    /// Returns the plan of the next generation, given the number of positions that the run has
    /// played and whether it began with the untrained network.
    pub fn plan(&self, positions: u64, from_zero: bool) -> GenerationPlan {
        let fresh = if from_zero {
            // The games of early networks teach little, so few are played with each.
            FIRST_POSITIONS.max(positions / 2).min(self.positions)
        } else {
            self.positions
        };
        let seen = positions as f64 + if from_zero { 0.0 } else { HEAD_START };
        let falling = FIRST_RATE * (RATE_POSITIONS / seen.max(1.0)).sqrt();
        let lr = self.lr.unwrap_or(falling.clamp(LAST_RATE, FIRST_RATE));
        let results_lr = (lr * RESULTS_RATE).max(LEAST_RESULTS_RATE).min(lr);
        let share = fresh as f64 / self.positions as f64;
        GenerationPlan {
            fresh,
            rates: [lr, lr * FINAL_PART],
            results_rates: [results_lr, results_lr * FINAL_PART],
            games: ((self.games as f64 * share) as u64)
                .max(100)
                .min(self.games),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationPlan {
    /// Number of positions to play.
    pub fresh: u64,
    /// Learning rates of the first pass, after the warm-up and at the end.
    pub rates: [f64; 2],
    /// Learning rates of the last pass, after the warm-up and at the end.
    pub results_rates: [f64; 2],
    /// Number of games against the network before.
    pub games: u64,
}

/// Returns the number of positions to train on, counted in every epoch, for a window of this number
/// of positions.
pub fn learned(window: u64) -> u64 {
    LEAST_LEARNED.min(MAX_EPOCHS * window).max(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_generations_are_short_and_learn_fast() {
        let settings = GrowSettings::default();
        let first = settings.plan(0, true);
        assert_eq!((first.fresh, first.games), (300_000, 135));
        assert!((first.rates[0] - 1e-3).abs() < 1e-9);
        let later = settings.plan(200_000_000, true);
        assert_eq!((later.fresh, later.games), (2_000_000, 900));
        assert!((later.rates[0] - 1e-4).abs() < 1e-9 && later.rates[1] < later.rates[0]);
        assert!((later.results_rates[0] - 8e-5).abs() < 1e-9);
        assert!((first.results_rates[0] - 1.25e-4).abs() < 1e-9);
        let trained = settings.plan(0, false);
        assert_eq!(trained.fresh, 2_000_000);
        assert!(trained.rates[0] < 3e-4);
        let given = GrowSettings {
            lr: Some(0.5),
            ..settings
        };
        assert!((given.plan(0, true).rates[0] - 0.5).abs() < 1e-9);
    }

    #[test]
    fn only_runs_from_a_trained_network_make_means_unless_told() {
        let usual = GrowSettings::default();
        assert!(usual.averaged(false) && !usual.averaged(true));
        for mean in [false, true] {
            let told = GrowSettings {
                mean: Some(mean),
                ..usual.clone()
            };
            assert_eq!([true, false].map(|zero| told.averaged(zero)), [mean; 2]);
        }
    }

    #[test]
    fn little_data_is_seen_several_times() {
        assert_eq!(learned(300_000), 2_400_000);
        assert_eq!(learned(5_000_000), 10_000_000);
        assert_eq!(learned(20_000_000), 20_000_000);
    }
}
