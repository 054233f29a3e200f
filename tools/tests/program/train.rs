//! A training run that is killed at any moment continues to the same network.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

fn start(arguments: &str) -> Child {
    // The name of a directory may have spaces, so each argument is a line.
    Command::new(env!("CARGO_BIN_EXE_rejoinder-tools"))
        .args(arguments.lines())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

fn finish(arguments: &str) {
    let status = start(arguments).wait().expect("it ends");
    assert!(status.success(), "{arguments}: {status}");
}

/// A new empty directory.
fn scratch() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("train");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a writable directory");
    dir
}

#[test]
fn a_killed_run_continues_to_the_same_network() {
    let dir = scratch();
    let path = |name: &str| dir.join(name).display().to_string();
    let datagen =
        "datagen --network zero --games 160 --nodes 40 --threads 2 --hash 1 --seed 5 --out";
    finish(&format!("{}\n{}", datagen.replace(' ', "\n"), path("data")));
    let train = |name: &str| {
        let settings =
            "--hidden 128 --epochs 25 --batch 64 --superbatch 20 --threads 2 --resume --out";
        let settings = settings.replace(' ', "\n");
        format!("train\n{}\n{settings}\n{}", path("data"), path(name))
    };
    finish(&train("whole.rjn"));
    // The first run is killed before it has kept anything, the others soon after they have.
    let kills = [0, 1, 30, 0, 7, 60];
    let kept = || fs::read(dir.join("killed.checkpoint")).unwrap_or_default();
    for (number, milliseconds) in kills.into_iter().enumerate() {
        let before = kept();
        let mut child = start(&train("killed.rjn"));
        let deadline = Instant::now() + Duration::from_mins(5);
        while number > 0 && kept() == before && child.try_wait().expect("a state").is_none() {
            assert!(Instant::now() < deadline, "nothing is kept");
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(milliseconds));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
    }
    assert!(!kept().is_empty(), "there is nothing to go on from");
    finish(&train("killed.rjn"));
    let bytes = |name| fs::read(dir.join(name)).expect("a network");
    assert!(bytes("whole.rjn") == bytes("killed.rjn"));
    for ending in ["json", "svg"] {
        assert!(dir.join("killed").with_extension(ending).exists());
    }
}
