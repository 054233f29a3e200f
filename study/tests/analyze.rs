//! `rejoinder-study analyze` without a terminal.

use std::process::{Command, Stdio};

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
