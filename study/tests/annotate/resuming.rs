//! Runs that are killed go on, and no two of them write one file.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{data, failure, files, many, program, run, scratch, text};

fn part_of(out: &Path) -> PathBuf {
    out.with_extension("pgn.part")
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |data| data.len())
}

fn wait_until(mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_mins(5), "stuck");
        sleep(Duration::from_millis(1));
    }
}

/// Starts a run on games that do not end: after all that are there, it waits for more.
fn start_endless(games: &Path, options: &str) -> Child {
    let mut child = program("-", options)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a run");
    let input = child.stdin.as_mut().expect("a pipe");
    input
        .write_all(&fs::read(games).expect("games"))
        .expect("a reader");
    child
}

/// Kills a run, which must not have come to its end.
fn kill(mut child: Child) {
    assert_eq!(child.try_wait().expect("a state"), None, "it was over");
    child.kill().expect("killed");
    child.wait().expect("an end");
}

/// The outputs of a run of this name.
fn options(folder: &Path, run: &str, more: &str) -> String {
    let name = |end: &str| folder.join(format!("{run}{end}")).display().to_string();
    let (out, json) = (name(".pgn"), name(".json"));
    let (svg, html) = (name("-svg"), name("-html"));
    format!("--nodes 1000 -o {out} --json {json} --svg {svg} --html {html} {more}")
}

#[test]
fn a_run_that_is_killed_at_any_moment_goes_on_to_the_same_end() {
    let scratch = scratch();
    let games = many(scratch.path());
    let options = |run: &str, more: &str| options(scratch.path(), run, more);
    assert_eq!(run(&games, &options("whole", "")).status.code(), Some(1));
    let name = |end: &str| scratch.path().join(format!("killed{end}"));
    // Each run gets further than the one before, and ends when another of its files shows that.
    for (number, game) in [1, 2, 11, 12, 21, 22, 31, 32, 41, 42]
        .into_iter()
        .enumerate()
    {
        let more = ["--resume", "--resume --concurrency 2"][number % 2];
        let run = start_endless(Path::new(&games), &options("killed", more));
        let drawing = name(&format!("-svg/game-{game:05}.svg"));
        let page = name(&format!("-html/game-{game:05}.html"));
        let comes_near = |end: &str| {
            let whole = length(&scratch.path().join(format!("whole{end}")));
            let so_far = length(&name(&format!("{end}.part")));
            60 * so_far >= whole * game
        };
        wait_until(|| match number % 4 {
            0 => comes_near(".pgn"),
            1 => drawing.exists(),
            2 => page.exists(),
            _ => comes_near(".json"),
        });
        kill(run);
        if number == 3 {
            let refused = failure(&games, &options("killed", ""));
            assert!(refused.contains("give --resume to go on"), "{refused}");
            let other = options("killed", "--resume").replace("1000", "1001");
            let refused = failure(&games, &other);
            assert!(
                refused.contains("give the same games and options"),
                "{refused}"
            );
        }
    }
    let last = run(&games, &options("killed", "--resume"));
    assert_eq!(last.status.code(), Some(1));
    for end in [".pgn", ".json"] {
        let name = |run: &str| scratch.path().join(format!("{run}{end}"));
        let [whole, killed] = ["whole", "killed"].map(|run| text(&name(run)));
        assert!(whole == killed, "{end} differs");
    }
    for (end, count) in [("-svg", 54), ("-html", 55)] {
        let all = |run: &str| files(&scratch.path().join(format!("{run}{end}")));
        assert_eq!(all("whole").len(), count, "{end}");
        assert!(all("whole") == all("killed"), "{end} differs");
    }
    let names: Vec<_> = fs::read_dir(scratch.path()).expect("a folder").collect();
    assert_eq!(names.len(), 9, "{names:?}");
}

#[test]
fn a_run_that_goes_on_counts_all_games() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let options = format!("--nodes 500 -o {} --games 3-52", out.display());
    let whole = run(&games, "--nodes 500 --games 3-52").stdout;
    // As after a kill when all is done but the name.
    fs::write(part_of(&out), &whole).expect("a file");
    let last = run(&games, &format!("{options} --resume"));
    assert_eq!(last.status.code(), Some(1));
    let says = String::from_utf8_lossy(&last.stdout).into_owned();
    assert!(
        says.starts_with("resuming after game 51\n") && says.contains("50 games, 15 not annotated"),
        "{says}"
    );
    let says = String::from_utf8_lossy(&last.stderr).into_owned();
    assert!(says.contains("15 of the 50 games of "), "{says}");
    assert!(text(&out).as_bytes() == whole, "the games differ");
    assert!(!part_of(&out).exists());
}

/// As after a kill between the names of the JSON file and of the games.
#[test]
fn a_json_file_that_has_its_name_already_is_no_hindrance() {
    let scratch = scratch();
    let games = data("mistakes.pgn");
    let name = |name: &str| scratch.path().join(name);
    let (out, json) = (name("a.pgn"), name("a.json"));
    let options = format!("--nodes 500 -o {} --json {}", out.display(), json.display());
    assert!(run(&games, &options).status.success());
    let whole = [&out, &json].map(|path| text(path));
    fs::rename(&out, part_of(&out)).expect("another name");
    assert!(run(&games, &format!("{options} --resume")).status.success());
    assert!([&out, &json].map(|path| text(path)) == whole);

    // A file of the JSON that lacks games is no beginning.
    fs::rename(&out, part_of(&out)).expect("another name");
    fs::remove_file(&json).expect("a file");
    let refused = failure(&games, &format!("{options} --resume"));
    assert!(
        refused.contains("it lacks games that are done"),
        "{refused}"
    );
    assert_eq!(text(&part_of(&out)), whole[0]);
}

#[test]
fn two_runs_do_not_write_one_file() {
    let scratch = scratch();
    let games = many(scratch.path());
    let out = scratch.path().join("a.pgn");
    let options = |nodes| format!("--nodes {nodes} -o {}", out.display());
    let first = start_endless(Path::new(&games), &options(10));
    wait_until(|| length(&part_of(&out)) > 0);
    let second = ["", "--resume"].map(|more| failure(&games, &format!("{} {more}", options(10))));
    kill(first);
    for says in second {
        assert!(says.contains("another program is writing "), "{says}");
        assert!(says.contains("a.pgn.part"), "{says}");
    }
    // The lock of a dead program is none.
    let says = failure(&games, &options(10));
    assert!(says.contains("give --resume to go on"), "{says}");
}
