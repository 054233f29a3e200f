//! Feeds the function that `make fuzz` tests with a small corpus of files of games and with damaged
//! copies.

#[path = "../../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../../fuzz/src/games.rs"]
mod games;

use std::path::Path;

#[test]
fn files_of_games() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/corpus/games");
    corpus::feed(&folder, games::games, 500);
}
