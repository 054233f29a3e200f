//! A datagen run on the disk: its settings, its files, and the place where it continues after an
//! interruption.
//!
//! `run-SEED.json` holds the settings. Thread T writes the shards `games-SEED-TT-NNNNN.vf.zst`,
//! each with a manifest. A game depends only on the settings and its number, so an interrupted run
//! continues with the games that it would have played anyway.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::data::manifest;
use crate::data::origin::{DatagenPart, DatagenSettings, Origin};
use crate::data::shard::{self, ShardError};
use crate::data::tally::Tally;
use crate::data::viri;
use crate::differences::differences;
use crate::files::{self, FileError};
use crate::selfplay::GameRecord;

/// A run cannot begin or continue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The directory has games of a run already.
    #[error("{} holds games of seed {} already: go on with --resume, or choose another directory", dir.display(), list(seeds))]
    Taken {
        /// The directory.
        dir: PathBuf,
        /// The seeds of its runs.
        seeds: Vec<u64>,
    },
    /// There is no run to continue.
    #[error("{} holds no run{}", dir.display(), seed.map(|seed| format!(" of seed {seed}")).unwrap_or_default())]
    None {
        /// The directory.
        dir: PathBuf,
        /// The seed asked for, if any.
        seed: Option<u64>,
    },
    /// The directory has several runs, and the arguments do not choose one.
    #[error("{} holds runs of the seeds {}: choose one with --seed", dir.display(), list(seeds))]
    Several {
        /// The directory.
        dir: PathBuf,
        /// The seeds of the runs.
        seeds: Vec<u64>,
    },
    /// Another process plays the games of this run.
    #[error("another program is working on {}", path.display())]
    Busy {
        /// The settings file of the run.
        path: PathBuf,
    },
    /// The settings given differ from those of the run, so that it would play other games.
    #[error("the run was begun with other settings: {0}")]
    Differs(String),
    /// The directory has files that the run cannot have written, or lacks files that it must have
    /// written.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// The file at fault.
        path: PathBuf,
        /// The fault.
        what: &'static str,
    },
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// Another file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

fn list(seeds: &[u64]) -> String {
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    seeds.join(", ")
}

/// The place where a thread continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Number of the next shard.
    pub shard: u64,
    /// Number of games played.
    pub games: u64,
}

/// A run that only this process works on.
#[derive(Debug)]
pub struct Run {
    dir: PathBuf,
    /// Settings of the run.
    pub settings: DatagenSettings,
    /// The place where each thread continues.
    pub places: Vec<Place>,
    /// Games and positions on the disk.
    pub tally: Tally,
    /// Holds the lock, which is released when the process ends for whatever reason.
    _lock: File,
}

impl Run {
    /// Begins a run in this directory, which is created if necessary.
    ///
    /// # Errors
    /// If there are games of a run already, or the directory cannot be written.
    pub fn begin(dir: &Path, settings: DatagenSettings) -> Result<Self, RunError> {
        files::create_dir(dir)?;
        let seed = settings.seed;
        let path = file_of(dir, seed);
        let names = files::names(dir)?;
        let taken =
            |name: &String| name.starts_with(&prefix(seed)) && !name.ends_with(files::TEMPORARY);
        if path.exists() || names.iter().any(taken) {
            let (dir, seeds) = (dir.to_path_buf(), vec![seed]);
            return Err(RunError::Taken { dir, seeds });
        }
        // Another run would mix games of another network or other settings into this one.
        let others = seeds(dir)?;
        if !others.is_empty() {
            let (dir, seeds) = (dir.to_path_buf(), others);
            return Err(RunError::Taken { dir, seeds });
        }
        files::create_json(&path, &settings)?;
        Self::open(dir, settings)
    }

    /// Continues a run in this directory: the one with this seed, or the only one. `settings`
    /// returns the settings wanted now, given those of the run.
    ///
    /// # Errors
    /// If there is no such run, its settings differ from those wanted now, or some of its files are
    /// missing.
    pub fn resume(
        dir: &Path,
        seed: Option<u64>,
        settings: impl FnOnce(&DatagenSettings) -> DatagenSettings,
    ) -> Result<Self, RunError> {
        let seeds = seeds(dir)?;
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
        let begun: DatagenSettings = files::read_json(&path)?.ok_or_else(|| RunError::None {
            dir: dir_name(),
            seed: Some(seed),
        })?;
        let wanted = settings(&begun);
        if begun != wanted {
            return Err(RunError::Differs(differences(&begun, &wanted)));
        }
        Self::open(dir, begun)
    }

