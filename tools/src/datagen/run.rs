//! A run of datagen on the disk: what it was begun with, its files, and where it goes on after it was stopped.
//!
//! `run-SEED.json` holds the settings. Thread T writes `games-SEED-TT-NNNNN.vf.zst` and a manifest beside each. A game depends only on
//! the settings and its number, so a run that goes on makes the games it would have made.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::manifest::{self, Played, Share};
use crate::data::shard::{self, ShardError};
use crate::data::tally::Tally;
use crate::data::viri;
use crate::selfplay::GameRecord;

/// What decides the games of a run, and which thread plays them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Program and version.
    pub engine: String,
    /// Name of its network.
    pub network: String,
    /// Nodes after which no new iteration begins.
    pub nodes: u64,
    /// Times these nodes that end a search at once.
    pub hard_factor: u64,
    /// Hash in MB, for both sides of a game.
    pub hash: u64,
    /// Share of the games that begin from a Chess960 start, 0 to 1.
    pub chess960_share: f64,
    /// Which games are played.
    pub seed: u64,
    /// Games at a time.
    pub threads: u64,
    /// Games in a shard.
    pub shard_games: u64,
}

/// Why a run cannot begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A run with this seed has been here.
    #[error("{} holds games of seed {seed} already: choose another seed or directory, or --resume", dir.display())]
    SeedTaken {
        /// The directory of the run.
        dir: PathBuf,
        /// The seed of the run.
        seed: u64,
    },
    /// There is nothing to go on with.
    #[error("{} holds no run{}", dir.display(), seed.map(|seed| format!(" of seed {seed}")).unwrap_or_default())]
    None {
        /// Where it should be.
        dir: PathBuf,
        /// The seed asked for.
        seed: Option<u64>,
    },
    /// Which one is meant is not clear.
    #[error("{} holds runs of the seeds {}: say which with --seed", dir.display(), list(seeds))]
    Several {
        /// Where they are.
        dir: PathBuf,
        /// Their seeds.
        seeds: Vec<u64>,
    },
    /// Another process works on it.
    #[error("another program is at work on {}", path.display())]
    Busy {
        /// The file of the run.
        path: PathBuf,
    },
    /// It would make other games.
    #[error("the run was begun with other settings: {0}")]
    Differs(String),
    /// Files that the run cannot have left behind.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// The file at fault.
        path: PathBuf,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] ShardError),
}

fn list(seeds: &[u64]) -> String {
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    seeds.join(", ")
}

/// Where a thread goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of its next shard.
    pub shard: u64,
    /// Games it has played.
    pub games: u64,
}

/// A run that this process, and no other, works on.
#[derive(Debug)]
pub struct Run {
    dir: PathBuf,
    /// What it was begun with.
    pub settings: Settings,
    /// Where each thread goes on.
    pub places: Vec<Place>,
    /// What is on the disk.
    pub tally: Tally,
    /// Holds the lock, which ends with the process however that ends.
    _lock: File,
}

impl Run {
    /// Begins a run in this directory, which is made if need be.
    ///
    /// # Errors
    /// If there are games of this seed, or the directory cannot be written.
    pub fn begin(dir: &Path, settings: Settings) -> Result<Self, RunError> {
        shard::make_dir(dir)?;
        let seed = settings.seed;
        let path = file_of(dir, seed);
        let names = shard::names(dir)?;
        let taken =
            |name: &String| name.starts_with(&prefix(seed)) && !name.ends_with(shard::TEMPORARY);
        if path.exists() || names.iter().any(taken) {
            let dir = dir.to_path_buf();
            return Err(RunError::SeedTaken { dir, seed });
        }
        shard::write_json(&path, &settings)?;
        Self::open(dir, settings)
    }

