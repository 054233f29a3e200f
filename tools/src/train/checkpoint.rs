//! The state of a training run on the disk, from which it continues as if it had never been
//! stopped.
//!
//! ```text
//!  0  8 bytes  "REJTRAIN"
//!  8  u64      length of the text
//! 16  text     the state as JSON, without the weights
//!     f32      the weights, the optimizer's first and second means, and with `--ema` the mean of
//!              the weights, little-endian; in a file of unrounded weights only the final ones
//!     u64      checksum of all bytes before it
//! ```

use std::path::{Path, PathBuf};

use rejoinder::eval::network::Architecture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::{self, FileError};

use super::history::Measurement;
use super::model::Shape;
use super::optimizer::WEIGHT_DECAY;
use super::piece_weights::PieceWeights;
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
    /// Share of the learning rate for the weights of single inputs, 0 to 1.
    #[serde(default = "one")]
    pub own_rate: f64,
    /// Share of the learning rate by which every weight shrinks at each step.
    #[serde(default = "usual_decay")]
    pub weight_decay: f64,
    /// The floor under the mean squares by which steps are divided, in times their mean; 0 without.
    #[serde(default)]
    pub floor: f64,
    /// Share of the hidden units that are left out at random at each position.
    #[serde(default)]
    pub dropout: f64,
    /// WDL weights (lambda) at the beginning and at the end: the share of the result in the target,
    /// 0 to 1.
    #[serde(alias = "blends")]
    pub lambdas: [f64; 2],
    /// Score in centipawns that corresponds to an output of 1.
    pub score_scale: f64,
    /// The loss is the size of the error raised to this power.
    pub power: f64,
    /// Weights of positions in the loss by their number of pieces.
    #[serde(default)]
    pub piece_weights: PieceWeights,
    /// Share of itself that the mean of the weights keeps at each step; `None` without a mean.
    #[serde(default)]
    pub ema: Option<f64>,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of threads.
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

impl TrainSettings {
    /// Returns the architecture of the network.
    pub const fn architecture(&self) -> Architecture {
        Architecture {
            king_buckets: self.king_buckets,
            relations: self.relations,
            hidden: self.hidden,
        }
    }
}

/// Returns the value of `weight_decay` in older checkpoints.
const fn usual_decay() -> f64 {
    WEIGHT_DECAY
}

/// Returns the value of `known_rate` and `own_rate` in older checkpoints, where all weights learn at
/// the same rate.
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
    let Trainer {
        network,
        adam,
        mean,
        ..
    } = trainer;
    write(path, state, &[network, &adam.first, &adam.second, mean])
}

/// Writes the final weights of a run, unrounded and with their shared rows.
///
/// # Errors
/// If the file cannot be written.
pub fn save_weights(path: &Path, state: &TrainState, trainer: &Trainer) -> Result<(), FileError> {
    write(path, state, &[trainer.result()])
}

