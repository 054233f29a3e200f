//! Tests of saved tables.

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::tt::{Bound, TtEntry};
use crate::types::{Move, Rng};

const ORIGIN: Origin = Origin {
    network: 0x0123_4567_89ab_cdef,
    fifty: true,
};

fn table(megabytes: usize) -> TranspositionTable {
    TranspositionTable::new(megabytes).expect("cannot map the table")
}

fn keys(count: usize) -> Vec<u64> {
    let mut rng = Rng::new(17);
    (0..count).map(|_| rng.next()).collect()
}

fn entry(depth: i32) -> TtEntry {
    TtEntry {
        mv: Move::from_bits(0x1234),
        score: 25,
        eval: -7,
        depth,
        bound: Bound::Lower,
        pv: true,
    }
}

/// Returns a table with these entries, after three searches.
fn filled(megabytes: usize, keys: &[u64]) -> TranspositionTable {
    let table = table(megabytes);
    for _ in 0..3 {
        table.new_search();
    }
    for (number, &key) in keys.iter().enumerate() {
        table.store(key, 0, entry(number as i32 % 40));
    }
    table
}

/// Returns a folder, and the path of a saved table in it.
fn saved(megabytes: usize, keys: &[u64]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("cannot create a folder");
    let path = folder.path().join("a hash.hsh");
    let table = filled(megabytes, keys);
    table.save(&path, ORIGIN).expect("cannot save the table");
    (folder, path)
}

