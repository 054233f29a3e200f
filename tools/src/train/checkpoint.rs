//! The state of a training run on the disk, from which it continues as if it had never been
//! stopped.
//!
//! ```text
//!  0  8 bytes  "REJTRAIN"
//!  8  u64      length of the text
//! 16  text     the state as JSON, without the weights
//!     f32      the weights, and the optimizer's first and second means, little-endian
//!     u64      checksum of all bytes before it
//! ```

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::{self, FileError};

use super::error::TrainError;
use super::history::Measurement;
use super::optimizer::WEIGHT_DECAY;
use super::trainer::Trainer;

const MAGIC: [u8; 8] = *b"REJTRAIN";

/// The settings that decide the result of a run; a checkpoint continues only with the same ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainSettings {
    /// Number of king buckets.
    pub king_buckets: usize,
    /// Number of relations that are inputs.
    pub relations: usize,
    /// Size H of the hidden layer.
    pub hidden: usize,
    /// True if there are layers behind the hidden one.
    pub layered: bool,
    /// Name of the network to continue from; `None` for small random weights.
    pub from: Option<String>,
    /// Number of positions in a batch.
    pub batch: usize,
    /// Number of batches of the whole run.
    pub steps: u64,
    /// Learning rates after the warm-up and at the end.
    pub rates: [f64; 2],
    /// Share of the learning rate for the weights that `from` has, 0 to 1.
    #[serde(default = "one")]
    pub known_rate: f64,
    /// Share of the learning rate by which every weight shrinks at each step.
    #[serde(default = "usual_decay")]
    pub weight_decay: f64,
    /// Share of the hidden units that are left out at random at each position.
    #[serde(default)]
    pub dropout: f64,
    /// WDL blends at the beginning and at the end: the share of the result in the target, 0 to 1.
    pub blends: [f64; 2],
    /// Score in centipawns that corresponds to an output of 1.
    pub score_scale: f64,
    /// The loss is the size of the error raised to this power.
    pub power: f64,
    /// Weight of a position with two pieces, 0 to 1; a position with 32 pieces has the weight 1.
    #[serde(default = "one")]
    pub few_pieces: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of threads, on which the order of summation depends.
    pub threads: usize,
    /// Number of positions to train on.
    pub training_positions: u64,
    /// Number of positions for validation.
    pub validation_positions: u64,
    /// Number of files of the shuffle buffer; 0 if it is in memory.
    pub shuffle_files: usize,
    /// Checksum of the names and sizes of the files of games.
    pub data: String,
}

/// The value of `weight_decay` in older checkpoints.
const fn usual_decay() -> f64 {
    WEIGHT_DECAY
}

/// The value of `known_rate` and `few_pieces` in older checkpoints, where all weights learn at the
/// same rate and all positions count the same.
const fn one() -> f64 {
    1.0
}

/// The state of a run, without its weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainState {
    /// Settings of the run.
    pub settings: TrainSettings,
    /// Number of finished batches.
    pub step: u64,
    /// Duration of the run so far in seconds.
    pub seconds: f64,
    /// The measurements after each superbatch.
    pub history: Vec<Measurement>,
}

