use std::collections::HashSet;
use std::fs;

use std::path::Path;

use super::*;
use crate::data::manifest;
use crate::data::origin::{ContestPart, Maker, Origin};
use crate::data::shard;
use crate::elo::{Pairs, SprtVerdict};
use crate::files;
use crate::selfplay::GameRecord;
use crate::testing::{games_in, parse_args};
use crate::time_control::TimeControl;
use rejoinder::board::openings;
use rejoinder::search::Setup;
use rejoinder::types::Rng;

/// Parses a command line, to which a book with this number of random openings is added.
fn args(scratch: &tempfile::TempDir, openings: usize, line: &str) -> Args {
    let book = scratch.path().join("book.epd");
    let mut rng = Rng::new(5);
    let mut fens = HashSet::new();
    while fens.len() < openings {
        fens.extend(openings::random(0.0, &mut rng).map(|board| board.fen(false)));
    }
    let mut fens = Vec::from_iter(fens);
    fens.sort();
    fs::write(&book, fens.join("\n")).expect("a writable directory");
    let book = book.to_string_lossy().into_owned();
    parse_args::<Args>(&format!("--book {book} {line}")).expect("valid arguments")
}

fn play(args: &Args) -> anyhow::Result<MatchSummary> {
    super::play(&args.to_match()?)
}

/// Plays a match from the engine's own openings and keeps the games in this directory.
fn kept(dir: &Path, line: &str) -> MatchSummary {
    // Of two games that are alike only one would be kept, so the sides must differ.
    let other = if line.contains("--nodes-b") {
        ""
    } else {
        "--nodes-b 40"
    };
    let line = format!(
        "--nodes 60 {other} --hash 1 --keep {} {line}",
        dir.display()
    );
    play(&parse_args::<Args>(&line).expect("valid arguments")).expect("a match")
}

/// Returns the names and contents of the files of a directory.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let names = files::names(dir).expect("a directory").into_iter();
    names
        .map(|name| {
            let bytes = fs::read(dir.join(&name)).expect("a file");
            (name, bytes)
        })
        .collect()
}

#[test]
fn a_match_makes_the_same_files_whatever_the_threads() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let [first, second] = [1, 3].map(|threads| {
        let dir = scratch.path().join(format!("deep/{threads}"));
        let line = format!("--games 11 --threads {threads} --seed 8 --chess960-share 0.5");
        let summary = kept(&dir, &line);
        (summary, dir)
    });
    assert_eq!(first.0.games, second.0.games);
    assert_eq!(contents(&first.1), contents(&second.1));
    assert_eq!(contents(&first.1).len(), 3, "settings, games and manifest");

    let (summary, dir) = first;
    let games = games_in(&dir);
    assert_eq!(games.len() as u64, summary.games.iter().sum::<u64>());
    let stored = summary.kept.expect("kept");
    assert_eq!((stored.stored.games(), stored.known), (12, 0));
    let mut again = MatchSummary::new(None, 1);
    let mut keys = HashSet::new();
    for pair in games.chunks(2) {
        let pair: &[GameRecord; 2] = pair.try_into().expect("a pair");
        assert_eq!(pair[0].opening.key(), pair[1].opening.key());
        assert_ne!(pair[0].moves, pair[1].moves);
        keys.insert(pair[0].opening.key());
        again.add(half_points(pair));
    }
    assert_eq!(keys.len(), 6);
    assert_eq!((again.games, again.pairs), (summary.games, summary.pairs));
    let chess960 = games
        .iter()
        .filter(|game| !game.opening.has_standard_castling());
    assert!((1..12).contains(&chess960.count()));

    let names = files::names(&dir).expect("a directory");
    let name = names
        .iter()
        .find(|name| shard::ending(Path::new(name)).is_some());
    let manifest = manifest::read(&dir.join(name.expect("a shard"))).expect("a readable file");
    let Some(Origin::Contest(ContestPart { contest, shard: 0 })) =
        manifest.expect("a manifest").played
    else {
        panic!("the manifest states another origin");
    };
    assert_eq!(
        (contest.by, contest.nodes, contest.seed),
        (Maker::Match, [60, 40].map(TimeControl::Nodes), 8)
    );
    let network = Setup::default().network.name();
    assert_eq!(contest.networks, [network.clone(), network]);
}

#[test]
fn a_clock_of_nodes_is_kept_whatever_the_threads() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let [first, second] = [1, 3].map(|threads| {
        let line = format!("--clock 0.03+0.002 --games 6 --hash 1 --threads {threads}");
        play(&args(&scratch, 3, &line)).expect("a match")
    });
    assert_eq!(
        (first.games, first.cost.nodes),
        (second.games, second.cost.nodes)
    );
    // Each side may use 30 ms and 2 ms for each move, at 1,000 nodes each.
    let cost = first.cost;
    let allowed = 6 * 2 * 30_000 + cost.searches * 2_000;
    assert!((allowed / 4..=allowed).contains(&cost.nodes), "{cost:?}");
}