    /// Goes on with a run in this directory: the one with this seed, or the only one. `settings` makes the settings wanted now
    /// from those it was begun with.
    ///
    /// # Errors
    /// If there is no such run, its settings differ from those wanted now, or its files are not all there.
    pub fn resume(
        dir: &Path,
        seed: Option<u64>,
        settings: impl FnOnce(&Settings) -> Settings,
    ) -> Result<Self, RunError> {
        let seeds: Vec<u64> = shard::names(dir)?
            .iter()
            .filter_map(|name| seed_of(name))
            .collect();
        let dir_name = || dir.to_path_buf();
        let seed = match (seed, seeds.as_slice()) {
            (Some(seed), _) => seed,
            (None, [seed]) => *seed,
            (None, []) => {
                return Err(RunError::None {
                    dir: dir_name(),
                    seed,
                });
            }
            (None, _) => {
                return Err(RunError::Several {
                    dir: dir_name(),
                    seeds,
                });
            }
        };
        let path = file_of(dir, seed);
        let begun: Settings = shard::read_json(&path)?.ok_or_else(|| RunError::None {
            dir: dir_name(),
            seed: Some(seed),
        })?;
        let wanted = settings(&begun);
        if begun != wanted {
            return Err(RunError::Differs(differences(&begun, &wanted)));
        }
        Self::open(dir, begun)
    }

    /// Takes the lock, clears away what an earlier process left unfinished, and counts what it finished.
    fn open(dir: &Path, settings: Settings) -> Result<Self, RunError> {
        let path = file_of(dir, settings.seed);
        let lock = File::open(&path).and_then(|file| match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(Some(file)),
        });
        let lock = match lock {
            Ok(Some(lock)) => lock,
            Ok(None) => return Err(RunError::Busy { path }),
            Err(source) => return Err(ShardError::Read { path, source }.into()),
        };
        let mut run = Self {
            dir: dir.to_path_buf(),
            places: vec![Place::default(); settings.threads as usize],
            settings,
            tally: Tally::default(),
            _lock: lock,
        };
        run.survey()?;
        Ok(run)
    }

    fn survey(&mut self) -> Result<(), RunError> {
        let mut files: BTreeMap<(u64, u64), BTreeSet<&str>> = BTreeMap::new();
        let names = shard::names(&self.dir)?;
        for name in &names {
            if let Some((thread, number, ending)) = parse(name, self.settings.seed) {
                if ending.ends_with(shard::TEMPORARY) {
                    shard::remove(&self.dir.join(name))?;
                } else {
                    files.entry((thread, number)).or_default().insert(ending);
                }
            }
        }
        for ((thread, number), endings) in files {
            let path = self.path(thread, number);
            let damaged = |path: &Path, what| RunError::Damaged {
                path: path.to_path_buf(),
                what,
            };
            let place = self.places.get(thread as usize).copied();
            let place = place.ok_or_else(|| damaged(&path, "the run has no such thread"))?;
            if !endings.contains(shard::ENDINGS[0]) {
                return Err(damaged(&path, "it is missing, but its manifest is there"));
            }
            if number != place.shard {
                let missing = self.path(thread, place.shard);
                return Err(damaged(&missing, "it is missing, but later ones are there"));
            }
            let played = |games| self.played(thread, place, games);
            let manifest = match manifest::read(&path)? {
                Some(manifest) => manifest,
                None => manifest::restore(&path, played)?,
            };
            let games = manifest.counts.games();
            let size = path.metadata().map_err(|source| ShardError::Read {
                path: path.clone(),
                source,
            })?;
            if games == 0 || manifest.played != Some(played(games)) || manifest.bytes != size.len()
            {
                return Err(damaged(&path, "its manifest tells of another file"));
            }
            self.tally += manifest.counts;
            self.places[thread as usize] = Place {
                shard: number + 1,
                games: place.games + games,
            };
        }
        Ok(())
    }

    /// What a manifest says of the next so many games of a thread, at least one.
    fn played(&self, thread: u64, place: Place, games: u64) -> Played {
        let number = |game: u64| thread + game * self.settings.threads;
        Played::Datagen(Share {
            run: self.settings.clone(),
            thread,
            shard: place.shard,
            first_game: number(place.games),
            last_game: number((place.games + games).saturating_sub(1)),
        })
    }

    fn path(&self, thread: u64, number: u64) -> PathBuf {
        let (prefix, ending) = (prefix(self.settings.seed), shard::ENDINGS[0]);
        self.dir
            .join(format!("{prefix}{thread:02}-{number:05}{ending}"))
    }
}

/// The file with the settings of a run.
fn file_of(dir: &Path, seed: u64) -> PathBuf {
    dir.join(format!("run-{seed}.json"))
}

fn seed_of(name: &str) -> Option<u64> {
    name.strip_prefix("run-")?
        .strip_suffix(".json")?
        .parse()
        .ok()
}

