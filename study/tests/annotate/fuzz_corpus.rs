//! Feeds the functions that `make fuzz` tests with small corpora and with damaged copies.

#[path = "../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../fuzz/src/pgn.rs"]
mod pgn;
#[path = "../../../fuzz/src/request.rs"]
mod request;

use std::path::Path;

fn feed(corpus: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/corpus");
    corpus::feed(&folder.join(corpus), body, 1_000);
}

#[test]
fn games_of_unknown_origin() {
    feed("pgn", pgn::pgn);
}

#[test]
fn requests_of_unknown_origin() {
    feed("request", request::request);
}
