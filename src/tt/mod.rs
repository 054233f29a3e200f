//! The transposition table, shared by all workers without a lock.
//!
//! A position may be stored in any of the four slots of its bucket, which is one cache line. What the slots hold is in
//! `entry`, how threads share them in `slot`; here is where an entry goes and which one has to leave.

mod entry;
mod slot;

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

pub use entry::{Bound, TtEntry};

use crate::memory::{MEGABYTE, Mapped, MemoryError, prefetch};
use crate::types::score::NONE;
use crate::types::{Move, Score};
use entry::{AGES, EVALUATION_DEPTH, Entry};
use slot::Slot;

type Bucket = [Slot; 4];

const BUCKETS_PER_MEGABYTE: usize = MEGABYTE / size_of::<Bucket>();

/// Buckets of which [`TranspositionTable::hashfull`] counts the slots: a thousand slots, as it is told per mille.
const SAMPLE: usize = 250;

/// The transposition table.
#[derive(Debug)]
pub struct TranspositionTable {
    buckets: Mapped<Bucket>,
    /// Counts the searches; the low five bits are the age of what they store.
    age: AtomicU8,
}

impl TranspositionTable {
    /// An empty table of this many megabytes, at least one. Its memory is mapped but untouched: let each worker
    /// [`clear`](Self::clear) its part before use.
    ///
    /// # Errors
    /// If there is not that much memory; nothing is kept then.
    pub fn new(megabytes: usize) -> Result<Self, MemoryError> {
        let buckets = megabytes.max(1).saturating_mul(BUCKETS_PER_MEGABYTE);
        Ok(Self {
            buckets: Mapped::new(buckets)?,
            age: AtomicU8::new(0),
        })
    }

    /// The size in megabytes.
    pub fn megabytes(&self) -> usize {
        self.buckets.len() / BUCKETS_PER_MEGABYTE
    }

