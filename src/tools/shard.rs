//! Shards: files of whole games that are either complete on the disk or not there at all.
//!
//! A shard is collected in memory (a few hundred kilobytes) and written in one go under a temporary name, flushed
//! to the disk and then renamed. Killing the program loses the games collected so far and nothing else.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::selfplay::GameRecord;
use super::viri::{self, ViriError};

/// Bytes a shard may have when it is read, not compressed: more than twice the largest that is ever written.
const MAX_BYTES: u64 = 1 << 30;

/// Why games cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// The system does not give the file, or it is not what its name says.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A name that no file of games has.
    #[error("{} is no file of games: their names end in .vf or .vf.zst", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// Too large to be right.
    #[error("{} holds more than {limit} bytes of games", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Bytes that are read at most.
        limit: u64,
    },
    /// A game does not fit the format.
    #[error(transparent)]
    Format(#[from] ViriError),
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

/// Whether a file of this name holds games, and whether they are compressed.
fn compressed(path: &Path) -> Option<bool> {
    let name = path.file_name()?.to_string_lossy();
    if name.ends_with(".vf.zst") {
        Some(true)
    } else {
        name.ends_with(".vf").then_some(false)
    }
}

/// The games of a file as [`viri::games`] wants them, whether the file is compressed (`.vf.zst`) or not (`.vf`).
///
/// # Errors
/// Names the file: it cannot be read, its name is none of these, or it holds more than a gigabyte.
pub fn read(path: &Path) -> Result<Vec<u8>, ShardError> {
    read_up_to(path, MAX_BYTES)
}

fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, ShardError> {
    let compressed = compressed(path).ok_or_else(|| ShardError::Name {
        path: path.to_path_buf(),
    })?;
    let mut bytes = Vec::new();
    let mut fill = |from: &mut dyn Read| from.take(limit + 1).read_to_end(&mut bytes);
    File::open(path)
        .and_then(|mut file| {
            if compressed {
                fill(&mut zstd::Decoder::new(file)?)
            } else {
                fill(&mut file)
            }
        })
        .map_err(|source| ShardError::Read {
            path: path.to_path_buf(),
            source,
        })?;
    if bytes.len() as u64 > limit {
        return Err(ShardError::TooLarge {
            path: path.to_path_buf(),
            limit,
        });
    }
    Ok(bytes)
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
    pub fn add(&mut self, game: &GameRecord) -> Result<(), ShardError> {
        viri::encode(game, &mut self.bytes)?;
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
    use super::*;
    use crate::board::Board;
    use crate::tools::scratch::Scratch;
    use crate::tools::selfplay::Outcome;

    fn game() -> GameRecord {
        GameRecord {
            opening: Board::startpos(),
            moves: Vec::new(),
            outcome: Outcome::Draw,
        }
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
    #[test]
    fn plain_and_compressed_files_are_read() {
        let scratch = Scratch::new();
        let path = |name: &str| scratch.path().join(name);
        let bytes = vec![7; 100_000];
        let packed = zstd::encode_all(bytes.as_slice(), 9).expect("memory");
        fs::write(path("a.vf"), &bytes).expect("room");
        fs::write(path("b.vf.zst"), &packed).expect("room");
        for name in ["a.vf", "b.vf.zst"] {
            assert_eq!(read(&path(name)).expect(name), bytes);
        }
        for (name, bytes) in [
            ("cut.vf.zst", &packed[..packed.len() - 1]),
            ("plain.vf.zst", &bytes),
            ("name.bin", &bytes),
        ] {
            fs::write(path(name), bytes).expect("room");
            let error = read(&path(name)).expect_err(name).to_string();
            assert!(error.contains(name), "{error}");
        }
        let error = read(&path("missing.vf")).expect_err("missing");
        assert!(error.to_string().contains("missing.vf"), "{error}");
    }

    #[test]
    fn a_bomb_is_refused() {
        let scratch = Scratch::new();
        let path = scratch.path().join("bomb.vf.zst");
        let packed = zstd::encode_all(vec![0; 1_000_001].as_slice(), 9).expect("memory");
        fs::write(&path, packed).expect("room");
        assert_eq!(read_up_to(&path, 1_000_001).expect("fits").len(), 1_000_001);
        let error = read_up_to(&path, 1_000_000).expect_err("too large");
        assert!(error.to_string().contains("more than 1000000"), "{error}");
    }
}
