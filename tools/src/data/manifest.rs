//! What is known of a shard, in a file of JSON beside it, and the order in which the two are written.
//!
//! The shard comes first, whole and synced; then the manifest, whole and synced. So a manifest always tells of a shard that is there
//! to the last byte, and a crash between the two leaves a good shard whose manifest can be made again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::datagen::run::Settings;
use rejoinder::types::fnv1a;

use super::kept::Contest;
use super::shard::{self, ShardError};
use super::tally::Tally;
use super::viri;

/// What is known of a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// How its games were played; nothing if that is not known.
    pub played: Option<Played>,
    /// Where its scores come from if not from the games, the first rescoring first.
    pub rescored: Vec<Rescored>,
    /// What is in it.
    pub counts: Tally,
    /// Size of the file.
    pub bytes: u64,
    /// FNV-1a of the file, 16 hexadecimal digits.
    pub checksum: String,
}

/// How games were played. Their fields tell the two kinds apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Played {
    /// By datagen.
    Datagen(Share),
    /// In a match, or to tune numbers.
    Contest(Part),
}

/// The part of a match or a tuning run that is in a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What decided the games.
    pub contest: Contest,
    /// Number of the shard.
    pub shard: u64,
}

/// The part of a run of datagen that is in a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The run.
    pub run: Settings,
    /// Number of the thread.
    pub thread: u64,
    /// Number of the shard in its thread.
    pub shard: u64,
    /// Number of the first game in the run; the thread plays every `threads`-th.
    pub first_game: u64,
    /// Number of the last game.
    pub last_game: u64,
}

/// A search that gave new scores to games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescored {
    /// Name of the file with the old scores.
    pub from: String,
    /// Checksum of that file.
    pub checksum: String,
    /// Program and version.
    pub engine: String,
    /// Name of its network.
    pub network: String,
    /// Nodes after which no new iteration began.
    pub nodes: u64,
    /// Times these nodes that ended a search at once.
    pub hard_factor: u64,
    /// Hash in MB.
    pub hash: u64,
}

/// Checksum of a file's bytes as manifests give it.
pub fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", fnv1a(bytes))
}

/// Where the manifest of a shard is.
pub fn path(shard: &Path) -> PathBuf {
    let name = shard.to_string_lossy();
    let stem = shard::ENDINGS
        .into_iter()
        .find_map(|ending| name.strip_suffix(ending));
    PathBuf::from(format!("{}.json", stem.unwrap_or(&name)))
}

/// Compresses the games and writes them, and then the manifest.
///
/// # Errors
/// If one of the files cannot be written or is there already. No damaged file is left, but perhaps a shard without a manifest.
pub fn store(
    shard: &Path,
    games: &[u8],
    counts: Tally,
    played: Option<Played>,
    rescored: Vec<Rescored>,
) -> Result<(), ShardError> {
    let bytes = shard::compress(shard, games)?;
    shard::write_whole(shard, &bytes)?;
    let manifest = Manifest {
        played,
        rescored,
        counts,
        bytes: bytes.len() as u64,
        checksum: checksum(&bytes),
    };
    write(shard, &manifest)
}

/// Writes the manifest of a shard that is there.
///
/// # Errors
/// If it cannot be written or is there already.
pub fn write(shard: &Path, manifest: &Manifest) -> Result<(), ShardError> {
    shard::write_json(&path(shard), manifest)
}

/// The manifest of a shard, if there is one.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn read(shard: &Path) -> Result<Option<Manifest>, ShardError> {
    shard::read_json(&path(shard))
}

/// Makes the manifest of a shard again from its games; `played` says how from how many there are.
///
/// # Errors
/// If the shard cannot be read or a game is bad, or the manifest not written.
pub fn restore(shard: &Path, played: impl FnOnce(u64) -> Played) -> Result<Manifest, ShardError> {
    let mut counts = Tally::default();
    let raw = shard::read_raw(shard)?;
    let games = shard::unpack(shard, &raw)?;
    for game in viri::games(&games) {
        counts.add(&game.map_err(|source| ShardError::Game {
            path: shard.to_path_buf(),
            source,
        })?);
    }
    let manifest = Manifest {
        played: Some(played(counts.games())),
        rescored: Vec::new(),
        counts,
        bytes: raw.len() as u64,
        checksum: checksum(&raw),
    };
    write(shard, &manifest)?;
    Ok(manifest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the program wrote it before matches kept their games.
    const OLD: &str = r#"{
        "played": {
            "run": {
                "engine": "Rejoinder 0.1.0", "network": "fedcba9876543210", "nodes": 500, "hard_factor": 8, "hash": 2,
                "chess960_share": 0.15, "seed": 18446744073709551615, "threads": 2, "shard_games": 1000
            },
            "thread": 1, "shard": 3, "first_game": 6001, "last_game": 7999
        },
        "rescored": [],
        "counts": {"white_wins": 1, "draws": 2, "black_wins": 3, "positions": 600, "kept": 200},
        "bytes": 1234,
        "checksum": "0123456789abcdef"
    }"#;

    #[test]
    fn old_manifests_are_read_and_say_what_they_said() {
        let manifest: Manifest = serde_json::from_str(OLD).expect("a manifest");
        let Some(Played::Datagen(share)) = &manifest.played else {
            panic!("{manifest:?}");
        };
        assert_eq!((share.run.seed, share.run.chess960_share), (u64::MAX, 0.15));
        assert_eq!((share.shard, share.last_game), (3, 7999));
        let again = serde_json::to_value(&manifest).expect("JSON");
        let old: serde_json::Value = serde_json::from_str(OLD).expect("JSON");
        assert_eq!(again, old);
        let unknown = OLD.replace("\"run\"", "\"ran\"");
        assert!(serde_json::from_str::<Manifest>(&unknown).is_err());
    }
}
