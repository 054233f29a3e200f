//! The table in a file, so that an analysis can be continued another day.
//!
//! ```text
//!  0  8 bytes  "RJNDHASH"
//!  8  u32      version of this format
//! 12  u32      layout of the entries
//! 16  u32      size in megabytes
//! 20  u8       age of the last search
//! 21  u8       1 if scores respect the fifty-move rule in tablebase positions, otherwise 0
//! 24  u64      checksum of the network that evaluated the positions
//! 32  u64      check of the keys of positions
//! 56  u64      checksum of the bytes 0 to 55
//! 64           the slots, two words each
//!  …  u64      checksum of the slots
//! ```
//!
//! Numbers are little-endian, bytes that are not mentioned are zero, and checksums are XXH3.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::TranspositionTable;
use crate::board::Board;
use crate::memory::{MEGABYTE, MemoryError};

const MAGIC: [u8; 8] = *b"RJNDHASH";
const VERSION: u32 = 1;
/// Must be raised whenever the bits of an entry, the order of the slots or the place of a key
/// change.
const LAYOUT: u32 = 1;

const HEADER: usize = 64;
const HEADER_SUM_AT: usize = 56;
const WORD: usize = size_of::<u64>();

/// What the content of a table depends on. A table may only be used where this is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The checksum of the network.
    pub network: u64,
    /// True if the fifty-move rule counts in scores from tablebases.
    pub fifty: bool,
}

/// The reason why a table is neither saved nor loaded.
#[derive(Debug, thiserror::Error)]
pub enum HashFileError {
    /// The system refuses to read the file.
    #[error("cannot be read: {0}")]
    Read(io::Error),
    /// The system refuses to write the file, for example because the disk is full. An earlier file
    /// of that name is unchanged.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// The path names a folder or a device.
    #[error("is not a regular file")]
    NotAFile,
    /// The file begins with something else.
    #[error("is not a hash file of Rejoinder")]
    Foreign,
    /// A file of another kind has that name and is not overwritten.
    #[error("is not a hash file of Rejoinder and is not overwritten")]
    Precious,
    /// The format or the entries are those of another version.
    #[error("was written by another version of Rejoinder, whose hash has another format")]
    Version,
    /// The file has another length than its header says.
    #[error("has {found} bytes instead of {expected}: it is incomplete or damaged")]
    Length {
        /// The length of the file in bytes.
        found: u64,
        /// The length that the header demands, in bytes.
        expected: u64,
    },
    /// A checksum does not match.
    #[error("is damaged: its checksum is wrong")]
    Damaged,
    /// The scores are those of another network.
    #[error("has scores of network {found:016x}, which is not the current one ({current:016x})")]
    Network {
        /// The checksum of the network that the scores come from.
        found: u64,
        /// The checksum of the current network.
        current: u64,
    },
    /// The positions have other keys in this version.
    #[error("was written by another version of Rejoinder, whose positions have other keys")]
    Keys,
    /// Tablebase scores are counted by the other rule.
    #[error("was written with Syzygy50MoveRule {}", if *.0 { "on" } else { "off" })]
    FiftyMoveRule(bool),
    /// There is no memory for a table of this size beside the current one.
    #[error("does not fit: {0}; set Hash to the size of the file and load it again")]
    Memory(MemoryError),
    /// The file was complete when it was checked, and was another one when it was loaded. A table of
    /// its size is empty now, and one of another size is unchanged.
    #[error("has changed while it was loaded; a hash of its size is empty now")]
    Changed,
}

