//! Files of games made of bytes of unknown origin.

use std::path::Path;

use rejoinder_tools::data::{shard, viri};

/// A file of games, plain and compressed.
pub fn games(bytes: &[u8]) {
    check_games(bytes);
    if let Ok(unpacked) = shard::unpack(Path::new("games.vf.zst"), bytes) {
        check_games(&unpacked);
    }
}

fn check_games(bytes: &[u8]) {
    let mut written = Vec::new();
    for game in viri::games(bytes) {
        let Ok(game) = game.map_err(|bad| bad.to_string()) else {
            break;
        };
        written.clear();
        viri::encode(&game, &mut written).expect("a game that was read can be written");
        let again = viri::decode(&mut written.as_slice()).expect("what was written can be read");
        assert_eq!(again.as_ref(), Some(&game));
    }
}
