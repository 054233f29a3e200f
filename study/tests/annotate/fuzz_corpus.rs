//! Feeds the function that `make fuzz` tests with a small corpus of games and with damaged copies.

#[path = "../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../fuzz/src/pgn.rs"]
mod pgn;

use std::path::Path;

#[test]
fn games_of_unknown_origin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/corpus/pgn");
    corpus::feed(&folder, pgn::pgn, 1_000);
}
