//! The origin of the games of a shard, as manifests and the settings files of runs state it.

use std::fmt;

use rejoinder::types::Score;
use serde::{Deserialize, Serialize};

use crate::time_control::TimeControl;

use super::tally::Tally;

/// The origin of the games of a shard. The three kinds are told apart by their JSON fields.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Origin {
    /// `datagen` played them.
    Datagen(DatagenPart),
    /// They were played in a match or a tuning run.
    Contest(ContestPart),
    /// They were read from PGN.
    Import(ImportPart),
}

/// The part of a datagen run that a shard holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatagenPart {
    pub run: DatagenSettings,
    /// Number of the thread, from 0.
    pub thread: u64,
    /// Number of the shard in its thread, from 0.
    pub shard: u64,
    /// Number of the first game in the run, from 0; a thread plays every `threads`-th game.
    pub first_game: u64,
    /// Number of the last game in the run.
    pub last_game: u64,
}

/// The settings that decide the games of a datagen run, and which thread plays them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatagenSettings {
    /// Name and version of the engine.
    pub engine: String,
    /// Name of the network.
    pub network: String,
    /// Nodes after which a search whose score is recorded begins no new iteration.
    pub nodes: u64,
    /// The mixture of moves and labels; `None` in runs of old, which recorded every score.
    #[serde(flatten)]
    pub mixture: Option<Mixture>,
    /// Parameters of the search that differ from the default, as `name=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub params: Vec<String>,
    /// A search ends at once after its nodes times this factor.
    pub hard_factor: u64,
    /// Hash in MB, shared by both sides of a game.
    pub hash: u64,
    /// Share of the games that begin from a Chess960 start, 0 to 1.
    pub chess960_share: f64,
    /// Seed of the openings.
    pub seed: u64,
    /// Number of games played at a time.
    pub threads: u64,
    /// Number of games in a full shard.
    pub shard_games: u64,
}

impl DatagenSettings {
    /// Returns the number of positions that count towards the target of a run, and what they are:
    /// the useful ones, or without labels all.
    pub fn counted(&self, tally: &Tally) -> (u64, &'static str) {
        match self.mixture {
            Some(Mixture { label_every: 0, .. }) => (tally.positions, "positions"),
            _ => (tally.useful, "useful positions"),
        }
    }
}

/// The mixture of cheap moves, random moves and labels in the games of a datagen run, and the
/// openings that they begin from. The default is the best one known of those with labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    /// Nodes after which a search whose score is not recorded begins no new iteration.
    pub move_nodes: u64,
    /// One ply in this many may get a label; 0 for none.
    pub label_every: u64,
    /// Share of the plies without a label at which a random move is played, 0 to 1.
    pub random_moves: f64,
    /// From this ply on, counted from the initial position of chess, no move is random.
    pub random_until: Option<u64>,
    /// Nodes of the search that judges an opening.
    pub opening_nodes: u64,
    /// Greatest score of an opening, for either side, in internal centipawns.
    pub opening_score: Score,
}

impl Default for Mixture {
    fn default() -> Self {
        Self {
            move_nodes: 30,
            label_every: 4,
            random_moves: 0.06,
            random_until: None,
            opening_nodes: 400,
            opening_score: 300,
        }
    }
}

impl Mixture {
    /// The best mixture known without labels, for returns ([`crate::data::returns`]): random moves
    /// end early, because they would falsify what the later course of a game says.
    pub fn without_labels() -> Self {
        Self {
            label_every: 0,
            random_moves: 0.1,
            random_until: Some(24),
            ..Self::default()
        }
    }
}

impl fmt::Display for Mixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.label_every {
            0 => f.write_str("no labels")?,
            every => write!(f, "one ply in {every} labelled")?,
        }
        write!(
            f,
            ", moves of {} nodes, {:.1}% random",
            self.move_nodes,
            100.0 * self.random_moves
        )?;
        match self.random_until {
            None => Ok(()),
            Some(until) => write!(f, " before ply {until}"),
        }
    }
}

/// The part of a match or a tuning run that a shard holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContestPart {
    /// The match or the tuning run.
    pub contest: Contest,
    /// Number of the shard, from 0.
    pub shard: u64,
}

/// The settings that decide the games of a match or a tuning run. Arrays hold the values of side A
/// and side B.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    /// The command that played the games.
    pub by: Maker,
    /// Name and version of the engine.
    pub engine: String,
    /// Names of the networks.
    pub networks: [String; 2],
    /// Checksums of the search parameters; `None` if they change from game to game.
    pub params: Option<[String; 2]>,
    /// Limits of the searches: nodes a move, or a clock.
    pub nodes: [TimeControl; 2],
    /// Hash in MB.
    pub hash: [u64; 2],
    /// Seed of the openings.
    pub seed: u64,
    /// Share of the openings that begin from a Chess960 start, 0 to 1.
    pub chess960_share: f64,
    /// True if all games were played to the end, without adjudication.
    #[serde(default, skip_serializing_if = "is_false")]
    pub played_out: bool,
}

/// Lets manifests and names of contests from before a setting was added stay as they were.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The part of a file of PGN that a shard holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportPart {
    /// The file, and what it was read with.
    pub import: Import,
    /// Names of players in this shard, in alphabetical order; the first few if there are many.
    pub players: Vec<String>,
    /// Number of the shard, from 0.
    pub shard: u64,
}

/// A file of PGN, which may be an archive, and what it was read with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Name of the file.
    pub from: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Name and version of the program that read it.
    pub engine: String,
    /// Name of the network whose win-rate model turned the scores back into internal centipawns.
    pub network: String,
}

/// A command that plays games for another purpose than data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maker {
    /// `match`, or a command that plays matches.
    Match,
    /// `spsa`.
    Spsa,
}

impl fmt::Display for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Match => "match",
            Self::Spsa => "spsa",
        })
    }
}