/// Writes a checkpoint and replaces an earlier one.
///
/// # Errors
/// If the file cannot be written; the earlier checkpoint remains then.
pub fn save(path: &Path, state: &TrainState, trainer: &Trainer) -> Result<(), FileError> {
    let text = serde_json::to_vec(state).map_err(|error| FileError::write(path, error.into()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    for list in lists(trainer) {
        bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
    }
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    files::replace(path, &bytes)
}

/// Reads a checkpoint into the trainer of a run with these settings.
///
/// # Errors
/// If the file cannot be read, is damaged, or was made with other settings.
pub fn load(
    path: &Path,
    settings: &TrainSettings,
    trainer: &mut Trainer,
) -> Result<TrainState, TrainError> {
    let bytes = files::read(path)?;
    let damaged = || TrainError::DamagedCheckpoint {
        path: path.to_path_buf(),
    };
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    let body = body.strip_prefix(&MAGIC).ok_or_else(damaged)?;
    let (length, body) = body.split_first_chunk::<8>().ok_or_else(damaged)?;
    if u64::from_le_bytes(*sum) != checksum(&bytes[..bytes.len() - 8]) {
        return Err(damaged());
    }
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
    let (text, mut numbers) = body.split_at_checked(length).ok_or_else(damaged)?;
    let state: TrainState = serde_json::from_slice(text).map_err(|_| damaged())?;
    compare(path, &state.settings, settings)?;
    let size = trainer.shape.numbers() * size_of::<f32>();
    if numbers.len() != 3 * size {
        return Err(damaged());
    }
    let Trainer { network, adam, .. } = trainer;
    for list in [network, &mut adam.first, &mut adam.second] {
        let (own, rest) = numbers.split_at(size);
        for (x, bytes) in list.iter_mut().zip(own.as_chunks().0) {
            *x = f32::from_le_bytes(*bytes);
        }
        numbers = rest;
    }
    trainer.step = state.step;
    trainer.refresh();
    Ok(state)
}

/// Fails with the first setting that differs, if there is one.
fn compare(path: &Path, then: &TrainSettings, now: &TrainSettings) -> Result<(), TrainError> {
    if then == now {
        return Ok(());
    }
    let (then, now) = (serde_json::to_value(then), serde_json::to_value(now));
    let (Ok(Value::Object(then)), Ok(Value::Object(now))) = (then, now) else {
        return Ok(());
    };
    match now
        .into_iter()
        .find(|(name, now)| then.get(name) != Some(now))
    {
        None => Ok(()),
        Some((name, now)) => Err(TrainError::OtherSettings {
            path: path.to_path_buf(),
            then: then.get(&name).unwrap_or(&Value::Null).to_string(),
            now: now.to_string(),
            name,
        }),
    }
}

fn lists(trainer: &Trainer) -> [&Vec<f32>; 3] {
    let Trainer { network, adam, .. } = trainer;
    [network, &adam.first, &adam.second]
}

/// FNV-1a over words of eight bytes, and then over the remaining bytes.
// Source: http://www.isthe.com/chongo/tech/comp/fnv/
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x100_0000_01b3);
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let all = words.chain(rest.iter().map(|&byte| u64::from(byte)));
    all.fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::train::model::Shape;
    use rejoinder::eval::network::{Architecture, Head};

    const SHAPE: Shape = Shape(Architecture {
        king_buckets: 4,
        relations: 17,
        hidden: 32,
        head: Head::Layered,
    });

    fn state() -> TrainState {
        let settings = TrainSettings {
            king_buckets: 4,
            relations: 17,
            hidden: 32,
            layered: false,
            from: None,
            batch: 100,
            steps: 7,
            rates: [0.001, 0.1 / 3.0],
            known_rate: 0.05,
            weight_decay: 0.03,
            dropout: 0.1,
            blends: [0.25, 0.4],
            score_scale: 219.0,
            power: 2.0,
            few_pieces: 1.0,
            seed: u64::MAX,
            threads: 2,
            training_positions: 1000,
            validation_positions: 20,
            shuffle_files: 0,
            data: "0123456789abcdef".to_owned(),
        };
        let point = Measurement {
            positions: 500,
            training_loss: 0.1,
            validation_loss: 0.2 / 3.0,
            final_loss: 0.3 / 7.0,
            rate: 0.001,
            blend: 0.3,
            speed: 1e6 / 7.0,
        };
        TrainState {
            settings,
            step: 5,
            seconds: 12.5,
            history: vec![point; 3],
        }
    }

    #[test]
    fn a_run_comes_back_as_it_was() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("checkpoint");
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(3), 2);
        trainer.adam.first.fill(0.25);
        trainer.adam.second.fill(0.75);
        let state = state();
        for _ in 0..2 {
            save(&path, &state, &trainer).expect("a writable directory");
        }
        let mut other = Trainer::new(SHAPE, SHAPE.initial(4), 2);
        let back = load(&path, &state.settings, &mut other).expect("a checkpoint");
        assert_eq!(back, state);
        assert_eq!(
            (other.step, other.network, other.adam),
            (5, trainer.network, trainer.adam)
        );
    }

    #[test]
    fn other_settings_and_damage_are_refused() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("checkpoint");
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(3), 2);
        let state = state();
        save(&path, &state, &trainer).expect("a writable directory");
        let other = TrainSettings {
            seed: 9,
            ..state.settings.clone()
        };
        let error = load(&path, &other, &mut trainer)
            .expect_err("another seed")
            .to_string();
        assert!(
            error.contains("seed = 18446744073709551615") && error.contains("has 9"),
            "{error}"
        );

        let bytes = fs::read(&path).expect("a checkpoint");
        let mut flipped = bytes.clone();
        flipped[5000] ^= 1;
        for damaged in [&bytes[..bytes.len() - 4], &bytes[..12], b"", &flipped] {
            fs::write(&path, damaged).expect("a writable directory");
            let error = load(&path, &state.settings, &mut trainer).expect_err("damage");
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
}
