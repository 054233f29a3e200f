//! Data generation survives when the program is killed or the disk is full.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use rejoinder_tools::data::shard;
use rejoinder_tools::files;

const PROGRAM: &str = env!("CARGO_BIN_EXE_rejoinder-tools");
const SETTINGS: &str = "--seed 3 --nodes 60 --threads 2 --hash 1 --shard-games 8";

/// A new empty directory.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a writable directory");
    dir
}

fn is_shard(name: &str) -> bool {
    shard::ending(Path::new(name)).is_some()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn start(dir: &Path, line: &str) -> Child {
    let mut command = Command::new(PROGRAM);
    command.args(["datagen", "--out"]).arg(dir);
    command.args(words(line)).spawn().expect("it starts")
}

fn finish(dir: &Path, line: &str) {
    let status = start(dir, line).wait().expect("it ends");
    assert!(status.success(), "{line}: {status}");
}

fn check(dir: &Path) -> Output {
    let mut command = Command::new(PROGRAM);
    command.args(["data", "check"]).arg(dir);
    command.output().expect("it runs")
}

/// All games of each thread in order, and the number of its files.
fn games(dir: &Path) -> [(Vec<u8>, usize); 2] {
    ["games-3-00-", "games-3-01-"].map(|prefix| {
        let names = files::names(dir).expect("a directory").into_iter();
        let (mut bytes, mut files) = (Vec::new(), 0);
        for name in names.filter(|name| name.starts_with(prefix)) {
            assert!(!name.ends_with(files::TEMPORARY), "{name}");
            if is_shard(&name) {
                bytes.extend(shard::read(&dir.join(name)).expect("a whole shard"));
                files += 1;
            }
        }
        (bytes, files)
    })
}

#[test]
fn a_killed_run_continues_as_if_it_had_not_been_killed() {
    let (killed, whole) = (scratch("killed"), scratch("whole"));
    let line = format!("--games 100 {SETTINGS}");
    finish(&whole, &line);

    let mut child = start(&killed, &line);
    let deadline = Instant::now() + Duration::from_mins(5);
    let shards = || {
        let names = files::names(&killed).expect("a directory");
        names.iter().filter(|name| is_shard(name)).count()
    };
    while shards() < 2 && child.try_wait().expect("a child").is_none() {
        assert!(Instant::now() < deadline, "no shard");
        thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("it ends");
    finish(&killed, "--games 100 --resume");
    assert!(games(&killed) == games(&whole));
    let output = check(&killed);
    assert!(output.status.success(), "{output:?}");
}

/// A limit of the file size simulates a full disk: the write fails in the middle of a shard.
#[cfg(unix)]
#[test]
fn a_full_disk_damages_nothing() {
    let (full, whole) = (scratch("full"), scratch("roomy"));
    let settings = SETTINGS.replace("--shard-games 8", "--shard-games 60");
    finish(&whole, &format!("--games 80 {settings}"));
    finish(&full, &format!("--games 2 {settings}"));
    let before = games(&full);

    // The shell counts in blocks of 512 or 1,024 bytes; a shard of 39 games has more than 4 kB.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\""])
        .args([PROGRAM, "datagen", "--resume", "--games", "80", "--out"])
        .arg(&full)
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("cannot write") && said.contains("games-3-0"),
        "{said}"
    );
    assert!(games(&full) == before, "no game was added or lost");
    let output = check(&full);
    assert!(output.status.success(), "{output:?}");

    finish(&full, "--games 80 --resume");
    let bytes = |games: [(Vec<u8>, usize); 2]| games.map(|(bytes, _)| bytes);
    assert!(bytes(games(&full)) == bytes(games(&whole)));
}

#[test]
fn a_damaged_file_is_named() {
    let dir = scratch("damaged");
    finish(&dir, &format!("--games 4 {SETTINGS}"));
    let path = dir.join("games-3-01-00000.vf.zst");
    let mut bytes = fs::read(&path).expect("a shard");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).expect("a writable directory");
    let output = check(&dir);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("games-3-01-00000.vf.zst"), "{said}");
    assert!(!said.contains("games-3-00"), "{said}");
}

#[test]
fn a_match_keeps_its_games() {
    let dir = scratch("match");
    let run = |words: &[&str]| {
        let output = Command::new(PROGRAM).args(words).output();
        output.expect("it runs and ends")
    };
    let place = dir.join("games");
    let place = place.to_string_lossy();
    let line =
        "match --games 10 --nodes 60 --nodes-b 40 --threads 2 --seed 3 --chess960-share 0.5 --keep";
    let arguments: Vec<&str> = words(line).into_iter().chain([&*place]).collect();
    let output = run(&arguments);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(said.contains("kept   10 games with "), "{said}");

    let output = run(&["data", "check", &place]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        said.starts_with("sound: 10 games, ") && !said.contains("without"),
        "{said}"
    );
    let output = run(&["data", "info", &place]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("1 from match by Rejoinder") && said.contains("40 nodes\n"),
        "{said}"
    );

    // The same match from a book is refused before anything is played.
    let arguments: Vec<&str> = arguments.into_iter().chain(["--book", "x"]).collect();
    let output = run(&arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot be used with"), "{said}");
}
