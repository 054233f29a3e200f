//! What is known of a shard, in a file of JSON beside it, and the order in which the two are written.
//!
//! The shard comes first, whole and synced; then the manifest, whole and synced. So a manifest always tells of a shard that is there
//! to the last byte, and a crash between the two leaves a good shard whose manifest can be made again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::tools::datagen::run::Settings;
use crate::types::fnv1a;

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

/// How and as which part of a run games were played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
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
