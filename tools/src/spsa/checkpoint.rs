//! The state of a run on the disk, as JSON: what it needs to go on, and what a picture of it needs.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::shard;

use super::SpsaError;
use super::algorithm::{Optimiser, Trial};

/// Points of the history at most, unless a resumed run was made longer.
const POINTS: u64 = 200;

/// What the games depend on: a run goes on with the same only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Program and version.
    pub engine: String,
    /// Name of the network.
    pub network: String,
    /// The openings of a book as one number, in hexadecimal digits; `own`, and the share of Chess960, for those of our own.
    pub book: String,
    /// Openings of an iteration.
    pub pairs: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Hash of each player in MB.
    pub hash: u64,
    /// The seed.
    pub seed: u64,
}

/// Where a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// What its games depend on.
    pub settings: Settings,
    /// What it has learnt.
    pub algorithm: Optimiser,
    /// Iterations done.
    pub done: u64,
    /// Games won, drawn and lost with the changes against their opposites: about even, if all is well.
    pub games: [u64; 3],
    /// Seconds so far.
    pub seconds: f64,
    /// Where the numbers were now and then.
    pub history: Vec<Point>,
}

/// Where the numbers were after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// How many were done.
    pub done: u64,
    /// The numbers.
    pub theta: Vec<f64>,
}

impl State {
    /// A run that has not begun.
    pub fn new(settings: Settings, algorithm: Optimiser) -> Self {
        let start = Point {
            done: 0,
            theta: algorithm.theta.clone(),
        };
        Self {
            settings,
            algorithm,
            done: 0,
            games: [0; 3],
            seconds: 0.0,
            history: vec![start],
        }
    }

    /// Learns from an iteration whose first player won, drew and lost so many games.
    pub fn learn(&mut self, trial: &Trial, games: [u64; 3]) {
        let [wins, _, losses] = games;
        self.algorithm.learn(trial, wins as f64 - losses as f64);
        self.done += 1;
        for (all, new) in self.games.iter_mut().zip(games) {
            *all += new;
        }
        let stride = self.algorithm.iterations.div_ceil(POINTS);
        if self.done.is_multiple_of(stride) || self.done == self.algorithm.iterations {
            self.history.push(Point {
                done: self.done,
                theta: self.algorithm.theta.clone(),
            });
        }
    }

    /// Whether the numbers of a file fit together and this build can play with them.
    fn check(&self) -> Result<(), String> {
        let algorithm = &self.algorithm;
        for row in &algorithm.rows {
            row.check()?;
        }
        let length = algorithm.rows.len();
        let whole = self.history.iter().all(|point| point.theta.len() == length);
        if length == 0 || algorithm.iterations == 0 || !algorithm.is_sound() || !whole {
            return Err("its numbers do not fit together".to_owned());
        }
        Ok(())
    }
}

/// Writes a run in place of its earlier state.
///
/// # Errors
/// If it cannot be written; the earlier state is still there.
pub fn save(path: &Path, state: &State) -> Result<(), SpsaError> {
    let mut text = serde_json::to_vec(state).map_err(io::Error::from)?;
    text.push(b'\n');
    Ok(shard::replace(path, &text)?)
}

/// Reads a run back.
///
/// # Errors
/// If it cannot be read or is damaged, or has numbers that this build has not.
pub fn load(path: &Path) -> Result<State, SpsaError> {
    let text = fs::read(path).map_err(|source| SpsaError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    let state: Result<State, _> = serde_json::from_slice(&text).map_err(|error| error.to_string());
    state
        .and_then(|state| state.check().map(|()| state))
        .map_err(|reason| SpsaError::Damaged {
            path: path.to_path_buf(),
            reason,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rejoinder::commands::tunables;
    use rejoinder::types::Rng;

    fn state(iterations: u64) -> State {
        let settings = Settings {
            engine: "engine".to_owned(),
            network: "network".to_owned(),
            book: "0123456789abcdef".to_owned(),
            pairs: 1,
            nodes: 50,
            hash: 1,
            seed: 3,
        };
        State::new(settings, Optimiser::new(tunables::all(), iterations))
    }

    /// Iterations with made-up results.
    fn go_on(state: &mut State, to: u64) {
        for number in state.done..to {
            let mut rng = Rng::stream(state.settings.seed, number);
            let trial = state.algorithm.propose(number, &mut rng);
            let wins = rng.below(9) as u64;
            state.learn(&trial, [wins, 8, 8 - wins]);
        }
    }

    #[test]
    fn a_stopped_run_goes_on_as_if_it_had_not_been() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("run.json");
        let mut whole = state(1000);
        go_on(&mut whole, 1000);

        let mut stopped = state(1000);
        for part in [0, 1, 333, 1000] {
            go_on(&mut stopped, part);
            save(&path, &stopped).expect("room");
            let back = load(&path).expect("a run");
            assert_eq!(back, stopped);
            stopped = back;
        }
        assert_eq!(stopped, whole);
        assert_eq!(whole.games.iter().sum::<u64>(), 16_000);
        assert_eq!(whole.history.len() as u64, POINTS + 1);
        assert!(whole.algorithm.distance() > 0.0);
    }

    #[test]
    fn damage_is_seen() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("run.json");
        let error = load(&path).expect_err("no file").to_string();
        assert!(error.contains("run.json"), "{error}");
        let good = serde_json::to_string(&state(5)).expect("JSON");
        for (damaged, says) in [
            (good[..good.len() - 9].to_owned(), "EOF"),
            (good.replace("lmr_check", "lmr_chess"), "called lmr_chess"),
            (good.replace("[100.0,", "[99999.0,"), "fit together"),
            (good.replace("[100.0,", "["), "fit together"),
        ] {
            assert_ne!(damaged, good, "{says}");
            fs::write(&path, damaged).expect("room");
            let error = load(&path).expect_err(says).to_string();
            assert!(
                error.contains("run.json is no run") && error.contains(says),
                "{error}"
            );
        }
    }
}
