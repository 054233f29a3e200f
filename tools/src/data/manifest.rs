//! Manifests: a JSON file beside each shard that describes it.
//!
//! The shard is written and flushed to the disk before its manifest. A manifest therefore always
//! describes a complete shard, and a crash between the two leaves a good shard whose manifest can
//! be made again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{self, FileError};
use rejoinder::types::fnv1a;

use super::origin::Origin;
use super::returns::Returns;
use super::shard::{self, ShardError};
use super::tally::Tally;

/// The description of a shard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The way its games were played; `None` if that is unknown.
    pub played: Option<Origin>,
    /// The searches that replaced the scores of the games, the first rescoring first.
    pub rescored: Vec<Rescored>,
    /// Number of games and positions.
    pub counts: Tally,
    /// Size of the shard file in bytes.
    pub bytes: u64,
    /// FNV-1a of the shard file as 16 hexadecimal digits.
    pub checksum: String,
}

/// A search, or evaluations without one, that gave games new scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rescored {
    /// Name of the file with the old scores.
    pub from: String,
    /// Checksum of that file.
    pub checksum: String,
    /// Name and version of the engine.
    pub engine: String,
    /// Name of the network; the names of several are separated by commas.
    pub network: String,
    /// Nodes after which a search began no new iteration; 0 if networks evaluated the plies without
    /// a score, of which the mean is the new score.
    pub nodes: u64,
    /// A search ended at once after `nodes` times this factor.
    pub hard_factor: u64,
    /// Hash in MB; 0 without a search.
    pub hash: u64,
    /// Lambda and the scale of the scores, if the new scores are lambda-returns of the networks'
    /// evaluations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<Returns>,
}

/// Returns the checksum of a file's bytes as manifests state it.
pub fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", fnv1a(bytes))
}

/// Returns the path of a shard's manifest.
pub fn path(shard: &Path) -> PathBuf {
    let name = shard.to_string_lossy();
    let stem = shard::ENDINGS
        .into_iter()
        .find_map(|ending| name.strip_suffix(ending));
    PathBuf::from(format!("{}.json", stem.unwrap_or(&name)))
}

/// Compresses games, writes the shard, and then writes its manifest.
///
/// # Errors
/// If one of the files exists already or cannot be written. A shard without a manifest may be left,
/// but never a damaged file.
pub fn store(
    shard: &Path,
    games: &[u8],
    counts: Tally,
    played: Option<Origin>,
    rescored: Vec<Rescored>,
) -> Result<(), FileError> {
    let bytes = shard::compress(shard, games)?;
    files::create(shard, &bytes)?;
    describe(shard, &bytes, counts, played, rescored)?;
    Ok(())
}

/// Writes the manifest of an existing shard, given the bytes of its file.
///
/// # Errors
/// If the manifest exists already or cannot be written.
pub fn describe(
    shard: &Path,
    raw: &[u8],
    counts: Tally,
    played: Option<Origin>,
    rescored: Vec<Rescored>,
) -> Result<Manifest, FileError> {
    let manifest = Manifest {
        played,
        rescored,
        counts,
        bytes: raw.len() as u64,
        checksum: checksum(raw),
    };
    files::create_json(&path(shard), &manifest)?;
    Ok(manifest)
}

/// Reads the manifest of a shard; `None` if there is none.
///
/// # Errors
/// If the file cannot be read or is not a manifest.
pub fn read(shard: &Path) -> Result<Option<Manifest>, FileError> {
    files::read_json(&path(shard))
}

/// Returns the number of games and positions of a shard, by its manifest if there is one.
///
/// # Errors
/// If the manifest or, without one, the shard cannot be read, or a game is damaged.
pub fn counts(shard: &Path) -> Result<Tally, ShardError> {
    match read(shard)? {
        Some(manifest) => Ok(manifest.counts),
        None => tally(shard, &shard::read_raw(shard)?),
    }
}

/// Counts the games and positions of a shard, given the bytes of its file.
fn tally(shard: &Path, raw: &[u8]) -> Result<Tally, ShardError> {
    let mut counts = Tally::default();
    for game in shard::games(shard, &shard::unpack(shard, raw)?) {
        counts.add(&game?);
    }
    Ok(counts)
}

/// Makes the manifest of a shard again from its games. `played` states their origin, given their
/// number.
///
/// # Errors
/// If the shard cannot be read, a game is damaged, or the manifest cannot be written.
pub fn restore(shard: &Path, played: impl FnOnce(u64) -> Origin) -> Result<Manifest, ShardError> {
    let raw = shard::read_raw(shard)?;
    let counts = tally(shard, &raw)?;
    let played = Some(played(counts.games()));
    Ok(describe(shard, &raw, counts, played, Vec::new())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A manifest as the program wrote it before matches kept their games.
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
        let Some(Origin::Datagen(part)) = &manifest.played else {
            panic!("{manifest:?}");
        };
        assert_eq!((part.run.seed, part.run.chess960_share), (u64::MAX, 0.15));
        assert_eq!((part.shard, part.last_game), (3, 7999));
        let again = serde_json::to_value(&manifest).expect("JSON");
        let old: serde_json::Value = serde_json::from_str(OLD).expect("JSON");
        assert_eq!(again, old);
        let unknown = OLD.replace("\"run\"", "\"ran\"");
        assert!(serde_json::from_str::<Manifest>(&unknown).is_err());
    }
}
