//! The functions that `make fuzz` feeds with millions of inputs, here with a small corpus and what is much like it.
//!
//! A finding of the fuzzer becomes a file of `tests/data/corpus`, so that it stays mended.

#[path = "../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../fuzz/src/engine.rs"]
mod engine;

use std::path::Path;

fn feed(target: &str, body: fn(&[u8]), copies: usize) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus");
    corpus::feed(&corpus.join(target), body, copies);
}

#[test]
fn positions() {
    feed("fen", engine::fen, 2_000);
}

#[test]
fn lines() {
    feed("uci", engine::uci, 2_000);
}

#[test]
fn networks() {
    feed("network", engine::network, 500);
}

#[test]
fn suites() {
    feed("epd", engine::epd, 500);
}
