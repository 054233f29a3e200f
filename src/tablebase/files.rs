//! Finds tablebase files, and checks them before they are used.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::locks::Mutex;
use crate::native_text::to_path;
#[cfg(target_pointer_width = "64")]
use shakmaty_syzygy::filesystem::MmapFilesystem;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{Metric, Tablebase};

use super::position::Material;
use super::{Faults, Tablebases};

/// The separators between the folders of a `SyzygyPath`.
const SEPARATORS: &[char] = if cfg!(windows) { &[';'] } else { &[';', ':'] };

/// Returns the name of the file for these pieces.
pub(super) fn name(pieces: &str, metric: Metric) -> String {
    let end = match metric {
        Metric::Wdl => "rtbw",
        Metric::Dtz => "rtbz",
    };
    format!("{pieces}.{end}")
}

impl Tablebases {
    /// Finds the tables in folders separated by `;` (or by `:`, except on Windows). If folders hold
    /// files with the same name, the first one counts. No file is opened yet. The second result
    /// describes faults of folders and files, one line each.
    pub fn open(folders: &str) -> (Self, Vec<String>) {
        let mut found = Self {
            base: Tablebase::with_filesystem(Arc::new(Mapped(file_system()))),
            tables: HashMap::new(),
            files: HashMap::new(),
            largest: 0,
            faults: Mutex::new(Faults::default()),
        };
        let mut faults = Vec::new();
        for folder in folders.split(SEPARATORS).map(str::trim) {
            if !folder.is_empty()
                && let Err(error) = found.add_folder(&to_path(folder), &mut faults)
            {
                faults.push(format!("{folder}: {error}"));
            }
        }
        (found, faults)
    }

    fn add_folder(&mut self, folder: &Path, faults: &mut Vec<String>) -> io::Result<()> {
        let mut paths = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<io::Result<Vec<PathBuf>>>()?;
        paths.sort();
        for path in paths {
            if let Err(error) = self.add_file(&path) {
                faults.push(format!("{}: {error}", path.display()));
            }
        }
        Ok(())
    }

    /// Adds a file if its name is the name of a table.
    fn add_file(&mut self, path: &Path) -> io::Result<()> {
        let Some((pieces, metric)) = read_name(path) else {
            return Ok(());
        };
        let Some((material, count)) = Material::parse(pieces) else {
            return Ok(());
        };
        let table = self.tables.entry(material).or_default();
        let usable = table.usable(metric);
        if usable.load(Ordering::Relaxed) {
            return Ok(());
        }
        // This checks the size of the file.
        self.base.add_file(path)?;
        usable.store(true, Ordering::Relaxed);
        self.files.insert(name(pieces, metric), path.to_owned());
        if metric == Metric::Wdl {
            self.largest = self.largest.max(count);
        }
        Ok(())
    }
}

/// Returns the pieces and the kind of table that a file name stands for.
fn read_name(path: &Path) -> Option<(&str, Metric)> {
    let metric = match path.extension()?.to_str()? {
        "rtbw" => Metric::Wdl,
        "rtbz" => Metric::Dtz,
        _ => return None,
    };
    Some((path.file_stem()?.to_str()?, metric))
}

/// Returns the files of the system, to be mapped into memory.
#[cfg(target_pointer_width = "64")]
fn file_system() -> MmapFilesystem {
    // SAFETY: the user must not change or truncate the files while they are mapped, as the
    // documentation of the module says.
    unsafe { MmapFilesystem::new() }
}

/// Returns a system without files: tablebases do not fit into 32-bit addresses.
#[cfg(not(target_pointer_width = "64"))]
fn file_system() -> impl Filesystem {
    NoFiles
}

/// Refuses every file.
#[cfg(not(target_pointer_width = "64"))]
struct NoFiles;

#[cfg(not(target_pointer_width = "64"))]
impl NoFiles {
    fn refuse<T>() -> io::Result<T> {
        let why = "this build cannot map tablebase files";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }
}

#[cfg(not(target_pointer_width = "64"))]
impl Filesystem for NoFiles {
    fn regular_file_size(&self, _: &Path) -> io::Result<u64> {
        Self::refuse()
    }

    fn read_dir(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Self::refuse()
    }

    fn open(&self, _: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Self::refuse()
    }
}

/// Opens files, and refuses those that would make the crate recurse without end.
struct Mapped<F>(F);

impl<F: Filesystem> Filesystem for Mapped<F> {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        let file = self.0.open(path)?;
        if let Some((pieces, Metric::Dtz)) = read_name(path)
            && let Some((material, count)) = Material::parse(pieces)
            && material.is_symmetric_with_pawns()
            && sends_round(&*file, u64::from(count))?
        {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the table is damaged",
            ));
        }
        Ok(file)
    }
}

/// Returns whether a DTZ table with pawns and the same pieces on both sides claims to be for Black
/// to move. Such a table serves both sides alike, so probing it would switch sides without end.
///
/// The file begins with the magic number and a byte of flags. For each of four files of the board,
/// the order and the pieces of the code follow; then, from an even offset on, the flags and a
/// variable number of symbols for each file of the board.
fn sends_round(file: &dyn RandomAccessFile, pieces: u64) -> io::Result<bool> {
    /// A flag of a part of the table: it is for Black to move.
    const BLACK: u8 = 1;
    /// A flag of a part of the table: it holds only one value.
    const SINGLE_VALUE: u8 = 128;
    let byte = |at| file.read_u8_at(at, ReadHint::Header);
    // The order takes two bytes because both sides have pawns.
    let mut at = 5 + 4 * (2 + pieces);
    at += at & 1;
    for _ in 0..4 {
        let flags = byte(at)?;
        if flags & BLACK != 0 {
            return Ok(true);
        }
        if flags & SINGLE_VALUE != 0 {
            at += 2;
            continue;
        }
        let (longest, shortest) = (byte(at + 8)?, byte(at + 9)?);
        at += 10 + 2 * (u64::from(longest.saturating_sub(shortest)) + 1);
        let symbols = u64::from(file.read_u16_le_at(at, ReadHint::Header)?);
        at += 2 + 3 * symbols + (symbols & 1);
    }
    Ok(false)
}