/// The part of a file before the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    megabytes: u32,
    age: u8,
    origin: Origin,
    keys: u64,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&LAYOUT.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.megabytes.to_le_bytes());
        bytes[20] = self.age;
        bytes[21] = self.origin.fifty.into();
        bytes[24..32].copy_from_slice(&self.origin.network.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.keys.to_le_bytes());
        let sum = xxh3_64(&bytes[..HEADER_SUM_AT]);
        bytes[HEADER_SUM_AT..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file that begins with these bytes. Everything in it can be relied on
    /// except that it fits the current engine.
    fn from_bytes(bytes: &[u8]) -> Result<Self, HashFileError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(HashFileError::Foreign);
        }
        let Some((header, _)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(HashFileError::Length {
                found: bytes.len() as u64,
                expected: HEADER as u64,
            });
        };
        let (words, _) = header.as_chunks();
        let short = |at: usize| u32::from_le_bytes(words[at / 4]);
        let (words, _) = header.as_chunks();
        let long = |at: usize| u64::from_le_bytes(words[at / 8]);
        // Another version may have its checksum elsewhere.
        if short(8) != VERSION {
            return Err(HashFileError::Version);
        }
        if long(HEADER_SUM_AT) != xxh3_64(&header[..HEADER_SUM_AT]) {
            return Err(HashFileError::Damaged);
        }
        if short(12) != LAYOUT {
            return Err(HashFileError::Version);
        }
        if short(16) == 0 {
            return Err(HashFileError::Damaged);
        }
        Ok(Self {
            megabytes: short(16),
            age: header[20],
            origin: Origin {
                network: long(24),
                fifty: header[21] != 0,
            },
            keys: long(32),
        })
    }

    /// Checks that a table of this header may be used where everything is of this origin.
    fn suits(&self, current: Origin) -> Result<(), HashFileError> {
        if self.keys != key_check() {
            return Err(HashFileError::Keys);
        }
        if self.origin.network != current.network {
            return Err(HashFileError::Network {
                found: self.origin.network,
                current: current.network,
            });
        }
        if self.origin.fifty != current.fifty {
            return Err(HashFileError::FiftyMoveRule(self.origin.fifty));
        }
        Ok(())
    }

    /// Returns the length of the whole file in bytes.
    fn file_length(&self) -> u64 {
        u64::from(self.megabytes) * MEGABYTE as u64 + (HEADER + WORD) as u64
    }
}

/// Returns a number that changes when positions get other keys.
fn key_check() -> u64 {
    // All kinds of pieces and castling rights, an en passant square, and both sides to move.
    const POSITIONS: [&str; 3] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w Kq f6 0 3",
        "1r2k1r1/8/8/8/3Pp3/8/8/R3K2R b Qg d3 7 30",
    ];
    let key = |fen| Board::from_fen(fen).expect(fen).key().to_le_bytes();
    xxh3_64(POSITIONS.map(key).as_flattened())
}

/// A saved table whose file has been checked from its first byte to its last.
#[derive(Debug)]
pub(crate) struct SavedTable {
    file: File,
    header: Header,
}

impl SavedTable {
    /// Opens a saved table and checks all of it.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or does not fit this origin.
    pub fn open(path: &Path, current: Origin) -> Result<Self, HashFileError> {
        // Opening a pipe would wait for its other end.
        let data = fs::metadata(path).map_err(HashFileError::Read)?;
        if !data.is_file() {
            return Err(HashFileError::NotAFile);
        }
        let mut file = File::open(path).map_err(HashFileError::Read)?;
        let mut start = Vec::with_capacity(HEADER);
        (&mut file)
            .take(HEADER as u64)
            .read_to_end(&mut start)
            .map_err(HashFileError::Read)?;
        let header = Header::from_bytes(&start)?;
        if data.len() != header.file_length() {
            return Err(HashFileError::Length {
                found: data.len(),
                expected: header.file_length(),
            });
        }
        header.suits(current)?;
        let mut saved = Self { file, header };
        saved.read_slots(|_, _| {})?;
        Ok(saved)
    }

    /// Returns the size of the table in megabytes.
    pub fn megabytes(&self) -> usize {
        self.header.megabytes as usize
    }

    /// Replaces the content of a table of the same size, which no worker may use meanwhile.
    ///
    /// # Errors
    /// If the file has changed since it was opened. The content of the table is meaningless then.
    ///
    /// # Panics
    /// If the table has another size.
    pub fn load_into(&mut self, table: &TranspositionTable) -> Result<(), HashFileError> {
        assert_eq!(table.megabytes(), self.megabytes());
        let loaded = self.read_slots(|megabyte, bytes| {
            for (word, &bytes) in words(table, megabyte).iter().zip(bytes) {
                word.store(u64::from_le_bytes(bytes), Relaxed);
            }
        });
        table.age.store(self.header.age, Relaxed);
        table.resumes.store(true, Relaxed);
        loaded.map_err(|_| HashFileError::Changed)
    }