fn prefix(seed: u64) -> String {
    format!("games-{seed}-")
}

/// Thread, number and ending of a file of this run.
fn parse(name: &str, seed: u64) -> Option<(u64, u64, &str)> {
    let (thread, rest) = name.strip_prefix(&prefix(seed))?.split_once('-')?;
    let (number, _) = rest.split_once('.')?;
    let ending = &rest[number.len()..];
    Some((thread.parse().ok()?, number.parse().ok()?, ending))
}

/// The settings that are not the same, for people.
pub fn differences<T: Serialize>(begun: &T, wanted: &T) -> String {
    let fields = |settings: &T| match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let wanted = fields(wanted);
    let differing = fields(begun).into_iter().filter_map(|(name, there)| {
        let here = wanted.get(&name)?;
        (there != *here).then(|| format!("{name} was {there} and is {here}"))
    });
    differing.collect::<Vec<_>>().join(", ")
}

/// The shards of one thread: collected in memory (a few hundred kilobytes), written when they are full.
#[derive(Debug)]
pub struct Shards<'a> {
    run: &'a Run,
    thread: u64,
    place: Place,
    bytes: Vec<u8>,
    counts: Tally,
}

impl<'a> Shards<'a> {
    /// Goes on with the shards of this thread.
    pub fn new(run: &'a Run, thread: usize) -> Self {
        Self {
            run,
            thread: thread as u64,
            place: run.places[thread],
            bytes: Vec::new(),
            counts: Tally::default(),
        }
    }

    /// Adds the thread's next game; a shard that is full with it goes to the disk. Returns what is in the game.
    ///
    /// # Errors
    /// If it cannot be written; earlier shards are untouched.
    pub fn add(&mut self, game: &GameRecord) -> Result<Tally, ShardError> {
        viri::encode(game, &mut self.bytes)?;
        let mut counts = Tally::default();
        counts.add(game);
        self.counts += counts;
        if self.counts.games() >= self.run.settings.shard_games {
            self.finish()?;
        }
        Ok(counts)
    }

    /// Writes what has been collected, if anything.
    ///
    /// # Errors
    /// If it cannot be written; earlier shards are untouched.
    pub fn finish(&mut self) -> Result<(), ShardError> {
        let games = self.counts.games();
        if games == 0 {
            return Ok(());
        }
        let path = self.run.path(self.thread, self.place.shard);
        let played = self.run.played(self.thread, self.place, games);
        manifest::store(&path, &self.bytes, self.counts, Some(played), Vec::new())?;
        self.place.shard += 1;
        self.place.games += games;
        self.bytes.clear();
        self.counts = Tally::default();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use rejoinder::board::Board;
    use rejoinder::board::Outcome;

    fn game() -> GameRecord {
        GameRecord {
            opening: Board::startpos(),
            moves: Vec::new(),
            outcome: Outcome::Draw,
        }
    }

    fn settings(seed: u64) -> Settings {
        Settings {
            engine: "Rejoinder".to_owned(),
            network: "fedcba9876543210".to_owned(),
            nodes: 1000,
            hard_factor: 8,
            hash: 2,
            chess960_share: 0.15,
            seed,
            threads: 2,
            shard_games: 2,
        }
    }

    /// A run of seed 7 whose thread 1 has played five games.
    fn played(dir: &Path) {
        let run = Run::begin(dir, settings(7)).expect("a new run");
        let mut shards = Shards::new(&run, 1);
        for _ in 0..5 {
            shards.add(&game()).expect("room");
        }
        shards.finish().expect("room");
        shards.finish().expect("nothing to do");
    }

    fn resumed(dir: &Path) -> Result<Run, RunError> {
        Run::resume(dir, None, Settings::clone)
    }

    #[test]
    fn shards_come_with_manifests() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        played(scratch.path());
        let expected = [
            "games-7-01-00000.json",
            "games-7-01-00000.vf.zst",
            "games-7-01-00001.json",
            "games-7-01-00001.vf.zst",
            "games-7-01-00002.json",
            "games-7-01-00002.vf.zst",
            "run-7.json",
        ];
        assert_eq!(shard::names(scratch.path()).expect("names"), expected);
        let path = scratch.path().join(expected[5]);
        let manifest = manifest::read(&path).expect("readable").expect("there");
        let Some(Played::Datagen(share)) = manifest.played else {
            panic!("{manifest:?}");
        };
        assert_eq!((share.first_game, share.last_game), (9, 9));
        assert_eq!((manifest.counts.games(), manifest.counts.draws), (1, 1));
        let raw = shard::read_raw(&path).expect("the shard");
        assert_eq!(manifest.bytes, raw.len() as u64);
        assert_eq!(manifest.checksum, manifest::checksum(&raw));
    }

