//! The run report: a JSON file beside a network that states how the network was made.

use std::collections::BTreeMap;

use serde::Serialize;

use super::checkpoint::TrainSettings;
use super::history::Measurement;
use super::quantize::QuantizationLosses;

/// The report of a training run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// The command line.
    pub command: Vec<String>,
    /// Name and version of the engine.
    pub version: &'static str,
    /// Name of the network, which is its checksum.
    pub network: String,
    /// Settings of the run.
    pub settings: TrainSettings,
    /// Counts of the games and positions by directory.
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
}