    /// Empties one of `parts` equal shares of the table, counted from 0. The first share resets the age as well.
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
        }
    }

    /// What is known about the position with this key, its score as seen `ply` plies from the root.
    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<TtEntry> {
        self.bucket(key)
            .iter()
            .map(slot::read)
            .find(|&(stored, _)| stored == key)
            .and_then(|(_, data)| Entry(data).unpack(ply))
    }

    /// Histories what was learnt about the position with this key, `ply` plies from the root.
    ///
    /// What this search knows already stays if it is some plies deeper and the new score is but a bound; its move stays if
    /// the new entry has none. A position that is new here takes the slot with the least depth, four plies off for each search since.
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

    /// Histories the static evaluation of a position that is not in the table, before any correction: whoever comes next
    /// need not ask the network again.
    #[inline]
    pub fn store_evaluation(&self, key: u64, eval: Score, pv: bool) {
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

    /// Starts to fetch the bucket of this key into the cache.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    /// How full the table is of entries of the current search, per mille; a sample.
    pub fn hashfull(&self) -> usize {
        let age = self.age();
        self.buckets[..SAMPLE]
            .as_flattened()
            .iter()
            .map(|slot| Entry(slot::read(slot).1))
            .filter(|entry| !entry.is_empty() && entry.age() == age)
            .count()
    }

    /// Begins the next age: all that is stored so far becomes one search older.
    pub fn new_search(&self) {
        self.age.fetch_add(1, Relaxed);
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
mod tests {
    use super::*;
    use crate::types::score::mate_in;

    fn table() -> TranspositionTable {
        TranspositionTable::new(1).expect("1 MB")
    }

    fn hit(depth: i32) -> TtEntry {
        TtEntry {
            mv: Move::from_bits(0x1234),
            score: 25,
            eval: NONE,
            depth,
            bound: Bound::Lower,
            pv: true,
        }
    }

    /// Keys of one and the same bucket, the last of the table.
    fn neighbours() -> impl Iterator<Item = u64> {
        (0..).map(|n| u64::MAX - n)
    }

    fn keys(n: usize) -> Vec<u64> {
        neighbours().take(n).collect()
    }

    fn known(table: &TranspositionTable, keys: &[u64]) -> Vec<bool> {
        keys.iter()
            .map(|&key| table.probe(key, 0).is_some())
            .collect()
    }

    #[test]
    fn a_bucket_is_a_cache_line() {
        assert_eq!(size_of::<Bucket>(), 64);
        assert!(table().buckets.as_ptr().addr().is_multiple_of(64));
    }

    #[test]
    fn an_empty_table_knows_nothing() {
        let table = table();
        for key in [0, 1, 1 << 63, u64::MAX] {
            assert_eq!(table.probe(key, 0), None);
        }
        assert_eq!(table.hashfull(), 0);
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = table();
        for key in [0, 1, 1 << 63, u64::MAX] {
            table.store(key, 0, hit(5));
            assert_eq!(table.probe(key, 0), Some(hit(5)));
            assert_eq!(table.probe(key ^ 2, 0), None);
        }
    }

    #[test]
    fn a_mate_is_as_far_from_every_ply() {
        let table = table();
        let mate = TtEntry {
            score: mate_in(9),
            ..hit(5)
        };
        table.store(1, 4, mate);
        assert_eq!(table.probe(1, 4), Some(mate));
        assert_eq!(table.probe(1, 2).map(|hit| hit.score), Some(mate_in(7)));
    }

    #[test]
    fn any_size_is_filled_from_end_to_end() {
        for megabytes in 1..=67 {
            let table = TranspositionTable::new(megabytes).expect("67 MB at most");
            assert_eq!(table.megabytes(), megabytes);
            let buckets = table.buckets.len();
            assert_eq!(index(0, buckets), 0);
            assert_eq!(index(u64::MAX, buckets), buckets - 1);
            // The first and the last key of a bucket.
            for bucket in [1, buckets / 3, buckets - 1] {
                let first = ((bucket as u128) << 64).div_ceil(buckets as u128) as u64;
                assert_eq!(index(first, buckets), bucket);
                assert_eq!(index(first - 1, buckets), bucket - 1);
            }
            table.store(u64::MAX, 0, hit(1));
            assert_eq!(table.probe(u64::MAX, 0), Some(hit(1)));
        }
    }

    #[test]
    fn too_large_a_table_is_an_error() {
        assert!(TranspositionTable::new(usize::MAX).is_err());
    }

    #[test]
    fn a_bucket_holds_four_and_the_least_depth_leaves() {
        let table = table();
        let keys = keys(5);
        for (&key, depth) in keys.iter().zip([9, 3, 7, 8]) {
            table.store(key, 0, hit(depth));
        }
        assert_eq!(known(&table, &keys), [true, true, true, true, false]);
        table.store(keys[4], 0, hit(1));
        assert_eq!(known(&table, &keys), [true, false, true, true, true]);
    }

    #[test]
    fn an_old_entry_leaves_before_a_shallow_one() {
        let table = table();
        let keys = keys(5);
        table.store(keys[0], 0, hit(9));
        table.new_search();
        for &key in &keys[1..] {
            table.store(key, 0, hit(6));
        }
        // 9 - 4 is less than 6.
        assert_eq!(known(&table, &keys), [false, true, true, true, true]);
    }

    #[test]
    fn one_position_takes_one_slot() {
        let table = table();
        let keys = keys(4);
        for depth in 1..20 {
            table.store(keys[0], 0, hit(depth));
        }
        for &key in &keys[1..] {
            table.store(key, 0, hit(1));
        }
        assert_eq!(known(&table, &keys), [true; 4]);
    }

    #[test]
    fn a_position_keeps_its_deep_bound_and_its_move() {
        let table = table();
        table.store(1, 0, hit(10));
        table.store(1, 0, hit(4));
        assert_eq!(table.probe(1, 0), Some(hit(10)));

        let moveless = TtEntry {
            mv: Move::NULL,
            ..hit(6)
        };
        table.store(1, 0, moveless);
        assert_eq!(table.probe(1, 0), Some(hit(6)));
    }

    #[test]
    fn the_age_goes_around() {
        let table = table();
        let mut keys = neighbours();
        for _ in 0..70 {
            let fresh: Vec<u64> = keys.by_ref().take(4).collect();
            for &key in &fresh {
                table.store(key, 0, hit(10));
            }
            // Entries of the last search all had to leave.
            assert_eq!(known(&table, &fresh), [true; 4]);
            table.new_search();
        }
    }

    #[test]
    fn hashfull_counts_this_search_only() {
        let table = table();
        let buckets = table.buckets.len() as u128;
        // A key for each of the first buckets; only those of the sample count.
        let store_in = |count: u128| {
            for bucket in 0..count {
                table.store((bucket << 64).div_ceil(buckets) as u64 + 1, 0, hit(1));
            }
        };
        store_in(100);
        assert_eq!(table.hashfull(), 100);
        table.new_search();
        assert_eq!(table.hashfull(), 0);
        store_in(300);
        assert_eq!(table.hashfull(), 250);
    }

    #[test]
    fn a_part_is_cleared_alone() {
        let table = table();
        // One key in each third.
        let keys = [1, 1 << 63, u64::MAX];
        table.new_search();
        for key in keys {
            table.store(key, 0, hit(1));
        }
        table.clear(1, 3);
        assert_eq!(known(&table, &keys), [true, false, true]);
        assert_eq!(table.age(), 1);
        table.clear(2, 3);
        assert_eq!(known(&table, &keys), [true, false, false]);
        table.clear(0, 3);
        assert_eq!(known(&table, &keys), [false; 3]);
        assert_eq!(table.age(), 0);
    }

    #[test]
    fn all_parts_are_the_whole() {
        let table = table();
        for parts in [1, 2, 3, 7, 1024] {
            for bucket in table.buckets.as_flattened() {
                slot::write(bucket, 1, u64::MAX);
            }
            for part in 0..parts {
                table.clear(part, parts);
            }
            let empty = |slot: &Slot| slot::read(slot) == (0, 0);
            assert!(table.buckets.as_flattened().iter().all(empty));
        }
    }
}
