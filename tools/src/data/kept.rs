//! Games of matches and tuning runs, stored as training data.
//!
//! `run-match-SEED-ID.json` holds the settings that decide the games, where ID is a checksum of the
//! settings. The games are in `match-SEED-ID-NNNNN.vf.zst`, each with a manifest. Another contest
//! has another ID, and a repeated contest continues with the next number, so two files never have
//! the same name. A game that is stored already is not stored again: neither when a match is
//! repeated after it was killed, nor when both sides play the two games of a pair alike.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::{self, FileError};
use crate::selfplay::GameRecord;
use rejoinder::types::fnv1a;

use super::manifest;
use super::origin::{Contest, ContestPart, Origin};
use super::shard::{self, ShardError};
use super::tally::Tally;
use super::viri;

/// Number of games in a full shard, which a killed process loses at most.
const SHARD_GAMES: u64 = 200;

/// Games cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// Another process keeps the games of the same contest.
    #[error("another program keeps the games of {}: choose another seed or directory", path.display())]
    Busy {
        /// The file that the other process has locked.
        path: PathBuf,
    },
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// Another file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Number of games that were to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Games and positions stored now.
    pub stored: Tally,
    /// Number of games that were stored already, by an earlier process or as the other game of a
    /// pair.
    pub known: u64,
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stored, known } = self;
        write!(
            f,
            "{} games with {} positions to train on",
            stored.games(),
            stored.kept
        )?;
        if *known > 0 {
            write!(f, "; {known} games were stored already")?;
        }
        Ok(())
    }
}

/// Stores the games of a contest. They are collected in memory (a few hundred kilobytes) and
/// written a shard at a time.
#[derive(Debug)]
pub struct Keeper {
    dir: PathBuf,
    /// First part of the file names.
    prefix: String,
    contest: Contest,
    /// Number of the next shard.
    next: u64,
    /// Checksums of the games that are stored already.
    seen: HashSet<u64>,
    /// Encoded games of the next shard.
    bytes: Vec<u8>,
    /// Number of games and positions in the next shard.
    counts: Tally,
    kept: Kept,
    /// Holds the lock, which is released when the process ends for whatever reason.
    _lock: File,
}

/// Returns the first part of the file names of a contest.
fn prefix(contest: &Contest) -> Result<String, serde_json::Error> {
    let id = fnv1a(&serde_json::to_vec(contest)?);
    Ok(format!("{}-{}-{id:016x}-", contest.by, contest.seed))
}

impl Keeper {
    /// Continues storing the games of this contest in this directory, which is created if
    /// necessary. Unfinished files of an earlier process are removed.
    ///
    /// # Errors
    /// If another process stores the same games, the directory cannot be written, or an earlier
    /// file cannot be read.
    pub fn open(dir: &Path, contest: Contest) -> Result<Self, KeepError> {
        files::create_dir(dir)?;
        let json = |reason| FileError::Json {
            path: dir.to_path_buf(),
            reason,
        };
        let prefix = prefix(&contest).map_err(json)?;
        let text = serde_json::to_string_pretty(&contest).map_err(json)?;
        let path = dir.join(format!("run-{}.json", prefix.trim_end_matches('-')));
        let lock = lock(&path, &text).map_err(|reason| FileError::write(&path, reason))?;
        let mut keeper = Self {
            dir: dir.to_path_buf(),
            prefix,
            contest,
            next: 0,
            seen: HashSet::new(),
            bytes: Vec::new(),
            counts: Tally::default(),
            kept: Kept::default(),
            _lock: lock.ok_or(KeepError::Busy { path })?,
        };
        keeper.survey()?;
        Ok(keeper)
    }

