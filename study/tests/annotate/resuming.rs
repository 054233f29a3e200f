//! Runs that are killed go on, and no two of them write one file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{data, failure, program, run, scratch, text};

/// Many games in a file.
fn many(folder: &Path) -> String {
    let one = fs::read_to_string(data("mistakes.pgn")).expect("games");
    let bad = fs::read_to_string(data("bad_between.pgn")).expect("games");
    let path = folder.join("many.pgn");
    fs::write(&path, [&*one, "\n", &*bad, "\n"].concat().repeat(6)).expect("a file");
    path.to_string_lossy().into_owned()
}

fn games_in_journal(out: &Path) -> usize {
    let journal = fs::read_to_string(out.with_extension("pgn.journal")).unwrap_or_default();
    journal.lines().count().saturating_sub(1)
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(5), "stuck");
        sleep(Duration::from_millis(2));
    }
}

/// Starts a run that writes to `out` and kills it when this number of games is done. Returns whether
/// it was killed before its end.
fn is_killed_after(mut command: Command, out: &Path, games: usize) -> bool {
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a run");
    wait_until(|| games_in_journal(out) >= games || child.try_wait().expect("a state").is_some());
    let is_running = child.try_wait().expect("a state").is_none();
    child.kill().expect("killed");
    child.wait().expect("an end");
    is_running
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_end() {
    let scratch = scratch();
    let games = many(scratch.path());
    let folder = |name: &str| scratch.path().join(name);
    let options = |run: &str, more: &str| {
        let name = |end: &str| folder(&format!("{run}{end}")).display().to_string();
        let (out, json, svg) = (name(".pgn"), name(".json"), name("-svg"));
        format!("--nodes 3000 -o {out} --json {json} --svg {svg} {more}")
    };
    assert_eq!(run(&games, &options("whole", "")).status.code(), Some(1));
    let out = folder("killed.pgn");
    let mut kills = 0;
    for (number, stop) in [3, 9, 20, 30].into_iter().enumerate() {
        let more = ["--resume", "--resume --concurrency 2"][number % 2];
        // The name of the JSON file is part of the settings, and so both runs have the same.
        let command = program(&games, &options("killed", more));
        kills += usize::from(is_killed_after(command, &out, stop));
        assert!(!out.exists(), "the name is for whole files");
    }
    assert!(kills >= 3, "it was too fast to be killed");
    let anew = options("killed", "");
    for anew in [anew.replace("killed.json", "other.json"), anew] {
        let refused = failure(&games, &anew);
        assert!(refused.contains("give --resume to go on"), "{refused}");
    }
    let same = options("killed", "--resume");
    // Pages and pictures of the games before would be missing.
    let pages = format!("{same} --html {}", folder("killed-svg").display());
    for other in [
        same.replace("3000", "3001"),
        same.replace("killed-svg", "whole-svg"),
        pages,
    ] {
        let refused = failure(&games, &other);
        assert!(refused.contains("other settings"), "{refused}");
    }

    let last = run(&games, &options("killed", "--resume"));
    assert_eq!(last.status.code(), Some(1));
    let says = String::from_utf8_lossy(&last.stdout).into_owned();
    assert!(
        says.contains("resuming after game")
            && says.contains("60 games, 18 not annotated to their end"),
        "{says}"
    );
    for end in [".pgn", ".json"] {
        let [whole, killed] = ["whole", "killed"].map(|run| text(&folder(&format!("{run}{end}"))));
        assert!(whole == killed, "{end} differs");
    }
    let pictures = |run: &str| {
        let mut all: Vec<PathBuf> = fs::read_dir(folder(run))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        all.sort();
        all.into_iter().map(|path| text(&path)).collect::<Vec<_>>()
    };
    assert_eq!(pictures("whole-svg").len(), 54);
    assert!(pictures("whole-svg") == pictures("killed-svg"));
    let names: Vec<_> = fs::read_dir(scratch.path()).expect("a folder").collect();
    assert_eq!(names.len(), 7, "{names:?}");
}

#[test]
fn a_run_without_json_goes_on() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let options = format!("--nodes 1000 -o {}", out.display());
    assert!(is_killed_after(program(&games, &options), &out, 2));
    let last = run(&games, &format!("{options} --resume"));
    let says = String::from_utf8_lossy(&last.stdout).into_owned();
    assert!(
        says.contains("resuming after game") && says.contains("60 games, "),
        "{says}"
    );
    let whole = run(&games, "--nodes 1000").stdout;
    assert!(text(&out).as_bytes() == whole, "the games differ");
}

#[test]
fn two_runs_do_not_write_one_file() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let options = |nodes| format!("--nodes {nodes} -o {}", out.display());
    let mut first = program(&games, &options(300_000))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a run");
    wait_until(|| out.with_extension("pgn.journal").exists());
    let second = ["", "--resume"].map(|more| failure(&games, &format!("{} {more}", options(10))));
    let is_running = first.try_wait().expect("a state").is_none();
    first.kill().expect("killed");
    first.wait().expect("an end");
    assert!(is_running, "it was over");
    for says in second {
        assert!(says.contains("another program is writing "), "{says}");
        assert!(says.contains("a.pgn.part"), "{says}");
    }
}

/// As after a kill or a power cut between the last game and the name of the file.
#[test]
fn a_complete_run_only_gets_its_names() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let (part, journal) = (
        out.with_extension("pgn.part"),
        out.with_extension("pgn.journal"),
    );
    let options = format!("--nodes 1000 -o {}", out.display());
    assert!(is_killed_after(program(&games, &options), &out, 1));
    let begun = text(&journal);
    let settings = begun.lines().next().expect("settings");
    let last = format!("60 18 {} 0", fs::metadata(&part).expect("a file").len());
    fs::write(&journal, format!("{settings}\n{last}\ndone\n")).expect("a file");
    let whole = text(&part);

    let output = run(&games, &format!("{options} --resume"));
    assert_eq!(output.status.code(), Some(1));
    let says = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        says,
        "the run was complete, with 60 games: its files have their names now\n"
    );
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(says.contains("18 of the 60 games of "), "{says}");
    assert_eq!(text(&out), whole);
    assert!(!part.exists() && !journal.exists());
}
