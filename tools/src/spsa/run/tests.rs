use std::fs;

use super::super::state;
use super::*;
use crate::testing::parse_args;

/// Returns the arguments of a run in the scratch directory.
fn args(scratch: &tempfile::TempDir, more: &str) -> Args {
    let book = scratch.path().join("book.epd");
    let openings = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n\
        rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq -\n";
    fs::write(&book, openings).expect("a writable directory");
    let (out, book) = (scratch.path().join("run.json"), book.display().to_string());
    let out = out.display();
    let line = format!("--out {out} --book {book} --pairs 1 --nodes 50 --hash 1 {more}");
    parse_args(&line).expect("valid arguments")
}

#[test]
fn the_arguments_are_checked() {
    for line in [
        "",
        "--out x",
        "--out x --iterations 5 --book x --keep y",
        "--out x --iterations 5 --book x --chess960-share 0.1",
        "--out x --show --keep y",
        "--out x --book x --iterations 0",
        "--out x --book x --iterations 5 --pairs 0",
        "--out x --book x --iterations 5 --show",
        "--out x --resume --show",
    ] {
        assert!(parse_args::<Args>(line).is_err(), "{line}");
    }
    assert!(parse_args::<Args>("--out x --show --plot y").is_ok());
    assert!(parse_args::<Args>("--out x --iterations 5 --keep y --chess960-share 0.1").is_ok());
}

#[test]
fn numbers_that_games_cannot_judge_are_left_out() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let names = |more: &str| {
        let rows = rows_of(&args(&scratch, more)).expect("rows");
        rows.into_iter().map(|row| row.name).collect::<Vec<_>>()
    };
    let all = names("--iterations 1");
    assert!(all.len() > 50 && all.iter().any(|name| name == "see_quiet_margin"));
    assert!(
        !all.iter()
            .any(|name| name.starts_with("clock_") || name == "see_pawn")
    );
    let lmr = names("--iterations 1 --only lmr_check,lmr_kil");
    assert_eq!(lmr, ["lmr_check", "lmr_killer"]);
    let error = rows_of(&args(&scratch, "--iterations 1 --only clock_")).expect_err("none");
    assert!(error.to_string().contains("`clock_`"), "{error}");
}

#[cfg(not(feature = "tune"))]
#[test]
fn constants_are_not_tuned() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let args = args(&scratch, "--iterations 2");
    let error = state(&args).expect_err("constants").to_string();
    assert!(error.contains("--features tune"), "{error}");
    assert!(!args.out.exists());
}

#[cfg(feature = "tune")]
mod tuning {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;
    use crate::data::{shard, viri};
    use crate::files;

    #[test]
    fn a_run_can_be_repeated_and_continued() {
        let [first, second] = [(); 2].map(|()| {
            let scratch = tempfile::tempdir().expect("a temporary directory");
            let plot = scratch.path().join("paths.svg");
            let line = format!("--iterations 2 --threads 1 --plot {}", plot.display());
            let args = args(&scratch, &line);
            state(&args).expect("a run");
            let svg = fs::read_to_string(plot).expect("a chart");
            assert!(svg.starts_with("<svg"), "{svg}");
            (checkpoint::load(&args.out).expect("a run"), scratch)
        });
        let (run, scratch) = first;
        assert_eq!(run.algorithm, second.0.algorithm);
        assert_eq!((run.done, run.games), (2, second.0.games));
        assert_eq!(run.games.iter().sum::<u64>(), 4);

        // A finished run has nothing left to play, but a longer one has.
        state(&args(&scratch, "--iterations 2 --resume")).expect("the end of a run");
        let longer = args(&scratch, "--iterations 5 --threads 2 --resume");
        state(&longer).expect("a longer run");
        let run = checkpoint::load(&longer.out).expect("a run");
        assert_eq!((run.done, run.games.iter().sum::<u64>()), (5, 10));
        assert_eq!(run.history.len(), 6);
        let show = format!("--out {} --show", longer.out.display());
        let shown = state(&parse_args(&show).expect("valid arguments")).expect("a run");
        assert_eq!(shown, run);
        let table = report::text(&shown);
        let check = &shown.algorithm.rounded()[0];
        let name = &shown.algorithm.rows[0].name;
        assert!(table.contains(&format!("{name}={check},")), "{table}");
        assert!(table.contains("5 of 5, 10 games"), "{table}");
    }