fn write(path: &Path, state: &TrainState, lists: &[&[f32]]) -> Result<(), FileError> {
    let text = serde_json::to_vec(state).map_err(|error| FileError::write(path, error.into()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    for list in lists {
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
) -> anyhow::Result<TrainState> {
    let bytes = files::read(path)?;
    let (state, numbers, _) = parse(path, &bytes)?;
    compare(path, &state.settings, settings)?;
    let Trainer {
        network,
        adam,
        mean,
        ..
    } = &mut *trainer;
    let lists = [network, &mut adam.first, &mut adam.second, mean];
    if numbers.len() != lists.iter().map(|list| list.len()).sum::<usize>() {
        return Err(damaged(path).into());
    }
    let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    for list in lists {
        list.fill_with(|| numbers.next().unwrap_or_default());
    }
    trainer.step = state.step;
    trainer.refresh();
    Ok(state)
}

/// The weights of a run before rounding.
#[derive(Debug)]
pub struct ExactWeights {
    /// Settings of the run.
    pub settings: TrainSettings,
    /// Checksum of the file.
    pub name: String,
    /// The weights in the order of [`Shape`].
    pub network: Vec<f32>,
}

/// Reads the weights of a checkpoint, or of a file of unrounded weights: their mean, if there is
/// one. Returns `None` if the file is neither.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub fn load_weights(path: &Path) -> anyhow::Result<Option<ExactWeights>> {
    let bytes = files::read(path)?;
    if !bytes.starts_with(&MAGIC) {
        return Ok(None);
    }
    let (state, numbers, sum) = parse(path, &bytes)?;
    let settings = state.settings;
    let architecture = settings.architecture();
    architecture.check()?;
    let length = Shape(architecture).numbers();
    // Means are the last of the four lists.
    let list = match numbers.len().checked_div(length) {
        Some(1 | 3) => numbers.get(..length),
        Some(4) => numbers.get(3 * length..),
        _ => None,
    };
    let list = list.filter(|_| numbers.len().is_multiple_of(length));
    let list = list.ok_or_else(|| damaged(path))?;
    Ok(Some(ExactWeights {
        settings,
        name: format!("{sum:016x}"),
        network: list.iter().map(|x| f32::from_le_bytes(*x)).collect(),
    }))
}

/// Returns the parts of a file: the state, the numbers and the checksum.
fn parse<'a>(
    path: &Path,
    bytes: &'a [u8],
) -> anyhow::Result<(TrainState, &'a [[u8; size_of::<f32>()]], u64)> {
    let parts = || {
        let (body, sum) = bytes.split_last_chunk::<8>()?;
        let sum = u64::from_le_bytes(*sum);
        if sum != checksum(body) {
            return None;
        }
        let (length, body) = body.strip_prefix(&MAGIC)?.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (text, numbers) = body.split_at_checked(length)?;
        let (numbers, rest) = numbers.as_chunks();
        let state = serde_json::from_slice(text).ok()?;
        rest.is_empty().then_some((state, numbers, sum))
    };
    Ok(parts().ok_or_else(|| damaged(path))?)
}

fn damaged(path: &Path) -> CheckpointError {
    CheckpointError::Damaged {
        path: path.to_path_buf(),
    }
}

/// Fails with the first setting that differs, if there is one.
fn compare(path: &Path, then: &TrainSettings, now: &TrainSettings) -> anyhow::Result<()> {
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
        Some((name, now)) => Err(CheckpointError::OtherSettings {
            path: path.to_path_buf(),
            then: then.get(&name).unwrap_or(&Value::Null).to_string(),
            now: now.to_string(),
            name,
        }
        .into()),
    }
}

/// A file is not the checkpoint of this run.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file is not a checkpoint, or is damaged.
    #[error("{} is not a checkpoint, or is damaged: remove it, or leave out --resume or --from", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The checkpoint belongs to a run with other settings.
    #[error("{}: the checkpoint was made with {name} = {then}, but this run has {now}", path.display())]
    OtherSettings {
        /// The file.
        path: PathBuf,
        /// Name of the setting that differs.
        name: String,
        /// Its value in the checkpoint.
        then: String,
        /// Its value now.
        now: String,
    },
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

    const SHAPE: Shape = Shape(Architecture {
        king_buckets: 4,
        relations: 17,
        hidden: 64,
    });

    fn state() -> TrainState {
        let settings = TrainSettings {
            king_buckets: 4,
            relations: 17,
            hidden: 64,
            from: None,
            batch: 100,
            steps: 7,
            rates: [0.001, 0.1 / 3.0],
            known_rate: 0.05,
            own_rate: 0.5,
            weight_decay: 0.03,
            floor: 64.0,
            dropout: 0.1,
            lambdas: [0.25, 0.4],
            score_scale: 219.0,
            power: 2.0,
            piece_weights: PieceWeights::default(),
            ema: None,
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
            lambda: 0.3,
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
    fn the_weights_come_back_unrounded() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("weights");
        let mut trainer = Trainer::new(SHAPE, SHAPE.initial(3), 2);
        let load = || {
            let exact = load_weights(&path).expect("weights").expect("weights");
            assert_eq!(exact.settings.architecture(), SHAPE.0);
            exact.network
        };
        save_weights(&path, &state(), &trainer).expect("a writable directory");
        assert_eq!(load(), trainer.network);
        save(&path, &state(), &trainer).expect("a writable directory");
        assert_eq!(load(), trainer.network);
        trainer.average(0.9);
        trainer.mean.fill(0.125);
        save(&path, &state(), &trainer).expect("a writable directory");
        assert_eq!(load(), trainer.mean);
        fs::write(&path, "another file").expect("a writable directory");
        assert!(load_weights(&path).expect("a file").is_none());
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
