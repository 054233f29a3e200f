//! The transposition table, shared by all workers without a lock.
//!
//! A position may be stored in any of the four slots of its bucket, which is one cache line. The
//! module `entry` says what a slot holds, `slot` how threads share it, and `file` how the table is saved
//! and loaded. This module decides where an entry goes and which one it replaces.

mod entry;
mod file;
mod slot;

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

pub use entry::{Bound, TtEntry};
pub(crate) use file::SavedTable;
pub use file::{HashFileError, Origin};

use crate::memory::{MEGABYTE, Mapped, MemoryError, prefetch};
use crate::types::score::NONE;
use crate::types::{Move, Score};
use entry::{AGES, EVALUATION_DEPTH, Entry};
use slot::Slot;

type Bucket = [Slot; 4];

const BUCKETS_PER_MEGABYTE: usize = MEGABYTE / size_of::<Bucket>();

/// The number of buckets that [`TranspositionTable::hashfull`] looks at. They have a thousand
/// slots, so their count is per mille.
const SAMPLE: usize = 250;

/// The transposition table, which all workers share.
#[derive(Debug)]
pub struct TranspositionTable {
    buckets: Mapped<Bucket>,
    /// The number of searches; its low five bits are the age of the entries that a search stores.
    age: AtomicU8,
    /// True if the table was loaded from a file and not searched with since. The next search then
    /// has the age of the last one, whose deep entries it keeps as its own.
    resumes: AtomicBool,
}

impl TranspositionTable {
    /// Creates an empty table of this many megabytes, at least one. Its memory is mapped but not
    /// touched, so that each worker can [`clear`](Self::clear) a part of it before use.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(megabytes: usize) -> Result<Self, MemoryError> {
        let buckets = megabytes.max(1).saturating_mul(BUCKETS_PER_MEGABYTE);
        Ok(Self {
            buckets: Mapped::new(buckets)?,
            age: AtomicU8::new(0),
            resumes: AtomicBool::new(false),
        })
    }

    /// Returns the size of the table in megabytes.
    pub fn megabytes(&self) -> usize {
        self.buckets.len() / BUCKETS_PER_MEGABYTE
    }

    /// Returns a remark about the size of the pages, on systems where it depends on the rights of
    /// the user.
    pub(crate) fn page_remark(&self) -> Option<&'static str> {
        self.buckets.page_remark()
    }

    /// Empties one of `parts` equal parts of the table, counted from 0. Part 0 also resets the age.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn clear(&self, part: usize, parts: usize) {
        assert!(part < parts, "there is no part {part} of {parts}");
        let begin = |part| self.buckets.len() * part / parts;
        for slot in self.buckets[begin(part)..begin(part + 1)].as_flattened() {
            slot::write(slot, 0, 0);
        }
        if part == 0 {
            self.age.store(0, Relaxed);
            self.resumes.store(false, Relaxed);
        }
    }

    /// Copies one of `parts` equal parts of a table of the same size, counted from 0. Part 0 also
    /// copies the age.
    ///
    /// # Panics
    /// If there is no such part, or the sizes differ.
    pub(crate) fn copy(&self, from: &Self, part: usize, parts: usize) {
        assert!(part < parts, "there is no part {part} of {parts}");
        assert_eq!(self.buckets.len(), from.buckets.len());
        let begin = |part| self.buckets.len() * part / parts;
        let range = begin(part)..begin(part + 1);
        let (to, old) = (&self.buckets[range.clone()], &from.buckets[range]);
        for (to, old) in to.as_flattened().iter().zip(old.as_flattened()) {
            let (key, data) = slot::read(old);
            slot::write(to, key, data);
        }
        if part == 0 {
            self.age.store(from.age.load(Relaxed), Relaxed);
            let resumes = from.resumes.load(Relaxed);
            self.resumes.store(resumes, Relaxed);
        }
    }

    /// Looks up the position with this key. Mates and tablebase wins in the score are counted for a
    /// node `ply` plies from the root.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<TtEntry> {
        self.bucket(key)
            .iter()
            .map(slot::read)
            .find(|&(stored, _)| stored == key)
            .and_then(|(_, data)| Entry(data).unpack(ply))
    }

    /// Stores an entry for the position with this key, `ply` plies from the root.
    ///
    /// An entry of the current search for the same position is kept if it is some plies deeper and
    /// the new score is only a bound. Its move is kept only if the new entry has none. A new
    /// position replaces the entry with the smallest depth, where each search since it was stored
    /// counts as four plies less.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, entry: TtEntry) {
        let age = self.age();
        let new = Entry::pack(entry, ply, age);
        let bucket = self.bucket(key);

        let mut victim = &bucket[0];
        let mut least = i32::MAX;
        for slot in bucket {
            let (stored, data) = slot::read(slot);
            let old = Entry(data);
            if stored == key && !old.is_empty() {
                if let Some(left) = old.updated(new) {
                    slot::write(slot, key, left.0);
                }
                return;
            }
            let worth = old.worth(age);
            if worth < least {
                (victim, least) = (slot, worth);
            }
        }
        slot::write(victim, key, new.0);
    }

    /// Stores only the static evaluation, before any correction, of a position that is not in the
    /// table, so that it need not be evaluated again.
    #[inline]
    pub(crate) fn store_evaluation(&self, key: u64, eval: Score, pv: bool) {
        let entry = TtEntry {
            mv: Move::NULL,
            score: NONE,
            eval,
            depth: EVALUATION_DEPTH,
            bound: Bound::None,
            pv,
        };
        self.store(key, 0, entry);
    }

    /// Starts to load the bucket of this key into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// Returns the share of the table that holds entries of the current search, per mille,
    /// estimated from a sample.
    pub fn hashfull(&self) -> usize {
        let age = self.age();
        self.buckets[..SAMPLE]
            .as_flattened()
            .iter()
            .map(|slot| Entry(slot::read(slot).1))
            .filter(|entry| !entry.is_empty() && entry.age() == age)
            .count()
    }

    /// Begins a new search: all entries stored so far become one search older. The first search
    /// after loading the table from a file continues the last one before saving, so that it keeps
    /// the deep entries; then this returns true.
    pub fn new_search(&self) -> bool {
        let resumes = self.resumes.swap(false, Relaxed);
        if !resumes {
            self.age.fetch_add(1, Relaxed);
        }
        resumes
    }

    #[inline(always)]
    fn age(&self) -> u8 {
        self.age.load(Relaxed) % AGES
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[index(key, self.buckets.len())]
    }
}

/// Spreads the keys evenly over any number of buckets, without a division.
// Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019.
#[inline(always)]
fn index(key: u64, buckets: usize) -> usize {
    ((u128::from(key) * buckets as u128) >> 64) as usize
}

#[cfg(test)]
mod tests;
