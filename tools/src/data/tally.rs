//! Counts of games and positions.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::selfplay::GameRecord;
use rejoinder::board::Outcome;

use super::filter::Filter;

/// Number of games by result, and number of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Number of games that White won.
    pub white_wins: u64,
    /// Number of drawn games.
    pub draws: u64,
    /// Number of games that Black won.
    pub black_wins: u64,
    /// Number of positions with a score.
    pub positions: u64,
    /// Number of positions that training keeps with the default [`Filter`].
    pub kept: u64,
}

impl Tally {
    /// Number of all games.
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
        self.kept += Filter::default().count(game);
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.white_wins += other.white_wins;
        self.draws += other.draws;
        self.black_wins += other.black_wins;
        self.positions += other.positions;
        self.kept += other.kept;
    }
}
