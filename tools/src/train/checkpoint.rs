//! The state of a run on the disk: what it needs to go on as if it had never been stopped.
//!
//! ```text
//!  0  8 bytes  "REJTRAIN"
//!  8  u64      length of the text
//! 16  text     the state as JSON, without the long lists
//!     f32      the network, the optimiser's first and second means, little-endian
//!     u64      checksum of all bytes before it
//! ```

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::shard;

use super::TrainError;
use super::history::Point;
use super::trainer::Trainer;

const MAGIC: [u8; 8] = *b"REJTRAIN";

/// What a run depends on: a checkpoint goes on with the same only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// King buckets.
    pub king_buckets: usize,
    /// H.
    pub hidden: usize,
    /// Whether there are layers behind the hidden one.
    pub layered: bool,
    /// Name of the network that is trained on; nothing for small random numbers.
    pub from: Option<String>,
    /// Positions a step.
    pub batch: usize,
    /// Batches in all.
    pub steps: u64,
    /// Learning rate after the warm-up and at the end.
    pub rates: [f64; 2],
    /// Share of the result in the target at the beginning and at the end.
    pub blends: [f64; 2],
    /// Centipawns of an output of 1.
    pub score_scale: f64,
    /// The power of the error that is the loss.
    pub power: f64,
    /// The weight of a position with two pieces, where one with 32 weighs 1.
    #[serde(default = "all_alike")]
    pub few_pieces: f64,
    /// The seed.
    pub seed: u64,
    /// Threads: the order of summation hangs on them.
    pub threads: usize,
    /// Positions to learn from.
    pub training_positions: u64,
    /// Positions to validate with.
    pub validation_positions: u64,
    /// Files that the positions were dealt to, 0 for memory.
    pub shuffle_files: usize,
    /// Names and sizes of the files of games, as one number.
    pub data: String,
}

/// In older checkpoints all positions weigh the same.
const fn all_alike() -> f64 {
    1.0
}

/// Where a run is, beside its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// What it depends on.
    pub settings: Settings,
    /// Batches learnt from.
    pub step: u64,
    /// Seconds so far.
    pub seconds: f64,
    /// What was measured so far.
    pub history: Vec<Point>,
}

/// Writes a checkpoint in place of an earlier one.
///
/// # Errors
/// If it cannot be written; the earlier one is still there.
pub fn save(path: &Path, state: &State, trainer: &Trainer) -> Result<(), TrainError> {
    let text = serde_json::to_vec(state).map_err(io::Error::from)?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    for list in lists(trainer) {
        bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
    }
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    Ok(shard::replace(path, &bytes)?)
}

/// Reads a checkpoint back into a trainer of a run with these settings.
///
/// # Errors
/// If it cannot be read, is damaged, or was made with other settings.
pub fn load(path: &Path, settings: &Settings, trainer: &mut Trainer) -> Result<State, TrainError> {
    let bytes = fs::read(path).map_err(|source| TrainError::Read {
        path: path.to_path_buf(),
        source,
    })?;
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
    let state: State = serde_json::from_slice(text).map_err(|_| damaged())?;
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
    Ok(state)
}

/// Says which setting is another, if one is.
fn compare(path: &Path, then: &Settings, now: &Settings) -> Result<(), TrainError> {
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

/// FNV-1a, eight bytes at a time.
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
    use super::*;
    use crate::train::model::Shape;
    use rejoinder::eval::network::{Architecture, Head};

    const SHAPE: Shape = Shape(Architecture {
        king_buckets: 4,
        hidden: 32,
        head: Head::Layered,
    });

    fn state() -> State {
        let settings = Settings {
            king_buckets: 4,
            hidden: 32,
            layered: false,
            from: None,
            batch: 100,
            steps: 7,
            rates: [0.001, 0.1 / 3.0],
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
        let point = Point {
            positions: 500,
            training_loss: 0.1,
            validation_loss: 0.2 / 3.0,
            final_loss: 0.3 / 7.0,
            rate: 0.001,
            blend: 0.3,
            speed: 1e6 / 7.0,
        };
        State {
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
            save(&path, &state, &trainer).expect("room");
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
        save(&path, &state, &trainer).expect("room");
        let other = Settings {
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
            fs::write(&path, damaged).expect("room");
            let error = load(&path, &state.settings, &mut trainer).expect_err("damage");
            assert!(error.to_string().contains("damaged"), "{error}");
        }
    }
}
