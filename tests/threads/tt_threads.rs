//! Many threads write a few slots of the transposition table at once. A torn write must read as a
//! miss, never as a hit with foreign data.
//!
//! The loop has to be tight, because torn writes are rare. With the bare key instead of `key ^
//! data` the test fails.

use std::sync::Barrier;
use std::thread;

use rejoinder::tt::{Bound, TranspositionTable, TtEntry};
use rejoinder::types::Move;

/// The number of keys that compete for the four slots of the first bucket, which the high bits of a
/// key select.
const KEYS: usize = 8;

/// The entries that a thread may store under a key.
type Entries = [TtEntry; 4];

/// The number of stores and probes of all threads together.
const ROUNDS: usize = 64_000_000;

/// Scrambles a word.
// Source: the finalizer of SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
fn scramble(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// Returns an entry that has nothing in common with those of other numbers. It is exact, so that it
/// always replaces, and its move is never null, so that no other move is kept.
fn entry(number: usize) -> TtEntry {
    let bits = scramble(number as u64 + 1);
    TtEntry {
        mv: Move::from_bits(bits as u16 | 1),
        score: i32::from((bits >> 16) as i16) / 2,
        eval: i32::from((bits >> 32) as i16) / 2,
        depth: 5,
        bound: Bound::Exact,
        pv: bits >> 63 != 0,
    }
}

/// Stores and probes at random; returns how often a key was found.
fn hammer(
    table: &TranspositionTable,
    entries: &[Entries; KEYS],
    rounds: usize,
    seed: u64,
) -> usize {
    let mut random = scramble(seed);
    let mut hits = 0;
    for _ in 0..rounds {
        // Source: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8(14), 2003.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let [stored, version, probed, ..] = random.to_le_bytes().map(usize::from);
        let key = stored % KEYS;
        table.store(key as u64, 0, entries[key][version % 4]);
        let key = probed % KEYS;
        if let Some(hit) = table.probe(key as u64, 0) {
            assert!(entries[key].contains(&hit), "a torn hit: {key} {hit:?}");
            hits += 1;
        }
    }
    hits
}

#[test]
fn a_torn_write_is_never_a_hit() {
    let table = TranspositionTable::new(1).expect("cannot map 1 MB");
    let entries =
        std::array::from_fn(|key| std::array::from_fn(|version| entry(4 * key + version)));
    let threads = 4 * thread::available_parallelism().map_or(2, usize::from);
    let start = Barrier::new(threads);
    let hits: usize = thread::scope(|scope| {
        let workers: Vec<_> = (1..=threads)
            .map(|seed| {
                let (table, entries, start) = (&table, &entries, &start);
                scope.spawn(move || {
                    start.wait();
                    hammer(table, entries, ROUNDS / threads, seed as u64)
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker panicked"))
            .sum()
    });
    assert!(hits > ROUNDS / 10, "too few hits to prove anything: {hits}");
}
