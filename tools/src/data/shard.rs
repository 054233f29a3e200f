//! Shards: files of whole games that are either complete on the disk or not there at all.
//!
//! Every file is written in one go under a temporary name, flushed to the disk and then renamed. A full disk or a killed program
//! leaves at most a temporary file.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::viri::{BadGame, ViriError};

/// What names of shards end in: compressed by Zstandard, and plain.
pub const ENDINGS: [&str; 2] = [".vf.zst", ".vf"];
/// What names of unfinished files end in.
pub const TEMPORARY: &str = ".tmp";
/// Bytes a shard may have when it is read, not compressed: more than twice the largest that is ever written.
const MAX_BYTES: u64 = 1 << 30;
/// Bytes a manifest may have.
const MAX_JSON: u64 = 1 << 20;
/// Beyond it, Zstandard takes much longer and gains little.
const LEVEL: i32 = 9;

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
    /// The system refuses; a full disk among other reasons.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or directory.
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
    #[error("{} holds more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Bytes that are read at most.
        limit: u64,
    },
    /// A file beside the shards that says nothing.
    #[error("{} is not what it should be: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A bad game.
    #[error("{}: {source}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// Which game, and what is wrong.
        source: BadGame,
    },
    /// A game does not fit the format.
    #[error(transparent)]
    Format(#[from] ViriError),
}

/// The games of a file as [`viri::games`](super::viri::games) wants them, whether the file is compressed (`.vf.zst`) or not (`.vf`).
///
/// # Errors
/// Names the file: it cannot be read, its name is none of these, or it holds more than a gigabyte.
pub fn read(path: &Path) -> Result<Vec<u8>, ShardError> {
    let raw = read_raw(path)?;
    let unpacked = match unpack(path, &raw)? {
        Cow::Owned(games) => Some(games),
        Cow::Borrowed(_) => None,
    };
    Ok(unpacked.unwrap_or(raw))
}

/// The bytes of a shard as they are on the disk.
///
/// # Errors
/// As [`read`].
pub fn read_raw(path: &Path) -> Result<Vec<u8>, ShardError> {
    match File::open(path) {
        Ok(file) => read_up_to(path, file, MAX_BYTES),
        Err(source) => Err(read_failed(path, source)),
    }
}

/// The games in the bytes of this shard.
///
/// # Errors
/// As [`read`].
pub fn unpack<'a>(path: &Path, raw: &'a [u8]) -> Result<Cow<'a, [u8]>, ShardError> {
    match ending(path) {
        Some(".vf") => Ok(Cow::Borrowed(raw)),
        Some(_) => {
            let decoder = zstd::Decoder::new(raw).map_err(|error| read_failed(path, error))?;
            Ok(Cow::Owned(read_up_to(path, decoder, MAX_BYTES)?))
        }
        None => Err(ShardError::Name {
            path: path.to_path_buf(),
        }),
    }
}

fn read_up_to(path: &Path, from: impl Read, limit: u64) -> Result<Vec<u8>, ShardError> {
    let mut bytes = Vec::new();
    from.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| read_failed(path, source))?;
    if bytes.len() as u64 > limit {
        return Err(ShardError::TooLarge {
            path: path.to_path_buf(),
            limit,
        });
    }
    Ok(bytes)
}

fn read_failed(path: &Path, source: io::Error) -> ShardError {
    let path = path.to_path_buf();
    ShardError::Read { path, source }
}

fn write_failed(path: &Path, source: io::Error) -> ShardError {
    let path = path.to_path_buf();
    ShardError::Write { path, source }
}

/// How the name of a shard ends; `None` for other files.
pub fn ending(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy();
    ENDINGS.into_iter().find(|ending| name.ends_with(ending))
}

/// The bytes of the compressed shard with these games.
///
/// # Errors
/// If memory is short.
pub fn compress(path: &Path, games: &[u8]) -> Result<Vec<u8>, ShardError> {
    let compress = || {
        let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.write_all(games)?;
        encoder.finish()
    };
    compress().map_err(|source| write_failed(path, source))
}

/// What a file of JSON says; `None` if there is no such file.
///
/// # Errors
/// If it cannot be read, or says something else.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ShardError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(read_failed(path, source)),
    };
    let bytes = read_up_to(path, file, MAX_JSON)?;
    let value = serde_json::from_slice(&bytes).map_err(|source| ShardError::Json {
        path: path.to_path_buf(),
        source,
    })?;
    Ok(Some(value))
}

