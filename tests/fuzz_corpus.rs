//! The functions that `make fuzz` feeds with millions of inputs, here with a small corpus and what is much like it.
//!
//! A finding of the fuzzer becomes a file of `tests/data/corpus`, so that it stays mended.

#[path = "../fuzz/src/lib.rs"]
mod bodies;

use std::fs;
use std::panic;
use std::path::Path;

use rejoinder::types::Rng;

/// Feeds every file of the corpus, and so many changed copies of each.
fn feed(target: &str, body: fn(&[u8]), copies: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/corpus")
        .join(target);
    let mut rng = Rng::new(5);
    let mut files = 0;
    for entry in fs::read_dir(&folder).expect("a corpus") {
        let path = entry.expect("a readable entry").path();
        let bytes = fs::read(&path).expect("a readable file");
        files += 1;
        body(&bytes);
        for copy in 0..copies {
            let changed = bodies::mutate(&bytes, &mut rng);
            panic::catch_unwind(|| body(&changed)).unwrap_or_else(|_| {
                panic!(
                    "{}, copy {copy}: {}",
                    path.display(),
                    changed.escape_ascii()
                )
            });
        }
    }
    assert!(files >= 4, "the corpus of {target} is too small");
}

#[test]
fn positions() {
    feed("fen", bodies::fen, 2_000);
}

#[test]
fn lines() {
    feed("uci", bodies::uci, 2_000);
}

#[test]
fn networks() {
    feed("network", bodies::network, 500);
}

#[test]
fn games() {
    feed("games", bodies::games, 500);
}

#[test]
fn suites() {
    feed("epd", bodies::epd, 500);
}
