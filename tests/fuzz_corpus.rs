//! Calls the functions that `make fuzz` tests with millions of inputs, here with a small corpus and
//! variations of it.
//!
//! Every input for which the fuzzer found a bug becomes a file of `tests/data/corpus`.

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
