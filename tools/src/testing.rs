//! Helpers of the unit tests.

use std::path::Path;

use clap::{Args, Command};

use crate::data::{shard, viri};
use crate::files;
use crate::selfplay::GameRecord;

/// Parses the arguments of a command as if they had been typed after its name, separated by white
/// space.
pub fn parse_args<A: Args>(line: &str) -> Result<A, clap::Error> {
    let command = A::augment_args(Command::new("test").no_binary_name(true));
    let matches = command.try_get_matches_from(line.split_whitespace())?;
    A::from_arg_matches(&matches)
}

/// Returns the games in the files of a directory, in the order of their names. Reading them verifies
/// that their moves are legal.
pub fn games_in(dir: &Path) -> Vec<GameRecord> {
    let names = files::names(dir).expect("a directory").into_iter();
    let shards = names.filter(|name| shard::ending(Path::new(name)).is_some());
    let games = |name: String| {
        let bytes = shard::read(&dir.join(name)).expect("a shard");
        let games: Result<Vec<_>, _> = viri::games(&bytes).collect();
        games.expect("good games")
    };
    shards.flat_map(games).collect()
}
