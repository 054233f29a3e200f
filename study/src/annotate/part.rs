//! Files that are either complete or absent: they are written under another name, ending in
//! `.part`, and renamed at the end. One program at a time writes such a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf, is_separator};

use anyhow::{Context, bail};

use super::links::{behind_links, is_special};

pub(super) fn cannot_write(path: &Path) -> impl FnOnce() -> String {
    move || format!("cannot write {}", path.display())
}

pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A file written under a temporary name. A special file such as `/dev/null` is written directly, and
/// behind what it holds. A link is written through.
#[derive(Debug)]
pub(super) struct PartFile {
    target: PathBuf,
    part: PathBuf,
    file: File,
    length: u64,
}

impl PartFile {
    /// Opens the file and truncates it to `length` bytes.
    ///
    /// # Errors
    /// Fails if it cannot be written, or if another program is writing it.
    pub fn open(target: &Path, length: u64) -> anyhow::Result<Self> {
        let mut file = Self::hold(target)?;
        file.cut(length)?;
        Ok(file)
    }

    /// Opens the file with all that it holds, and keeps other programs from opening it.
    ///
    /// # Errors
    /// Fails if it cannot be written, or if another program is writing it.
    pub fn hold(target: &Path) -> anyhow::Result<Self> {
        let target = resolved(target)?;
        let part = part_of(&target);
        let file = if part == target {
            let file = OpenOptions::new().append(true).open(&part);
            file.with_context(cannot_write(&part))?
        } else {
            locked(&part)?
        };
        Ok(Self {
            length: length_of(&part),
            file,
            target,
            part,
        })
    }

    /// Truncates the file to `length` bytes.
    pub fn cut(&mut self, length: u64) -> anyhow::Result<()> {
        if self.part != self.target {
            let cut = self.file.set_len(length);
            let cut = cut.and_then(|()| self.file.seek(SeekFrom::Start(length)));
            cut.with_context(cannot_write(&self.part))?;
        }
        self.length = length;
        Ok(())
    }

    /// Appends all of the bytes or none.
    pub fn add(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let write = |file: &mut File| {
            file.write_all(bytes)?;
            // A journal that says more than what is on the disk would be of no use.
            file.sync_data().or_else(|error| match error.kind() {
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => Ok(()),
                _ => Err(error),
            })
        };
        if let Err(error) = write(&mut self.file) {
            if self.part != self.target {
                // The first error is the one to tell.
                let _ = self.file.set_len(self.length);
            }
            return Err(error).with_context(cannot_write(&self.part));
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Returns how many bytes it holds.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Deletes the file.
    pub fn discard(&self) {
        if self.part != self.target {
            // An empty file that stays is no harm.
            let _ = fs::remove_file(&self.part);
        }
    }

    /// Renames the file to its final name.
    pub fn publish(self) -> anyhow::Result<()> {
        let _ = self.file.sync_all();
        // It stays locked until it has its name.
        rename(&self.part, &self.target)
    }
}

/// Opens a file, creates it if necessary, and locks it until it is closed.
fn locked(path: &Path) -> anyhow::Result<File> {
    loop {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options.open(path).with_context(cannot_write(path))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            bail!(
                "another program is writing {}: wait until it is done, or give another name",
                path.display()
            );
        }
        // Some file systems know no locks. A file that was renamed before the lock was there is no
        // longer the one to write.
        if path.exists() {
            return Ok(file);
        }
    }
}

pub(super) fn length_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.len())
}

/// Returns the path of the file that is written to under this name.
///
/// # Errors
/// If it is the name of a folder, or if its links have no end.
pub(super) fn resolved(target: &Path) -> anyhow::Result<PathBuf> {
    let path = behind_links(target).with_context(cannot_write(target))?;
    // Behind `out/` may be nothing yet.
    let has_separator = |path: &Path| path.to_string_lossy().ends_with(is_separator);
    if path.is_dir() || has_separator(target) || has_separator(&path) {
        bail!(
            "cannot write {}: it is a folder, not a file",
            target.display()
        );
    }
    Ok(path)
}

pub(super) fn part_of(target: &Path) -> PathBuf {
    if is_special(target) {
        target.to_path_buf()
    } else {
        with_ending(target, ".part")
    }
}

fn rename(part: &Path, target: &Path) -> anyhow::Result<()> {
    if part == target {
        return Ok(());
    }
    fs::rename(part, target).with_context(cannot_write(target))
}

/// Writes a small file atomically, replacing an older one.
pub(super) fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut part = PartFile::open(path, 0)?;
    part.add(text.as_bytes())?;
    part.publish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_program_writes_is_left_alone() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let target = folder.path().join("a.pgn");
        let mut first = PartFile::open(&target, 0).expect("a file");
        first.add(b"one\n").expect("a game");
        let second = PartFile::open(&target, 0).expect_err("busy");
        let says = second.to_string();
        assert!(says.starts_with("another program is writing "), "{says}");
        assert!(says.contains("a.pgn.part"), "{says}");
        first.add(b"two\n").expect("a game");
        first.publish().expect("a name");
        assert_eq!(fs::read_to_string(&target).expect("text"), "one\ntwo\n");
        assert!(PartFile::open(&target, 0).is_ok());
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().display().to_string();
        for name in [path.clone(), format!("{path}/."), format!("{path}/none/")] {
            let error = PartFile::open(Path::new(&name), 0).expect_err("a folder");
            let wanted = format!("cannot write {name}: it is a folder, not a file");
            assert_eq!(error.to_string(), wanted);
        }
        let left: Vec<_> = fs::read_dir(&path).expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
