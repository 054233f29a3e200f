//! The files that imported games are stored in: `NAME-NNNNN.vf.zst`, where `NAME` is that of the
//! file of PGN without its endings. The same input gives the same files, so an interrupted import is
//! simply repeated; a file that differs is never replaced.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use anyhow::bail;
use rejoinder::types::fnv1a;

use crate::data::manifest;
use crate::data::origin::{Import, ImportPart, Origin};
use crate::data::shard;
use crate::data::tally::Tally;
use crate::data::viri;
use crate::selfplay::GameRecord;

/// Number of games in a full shard.
const SHARD_GAMES: u64 = 1000;
/// Number of players that a manifest names.
const PLAYERS: usize = 8;

/// Endings that are no part of a name.
const PACKED: [&str; 9] = [
    ".pgn", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".zst", ".tzst", ".txt",
];

/// Stores the games of one file, a shard at a time.
#[derive(Debug)]
pub(super) struct Output {
    dir: PathBuf,
    import: Import,
    /// Number of the next shard.
    next: u64,
    /// Encoded games of the next shard.
    bytes: Vec<u8>,
    counts: Tally,
    players: BTreeSet<String>,
    /// Checksums of the games in the next shard.
    seen: HashSet<u64>,
    pub stored: Stored,
}

/// Number of games that were to be stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stored {
    /// Games and positions stored now.
    pub new: Tally,
    /// Number of games that an earlier import has stored.
    pub known: u64,
    /// Number of games that are equal to another one near them, such as the second one of a pair
    /// that two equal players played.
    pub twice: u64,
}

/// Returns the name of the files for the games of a file of PGN.
pub(super) fn stem(name: &str) -> &str {
    let mut stem = name;
    while let Some(shorter) = PACKED.iter().find_map(|ending| stem.strip_suffix(ending))
        && !shorter.is_empty()
    {
        stem = shorter;
    }
    stem
}

impl Output {
    /// Begins the files of an import.
    pub fn new(dir: &Path, import: Import) -> Self {
        Self {
            dir: dir.to_path_buf(),
            import,
            next: 0,
            bytes: Vec::new(),
            counts: Tally::default(),
            players: BTreeSet::new(),
            seen: HashSet::new(),
            stored: Stored::default(),
        }
    }

    /// Adds a game between these players, and writes the shard if this makes it full.
    ///
    /// # Errors
    /// If the shard cannot be written, or there is another one in its place.
    pub fn add(&mut self, game: &GameRecord, players: &[String]) -> anyhow::Result<()> {
        let before = self.bytes.len();
        viri::encode(game, &mut self.bytes)?;
        if !self.seen.insert(fnv1a(&self.bytes[before..])) {
            self.bytes.truncate(before);
            self.stored.twice += 1;
            return Ok(());
        }
        self.counts.add(game);
        for player in players {
            if self.players.len() < PLAYERS && !self.players.contains(player) {
                self.players.insert(player.clone());
            }
        }
        if self.counts.games() >= SHARD_GAMES {
            self.finish()?;
        }
        Ok(())
    }

    /// Writes the games that have been collected, if any.
    ///
    /// # Errors
    /// If the shard cannot be written, or there is another one in its place.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        let counts = std::mem::take(&mut self.counts);
        if counts.games() == 0 {
            return Ok(());
        }
        let name = format!("{}-{:05}", stem(&self.import.from), self.next);
        let path = self.dir.join(name + shard::ENDINGS[0]);
        let part = ImportPart {
            import: self.import.clone(),
            players: std::mem::take(&mut self.players).into_iter().collect(),
            shard: self.next,
        };
        let played = Some(Origin::Import(part));
        let bytes = std::mem::take(&mut self.bytes);
        if path.exists() {
            self.verify(&path, &bytes, counts, played)?;
            self.stored.known += counts.games();
        } else {
            manifest::store(&path, &bytes, counts, played, Vec::new())?;
            self.stored.new += counts;
        }
        self.seen.clear();
        self.next += 1;
        Ok(())
    }

    /// Makes sure that a shard is the one that would be written, and gives it the manifest that a
    /// kill may have prevented.
    fn verify(
        &self,
        path: &Path,
        bytes: &[u8],
        counts: Tally,
        played: Option<Origin>,
    ) -> anyhow::Result<()> {
        let raw = shard::read_raw(path)?;
        let manifest = manifest::read(path)?;
        let is_same = manifest.as_ref().is_none_or(|there| there.played == played);
        if !is_same || *shard::unpack(path, &raw)? != *bytes {
            bail!(
                "{} exists already and holds other games than {} now: choose another directory",
                path.display(),
                self.import.from
            );
        }
        if manifest.is_none() {
            manifest::describe(path, &raw, counts, played, Vec::new())?;
        }
        Ok(())
    }
}
