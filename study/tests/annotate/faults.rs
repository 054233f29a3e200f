//! What is wrong is said plainly.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::{data, failure, program, run, scratch};

#[test]
fn what_is_wrong_is_said_plainly() {
    let scratch = scratch();
    let empty = scratch.path().join("empty.pgn");
    fs::write(&empty, "\n% nothing\n").expect("a file");
    let empty = empty.to_string_lossy().into_owned();
    let text = scratch.path().join("text.pgn");
    fs::write(&text, "1. Zug *\n").expect("a file");
    let text = text.to_string_lossy().into_owned();
    let utf16 = scratch.path().join("wide.pgn");
    fs::write(&utf16, b"\xff\xfe1\0.\0").expect("a file");
    let good = data("latin1.pgn");
    let unfinished = scratch.path().join("b.pgn.part");
    fs::copy(&good, &unfinished).expect("a file");
    let unfinished = unfinished.to_string_lossy().into_owned();
    let folder = scratch.path().display().to_string();
    for (games, options, says) in [
        (
            "/no/such.pgn",
            String::new(),
            "cannot read /no/such.pgn: No such file",
        ),
        (&*folder, String::new(), "it is a folder"),
        (
            &*empty,
            format!("-o {folder}/a.pgn"),
            "empty.pgn holds no game",
        ),
        (
            &*text,
            format!("-o {folder}/a.pgn"),
            "text.pgn holds no game",
        ),
        (
            &*utf16.to_string_lossy(),
            String::new(),
            "this is UTF-16 text",
        ),
        (
            &*good,
            format!("-o {folder}/none/a.pgn"),
            "none/a.pgn.part: No such file",
        ),
        (
            &*good,
            format!("-o {good}"),
            "is the input: give the output another name",
        ),
        (
            &*unfinished,
            format!("-o {folder}/b.pgn"),
            "b.pgn.part is the input: give the output another name",
        ),
        (
            &*good,
            format!("-o {folder}/a.pgn --json {folder}/./a.pgn"),
            "a.pgn.part would hold both the games and the JSON",
        ),
        (
            &*good,
            format!("--json {folder}/none/a.json"),
            "none/a.json.part: No such file",
        ),
        (&*good, format!("--svg {good}/svg"), "cannot write "),
        (&*good, format!("-o {folder}"), "it is a folder, not a file"),
        (
            &*good,
            format!("-o {folder}/out/"),
            "out/: it is a folder, not a file",
        ),
        (
            &*good,
            format!("-o {folder}/a.pgn --json {folder}/."),
            "/.: it is a folder, not a file",
        ),
        (
            &*good,
            format!("--syzygy {folder}"),
            "there are no Syzygy tablebases in",
        ),
    ] {
        let error = failure(games, &format!("--nodes 10 {options}"));
        assert!(error.contains(says), "{says}\n{error}");
        assert!(!scratch.path().join("a.pgn.part").exists());
    }
    let bytes = |path: &str| fs::read(path).expect("a file");
    assert_eq!(bytes(&unfinished), bytes(&good));
    for options in ["--nodes 5 --depth 3", "--nodes 0", "--loss 101", "--resume"] {
        assert_eq!(run(&good, options).status.code(), Some(2), "{options}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_plainly() {
    let error = failure(&data("latin1.pgn"), "--nodes 10 -o /dev/full");
    assert!(
        error.contains("cannot write /dev/full: No space left on device"),
        "{error}"
    );
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a full disk");
    let mut child = program(&data("latin1.pgn"), "--nodes 10")
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .expect("a run");
    let mut says = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut says)
        .expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(1));
    assert!(
        says.contains("cannot print the result: No space left"),
        "{says}"
    );
}
