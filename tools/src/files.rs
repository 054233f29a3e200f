//! Files that are either complete on the disk or do not exist at all, and JSON in such files.
//!
//! A file is written under a temporary name, flushed to the disk and then renamed. A full disk or a
//! killed program leaves at most a temporary file behind.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Ending of the names of unfinished files.
pub const TEMPORARY: &str = ".tmp";
/// Maximum size of a JSON file in bytes; larger ones are refused.
///
/// This keeps a file that was named by mistake, such as gigabytes of games, out of memory. It must
/// not refuse what this program wrote itself: the history of a run gets some kilobytes longer with
/// each generation, and reaches this limit after tens of thousands of them.
const MAX_JSON: u64 = 256 << 20;

/// A file or directory cannot be read or written.
///
/// The text tells the reason, too. So the reason is no `source`, which a report would add to it.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The operating system refuses to read the file or directory, or its contents are damaged.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file or directory.
        path: PathBuf,
        reason: io::Error,
    },
    /// The operating system refuses to write the file or directory, for example because the disk is
    /// full.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file or directory.
        path: PathBuf,
        reason: io::Error,
    },
    /// The file is too large to be what it should be.
    #[error("{} holds more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Maximum size in bytes.
        limit: u64,
    },
    /// The file is not the JSON document that was expected.
    #[error("{} cannot be understood: {reason}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        reason: serde_json::Error,
    },
}

impl FileError {
    /// Returns the error for a file or directory that cannot be read.
    pub fn read(path: &Path, reason: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Read { path, reason }
    }

    /// Returns the error for a file or directory that cannot be written.
    pub fn write(path: &Path, reason: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Write { path, reason }
    }
}

/// Reads a whole file.
///
/// # Errors
/// If the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(|reason| FileError::read(path, reason))
}

/// Reads all bytes of `from`, which belong to the file `path`.
///
/// # Errors
/// If reading fails or there are more than `limit` bytes.
pub(crate) fn read_up_to(path: &Path, from: impl Read, limit: u64) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    from.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|reason| FileError::read(path, reason))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge {
            path: path.to_path_buf(),
            limit,
        });
    }
    Ok(bytes)
}

/// Reads a JSON document; `None` if the file does not exist.
///
/// # Errors
/// If the file cannot be read, is larger than 256 MiB, or holds something else.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, FileError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(reason) => return Err(FileError::read(path, reason)),
    };
    let bytes = read_up_to(path, file, MAX_JSON)?;
    let value = serde_json::from_slice(&bytes).map_err(|reason| FileError::Json {
        path: path.to_path_buf(),
        reason,
    })?;
    Ok(Some(value))
}

/// Creates a JSON file, as [`create`] does.
///
/// # Errors
/// If the file exists already or cannot be written.
pub fn create_json<T: Serialize>(path: &Path, value: &T) -> Result<(), FileError> {
    create(path, json_text(path, value)?.as_bytes())
}

/// Writes a JSON file and replaces an earlier one, as [`replace`] does.
///
/// # Errors
/// If the file cannot be written.
pub fn replace_json<T: Serialize>(path: &Path, value: &T) -> Result<(), FileError> {
    replace(path, json_text(path, value)?.as_bytes())
}

fn json_text<T: Serialize>(path: &Path, value: &T) -> Result<String, FileError> {
    let mut text = serde_json::to_string_pretty(value)
        .map_err(|error| FileError::write(path, io::Error::other(error)))?;
    text.push('\n');
    Ok(text)
}

/// Creates a file with these bytes. The file survives a power failure directly afterwards.
///
/// # Errors
/// If the file exists already, since nothing is overwritten, or if it cannot be written.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes, rename_new)
}

/// Writes a file and replaces an earlier one of the same name, which stays until the new file is
/// complete.
///
/// # Errors
/// If the file cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write(path, bytes, |from, to| fs::rename(from, to))
}

fn write(
    path: &Path,
    bytes: &[u8],
    rename: impl Fn(&Path, &Path) -> io::Result<()>,
) -> Result<(), FileError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(TEMPORARY);
    let temporary = PathBuf::from(temporary);
    let result = fill(&temporary, bytes).and_then(|()| rename(&temporary, path));
    result.map_err(|reason| {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
        FileError::write(path, reason)
    })
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Renames a file without replacing another, and flushes the new name to the disk.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    if to.try_exists()? {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)?;
    // The name is stored in the directory, and only Unix lets a program flush a directory.
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

/// Creates a directory and its parents, if they do not exist.
///
/// # Errors
/// If the directory cannot be created.
pub fn create_dir(dir: &Path) -> Result<(), FileError> {
    fs::create_dir_all(dir).map_err(|reason| FileError::write(dir, reason))
}

/// Returns the names of the files and directories in a directory, sorted.
///
/// # Errors
/// If the directory cannot be read.
pub fn names(dir: &Path) -> Result<Vec<String>, FileError> {
    let list = || {
        fs::read_dir(dir)?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<Vec<_>>>()
    };
    let mut names = list().map_err(|reason| FileError::read(dir, reason))?;
    names.sort_unstable();
    Ok(names)
}

/// Removes a file.
///
/// # Errors
/// If the file cannot be removed.
pub fn remove(path: &Path) -> Result<(), FileError> {
    fs::remove_file(path).map_err(|reason| FileError::write(path, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_bytes_are_refused() {
        let read = |limit| read_up_to(Path::new("large.json"), &[0_u8; 1000][..], limit);
        assert_eq!(read(1000).expect("it fits").len(), 1000);
        let error = read(999).expect_err("too large").to_string();
        assert_eq!(error, "large.json holds more than 999 bytes");
    }

    #[test]
    fn a_report_tells_the_reason_once() {
        let reason = "the disk is on fire";
        let error = FileError::read(Path::new("games.vf"), io::Error::other(reason));
        let report = format!("{:#}", anyhow::Error::from(error));
        assert_eq!(report.matches(reason).count(), 1, "{report}");
    }

    #[test]
    fn nothing_is_ever_overwritten() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("games.vf");
        create(&path, b"games").expect("a writable directory");
        let error = create(&path, b"other").expect_err("the name is taken");
        assert!(error.to_string().contains("games.vf"), "{error}");
        assert_eq!(fs::read(&path).expect("the file"), b"games");
        let names = names(scratch.path()).expect("a directory");
        assert_eq!(names, ["games.vf"], "no temporary file is left");
    }

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("state.json");
        for state in [vec![1, 2], vec![3]] {
            replace_json(&path, &state).expect("a writable directory");
            assert_eq!(read_json(&path).expect("readable JSON"), Some(state));
        }
        let names = names(scratch.path()).expect("a directory");
        assert_eq!(names, ["state.json"], "no temporary file is left");
    }

    #[test]
    fn errors_name_the_file() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("missing/games.vf");
        let error = create(&path, b"").expect_err("no directory");
        assert!(error.to_string().contains("games.vf"), "{error}");
        let file = scratch.path().join("file");
        fs::write(&file, b"{").expect("a writable directory");
        let error = create_dir(&file).expect_err("no directory").to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
        let error = read_json::<u64>(&file).expect_err("no number").to_string();
        assert!(error.contains(&file.display().to_string()), "{error}");
        assert!(matches!(read_json::<u64>(&path), Ok(None)));
    }

    /// Every write to this device fails as on a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let error = fill(Path::new("/dev/full"), b"games").expect_err("no room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
