//! Shards: files of whole games that are either complete on the disk or not there at all.
//!
//! A shard is collected in memory (a few hundred kilobytes) and written in one go under a temporary name, flushed
//! to the disk and then renamed. Killing the program loses the games collected so far and nothing else.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use viriformat::dataformat::Game;

/// Why games cannot be stored.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The system refuses; a full disk among other reasons.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A run with this seed has been here.
    #[error("{} holds games of seed {seed} already ({name}): choose another seed or directory", dir.display())]
    SeedTaken {
        /// The directory of the run.
        dir: PathBuf,
        /// The seed of the run.
        seed: u64,
        /// A file of the earlier run.
        name: String,
    },
}

/// Makes the directory if need be, and makes sure that no run with this seed has written there:
/// it would have played the same games.
///
/// # Errors
/// If there is such a file, or the directory cannot be made or read.
pub fn claim(dir: &Path, seed: u64) -> Result<(), ShardError> {
    let failed = |source| ShardError::Write {
        path: dir.to_path_buf(),
        source,
    };
    fs::create_dir_all(dir).map_err(failed)?;
    for entry in fs::read_dir(dir).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&prefix(seed)) {
            return Err(ShardError::SeedTaken {
                dir: dir.to_path_buf(),
                seed,
                name: name.into_owned(),
            });
        }
    }
    Ok(())
}

fn prefix(seed: u64) -> String {
    format!("games-{seed}-")
}

/// The shards of one thread.
#[derive(Debug)]
pub struct Shards {
    dir: PathBuf,
    seed: u64,
    thread: usize,
    number: usize,
    bytes: Vec<u8>,
    games: usize,
    games_each: usize,
}

impl Shards {
    /// Shards of `games_each` games in this directory, named after seed, thread and number.
    pub fn new(dir: &Path, seed: u64, thread: usize, games_each: usize) -> Self {
        Self {
            dir: dir.to_path_buf(),
            seed,
            thread,
            number: 0,
            bytes: Vec::new(),
            games: 0,
            games_each,
        }
    }

    /// Adds a game; a shard that is full with it goes to the disk.
    ///
    /// # Errors
    /// If it cannot be written; earlier shards are untouched.
    pub fn add(&mut self, game: &Game) -> Result<(), ShardError> {
        if let Err(source) = game.serialise_into(&mut self.bytes) {
            let path = self.path();
            return Err(ShardError::Write { path, source });
        }
        self.games += 1;
        if self.games >= self.games_each {
            self.finish()?;
        }
        Ok(())
    }

    /// Writes what has been collected, if anything.
    ///
    /// # Errors
    /// If it cannot be written; earlier shards are untouched.
    pub fn finish(&mut self) -> Result<(), ShardError> {
        if self.games == 0 {
            return Ok(());
        }
        let path = self.path();
        write_whole(&path, &self.bytes).map_err(|source| ShardError::Write { path, source })?;
        self.number += 1;
        self.games = 0;
        self.bytes.clear();
        Ok(())
    }

    /// Where the shard that is being collected will go.
    fn path(&self) -> PathBuf {
        let (prefix, thread, number) = (prefix(self.seed), self.thread, self.number);
        self.dir.join(format!("{prefix}{thread:02}-{number:05}.vf"))
    }
}

/// Makes a file that holds all these bytes even if the power fails in the next moment, or no file.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("vf.tmp");
    let mut file = File::create_new(&temporary)?;
    let result = fill(&mut file, bytes).and_then(|()| rename_new(&temporary, path));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn fill(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

/// Renames without replacing anything, and makes the new name last.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    if to.try_exists()? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)?;
    // A name is kept in its directory; only Unix lets a program flush one.
    #[cfg(unix)]
    if let Some(dir) = to.parent() {
        File::open(dir)?.sync_all()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use viriformat::chess::board::{Board, DrawType, GameOutcome};

    use super::*;
    use crate::tools::scratch::Scratch;

    fn game() -> Game {
        let mut game = Game::new(&Board::default());
        game.set_outcome(GameOutcome::Draw(DrawType::Stalemate));
        game
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).expect("a scratch directory");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn full_shards_and_the_rest_are_written() {
        let scratch = Scratch::new();
        let mut shards = Shards::new(scratch.path(), 7, 1, 2);
        for expected in [0, 1, 1, 2, 2] {
            shards.add(&game()).expect("room");
            assert_eq!(names(scratch.path()).len(), expected);
        }
        shards.finish().expect("room");
        shards.finish().expect("nothing to do");
        let expected = [
            "games-7-01-00000.vf",
            "games-7-01-00001.vf",
            "games-7-01-00002.vf",
        ];
        assert_eq!(names(scratch.path()), expected);
        let sizes =
            expected.map(|name| fs::read(scratch.path().join(name)).expect("a shard").len());
        assert_eq!(sizes, [72, 72, 36]);
    }

    #[test]
    fn nothing_is_ever_overwritten() {
        let scratch = Scratch::new();
        let dir = scratch.path().join("deep/er");
        claim(&dir, 7).expect("a new directory");
        let mut shards = Shards::new(&dir, 7, 0, 1);
        shards.add(&game()).expect("room");

        let error = claim(&dir, 7).expect_err("the seed is taken").to_string();
        assert!(error.contains("games-7-00-00000.vf"), "{error}");
        claim(&dir, 77).expect("another seed");

        let path = dir.join("games-7-00-00000.vf");
        let before = fs::read(&path).expect("the shard");
        let error = write_whole(&path, b"other").expect_err("the name is taken");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).expect("the shard"), before);
        assert_eq!(names(&dir).len(), 1, "no temporary file is left");
    }

    #[test]
    fn errors_name_the_file() {
        let scratch = Scratch::new();
        let mut shards = Shards::new(&scratch.path().join("missing"), 7, 0, 1);
        let error = shards.add(&game()).expect_err("no directory").to_string();
        assert!(error.contains("games-7-00-00000.vf"), "{error}");

        let file = scratch.path().join("file");
        fs::write(&file, b"").expect("room");
        let error = claim(&file, 7).expect_err("no directory").to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
    }
}
