use std::collections::BTreeMap;
use std::path::Path;

use viriformat::dataformat::{Filter as ViriFilter, Game};

use super::labels::Labels;
use super::summary::DatagenSummary;
use super::*;
use crate::data::filter::{FEW_PIECES, Filter};
use crate::data::{check, shard};
use crate::files;
use crate::player::Player;
use crate::testing::parse_args;
use rejoinder::board::{Board, Game as Moves};
use rejoinder::clock::Limits;
use rejoinder::search::{SearchRequest, Setup};
use rejoinder::types::{Rng, score};

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

/// Returns the bytes of each game.
fn encoded_games(bytes: &[u8]) -> Vec<&[u8]> {
    let mut rest = bytes;
    let mut games = Vec::new();
    while !rest.is_empty() {
        let game = rest;
        Game::deserialise_from(&mut rest, Vec::new()).expect("a game");
        games.push(&game[..game.len() - rest.len()]);
    }
    games
}

#[test]
fn a_run_stores_every_game_and_counts_like_the_format() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let summary = made(
        scratch.path(),
        "--games 7 --nodes 60 --label-every 3 --threads 2 --seed 1 --shard-games 2 --chess960-share 0.5",
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
fn one_ply_in_a_few_is_labelled_if_training_may_keep_it() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let line = "--games 120 --nodes 200 --move-nodes 20 --label-every 3 --threads 1 --seed 2";
    let summary = made(scratch.path(), line);
    let path = scratch.path().join("games-2-00-00000.vf.zst");
    let bytes = shard::read(&path).expect("a shard");
    // Labels and quiet moves that might have been labels, in middlegames and in late endings.
    let (mut labels, mut quiet) = ([0_u64; 2], [0_u64; 2]);
    for game in shard::games(&path, &bytes) {
        let game = game.expect("a game");
        let mut board = game.opening;
        for (mv, score) in game.moves {
            let may_be_kept = Filter::default().admits(&board) && mv.is_quiet();
            let late = usize::from(board.occupied().count() <= FEW_PIECES);
            assert!(may_be_kept || score == score::NONE, "{board:?} {mv:?}");
            labels[late] += u64::from(score != score::NONE);
            quiet[late] += u64::from(may_be_kept);
            board.make(mv);
        }
    }
    let share = |late: usize| labels[late] as f64 / quiet[late] as f64;
    assert!(
        (0.2..0.36).contains(&share(0)) && labels[0] > 200,
        "{labels:?} of {quiet:?}"
    );
    assert!(
        share(1) < share(0) / 2.0 && labels[1] > 0,
        "{labels:?} of {quiet:?}"
    );
    let tally = summary.tally;
    assert!(tally.useful < tally.kept && tally.kept <= labels[0] + labels[1]);
    let nodes = summary.cost.nodes / summary.cost.searches;
    assert!((20..150).contains(&nodes), "{nodes} nodes a search");
    assert!(check::run(&check::Args { files: vec![path] }).is_ok());
}

#[test]
fn random_moves_have_their_share_and_no_labels() {
    // Any search finds the mate, so that nearly every other move is a random one.
    let board = Board::from_fen("6k1/5ppp/8/8/8/2P3PP/5PK1/R7 w - - 0 40").expect("a position");
    let moves = board.legal_moves().len() as f64;
    let ply = 78;
    for (share, every, until) in [
        (0.0, 4, 100),
        (0.25, 4, 100),
        (0.25, 1, 100),
        (1.0, 4, ply + 1),
        (1.0, 4, ply),
    ] {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let line = format!(
            "--games 1 --nodes 60 --random-moves {share} --random-until {until} --label-every {every}"
        );
        let setup = Setup::default();
        let run = parse(scratch.path(), &line).expect("valid arguments");
        let run = run.open(&setup).expect("a run");
        let mut player = Player::new(setup, 1, Limits::default()).expect("memory");
        let mut labels = Labels::new(&run.settings, Rng::stream(1, 2));
        let mut request = SearchRequest::new(Moves::new(board), Limits::default());
        let mut random = 0_u32;
        for _ in 0..2000 {
            let thought = labels.think(&mut player, &mut request, 0);
            let best = format!("{:?}", thought.mv) == "a1a8";
            assert!(best || !thought.recorded, "{thought:?}");
            random += u32::from(!best);
        }
        let share = if ply < until { share } else { 0.0 };
        let unlabelled = 1.0 - 1.0 / f64::from(every);
        let expected = 2000.0 * unlabelled * share * (1.0 - 1.0 / moves);
        let error = (f64::from(random) - expected).abs();
        assert!(error <= 4.0 * expected.sqrt(), "{random}, not {expected}");
    }
}

#[test]
fn the_number_of_threads_changes_no_game() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let [one, two] = [1, 2].map(|threads| {
        let dir = scratch.path().join(threads.to_string());
        made(
            &dir,
            &format!("--games 8 --nodes 60 --seed 4 --threads {threads}"),
        );
        shards(&dir).into_values().collect::<Vec<_>>()
    });
    let one = encoded_games(&one[0]);
    let two = [encoded_games(&two[0]), encoded_games(&two[1])];
    assert_eq!((one.len(), two[0].len(), two[1].len()), (8, 4, 4));
    for (number, game) in one.iter().enumerate() {
        assert!(*game == two[number % 2][number / 2], "game {number}");
    }
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
fn without_labels_all_positions_count() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let summary = made(
        scratch.path(),
        "--positions 300 --label-every 0 --threads 1",
    );
    assert!((300..1300).contains(&summary.tally.positions), "{summary}");
    assert_eq!((summary.tally.kept, summary.tally.useful), (0, 0));
    let mixture = summary.settings.mixture.expect("a mixture");
    assert_eq!(
        (mixture.random_moves, mixture.random_until),
        (0.1, Some(24))
    );
    let line = "--positions 9 --label-every 0 --random-moves 0.2 --random-until 30 --threads 1";
    let other = tempfile::tempdir().expect("a temporary directory");
    let mixture = made(other.path(), line)
        .settings
        .mixture
        .expect("a mixture");
    assert_eq!(
        (mixture.random_moves, mixture.random_until),
        (0.2, Some(30))
    );
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