    /// Returns the arguments of a run that keeps its games, which begin from the engine's own
    /// openings.
    fn keeping(scratch: &tempfile::TempDir, more: &str) -> Args {
        let path = |name: &str| scratch.path().join(name).display().to_string();
        let (out, keep) = (path("run.json"), path("games"));
        let line = format!("--out {out} --keep {keep} --pairs 2 --nodes 50 --hash 1 {more}");
        parse_args(&line).expect("valid arguments")
    }

    /// Returns the kept games of each file.
    fn games(scratch: &tempfile::TempDir) -> Vec<Vec<GameRecord>> {
        let dir = scratch.path().join("games");
        let names = files::names(&dir).expect("a directory").into_iter();
        let shards = names.filter(|name| shard::ending(Path::new(name)).is_some());
        let games = |name: String| {
            let bytes = shard::read(&dir.join(name)).expect("a shard");
            let games: Result<Vec<_>, _> = viri::games(&bytes).collect();
            games.expect("good games")
        };
        shards.map(games).collect()
    }

    #[test]
    fn games_are_kept_and_a_resumed_run_adds_to_them() {
        let [parts, whole] = [(); 2].map(|()| tempfile::tempdir().expect("a temporary directory"));
        let run = state(&keeping(&parts, "--iterations 3 --threads 1")).expect("a run");
        let book = run.settings.book;
        assert_eq!(book, "own, 0 of Chess960");
        let first = games(&parts);
        assert_eq!(first.len(), 1);
        let run = state(&keeping(&parts, "--iterations 5 --threads 1 --resume"));
        let run = run.expect("a longer run");
        let both = games(&parts);
        assert_eq!((both.len(), &both[0]), (2, &first[0]));
        // A pair that both sides played alike is stored as one game.
        let distinct: HashSet<Vec<u8>> = both.iter().flatten().map(encoded).collect();
        let stored = both.iter().flatten().count();
        assert_eq!(distinct.len(), stored);
        let played = run.games.iter().sum::<u64>() as usize;
        assert_eq!(played, 20);
        assert!((10..=20).contains(&stored), "{stored}");
        let keys = |games: &[Vec<GameRecord>]| -> HashSet<u64> {
            games
                .iter()
                .flatten()
                .map(|game| game.opening.key())
                .collect()
        };
        assert_eq!(keys(&both).len(), 10);

        // The openings are those of a run that was not stopped and had other changes and threads;
        // those of another seed differ.
        let line = "--iterations 5 --threads 2 --only lmr_";
        state(&keeping(&whole, line)).expect("a run");
        assert_eq!(keys(&games(&whole)), keys(&both));
        let other = tempfile::tempdir().expect("a temporary directory");
        state(&keeping(&other, "--iterations 5 --seed 2")).expect("a run");
        assert!(keys(&games(&other)).is_disjoint(&keys(&both)));

        let line = "--iterations 6 --resume --chess960-share 0.5";
        let error = state(&keeping(&parts, line)).expect_err("other openings");
        assert!(
            error.to_string().contains("own, 0.5 of Chess960"),
            "{error}"
        );
    }

    fn encoded(game: &GameRecord) -> Vec<u8> {
        let mut bytes = Vec::new();
        viri::encode(game, &mut bytes).expect("the game fits the format");
        bytes
    }

    #[test]
    fn another_run_is_not_continued() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let only = "--iterations 1 --only lmr_";
        state(&args(&scratch, only)).expect("a run");
        for (line, says) in [
            ("--iterations 1", "exists already"),
            ("--iterations 1 --resume --seed 2", "seed was 1 and is 2"),
            ("--iterations 1 --resume --only see_", "not those named"),
        ] {
            let error = state(&args(&scratch, line)).expect_err(line).to_string();
            assert!(error.contains(says), "{error}");
        }
        state(&args(&scratch, &format!("{only} --resume"))).expect("the same");
        let mut elsewhere = args(&scratch, "--iterations 1");
        elsewhere.out = scratch.path().join("missing/run.json");
        let error = state(&elsewhere).expect_err("no directory").to_string();
        assert!(error.contains("missing"), "{error}");
    }
}