    #[test]
    fn a_run_goes_on_where_it_stopped() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        played(dir);
        // A crash between shard and manifest, and one in the middle of a file.
        let lost = dir.join("games-7-01-00002.json");
        let text = fs::read(&lost).expect("a manifest");
        fs::remove_file(&lost).expect("removed");
        fs::write(dir.join("games-7-00-00000.vf.zst.tmp"), b"half").expect("room");
        fs::write(dir.join("games-77-00-00000.vf.zst.tmp"), b"another run").expect("room");

        let run = resumed(dir).expect("a run");
        assert_eq!(
            run.places,
            [Place { shard: 0, games: 0 }, Place { shard: 3, games: 5 }]
        );
        assert_eq!(run.tally.games(), 5);
        assert_eq!(fs::read(&lost).expect("a manifest again"), text);
        assert!(!dir.join("games-7-00-00000.vf.zst.tmp").exists());
        assert!(dir.join("games-77-00-00000.vf.zst.tmp").exists());

        let error = resumed(dir).expect_err("busy").to_string();
        assert!(error.contains("another program"), "{error}");
        drop(run);
        assert!(resumed(dir).is_ok());
    }

    #[test]
    fn a_seed_is_used_once() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path().join("deep/er");
        drop(Run::begin(&dir, settings(7)).expect("a new directory"));
        let error = Run::begin(&dir, settings(7))
            .expect_err("taken")
            .to_string();
        assert!(
            error.contains("seed 7") && error.contains("--resume"),
            "{error}"
        );
        drop(Run::begin(&dir, settings(77)).expect("another seed"));
        fs::write(dir.join("games-5-00-00000.vf"), b"").expect("room");
        assert!(
            Run::begin(&dir, settings(5)).is_err(),
            "games of an older program"
        );

        let error = resumed(&dir).expect_err("two runs").to_string();
        assert!(error.contains("7, 77"), "{error}");
        let error = Run::resume(&dir, Some(8), Settings::clone).expect_err("no such run");
        assert!(error.to_string().contains("seed 8"), "{error}");
        let error = resumed(scratch.path()).expect_err("no run").to_string();
        assert!(error.contains("holds no run"), "{error}");
    }

    #[test]
    fn other_settings_are_refused() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        played(scratch.path());
        let error = Run::resume(scratch.path(), Some(7), |begun| Settings {
            nodes: 2000,
            network: "0123456789abcdef".to_owned(),
            ..begun.clone()
        });
        let error = error.expect_err("other games").to_string();
        assert!(error.contains("nodes was 1000 and is 2000"), "{error}");
        assert!(
            error.contains("network was \"fedcba9876543210\""),
            "{error}"
        );
    }

    #[test]
    fn files_that_do_not_fit_are_refused() {
        for (name, remove, says) in [
            (
                "games-7-01-00001.vf.zst",
                true,
                "is missing, but its manifest",
            ),
            ("games-7-01-00001.*", true, "is missing, but later ones"),
            ("games-7-01-00002.vf.zst", false, "tells of another file"),
            ("games-7-05-00000.vf.zst", false, "no such thread"),
        ] {
            let scratch = tempfile::tempdir().expect("a temporary directory");
            let dir = scratch.path();
            played(dir);
            let stem = name.strip_suffix('*').unwrap_or(name);
            for other in shard::names(dir).expect("names") {
                if remove && other.starts_with(stem) {
                    fs::remove_file(dir.join(other)).expect("removed");
                }
            }
            if !remove {
                fs::write(dir.join(name), b"something").expect("room");
            }
            let error = resumed(dir).expect_err(says).to_string();
            assert!(
                error.contains(says) && error.contains("games-7-0"),
                "{error}"
            );
        }
    }
}