/// Makes a file of JSON as [`write_whole`] does.
///
/// # Errors
/// As [`write_whole`].
pub fn write_json<T: Serialize>(path: &Path, value: &T) -> Result<(), ShardError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| write_failed(path, io::Error::other(error)))?;
    text.push('\n');
    write_whole(path, text.as_bytes())
}

/// Makes a file that holds all these bytes even if the power fails in the next moment, or no file.
///
/// # Errors
/// If it cannot be written, or is there already: nothing is ever overwritten.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ShardError> {
    write(path, bytes, rename_new)
}

/// Makes such a file in place of an earlier one, if there is one: until the new one is complete, the earlier one stays.
///
/// # Errors
/// If it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), ShardError> {
    write(path, bytes, |from, to| fs::rename(from, to))
}

fn write(
    path: &Path,
    bytes: &[u8],
    rename: impl Fn(&Path, &Path) -> io::Result<()>,
) -> Result<(), ShardError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(TEMPORARY);
    let temporary = PathBuf::from(temporary);
    let result = fill(&temporary, bytes).and_then(|()| rename(&temporary, path));
    result.map_err(|source| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
        write_failed(path, source)
    })
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
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
        File::open(if dir.as_os_str().is_empty() {
            Path::new(".")
        } else {
            dir
        })?
        .sync_all()?;
    }
    Ok(())
}

/// Makes a directory for files, if there is none.
///
/// # Errors
/// If it cannot be made.
pub fn make_dir(dir: &Path) -> Result<(), ShardError> {
    fs::create_dir_all(dir).map_err(|source| write_failed(dir, source))
}

/// The names in a directory.
///
/// # Errors
/// If it cannot be read.
pub fn names(dir: &Path) -> Result<Vec<String>, ShardError> {
    let list = || {
        fs::read_dir(dir)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<Vec<_>>>()
    };
    let mut names = list().map_err(|source| read_failed(dir, source))?;
    names.sort_unstable();
    Ok(names)
}

/// Removes a file of ours.
///
/// # Errors
/// If it cannot be removed.
pub fn remove(path: &Path) -> Result<(), ShardError> {
    fs::remove_file(path).map_err(|source| write_failed(path, source))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn plain_and_compressed_files_are_read() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| scratch.path().join(name);
        let bytes = vec![7; 100_000];
        let packed = compress(Path::new("b"), &bytes).expect("memory");
        let mut damaged = packed.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        fs::write(path("a.vf"), &bytes).expect("room");
        fs::write(path("b.vf.zst"), &packed).expect("room");
        for name in ["a.vf", "b.vf.zst"] {
            assert_eq!(read(&path(name)).expect(name), bytes);
        }
        for (name, bytes) in [
            ("cut.vf.zst", &packed[..packed.len() - 1]),
            ("damaged.vf.zst", &damaged),
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
        let packed = compress(Path::new("bomb"), &vec![0; 1_000_001]).expect("memory");
        let read = |limit| {
            let decoder = zstd::Decoder::new(packed.as_slice()).expect("a frame");
            read_up_to(Path::new("bomb.vf.zst"), decoder, limit)
        };
        assert_eq!(read(1_000_001).expect("fits").len(), 1_000_001);
        let error = read(1_000_000).expect_err("too large").to_string();
        assert_eq!(error, "bomb.vf.zst holds more than 1000000 bytes");
    }

    #[test]
    fn nothing_is_ever_overwritten() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("games.vf");
        write_whole(&path, b"games").expect("room");
        let error = write_whole(&path, b"other").expect_err("the name is taken");
        assert!(error.to_string().contains("games.vf"), "{error}");
        assert_eq!(fs::read(&path).expect("the shard"), b"games");
        let names = names(scratch.path()).expect("a directory");
        assert_eq!(names, ["games.vf"], "no temporary file is left");
    }

    #[test]
    fn errors_name_the_file() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("missing/games.vf");
        let error = write_whole(&path, b"").expect_err("no directory");
        assert!(error.to_string().contains("games.vf"), "{error}");
        let file = scratch.path().join("file");
        fs::write(&file, b"{").expect("room");
        let error = make_dir(&file).expect_err("no directory").to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
        let error = read_json::<u64>(&file).expect_err("no number").to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
        assert!(matches!(read_json::<u64>(&path), Ok(None)));
    }

    /// Every write of a full disk fails with an error; this device is one.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let error = fill(Path::new("/dev/full"), b"games").expect_err("no room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
