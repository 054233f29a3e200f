//! The options that the engine itself does not keep.

use std::time::Duration;

use super::options;
use crate::search::strength::{self, Strength};

/// Options that the engine itself does not keep.
#[derive(Debug)]
pub(super) struct Settings {
    pub ponder: bool,
    pub multi_pv: usize,
    pub overhead: Duration,
    pub chess960: bool,
    pub wdl: bool,
    pub minimal: bool,
    pub hash_file: String,
    pub skill: i32,
    pub limit_strength: bool,
    pub elo: i32,
}

impl Settings {
    /// Returns the playing strength that the options ask for; `None` is full strength.
    pub fn strength(&self) -> Option<Strength> {
        if self.limit_strength {
            Some(Strength::of_elo(self.elo))
        } else {
            Strength::of_level(self.skill)
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            ponder: false,
            multi_pv: 1,
            overhead: options::DEFAULT_OVERHEAD,
            chess960: false,
            wdl: false,
            minimal: false,
            hash_file: String::new(),
            skill: strength::FULL,
            limit_strength: false,
            elo: strength::GREATEST_ELO,
        }
    }
}