    /// Records the games that are stored already.
    fn survey(&mut self) -> Result<(), ShardError> {
        let mut shards: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
        for name in files::names(&self.dir)? {
            let number = name
                .strip_prefix(&self.prefix)
                .and_then(|rest| rest.split_once('.')?.0.parse().ok());
            let Some(number) = number else { continue };
            if name.ends_with(files::TEMPORARY) {
                files::remove(&self.dir.join(name))?;
            } else {
                shards.entry(number).or_default().insert(name);
            }
        }
        for (number, names) in shards {
            // No number is used twice, not even if its file has been removed.
            self.next = number + 1;
            let path = self.path(number);
            if !path.exists() {
                continue;
            }
            if names.len() == 1 {
                manifest::restore(&path, |_| self.played(number))?;
            }
            for game in shard::games(&path, &shard::read(&path)?) {
                let mut bytes = Vec::new();
                viri::encode(&game?, &mut bytes)?;
                self.seen.insert(fnv1a(&bytes));
            }
        }
        Ok(())
    }

    /// Adds the next game, unless it is stored already, and writes the shard if this makes it full.
    ///
    /// # Errors
    /// If the shard cannot be written; earlier shards are untouched.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), ShardError> {
        let before = self.bytes.len();
        viri::encode(game, &mut self.bytes)?;
        if !self.seen.insert(fnv1a(&self.bytes[before..])) {
            self.bytes.truncate(before);
            self.kept.known += 1;
            return Ok(());
        }
        self.counts.add(game);
        if self.counts.games() >= SHARD_GAMES {
            self.finish()?;
        }
        Ok(())
    }

    /// Writes the games that have been collected, if any, and returns the number of games kept so
    /// far.
    ///
    /// # Errors
    /// If the shard cannot be written; earlier shards are untouched.
    pub fn finish(&mut self) -> Result<Kept, FileError> {
        if self.counts.games() > 0 {
            let (path, played) = (self.path(self.next), self.played(self.next));
            manifest::store(&path, &self.bytes, self.counts, Some(played), Vec::new())?;
            self.next += 1;
            self.kept.stored += self.counts;
            self.counts = Tally::default();
            self.bytes.clear();
        }
        Ok(self.kept)
    }

    fn path(&self, number: u64) -> PathBuf {
        let ending = shard::ENDINGS[0];
        self.dir.join(format!("{}{number:05}{ending}", self.prefix))
    }

    fn played(&self, shard: u64) -> Origin {
        Origin::Contest(ContestPart {
            contest: self.contest.clone(),
            shard,
        })
    }
}

