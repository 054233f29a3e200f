use std::collections::BTreeMap;
use std::path::Path;

use viriformat::dataformat::{Filter as ViriFilter, Game};

use super::summary::DatagenSummary;
use super::*;
use crate::data::filter::{FEW_PIECES, Filter};
use crate::data::{check, shard};
use crate::files;
use crate::testing::parse_args;
use rejoinder::types::score;

fn parse(out: &Path, line: &str) -> Result<Args, clap::Error> {
    parse_args(&format!("--out {} {line}", out.display()))
}

fn made(out: &Path, line: &str) -> DatagenSummary {
    generate(&parse(out, line).expect("valid arguments")).expect("a run")
}

/// Returns the uncompressed shards of a directory by their names.
fn shards(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = files::names(dir).expect("a directory").into_iter();
    names
        .filter(|name| shard::ending(Path::new(name)).is_some())
        .map(|name| {
            let games = shard::read(&dir.join(&name)).expect("a shard");
            (name, games)
        })
        .collect()
}

fn games(bytes: &[u8]) -> Vec<Game> {
    let mut reader = bytes;
    let mut games = Vec::new();
    while !reader.is_empty() {
        games.push(Game::deserialise_from(&mut reader, Vec::new()).expect("a game"));
    }
    games
}

#[test]
fn a_run_stores_every_game_and_counts_like_the_format() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let summary = made(
        scratch.path(),
        "--games 7 --nodes 60 --threads 2 --seed 1 --shard-games 2 --chess960-share 0.5",
    );
    let files = shards(scratch.path());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let expected = [
        "games-1-00-00000.vf.zst",
        "games-1-00-00001.vf.zst",
        "games-1-01-00000.vf.zst",
        "games-1-01-00001.vf.zst",
    ];
    assert_eq!(names, expected);
    let games: Vec<Game> = files.values().flat_map(|bytes| games(bytes)).collect();
    assert_eq!((summary.tally.games(), games.len()), (7, 7));

    let filter = ViriFilter {
        min_ply: 16,
        max_eval: 10_000,
        filter_tactical: true,
        filter_check: true,
        ..ViriFilter::UNRESTRICTED
    };
    let positions: usize = games.iter().map(Game::len).sum();
    let kept: u64 = games
        .iter()
        .map(|game| game.filter_pass_count(&filter))
        .sum();
    assert_eq!(summary.tally.positions, positions as u64);
    assert_eq!(summary.tally.kept, kept);
    assert!(kept > 50 && kept < positions as u64, "{summary}");
}

#[test]
fn only_positions_that_training_may_keep_are_searched_thoroughly() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let line = "--games 6 --nodes 200 --short-nodes 20 --threads 1 --seed 2";
    let summary = made(scratch.path(), line);
    let path = scratch.path().join("games-2-00-00000.vf.zst");
    let bytes = shard::read(&path).expect("a shard");
    let (mut scored, mut rare, mut skipped) = (0, 0, 0);
    for game in shard::games(&path, &bytes) {
        let game = game.expect("a game");
        let mut board = game.opening;
        for (mv, score) in game.moves {
            let admitted = Filter::default().admits(&board);
            let late = board.occupied().count() <= FEW_PIECES;
            if score == score::NONE {
                skipped += u64::from(admitted && late);
            } else {
                assert!(admitted, "{board:?}");
                scored += 1;
                rare += u64::from(late);
            }
            board.make(mv);
        }
    }
    assert!(scored > 100 && summary.tally.useful > 50, "{summary}");
    assert!(rare > 0 && skipped > 2 * rare, "{rare} {skipped}");
    assert!(summary.tally.useful < summary.tally.kept && summary.tally.kept <= scored);
    let nodes = summary.cost.nodes / summary.cost.searches;
    assert!((20..300).contains(&nodes), "{nodes} nodes a search");
    assert!(check::run(&check::Args { files: vec![path] }).is_ok());
}

#[test]
fn the_seed_decides_the_games() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let [first, again, other] = ["first", "again", "other"].map(|name| scratch.path().join(name));
    let line = "--games 3 --nodes 60 --threads 1 --seed 4";
    made(&first, line);
    made(&again, line);
    made(&other, "--games 3 --nodes 60 --threads 1 --seed 5");
    assert_eq!(shards(&first), shards(&again));
    let [first_bytes, other_bytes] = [&first, &other].map(|dir| shards(dir).into_values().next());
    assert_ne!(first_bytes, other_bytes);

    let args = parse(&first, line).expect("valid arguments");
    let error = generate(&args).expect_err("the seed is taken").to_string();
    assert!(error.contains("seed 4"), "{error}");
    let line = "--games 1 --nodes 60 --threads 1";
    let args = parse(&first, line).expect("valid arguments");
    let error = generate(&args).expect_err("another run").to_string();
    assert!(error.contains("--resume"), "{error}");
    let [one, two] = ["one", "two"].map(|name| scratch.path().join(name));
    for dir in [&one, &two] {
        made(dir, line);
    }
    assert_ne!(
        shards(&one),
        shards(&two),
        "a run without a seed finds its own"
    );
}

#[test]
fn a_run_continues_to_its_target() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let [parts, whole] = ["parts", "whole"].map(|name| scratch.path().join(name));
    made(
        &parts,
        "--games 3 --nodes 60 --threads 2 --hash 1 --seed 4 --shard-games 4",
    );
    let summary = made(&parts, "--games 10 --resume");
    assert_eq!((summary.before.games(), summary.tally.games()), (3, 10));
    let summary = made(&parts, "--games 10 --resume --nodes 60 --seed 4");
    assert_eq!(summary.before, summary.tally, "there is nothing to do");
    let summary = made(&parts, "--positions 50 --resume");
    assert_eq!(summary.before, summary.tally, "there is nothing to do");
    made(
        &whole,
        "--games 10 --nodes 60 --threads 2 --hash 1 --seed 4",
    );
    for thread in ["games-4-00", "games-4-01"] {
        let games = |dir| -> Vec<u8> {
            let files = shards(dir).into_iter();
            let own = files.filter(|(name, _)| name.starts_with(thread));
            own.flat_map(|(_, games)| games).collect()
        };
        assert!(games(&whole) == games(&parts), "{thread}");
    }
    let args = parse(&parts, "--games 10 --resume --hash 2").expect("valid arguments");
    let error = generate(&args).expect_err("other games").to_string();
    assert!(error.contains("hash was 1 and is 2"), "{error}");
}

#[test]
fn a_run_stops_at_its_positions() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let summary = made(scratch.path(), "--positions 100 --nodes 60 --threads 1");
    assert!(summary.tally.useful >= 100, "{summary}");
    let games = shards(scratch.path())
        .values()
        .map(|bytes| games(bytes).len())
        .sum::<usize>();
    assert_eq!(summary.tally.games(), games as u64);
}

#[test]
fn a_run_needs_one_target_and_a_share() {
    let out = Path::new("nowhere");
    for line in [
        "",
        "--games 1 --positions 1",
        "--games 0",
        "--games 1 --chess960-share 1.1",
        "--games 1 --network nowhere/net",
    ] {
        assert!(parse(out, line).is_err(), "{line}");
    }
    assert!(parse(out, "--positions 5 --chess960-share 0").is_ok());
}