    /// Reads all slots, and passes on each megabyte with its number. Checks them at the end.
    fn read_slots(
        &mut self,
        mut take: impl FnMut(usize, &[[u8; WORD]]),
    ) -> Result<(), HashFileError> {
        let slots = SeekFrom::Start(HEADER as u64);
        self.file.seek(slots).map_err(HashFileError::Read)?;
        let mut sum = Xxh3Default::new();
        let mut bytes = vec![0; MEGABYTE];
        for megabyte in 0..self.megabytes() {
            let read = self.file.read_exact(&mut bytes);
            read.map_err(HashFileError::Read)?;
            sum.update(&bytes);
            take(megabyte, bytes.as_chunks().0);
        }
        let mut stored = [0; WORD];
        let read = self.file.read_exact(&mut stored);
        read.map_err(HashFileError::Read)?;
        if u64::from_le_bytes(stored) != sum.digest() {
            return Err(HashFileError::Damaged);
        }
        Ok(())
    }
}

/// Returns the words of one megabyte of a table.
fn words(table: &TranspositionTable, megabyte: usize) -> &[AtomicU64] {
    let words = table.buckets.as_flattened().as_flattened();
    &words[megabyte * MEGABYTE / WORD..][..MEGABYTE / WORD]
}

impl TranspositionTable {
    /// Writes the table into a file, of which it takes the name only when it is complete and on the
    /// disk. No worker may use the table meanwhile.
    ///
    /// # Errors
    /// If the file cannot be written, or a file of another kind has that name. What was there stays
    /// as it was.
    pub(crate) fn save(&self, path: &Path, origin: Origin) -> Result<(), HashFileError> {
        check_target(path)?;
        // A link keeps pointing to the file.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        // Two programs that save at the same time must not write into the same file.
        let mut part = path.as_os_str().to_owned();
        part.push(format!(".{}.part", process::id()));
        let part = PathBuf::from(part);
        let saved = self
            .write(&part, origin)
            .and_then(|()| fs::rename(&part, &path));
        saved.map_err(|error| {
            // The first error is the one to report.
            let _ = fs::remove_file(&part);
            HashFileError::Write(error)
        })?;
        sync_folder(&path);
        Ok(())
    }

    fn write(&self, path: &Path, origin: Origin) -> io::Result<()> {
        let header = Header {
            megabytes: self.megabytes() as u32,
            age: self.age.load(Relaxed),
            origin,
            keys: key_check(),
        };
        let mut file = File::create(path)?;
        file.write_all(&header.to_bytes())?;
        let mut sum = Xxh3Default::new();
        let mut bytes = vec![0; MEGABYTE];
        for megabyte in 0..self.megabytes() {
            let words = words(self, megabyte);
            for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
                *bytes = word.load(Relaxed).to_le_bytes();
            }
            sum.update(&bytes);
            file.write_all(&bytes)?;
        }
        file.write_all(&sum.digest().to_le_bytes())?;
        file.sync_all()
    }
}

/// Refuses to overwrite anything but a regular file that is empty or holds a table.
fn check_target(path: &Path) -> Result<(), HashFileError> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(HashFileError::Write(error)),
        Ok(data) if !data.is_file() => return Err(HashFileError::NotAFile),
        Ok(data) if data.len() == 0 => return Ok(()),
        Ok(_) => {}
    }
    let mut start = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    match read {
        Ok(()) if start == MAGIC => Ok(()),
        Ok(()) => Err(HashFileError::Precious),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(HashFileError::Precious),
        Err(error) => Err(HashFileError::Write(error)),
    }
}

/// Brings the new name of a file to the disk, as far as the system lets a program do that. The
/// content is there already, so that an error does no harm.
fn sync_folder(path: &Path) {
    #[cfg(unix)]
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests;
