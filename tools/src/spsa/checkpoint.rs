//! The state of a tuning run on the disk as JSON, with all that is needed to continue it and to
//! draw it.

use std::path::Path;

use anyhow::anyhow;
use serde::{Deserialize, Serialize};

use crate::files::{self, FileError};
use crate::time_control::TimeControl;

use super::algorithm::{Spsa, Trial};

/// Maximum number of points in the history, unless a resumed run was made longer.
const POINTS: u64 = 200;

/// The settings that decide the games; a run continues only with the same ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpsaSettings {
    /// Name and version of the engine.
    pub engine: String,
    /// Name of the network.
    pub network: String,
    /// Checksum of the book's openings in hexadecimal digits, or `own` and the share of Chess960
    /// for the engine's own openings.
    pub book: String,
    /// Number of openings of an iteration.
    pub pairs: u64,
    /// Limit of the searches: nodes a move, or a clock.
    pub nodes: TimeControl,
    /// Hash of each player in MB.
    pub hash: u64,
    /// Seed of the openings and of the changes.
    pub seed: u64,
}

/// The state of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpsaState {
    /// Settings that decide the games.
    pub settings: SpsaSettings,
    /// Parameters and their values.
    #[serde(alias = "optimiser")]
    pub algorithm: Spsa,
    /// Number of finished iterations.
    pub done: u64,
    /// Number of games won, drawn and lost with the changes against their opposites; about even if
    /// all is well.
    pub games: [u64; 3],
    /// Duration of the run so far in seconds.
    pub seconds: f64,
    /// The values at regular intervals.
    pub history: Vec<ThetaPoint>,
}

/// The values after an iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThetaPoint {
    /// Number of finished iterations.
    pub done: u64,
    /// The values of the parameters.
    pub theta: Vec<f64>,
}

impl SpsaState {
    /// Creates a run that has not begun.
    pub fn new(settings: SpsaSettings, algorithm: Spsa) -> Self {
        let start = ThetaPoint {
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

    /// Learns from an iteration whose first player won, drew and lost these numbers of games.
    pub fn learn(&mut self, trial: &Trial, games: [u64; 3]) {
        let [wins, _, losses] = games;
        self.algorithm.learn(trial, wins as f64 - losses as f64);
        self.done += 1;
        for (all, new) in self.games.iter_mut().zip(games) {
            *all += new;
        }
        let stride = self.algorithm.iterations.div_ceil(POINTS);
        if self.done.is_multiple_of(stride) || self.done == self.algorithm.iterations {
            self.history.push(ThetaPoint {
                done: self.done,
                theta: self.algorithm.theta.clone(),
            });
        }
    }

    /// Checks that the parameters of a file are consistent and that this build has them.
    fn check(&self) -> Result<(), String> {
        let algorithm = &self.algorithm;
        for row in &algorithm.rows {
            row.check()?;
        }
        let length = algorithm.rows.len();
        let whole = self.history.iter().all(|point| point.theta.len() == length);
        if length == 0 || algorithm.iterations == 0 || !algorithm.is_sound() || !whole {
            return Err("its numbers are inconsistent".to_owned());
        }
        Ok(())
    }
}

/// Writes a run to a file and replaces its earlier state.
///
/// # Errors
/// If the file cannot be written; the earlier state remains then.
pub fn save(path: &Path, state: &SpsaState) -> Result<(), FileError> {
    let mut text =
        serde_json::to_vec(state).map_err(|error| FileError::write(path, error.into()))?;
    text.push(b'\n');
    files::replace(path, &text)
}

/// Reads a run from a file.
///
/// # Errors
/// If the file cannot be read or is damaged, or has parameters that this build lacks.
pub fn load(path: &Path) -> anyhow::Result<SpsaState> {
    let text = files::read(path)?;
    let state: Result<SpsaState, _> =
        serde_json::from_slice(&text).map_err(|error| error.to_string());
    state
        .and_then(|state| state.check().map(|()| state))
        .map_err(|reason| {
            let path = path.display();
            anyhow!("{path} is not a run of spsa, or is damaged: {reason}")
        })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::spsa::rows;
    use rejoinder::types::Rng;

    fn state(iterations: u64) -> SpsaState {
        let settings = SpsaSettings {
            engine: "engine".to_owned(),
            network: "network".to_owned(),
            book: "0123456789abcdef".to_owned(),
            pairs: 1,
            nodes: TimeControl::Nodes(50),
            hash: 1,
            seed: 3,
        };
        SpsaState::new(settings, Spsa::new(rows::all(), iterations))
    }

    /// Finishes iterations with random results.
    fn advance(state: &mut SpsaState, to: u64) {
        for number in state.done..to {
            let mut rng = Rng::stream(state.settings.seed, number);
            let trial = state.algorithm.propose(number, &mut rng);
            let wins = rng.below(9) as u64;
            state.learn(&trial, [wins, 8, 8 - wins]);
        }
    }

    #[test]
    fn a_stopped_run_continues_as_if_it_had_not_been_stopped() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("run.json");
        let mut whole = state(1000);
        advance(&mut whole, 1000);

        let mut stopped = state(1000);
        for part in [0, 1, 333, 1000] {
            advance(&mut stopped, part);
            save(&path, &stopped).expect("a writable directory");
            let back = load(&path).expect("a run");
            assert_eq!(back, stopped);
            stopped = back;
        }
        assert_eq!(stopped, whole);
        assert_eq!(whole.games.iter().sum::<u64>(), 16_000);
        assert_eq!(whole.history.len() as u64, POINTS + 1);
        assert!(whole.algorithm.distance() > 0.0);
    }

    /// Earlier versions called the field `algorithm` otherwise.
    #[test]
    fn older_checkpoints_are_read() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("run.json");
        let now = serde_json::to_string(&state(5)).expect("JSON");
        let old = now.replace("\"algorithm\"", "\"optimiser\"");
        assert_ne!(old, now);
        fs::write(&path, old).expect("a writable directory");
        assert_eq!(load(&path).expect("a run"), state(5));
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
            (good.replace("[100.0,", "[99999.0,"), "inconsistent"),
            (good.replace("[100.0,", "["), "inconsistent"),
        ] {
            assert_ne!(damaged, good, "{says}");
            fs::write(&path, damaged).expect("a writable directory");
            let error = load(&path).expect_err(says).to_string();
            assert!(
                error.contains("run.json is not a run") && error.contains(says),
                "{error}"
            );
        }
    }
}
