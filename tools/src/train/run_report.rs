//! How a network was made, as a file beside it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::checkpoint::Settings;
use super::history::Point;
use super::quantize::Losses;

/// All there is to say about a run.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    /// The command line.
    pub command: Vec<String>,
    /// Version of the program.
    pub version: &'static str,
    /// The network's checksum, as the engine prints it.
    pub network: String,
    /// What the run depended on.
    pub settings: Settings,
    /// What was read, by directory.
    pub data: BTreeMap<String, Data>,
    /// Centipawns of an output of 1.
    pub scale: i32,
    /// The win-rate model's `a` without and with all material, then `b`.
    pub win_rate: [[i32; 2]; 2],
    /// What rounding cost.
    pub quantisation: Losses,
    /// Seconds of training.
    pub seconds: f64,
    /// Positions learnt from a second.
    pub positions_per_second: f64,
    /// What was measured along the run.
    pub history: Vec<Point>,
}

/// What the files of a directory held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Data {
    /// Files of games.
    pub files: u64,
    /// Games.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
    /// Positions to learn from.
    pub training: u64,
    /// Positions to validate with.
    pub validation: u64,
}