    /// Locks the run, removes unfinished files of an earlier process, and counts the finished ones.
    fn open(dir: &Path, settings: DatagenSettings) -> Result<Self, RunError> {
        let path = file_of(dir, settings.seed);
        let lock = File::open(&path).and_then(|file| match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(Some(file)),
        });
        let lock = match lock {
            Ok(Some(lock)) => lock,
            Ok(None) => return Err(RunError::Busy { path }),
            Err(reason) => return Err(FileError::Read { path, reason }.into()),
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
        let names = files::names(&self.dir)?;
        for name in &names {
            if let Some((thread, number, ending)) = parse(name, self.settings.seed) {
                if ending.ends_with(files::TEMPORARY) {
                    files::remove(&self.dir.join(name))?;
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
                return Err(damaged(&path, "it is missing, but its manifest exists"));
            }
            if number != place.shard {
                let missing = self.path(thread, place.shard);
                return Err(damaged(
                    &missing,
                    "it is missing, but later files of the run exist",
                ));
            }
            let played = |games| self.played(thread, place, games);
            let manifest = match manifest::read(&path)? {
                Some(manifest) => manifest,
                None => manifest::restore(&path, played)?,
            };
            let games = manifest.counts.games();
            let size = path
                .metadata()
                .map_err(|reason| FileError::read(&path, reason))?;
            if games == 0 || manifest.played != Some(played(games)) || manifest.bytes != size.len()
            {
                return Err(damaged(&path, "its manifest describes another file"));
            }
            self.tally += manifest.counts;
            self.places[thread as usize] = Place {
                shard: number + 1,
                games: place.games + games,
            };
        }
        Ok(())
    }

    /// Returns the origin of the next games of a thread, of which there must be at least one.
    fn played(&self, thread: u64, place: Place, games: u64) -> Origin {
        let number = |game: u64| thread + game * self.settings.threads;
        Origin::Datagen(DatagenPart {
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

/// Returns the path of the settings file of a run.
fn file_of(dir: &Path, seed: u64) -> PathBuf {
    dir.join(format!("run-{seed}.json"))
}

/// Returns the seeds of the runs in a directory.
///
/// # Errors
/// If the directory cannot be read.
pub fn seeds(dir: &Path) -> Result<Vec<u64>, FileError> {
    let names = files::names(dir)?;
    Ok(names.iter().filter_map(|name| seed_of(name)).collect())
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

/// Splits the name of a file of this run into thread, number and ending.
fn parse(name: &str, seed: u64) -> Option<(u64, u64, &str)> {
    let (thread, rest) = name.strip_prefix(&prefix(seed))?.split_once('-')?;
    let (number, _) = rest.split_once('.')?;
    let ending = &rest[number.len()..];
    Some((thread.parse().ok()?, number.parse().ok()?, ending))
}

/// The writer of one thread's shards. Games are collected in memory (a few hundred kilobytes) until
/// a shard is full.
#[derive(Debug)]
pub struct Shards<'a> {
    run: &'a Run,
    thread: u64,
    place: Place,
    bytes: Vec<u8>,
    counts: Tally,
}

impl<'a> Shards<'a> {
    /// Continues the shards of this thread.
    pub fn new(run: &'a Run, thread: usize) -> Self {
        Self {
            run,
            thread: thread as u64,
            place: run.places[thread],
            bytes: Vec::new(),
            counts: Tally::default(),
        }
    }

    /// Adds the next game of the thread and writes the shard if this makes it full. Returns the
    /// counts of the game.
    ///
    /// # Errors
    /// If the shard cannot be written; earlier shards are untouched.
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

    /// Writes the games that have been collected, if any.
    ///
    /// # Errors
    /// If the shard cannot be written; earlier shards are untouched.
    pub fn finish(&mut self) -> Result<(), FileError> {
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
mod tests;