#[test]
fn a_repeated_match_stores_only_what_is_new() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let [parts, whole] = ["parts", "whole"].map(|name| scratch.path().join(name));
    kept(&parts, "--games 4 --seed 3");
    let summary = kept(&parts, "--games 10 --seed 3");
    let text = summary.to_string();
    assert!(
        text.contains("kept   6 games with ") && text.contains("; 4 games were"),
        "{text}"
    );
    kept(&whole, "--games 10 --seed 3");
    assert_eq!(games_in(&parts), games_in(&whole));
    let before = contents(&parts).len();
    // Games of other players and from other openings have files of their own.
    kept(&parts, "--games 4 --seed 4");
    kept(&parts, "--games 4 --seed 3 --nodes-b 50");
    let after = contents(&parts).len();
    assert_eq!((before, after), (5, 11));
    assert_eq!(games_in(&parts).len(), 18);
}

#[test]
fn own_openings_depend_on_the_seed_alone() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let openings = |name: &str, line: &str| {
        let dir = scratch.path().join(name);
        kept(&dir, line);
        let games = games_in(&dir).into_iter().step_by(2);
        games.map(|game| game.opening.key()).collect::<Vec<_>>()
    };
    let usual = openings("usual", "--games 12 --seed 1");
    let zero = openings("zero", "--games 12 --seed 1 --network-a zero --nodes-b 90");
    let other = openings("other", "--games 12 --seed 2");
    assert_eq!(usual, zero);
    assert!(other.iter().all(|key| !usual.contains(key)));
}

#[test]
fn games_from_a_book_are_not_kept() {
    for line in [
        "--book x --keep y",
        "--book x --chess960-share 0.1",
        "--chess960-share 2",
    ] {
        assert!(parse_args::<Args>(line).is_err(), "{line}");
    }
    assert!(parse_args::<Args>("--keep y --chess960-share 0.1").is_ok());
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let mut contest = args(&scratch, 1, "--games 2").to_match().expect("a match");
    contest.keep = Some(scratch.path().join("games"));
    let error = contest.play(|_| ()).expect_err("a book").to_string();
    assert!(error.contains("opening book"), "{error}");
    assert!(!scratch.path().join("games").exists());
}

#[test]
fn equal_players_share_the_points_whatever_the_threads() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let summaries = [1, 2].map(|threads| {
        let line = format!("--games 7 --nodes 60 --threads {threads}");
        play(&args(&scratch, 6, &line)).expect("a match")
    });
    for summary in &summaries {
        assert_eq!(summary.pairs, Pairs([0, 0, 4, 0, 0]));
        assert_eq!(summary.games, summaries[0].games);
        assert_eq!(summary.games.iter().sum::<u64>(), 8);
    }
}

#[test]
fn more_nodes_win_and_the_test_stops_early() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let line = "--games 400 --nodes 1500 --nodes-b 50 --sprt 0 50 --threads 2";
    let summary = play(&args(&scratch, 200, line)).expect("a match");
    assert!(summary.pairs.count() < 100, "{summary}");
    assert!(summary.pairs.score() > 0.6, "{summary}");
    assert!(
        matches!(summary.sprt, Some((_, SprtVerdict::Passed))),
        "{summary}"
    );
    let text = summary.to_string();
    assert!(text.contains("SPRT   [0, 50] passed"), "{text}");
}

#[test]
fn equal_players_are_refused() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    for (line, is_fine) in [
        ("--games 2 --nodes 50", false),
        ("--games 2 --nodes 50 --nodes-b 50 --hash-b 4", false),
        ("--games 2 --nodes 50 --nodes-b 60", true),
        ("--games 2 --nodes 50 --hash-b 5", true),
        ("--games 2 --nodes 50 --network-b zero", true),
    ] {
        let done = run(&args(&scratch, 3, line));
        assert_eq!(done.is_ok(), is_fine, "{line}");
        if let Err(error) = done {
            assert!(error.to_string().contains("the same player"), "{error}");
        }
    }
}

#[test]
fn games_are_written_as_pgn() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let path = scratch.path().join("games.pgn");
    let line = format!("--games 4 --nodes 40 --nodes-b 60 --pgn {}", path.display());
    let summary = play(&args(&scratch, 3, &line)).expect("a match");
    let pgn = fs::read_to_string(&path).expect("the games");
    assert_eq!(pgn.matches("[Event ").count() as u64, 4, "{pgn}");
    assert_eq!(pgn.matches(" A\"]\n[Black ").count(), 2, "{pgn}");
    for part in [
        "[Round \"1.2\"]",
        "[Round \"2.1\"]",
        "[SetUp \"1\"]",
        "[FEN \"",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
    let drawn = pgn.matches("[Result \"1/2-1/2\"]").count() as u64;
    assert_eq!(drawn, summary.games[1], "{summary}");
    let line = format!("--games 2 --nodes-b 60 --pgn {}", scratch.path().display());
    let error = play(&args(&scratch, 3, &line)).expect_err("a folder");
    assert!(error.to_string().contains("cannot write"), "{error}");
}

#[test]
fn bad_requests_are_explained() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let tune = cfg!(feature = "tune");
    for (line, says) in [
        ("--games 100", "enough for 6 games, not for 100"),
        ("--games 2 --sprt 5 0", "lower one first"),
        ("--games 2 --sprt 5 nan", "lower one first"),
        (
            "--games 2 --a see_pawn",
            if tune { "no `=`" } else { "--features tune" },
        ),
        (
            "--games 2 --b a=1,b=2",
            if tune {
                "no parameter is called"
            } else {
                "`a=1`"
            },
        ),
    ] {
        let error = play(&args(&scratch, 3, line)).expect_err(line).to_string();
        assert!(error.contains(says), "{line}: {error}");
    }
}
