//! De Man's root noise: a bonus for each root move that is added to what the search says of it. The window below is moved the other
//! way, so neither search nor table know of it.

use super::{Entry, Lab, Variant};
use crate::ordering::Technique;
use crate::types::{Move, Rng, Score};

/// Where the numbers begin; the same for every engine that starts.
const SEED: u64 = 2001;

pub const ENTRY: Entry = Entry {
    name: "root-noise",
    what: "A random bonus of up to so many centipawns, up or down, for each root move of each search: it changes the move that is played, for variety, and is no help to the order.",
    source: "R. de Man, quoted in https://www.chessprogramming.org/Root#Scoring_Root_Moves",
    in_default: false,
    variants: &[
        Variant::new("5", || Lab::new(RootNoise::new(5))),
        Variant::new("20", || Lab::new(RootNoise::new(20))),
    ],
};

#[derive(Debug)]
struct RootNoise {
    /// Centipawns.
    most: Score,
    searches: u64,
}

impl RootNoise {
    fn new(most: Score) -> Self {
        Self { most, searches: 0 }
    }
}

impl Technique for RootNoise {
    fn clear(&mut self) {
        self.searches = 0;
    }

    fn new_search(&mut self, _: usize) {
        self.searches += 1;
    }

    fn root_bonus(&self, mv: Move) -> Score {
        let number = self.searches << 16 | u64::from(mv.bits());
        let span = 2 * self.most as usize + 1;
        Rng::for_game(SEED, number).below(span) as Score - self.most
    }
}