/// Opens a file, locks it and writes this text into it. Returns `None` if another process has
/// locked the file.
fn lock(path: &Path, text: &str) -> io::Result<Option<File>> {
    // The file is locked before it is written, since another process may own an existing file.
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
        Ok(()) => {}
    }
    file.set_len(0)?;
    writeln!(file, "{text}")?;
    Ok(Some(file))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::data::origin::Maker;
    use crate::time_control::TimeControl;
    use rejoinder::board::{Board, Outcome};

    fn contest(seed: u64) -> Contest {
        Contest {
            by: Maker::Match,
            engine: "Rejoinder".to_owned(),
            networks: ["a".to_owned(), "b".to_owned()],
            params: None,
            nodes: [1000, 2000].map(TimeControl::Nodes),
            hash: [4, 4],
            seed,
            chess960_share: 0.15,
            played_out: false,
        }
    }

    /// Returns a game of one move with this score.
    fn game(score: i32) -> GameRecord {
        let opening = Board::startpos();
        GameRecord {
            opening,
            moves: vec![(opening.legal_moves()[0], score)],
            outcome: Outcome::Draw,
        }
    }

    fn keep(dir: &Path, seed: u64, scores: impl Iterator<Item = i32>) -> Kept {
        let mut keeper = Keeper::open(dir, contest(seed)).expect("a writable directory");
        for score in scores {
            keeper.add(&game(score)).expect("a writable directory");
        }
        keeper.finish().expect("a writable directory")
    }

    /// Returns the files of games, each with the scores of its games.
    fn shards(dir: &Path) -> Vec<(String, Vec<i32>)> {
        let names = files::names(dir).expect("a directory").into_iter();
        let games = |name: &String| -> Vec<i32> {
            let bytes = shard::read(&dir.join(name)).expect("a shard");
            viri::games(&bytes)
                .map(|game| game.expect("a game").moves[0].1)
                .collect()
        };
        names
            .filter(|name| shard::ending(Path::new(name)).is_some())
            .map(|name| (name.clone(), games(&name)))
            .collect()
    }

    #[test]
    fn shards_are_full_and_say_what_played_them() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let size = SHARD_GAMES as i32;
        let kept = keep(scratch.path(), 3, 0..size + 5);
        assert_eq!((kept.stored.games(), kept.known), (SHARD_GAMES + 5, 0));
        let shards = shards(scratch.path());
        let prefix = prefix(&contest(3)).expect("JSON");
        // Runs that were begun before `played_out` was added keep their names.
        assert_eq!(prefix, "match-3-88d5f243b8f7d0f5-");
        for (number, ((name, scores), expected)) in
            shards.iter().zip([0..size, size..size + 5]).enumerate()
        {
            assert_eq!(*name, format!("{prefix}{number:05}.vf.zst"));
            assert!(scores.iter().copied().eq(expected), "{name}");
            let manifest = manifest::read(&scratch.path().join(name)).expect("a readable file");
            let part = ContestPart {
                contest: contest(3),
                shard: number as u64,
            };
            let manifest = manifest.expect("a manifest");
            assert_eq!(manifest.played, Some(Origin::Contest(part)));
            assert_eq!(manifest.counts.games(), scores.len() as u64);
        }
        assert_eq!(shards.len(), 2);
    }

    #[test]
    fn games_that_are_played_out_are_another_contest() {
        let played_out = Contest {
            played_out: true,
            ..contest(3)
        };
        assert_ne!(prefix(&played_out).ok(), prefix(&contest(3)).ok());
    }

    #[test]
    fn a_game_is_stored_once_and_a_name_is_used_once() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        let prefix = prefix(&contest(3)).expect("JSON");
        keep(dir, 3, 0..5);
        keep(dir, 4, 0..2);
        // One crash between shard and manifest, and one in the middle of a file.
        let first = manifest::path(&dir.join(format!("{prefix}00000.vf.zst")));
        let text = fs::read(&first).expect("a manifest");
        fs::remove_file(&first).expect("removed");
        let half = dir.join(format!("{prefix}00001.vf.zst.tmp"));
        fs::write(&half, b"half").expect("a writable directory");

        let kept = keep(dir, 3, [3, 7, 4, 8, 7].into_iter());
        assert_eq!((kept.stored.games(), kept.known), (2, 3));
        let text_now = fs::read(&first).expect("a manifest again");
        assert_eq!(text_now, text);
        assert!(!half.exists());
        let scores: Vec<Vec<i32>> = shards(dir).into_iter().map(|(_, scores)| scores).collect();
        assert_eq!(scores, [vec![0, 1, 2, 3, 4], vec![7, 8], vec![0, 1]]);

        // The last shard has been removed, but not its manifest.
        fs::remove_file(dir.join(format!("{prefix}00001.vf.zst"))).expect("removed");
        keep(dir, 3, 7..8);
        let last = dir.join(format!("{prefix}00002.vf.zst"));
        assert!(last.exists());
        assert_eq!(keep(dir, 3, 0..5).stored.games(), 0);
        assert_eq!(shards(dir).len(), 3, "no file without games");
    }

    #[test]
    fn two_processes_do_not_keep_the_same_games() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let first = Keeper::open(scratch.path(), contest(3)).expect("a writable directory");
        let error = Keeper::open(scratch.path(), contest(3)).expect_err("busy");
        assert!(error.to_string().contains("run-match-3-"), "{error}");
        assert!(Keeper::open(scratch.path(), contest(4)).is_ok());
        drop(first);
        assert!(Keeper::open(scratch.path(), contest(3)).is_ok());
    }

    #[test]
    fn a_damaged_file_is_named() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        keep(scratch.path(), 3, 0..5);
        let (name, _) = shards(scratch.path()).remove(0);
        fs::write(scratch.path().join(&name), b"something").expect("a writable directory");
        let error = Keeper::open(scratch.path(), contest(3)).expect_err("damaged");
        assert!(error.to_string().contains(&name), "{error}");
    }
}
