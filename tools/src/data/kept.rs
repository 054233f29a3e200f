//! Games of matches and tuning runs, kept as training data.
//!
//! `run-match-SEED-ID.json` says what decides the games; ID is its checksum. The games are in `match-SEED-ID-NNNNN.vf.zst`, with a
//! manifest beside each. Another contest has another ID, and the same one goes on with the next number, so no two files ever want the same
//! name. A game that is there already is not stored again: neither when a match is repeated after it was killed, nor when both sides
//! play a pair alike.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::selfplay::GameRecord;
use rejoinder::types::fnv1a;

use super::manifest::{self, Part, Played};
use super::shard::{self, ShardError};
use super::tally::Tally;
use super::viri;

/// Games in a shard.
const SHARD_GAMES: u64 = 1000;

/// What played games that were not played for the data alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Maker {
    /// `rejoinder match`, or a part of the program that plays matches.
    Match,
    /// `rejoinder spsa`.
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

/// What decides the games of a match or a tuning run, of both sides where there are two values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    /// What played them.
    pub by: Maker,
    /// Program and version.
    pub engine: String,
    /// Names of the networks of A and B.
    pub networks: [String; 2],
    /// Checksums of the numbers of the search; nothing where they change from game to game.
    pub params: Option<[String; 2]>,
    /// Nodes a move.
    pub nodes: [u64; 2],
    /// Hash in MB.
    pub hash: [u64; 2],
    /// Chooses the openings.
    pub seed: u64,
    /// Share of the openings that begin from a Chess960 start, 0 to 1.
    pub chess960_share: f64,
}

impl Contest {
    /// What the names of its files begin with.
    fn prefix(&self) -> Result<String, serde_json::Error> {
        let id = fnv1a(&serde_json::to_vec(self)?);
        Ok(format!("{}-{}-{id:016x}-", self.by, self.seed))
    }
}

/// Why games cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// Another process keeps the same games.
    #[error("another program keeps the games of {}: choose another seed or directory", path.display())]
    Busy {
        /// The file that it holds.
        path: PathBuf,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] ShardError),
}

/// What has become of the games that were to be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Those that were stored.
    pub stored: Tally,
    /// How many were there already, from an earlier part or as the other game of a pair.
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
            write!(f, "; {known} games were there already")?;
        }
        Ok(())
    }
}

/// Histories the games of a contest. They are collected in memory (a few hundred kilobytes) and written a shard at a time.
#[derive(Debug)]
pub struct Keeper {
    dir: PathBuf,
    prefix: String,
    contest: Contest,
    /// Number of the next shard.
    next: u64,
    /// Checksums of the games that are there.
    seen: HashSet<u64>,
    bytes: Vec<u8>,
    counts: Tally,
    kept: Kept,
    /// Holds the lock, which ends with the process however that ends.
    _lock: File,
}

