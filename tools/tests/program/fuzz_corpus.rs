//! Feeds the functions that `make fuzz` tests with a small corpus and with damaged copies.

#[path = "../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../fuzz/src/games.rs"]
mod games;
#[path = "../../../fuzz/src/suites.rs"]
mod suites;

use std::path::Path;

fn feed(target: &str, body: fn(&[u8])) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/corpus");
    corpus::feed(&corpus.join(target), body, 500);
}

#[test]
fn files_of_games() {
    feed("games", games::games);
}

#[test]
fn suites() {
    feed("epd", suites::epd);
}
