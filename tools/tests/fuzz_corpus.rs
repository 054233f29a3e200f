//! The function that `make fuzz` feeds with files of games, here with a small corpus and what is much like it.

#[path = "../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../fuzz/src/games.rs"]
mod games;

use std::path::Path;

#[test]
fn files_of_games() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/corpus/games");
    corpus::feed(&folder, games::games, 500);
}