impl Keeper {
    /// Goes on with the games of this contest in this directory, which is made if need be. What an earlier process left
    /// unfinished is cleared away.
    ///
    /// # Errors
    /// If another process is at it, the directory cannot be written, or an earlier file cannot be read.
    pub fn open(dir: &Path, contest: Contest) -> Result<Self, KeepError> {
        shard::make_dir(dir)?;
        let json = |source| ShardError::Json {
            path: dir.to_path_buf(),
            source,
        };
        let prefix = contest.prefix().map_err(json)?;
        let text = serde_json::to_string_pretty(&contest).map_err(json)?;
        let path = dir.join(format!("run-{}.json", prefix.trim_end_matches('-')));
        let lock = lock(&path, &text).map_err(|source| ShardError::Write {
            path: path.clone(),
            source,
        })?;
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

    /// Takes note of the games that are there.
    fn survey(&mut self) -> Result<(), ShardError> {
        let mut shards: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
        for name in shard::names(&self.dir)? {
            let number = name
                .strip_prefix(&self.prefix)
                .and_then(|rest| rest.split_once('.')?.0.parse().ok());
            let Some(number) = number else { continue };
            if name.ends_with(shard::TEMPORARY) {
                shard::remove(&self.dir.join(name))?;
            } else {
                shards.entry(number).or_default().insert(name);
            }
        }
        for (number, names) in shards {
            // A number is never used again, not even that of a file that somebody took away.
            self.next = number + 1;
            let path = self.path(number);
            if !path.exists() {
                continue;
            }
            if names.len() == 1 {
                manifest::restore(&path, |_| self.played(number))?;
            }
            for game in viri::games(&shard::read(&path)?) {
                let game = game.map_err(|source| ShardError::Game {
                    path: path.clone(),
                    source,
                })?;
                let mut bytes = Vec::new();
                viri::encode(&game, &mut bytes)?;
                self.seen.insert(fnv1a(&bytes));
            }
        }
        Ok(())
    }

    /// Adds the next game, unless it is there already; a shard that is full with it goes to the disk.
    ///
    /// # Errors
    /// If it cannot be written; earlier shards are untouched.
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

    /// Writes what has been collected, if anything, and says what has been kept by now.
    ///
    /// # Errors
    /// If it cannot be written; earlier shards are untouched.
    pub fn finish(&mut self) -> Result<Kept, ShardError> {
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

    fn played(&self, shard: u64) -> Played {
        Played::Contest(Part {
            contest: self.contest.clone(),
            shard,
        })
    }
}

/// The file with this text, locked; `None` if another process has locked it.
fn lock(path: &Path, text: &str) -> io::Result<Option<File>> {
    // Locked before it is written: a name that is there may have an owner.
    let open = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    match open.try_lock() {
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
        Ok(()) => {}
    }
    let mut file = open;
    file.set_len(0)?;
    writeln!(file, "{text}")?;
    Ok(Some(file))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use rejoinder::board::Board;
    use rejoinder::board::Outcome;

    fn contest(seed: u64) -> Contest {
        Contest {
            by: Maker::Match,
            engine: "Rejoinder".to_owned(),
            networks: ["a".to_owned(), "b".to_owned()],
            params: None,
            nodes: [1000, 2000],
            hash: [4, 4],
            seed,
            chess960_share: 0.15,
        }
    }

    /// The game of one move with this score.
    fn game(score: i32) -> GameRecord {
        let opening = Board::startpos();
        GameRecord {
            opening,
            moves: vec![(opening.legal_moves()[0], score)],
            outcome: Outcome::Draw,
        }
    }

    fn keep(dir: &Path, seed: u64, scores: impl Iterator<Item = i32>) -> Kept {
        let mut keeper = Keeper::open(dir, contest(seed)).expect("room");
        for score in scores {
            keeper.add(&game(score)).expect("room");
        }
        keeper.finish().expect("room")
    }

    /// The files of games, each with the scores in it.
    fn shards(dir: &Path) -> Vec<(String, Vec<i32>)> {
        let names = shard::names(dir).expect("a directory").into_iter();
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
        let prefix = contest(3).prefix().expect("JSON");
        assert!(prefix.starts_with("match-3-"));
        for (number, ((name, scores), expected)) in
            shards.iter().zip([0..size, size..size + 5]).enumerate()
        {
            assert_eq!(*name, format!("{prefix}{number:05}.vf.zst"));
            assert!(scores.iter().copied().eq(expected), "{name}");
            let manifest = manifest::read(&scratch.path().join(name)).expect("readable");
            let part = Part {
                contest: contest(3),
                shard: number as u64,
            };
            let manifest = manifest.expect("there");
            assert_eq!(manifest.played, Some(Played::Contest(part)));
            assert_eq!(manifest.counts.games(), scores.len() as u64);
        }
        assert_eq!(shards.len(), 2);
    }

    #[test]
    fn a_game_is_stored_once_and_a_name_is_used_once() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        let prefix = contest(3).prefix().expect("JSON");
        keep(dir, 3, 0..5);
        keep(dir, 4, 0..2);
        // A crash between shard and manifest, and one in the middle of a file.
        let first = manifest::path(&dir.join(format!("{prefix}00000.vf.zst")));
        let text = fs::read(&first).expect("a manifest");
        fs::remove_file(&first).expect("removed");
        let half = dir.join(format!("{prefix}00001.vf.zst.tmp"));
        fs::write(&half, b"half").expect("room");

        let kept = keep(dir, 3, [3, 7, 4, 8, 7].into_iter());
        assert_eq!((kept.stored.games(), kept.known), (2, 3));
        let text_now = fs::read(&first).expect("a manifest again");
        assert_eq!(text_now, text);
        assert!(!half.exists());
        let scores: Vec<Vec<i32>> = shards(dir).into_iter().map(|(_, scores)| scores).collect();
        assert_eq!(scores, [vec![0, 1, 2, 3, 4], vec![7, 8], vec![0, 1]]);

        // Somebody took the last shard away and left its manifest.
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
        let first = Keeper::open(scratch.path(), contest(3)).expect("room");
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
        fs::write(scratch.path().join(&name), b"something").expect("room");
        let error = Keeper::open(scratch.path(), contest(3)).expect_err("damaged");
        assert!(error.to_string().contains(&name), "{error}");
    }
}
