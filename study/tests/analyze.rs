//! `rejoinder-study analyze` without a terminal.

use std::process::{Command, Stdio};

#[test]
fn a_file_tells_its_marks_before_the_engine_speaks() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let text = "{ White: accuracy 9.0%. } 1. f3 e5 2. g4 $4 { [%eval #-1] } ( 2. e4 ) *\n";
    std::fs::write(&file, text).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_rejoinder-study"))
        .args(["analyze", "--seconds", "1", "--hash", "1", "--threads", "1"])
        .arg("--pgn")
        .arg(file.path())
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.starts_with("White: accuracy 9.0%.\n2. g4?? #-1 (2. e4)\n"),
        "{text}"
    );
    assert!(text.contains("best move: Qh4#"), "{text}");
}

#[test]
fn without_a_terminal_results_are_lines() {
    for name in ["analyze", "analyse"] {
        let output = Command::new(env!("CARGO_BIN_EXE_rejoinder-study"))
            .args([name, "--seconds", "1", "--hash", "1", "--threads", "1"])
            .args(["--moves", "f3 e5 g4"])
            .stdin(Stdio::null())
            .output()
            .expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{text}");
        assert!(text.contains("best move: Qh4#"), "{text}");
        assert!(!text.contains('\x1b'), "{text}");
    }
}
