//! The state of a run on the disk: what it needs to go on as if it had never been stopped.
//!
//! ```text
//!  0  8 bytes  "REJTRAIN"
//!  8  u64      length of the text
//! 16  text     the state as JSON, without the long lists
//!     f32      the network, the optimiser's first and second means, little-endian
//!     u64      checksum of all bytes before it
//! ```

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::TrainError;
use super::history::Point;
use super::trainer::Trainer;

const MAGIC: [u8; 8] = *b"REJTRAIN";

/// What a run depends on: a checkpoint goes on with the same only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// H.
    pub hidden: usize,
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
    let failed = |source| TrainError::Write {
        path: path.to_path_buf(),
        source,
    };
    let text = serde_json::to_vec(state).map_err(|error| failed(error.into()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    for list in lists(trainer) {
        bytes.extend(list.iter().flat_map(|x| x.to_le_bytes()));
    }
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    replace(path, &bytes).map_err(failed)
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

/// Makes a file that holds all these bytes, or leaves what was there.
///
/// # Errors
/// If the system refuses.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    let temporary = Path::new(&name);
    let fill = || {
        let mut file = File::create(temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(temporary, path)
    };
    let result = fill();
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(temporary);
    }
    result
}
