//! The options of how the games of `datagen` and `grow` are played.

use rejoinder::types::Score;

use crate::data::origin::Mixture;
use crate::values;

/// The options; those that are not given stay as they are.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct MixtureArgs {
    /// Nodes after which the search of a move begins no new iteration [default: 30]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub move_nodes: Option<u64>,
    /// Share of the plies without a label at which a random legal move is played, 0 to 1
    /// [default: 0.06 with labels, 0.1 without]
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub random_moves: Option<f64>,
    /// First ply, counted from the initial position of chess, from which no move is random: the
    /// rest of the game then says more about the positions after it [default: none with labels, 24
    /// without]
    #[arg(long, value_name = "PLY")]
    pub random_until: Option<u64>,
    /// Nodes of the search that accepts an opening; most of those that it refuses take an eighth of
    /// them [default: 400]
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(8..=1_000_000_000))]
    pub opening_nodes: Option<u64>,
    /// Greatest advantage of either side in an opening, in internal centipawns [default: 300]
    #[arg(long, value_name = "SCORE", value_parser = clap::value_parser!(Score).range(1..=10_000))]
    pub opening_score: Option<Score>,
}

impl MixtureArgs {
    /// Returns the mixture that the options ask for; `others` supplies those that are not given.
    /// `label_every` is apart, because only `datagen` may go without labels.
    pub fn over(self, label_every: Option<u64>, others: Mixture) -> Mixture {
        Mixture {
            move_nodes: self.move_nodes.unwrap_or(others.move_nodes),
            label_every: label_every.unwrap_or(others.label_every),
            random_moves: self.random_moves.unwrap_or(others.random_moves),
            random_until: self.random_until.or(others.random_until),
            opening_nodes: self.opening_nodes.unwrap_or(others.opening_nodes),
            opening_score: self.opening_score.unwrap_or(others.opening_score),
        }
    }
}

impl From<Mixture> for MixtureArgs {
    fn from(mixture: Mixture) -> Self {
        Self {
            move_nodes: Some(mixture.move_nodes),
            random_moves: Some(mixture.random_moves),
            random_until: mixture.random_until,
            opening_nodes: Some(mixture.opening_nodes),
            opening_score: Some(mixture.opening_score),
        }
    }
}
