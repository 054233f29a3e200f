//! Counts of games and positions.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::selfplay::GameRecord;
use rejoinder::board::Outcome;

use super::filter::{self, Filter};

/// Number of games by result, and number of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of games that White won.
    pub white_wins: u64,
    /// Number of drawn games.
    pub draws: u64,
    /// Number of games that Black won.
    pub black_wins: u64,
    /// Number of positions, also of those without a score.
    pub positions: u64,
    /// Number of positions that training keeps with the default [`Filter`].
    pub kept: u64,
    /// Number of those that are useful ([`filter::is_useful`]); 0 in manifests of old.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub useful: u64,
}

/// Lets manifests from before a count was added stay as they were.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Tally {
    /// Returns the number of all games.
    pub const fn games(&self) -> u64 {
        self.white_wins + self.draws + self.black_wins
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        *match game.outcome {
            Outcome::WhiteWin => &mut self.white_wins,
            Outcome::Draw => &mut self.draws,
            Outcome::BlackWin => &mut self.black_wins,
        } += 1;
        self.positions += game.moves.len() as u64;
        Filter::default().each(game, |board, score| {
            self.kept += 1;
            self.useful += u64::from(filter::is_useful(board, score));
        });
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.white_wins += other.white_wins;
        self.draws += other.draws;
        self.black_wins += other.black_wins;
        self.positions += other.positions;
        self.kept += other.kept;
        self.useful += other.useful;
    }
}
