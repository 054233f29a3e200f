//! The run report: a JSON file beside a network that states how the network was made.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;

use rejoinder::types::Rng;
use serde::{Serialize, Serializer};

use super::checkpoint::TrainSettings;
use super::history::Measurement;
use super::quantize::QuantizationLosses;

/// The report of a training run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The [command line](command_line).
    pub command: Vec<String>,
    /// Name and version of the engine.
    pub version: &'static str,
    /// Name of the network, which is its checksum.
    pub network: String,
    /// Settings of the run.
    pub settings: TrainSettings,
    /// Counts of the games and positions by the name of their directory.
    pub data: BTreeMap<String, DataCounts>,
    /// Evaluation in centipawns for an output of 1.
    pub scale: i32,
    /// Constants of the win-rate model: `a` without and with all material, then `b`.
    pub win_rate: [[i32; 2]; 2],
    /// Errors that the rounding of the weights causes.
    #[serde(rename = "quantisation")]
    pub quantization: QuantizationLosses,
    /// Duration of the training in seconds.
    pub seconds: f64,
    /// Positions trained on per second.
    pub positions_per_second: f64,
    /// Measurements after each superbatch.
    pub history: Vec<Measurement>,
}

/// Counts of the files, games and positions of a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DataCounts {
    /// Number of files.
    pub files: u64,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Number of positions to train on.
    pub training: u64,
    /// Number of positions for validation.
    pub validation: u64,
    /// Checksum of the names of the files and of the positions in each.
    #[serde(serialize_with = "hexadecimal")]
    pub checksum: u64,
}

/// Returns a checksum of files to which the name of one is added, given its number of positions.
pub fn with_name(checksum: u64, file: &Path, positions: u64) -> u64 {
    let name = file.file_name().unwrap_or_default();
    let bytes = name.as_encoded_bytes().iter().copied();
    let numbers = bytes.map(u64::from).chain([positions]);
    numbers.fold(checksum, |checksum, number| {
        Rng::stream(checksum, number).next()
    })
}

fn hexadecimal<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format!("{number:016x}"))
}

/// Returns the command line, with the last name of each path alone: the other folders are those of
/// one machine.
pub fn command_line() -> Vec<String> {
    env::args()
        .map(|argument| without_folders(&argument))
        .collect()
}

fn without_folders(argument: &str) -> String {
    let (option, value) = match argument.split_once('=') {
        Some((option, value)) if option.starts_with("--") => (format!("{option}="), value),
        _ => (String::new(), argument),
    };
    let name = Path::new(value).file_name();
    let name = name.map_or(value.into(), |name| name.to_string_lossy());
    format!("{option}{name}")
}

/// Returns the last name of a directory; `.` for the current one.
pub fn last_name(dir: &Path) -> String {
    let name = dir.file_name().unwrap_or(".".as_ref());
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_folder_of_the_machine_is_told() {
        for (argument, told) in [
            ("train", "train"),
            ("/folder/games/d9", "d9"),
            ("games/d9/", "d9"),
            ("--from=/folder/a=b.rjn", "--from=a=b.rjn"),
            ("8:0.45,16:1", "8:0.45,16:1"),
            ("4e-5", "4e-5"),
        ] {
            assert_eq!(without_folders(argument), told);
        }
        assert_eq!(last_name(Path::new("")), ".");
        assert_eq!(last_name(Path::new("/folder/d9")), "d9");
    }
}