fn contents(table: &TranspositionTable) -> Vec<u64> {
    let words = table.buckets.as_flattened().as_flattened();
    words.iter().map(|word| word.load(Relaxed)).collect()
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("cannot read the folder");
    let name = |entry: io::Result<fs::DirEntry>| entry.expect("cannot read an entry").file_name();
    entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_saved_table_comes_back_to_the_last_bit() {
    for megabytes in [1, 2, 3] {
        let keys = keys(50_000);
        let (folder, path) = saved(megabytes, &keys);
        assert_eq!(names(&folder), ["a hash.hsh"], "only the file is left");
        let length = fs::metadata(&path).expect("there is no file").len();
        assert_eq!(length, (megabytes * MEGABYTE + HEADER + WORD) as u64);

        let mut found = SavedTable::open(&path, ORIGIN).expect("cannot open the file");
        assert_eq!(found.megabytes(), megabytes);
        let table = table(megabytes);
        found.load_into(&table).expect("cannot load the table");
        let before = filled(megabytes, &keys);
        assert_eq!(contents(&table), contents(&before));
        assert_eq!(table.age(), 3);
        assert_eq!(table.hashfull(), before.hashfull());
        assert_eq!(
            table.probe(keys[49_999], 0),
            before.probe(keys[49_999], 0),
            "the last key that was stored"
        );
        // The next search continues the last one, and the one after it is new.
        for age in [3, 4] {
            table.new_search();
            assert_eq!(table.age(), age);
        }
    }
}

#[test]
fn saving_again_replaces_the_file() {
    let (folder, path) = saved(2, &keys(100));
    table(1).save(&path, ORIGIN).expect("cannot save again");
    let found = SavedTable::open(&path, ORIGIN).expect("cannot open the file");
    assert_eq!(found.megabytes(), 1);
    assert_eq!(names(&folder).len(), 1);
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link() {
    let (folder, path) = saved(1, &[]);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).expect("cannot create a link");
    table(2).save(&link, ORIGIN).expect("cannot save");
    assert!(link.is_symlink());
    let found = SavedTable::open(&path, ORIGIN).expect("cannot open the file");
    assert_eq!(found.megabytes(), 2);
}

#[test]
fn files_of_others_are_not_overwritten() {
    let folder = TempDir::new().expect("cannot create a folder");
    let path = folder.path().join("thesis.txt");
    for text in ["1. e4", "The Sicilian Defense is a good opening."] {
        fs::write(&path, text).expect("cannot write a file");
        let refused = table(1).save(&path, ORIGIN);
        assert!(matches!(refused, Err(HashFileError::Precious)), "{text}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some(text));
    }
    let refused = table(1).save(folder.path(), ORIGIN);
    assert!(matches!(refused, Err(HashFileError::NotAFile)));
    let missing = folder.path().join("missing/hash.hsh");
    let refused = table(1).save(&missing, ORIGIN);
    assert!(matches!(refused, Err(HashFileError::Write(_))));
    fs::write(&path, "").expect("cannot write a file");
    table(1).save(&path, ORIGIN).expect("an empty file is free");
}

/// Writes these bytes over the file, and returns why it is refused.
fn refusal(path: &Path, bytes: &[u8]) -> HashFileError {
    fs::write(path, bytes).expect("cannot write a file");
    SavedTable::open(path, ORIGIN).expect_err("the file was accepted")
}

#[test]
fn what_is_short_long_or_foreign_is_refused() {
    let (folder, path) = saved(1, &keys(1000));
    let good = fs::read(&path).expect("cannot read the file");
    for length in [0, 1, 7] {
        let error = refusal(&path, &good[..length]);
        assert!(matches!(error, HashFileError::Foreign), "{length}: {error}");
    }
    for length in [8, 63, 64, 65, 1000, good.len() - 9, good.len() - 1] {
        let error = refusal(&path, &good[..length]);
        let found = length as u64;
        assert!(
            matches!(error, HashFileError::Length { found: said, .. } if said == found),
            "{length}: {error}"
        );
    }
    let error = refusal(&path, &[&good[..], b"x"].concat());
    assert!(matches!(error, HashFileError::Length { .. }), "{error}");
    let error = refusal(&path, &b"This is a text. ".repeat(100));
    assert!(matches!(error, HashFileError::Foreign), "{error}");

    let open = |path: &Path| SavedTable::open(path, ORIGIN).expect_err("it was accepted");
    assert!(matches!(open(folder.path()), HashFileError::NotAFile));
    let missing = folder.path().join("missing");
    assert!(matches!(open(&missing), HashFileError::Read(_)));
    fs::write(&path, good).expect("cannot write a file");
    assert!(SavedTable::open(&path, ORIGIN).is_ok());
}

#[test]
fn a_changed_bit_anywhere_is_found() {
    let (_folder, path) = saved(1, &keys(1000));
    let good = fs::read(&path).expect("cannot read the file");
    let mut rng = Rng::new(3);
    let header = 0..HEADER;
    let random = (0..200).map(|_| rng.below(good.len()));
    let end = good.len() - WORD..good.len();
    for at in header.chain(random).chain(end) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        refusal(&path, &bytes);
    }
}

#[test]
fn other_versions_networks_and_rules_are_refused_by_name() {
    let good = Header {
        megabytes: 1,
        age: 0,
        origin: ORIGIN,
        keys: key_check(),
    };
    let found = Header::from_bytes(&good.to_bytes()).expect("the header is invalid");
    assert_eq!(found, good);
    assert!(found.suits(ORIGIN).is_ok());

    // Another version of the format, even though its checksum does not match here.
    let mut newer = good.to_bytes();
    newer[8] += 1;
    let error = Header::from_bytes(&newer).expect_err("another version was accepted");
    assert!(matches!(error, HashFileError::Version), "{error}");
    // Another layout of the entries, in a header that is valid otherwise.
    let mut other = good.to_bytes();
    other[12] += 1;
    let sum = xxh3_64(&other[..HEADER_SUM_AT]);
    other[HEADER_SUM_AT..].copy_from_slice(&sum.to_le_bytes());
    let error = Header::from_bytes(&other).expect_err("another layout was accepted");
    assert!(matches!(error, HashFileError::Version), "{error}");

    let refused = |header: Header| header.suits(ORIGIN).expect_err("it was accepted");
    let keys = refused(Header { keys: 1, ..good });
    assert!(matches!(keys, HashFileError::Keys));
    let mut origin = ORIGIN;
    origin.network += 1;
    let network = refused(Header { origin, ..good });
    assert_eq!(
        network.to_string(),
        "has scores of network 0123456789abcdf0, which is not the current one (0123456789abcdef)"
    );
    let origin = Origin {
        fifty: false,
        ..ORIGIN
    };
    let rule = refused(Header { origin, ..good });
    assert_eq!(rule.to_string(), "was written with Syzygy50MoveRule off");
}

#[test]
fn a_file_that_changes_after_the_check_is_noticed() {
    let (_folder, path) = saved(1, &keys(1000));
    let mut found = SavedTable::open(&path, ORIGIN).expect("cannot open the file");
    let mut bytes = fs::read(&path).expect("cannot read the file");
    bytes[5000] ^= 1;
    fs::write(&path, bytes).expect("cannot write a file");
    let loaded = found.load_into(&table(1));
    assert!(matches!(loaded, Err(HashFileError::Changed)));
}

#[test]
fn a_table_without_slots_is_damaged() {
    let origin = Origin {
        network: 1,
        fifty: true,
    };
    let header = Header {
        megabytes: 0,
        age: 0,
        origin,
        keys: 1,
    };
    let read = Header::from_bytes(&header.to_bytes());
    assert!(matches!(read, Err(HashFileError::Damaged)));
}

proptest! {
    #[test]
    fn a_header_is_read_as_it_was_written(
        megabytes: u32, age: u8, network: u64, fifty: bool, keys: u64,
    ) {
        let header = Header { megabytes, age, origin: Origin { network, fifty }, keys };
        // There is no table of 0 MB.
        let wanted = (megabytes > 0).then_some(header);
        prop_assert_eq!(Header::from_bytes(&header.to_bytes()).ok(), wanted);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(
        good: bool, bytes in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        let bytes = if good { [&MAGIC[..], &VERSION.to_le_bytes(), &bytes].concat() } else { bytes };
        // A checksum of 64 bits is not met by chance.
        prop_assert!(Header::from_bytes(&bytes).is_err());
    }
}
