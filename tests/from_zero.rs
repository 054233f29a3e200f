//! From nothing to an engine with a network of its own: the commands of docs/network.md, made small.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs the program, gives it these lines, and returns what it prints.
fn rejoinder(arguments: &str, files: &[&Path], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rejoinder"))
        .args(arguments.split_whitespace())
        .args(files)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut to_child = child.stdin.take().expect("a pipe");
    // A tool that reads nothing may have ended by now.
    let _ = to_child.write_all(input.as_bytes());
    drop(to_child);
    let output = child.wait_with_output().expect("an end");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn fresh_directory() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("from_zero");
    // It is not there the first time.
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("room for a directory");
    dir
}

#[test]
fn games_become_a_network_that_plays() {
    let dir = fresh_directory();
    let (data, network) = (dir.join("data"), dir.join("0.rjn"));
    let line = "datagen --network zero --games 60 --nodes 100 --threads 2 --seed 1 --out";
    let summary = rejoinder(line, &[&data], "");
    assert!(summary.starts_with("games      60 "), "{summary}");
    let soundness = rejoinder("data check", &[&data], "");
    assert!(soundness.contains("60 games"), "{soundness}");

    let line = "train --hidden 32 --epochs 40 --batch 256 --blend 1 --blend-end 1 --threads 2";
    rejoinder(line, &[&data, Path::new("--out"), &network], "");
    for ending in ["json", "svg"] {
        let size = fs::metadata(network.with_extension(ending))
            .expect("a file")
            .len();
        assert!(size > 500, "{ending}: {size} bytes");
    }

    let signature = |file: &Path| {
        let text = rejoinder("bench 4 --network", &[file], "");
        text.lines()
            .last()
            .expect("a signature")
            .split(' ')
            .next()
            .map(str::to_owned)
    };
    assert_ne!(signature(&network), signature(Path::new("zero")));
    let conversation = format!(
        "setoption name EvalFile value {}\nposition startpos\neval\ngo depth 6\n",
        network.display()
    );
    let said = rejoinder("", &[], &conversation);
    assert!(!said.contains("info string"), "{said}");
    assert!(
        said.contains("<- this board") && said.contains("bestmove "),
        "{said}"
    );
}
