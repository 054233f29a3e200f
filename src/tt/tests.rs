//! Tests of the transposition table.

use super::*;
use crate::types::score::mate_in;

fn table() -> TranspositionTable {
    TranspositionTable::new(1).expect("cannot map 1 MB")
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

/// Keys of the last bucket of the table.
fn neighbors() -> impl Iterator<Item = u64> {
    (0..).map(|n| u64::MAX - n)
}

fn keys(n: usize) -> Vec<u64> {
    neighbors().take(n).collect()
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
        let table = TranspositionTable::new(megabytes).expect("cannot map the table");
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
    let mut keys = neighbors();
    for _ in 0..70 {
        let fresh: Vec<u64> = keys.by_ref().take(4).collect();
        for &key in &fresh {
            table.store(key, 0, hit(10));
        }
        // Entries of earlier searches were all replaced.
        assert_eq!(known(&table, &fresh), [true; 4]);
        table.new_search();
    }
}

#[test]
fn hashfull_counts_this_search_only() {
    let table = table();
    let buckets = table.buckets.len() as u128;
    // One entry is stored in each of the first buckets; only those of the sample count.
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
    // There is one key in each third of the table.
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
fn parts_are_copied_with_the_age() {
    let (from, to) = (table(), table());
    let keys = [1, 1 << 63, u64::MAX];
    from.new_search();
    for key in keys {
        from.store(key, 0, hit(1));
    }
    to.copy(&from, 1, 3);
    assert_eq!(known(&to, &keys), [false, true, false]);
    assert_eq!(to.age(), 0);
    to.copy(&from, 0, 3);
    to.copy(&from, 2, 3);
    assert_eq!(known(&to, &keys), [true; 3]);
    assert_eq!((to.age(), to.hashfull()), (1, from.hashfull()));
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
