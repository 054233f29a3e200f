//! Shards: files of whole games in viriformat, compressed by Zstandard (`.vf.zst`) or plain
//! (`.vf`).

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::{self, FileError};
use crate::selfplay::GameRecord;

use super::viri::{self, BadGame, ViriError};

/// Endings of the names of shards: compressed by Zstandard, and plain.
pub const ENDINGS: [&str; 2] = [".vf.zst", ".vf"];
/// Maximum size of an uncompressed shard in bytes when it is read: more than twice the largest that
/// is ever written.
const MAX_BYTES: u64 = 1 << 30;
/// Compression level of Zstandard; higher levels take much longer and gain little.
const LEVEL: i32 = 9;

/// Games cannot be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum ShardError {
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The name is not the name of a shard.
    #[error("{} is not a file of games: their names end in .vf or .vf.zst", path.display())]
    Name {
        /// The file.
        path: PathBuf,
    },
    /// A game in a file is damaged.
    #[error("{}: {reason}", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// The number of the game, and the fault.
        reason: BadGame,
    },
    /// A game does not fit the format.
    #[error(transparent)]
    Format(#[from] ViriError),
}

/// Reads the uncompressed bytes of a shard, as [`viri::games`] takes them.
///
/// # Errors
/// If the file cannot be read, is not a shard by its name, or holds more than a gigabyte.
pub fn read(path: &Path) -> Result<Vec<u8>, ShardError> {
    let raw = read_raw(path)?;
    let unpacked = match unpack(path, &raw)? {
        Cow::Owned(games) => Some(games),
        Cow::Borrowed(_) => None,
    };
    Ok(unpacked.unwrap_or(raw))
}

/// Reads the bytes of a shard as they are on the disk.
///
/// # Errors
/// If the file cannot be read or holds more than a gigabyte.
pub(crate) fn read_raw(path: &Path) -> Result<Vec<u8>, FileError> {
    match File::open(path) {
        Ok(file) => files::read_up_to(path, file, MAX_BYTES),
        Err(reason) => Err(FileError::read(path, reason)),
    }
}

/// Uncompresses the bytes of the shard `path`, if its name says that they are compressed.
///
/// # Errors
/// If the bytes are damaged, the file is not a shard by its name, or there is more than a gigabyte.
pub fn unpack<'a>(path: &Path, raw: &'a [u8]) -> Result<Cow<'a, [u8]>, ShardError> {
    match ending(path) {
        Some(".vf") => Ok(Cow::Borrowed(raw)),
        Some(_) => {
            let decoder =
                zstd::Decoder::new(raw).map_err(|reason| FileError::read(path, reason))?;
            Ok(Cow::Owned(files::read_up_to(path, decoder, MAX_BYTES)?))
        }
        None => Err(ShardError::Name {
            path: path.to_path_buf(),
        }),
    }
}

/// Decodes the uncompressed bytes of the shard `path` game by game; the first damaged game is the
/// last one returned.
pub(crate) fn games<'a>(
    path: &'a Path,
    bytes: &'a [u8],
) -> impl Iterator<Item = Result<GameRecord, ShardError>> + 'a {
    viri::games(bytes).map(move |game| {
        game.map_err(|reason| ShardError::Game {
            path: path.to_path_buf(),
            reason,
        })
    })
}

/// Returns the ending of a shard's name; `None` for other files.
pub fn ending(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy();
    ENDINGS.into_iter().find(|ending| name.ends_with(ending))
}

/// Compresses games for the shard `path`.
///
/// # Errors
/// If memory is short.
pub(crate) fn compress(path: &Path, games: &[u8]) -> Result<Vec<u8>, FileError> {
    let compress = || -> io::Result<Vec<u8>> {
        let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
        encoder.include_checksum(true)?;
        encoder.write_all(games)?;
        encoder.finish()
    };
    compress().map_err(|reason| FileError::write(path, reason))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn plain_and_compressed_files_are_read() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| scratch.path().join(name);
        let bytes = vec![7; 100_000];
        let packed = compress(Path::new("b"), &bytes).expect("memory");
        let mut damaged = packed.clone();
        *damaged.last_mut().expect("bytes") ^= 1;
        fs::write(path("a.vf"), &bytes).expect("a writable directory");
        fs::write(path("b.vf.zst"), &packed).expect("a writable directory");
        for name in ["a.vf", "b.vf.zst"] {
            assert_eq!(read(&path(name)).expect(name), bytes);
        }
        for (name, bytes) in [
            ("cut.vf.zst", &packed[..packed.len() - 1]),
            ("damaged.vf.zst", &damaged),
            ("plain.vf.zst", &bytes),
            ("name.bin", &bytes),
        ] {
            fs::write(path(name), bytes).expect("a writable directory");
            let error = read(&path(name)).expect_err(name).to_string();
            assert!(error.contains(name), "{error}");
        }
        let error = read(&path("missing.vf")).expect_err("missing");
        assert!(error.to_string().contains("missing.vf"), "{error}");
    }

    #[test]
    fn a_compression_bomb_is_refused() {
        let packed = compress(Path::new("bomb"), &vec![0; 1_000_001]).expect("memory");
        let read = |limit| {
            let decoder = zstd::Decoder::new(packed.as_slice()).expect("a frame");
            files::read_up_to(Path::new("bomb.vf.zst"), decoder, limit)
        };
        assert_eq!(read(1_000_001).expect("fits").len(), 1_000_001);
        let error = read(1_000_000).expect_err("too large").to_string();
        assert_eq!(error, "bomb.vf.zst holds more than 1000000 bytes");
    }
}
