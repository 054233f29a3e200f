//! Files that are either complete or absent: they are written under another name, ending in
//! `.part`, and renamed at the end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

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
    /// Opens the file and truncates it to `length` bytes. Fails if it is shorter.
    pub fn open(target: &Path, length: u64) -> anyhow::Result<Self> {
        let target = resolved(target)?;
        let part = part_of(&target);
        let open = || -> io::Result<File> {
            let mut options = OpenOptions::new();
            if part == target {
                return options.append(true).open(&part);
            }
            let mut file = options
                .write(true)
                .create(true)
                .truncate(false)
                .open(&part)?;
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))?;
            Ok(file)
        };
        Ok(Self {
            file: open().with_context(cannot_write(&part))?,
            target,
            part,
            length,
        })
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
    pub fn discard(self) {
        if self.part != self.target {
            // An empty file that stays is no harm.
            let _ = fs::remove_file(self.part);
        }
    }

    /// Renames the file to its final name.
    pub fn publish(self) -> anyhow::Result<()> {
        let _ = self.file.sync_all();
        drop(self.file);
        rename(&self.part, &self.target)
    }
}

/// Returns the path of the file that is written to under this name.
pub(super) fn resolved(target: &Path) -> anyhow::Result<PathBuf> {
    behind_links(target).with_context(cannot_write(target))
}

pub(super) fn part_of(target: &Path) -> PathBuf {
    if is_special(target) {
        target.to_path_buf()
    } else {
        with_ending(target, ".part")
    }
}

pub(super) fn rename(part: &Path, target: &Path) -> anyhow::Result<()> {
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
