//! The script behind `make test`, with other commands in place of the real ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use crate::at;

/// Stands for make, cargo and bench.sh: notes what is asked for, says what cargo's tests would say,
/// and fails if its words are those in `FAILS`.
const STUB: &str = r#"#!/bin/sh
words="$(basename "$0") $*"
echo "$words" >> asked
case "$words" in
    *"$FAILS"*) bad=1 ;;
    *) bad=0 ;;
esac
case "$words" in
    "cargo test "*)
        echo "test good::one ... ok"
        test $bad = 0 || echo "test bad::$(grep -c '' asked) ... FAILED"
        echo "test result: x. $((3 - bad)) passed; $bad failed; 1 ignored; 0 measured; 0 filtered out" ;;
esac
exit $bad
"#;

/// Runs the script where every command whose words hold this text fails. Returns its output and what
/// was asked for.
fn run(fails: &str) -> (Output, Vec<String>) {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    for name in ["make", "cargo", "bench.sh"] {
        fs::write(dir.join(name), STUB).expect("a file");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(dir.join(name), mode).expect("a program");
    }
    fs::create_dir(dir.join("target")).expect("a folder");
    let path = std::env::var("PATH").expect("a path");
    let output = Command::new("sh")
        .arg(at("tests/all.sh"))
        .current_dir(dir)
        .env("PATH", format!("{}:{path}", dir.display()))
        .env("MAKE", "make")
        .env("NATIVE", "x")
        .env("FAILS", fails)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("sh");
    let asked = fs::read_to_string(dir.join("asked")).expect("commands");
    (output, asked.lines().map(str::to_owned).collect())
}

#[test]
fn make_test_goes_on_after_a_failure_and_ends_with_sums() {
    for (fails, verdict, names) in [
        ("nothing", "6 passed, 0 failed, 2 ignored; 0.", &[][..]),
        ("make build", "FAILED: build; 6 passed, 0 failed", &[]),
        (
            "cargo",
            "FAILED: tests, tests of features; 4 passed, 2 failed, 2 ignored; 0.",
            &["failed: bad::3", "failed: bad::4"],
        ),
        ("bench.sh", "FAILED: signature; 6 passed, 0 failed", &[]),
        (
            "",
            "FAILED: build, lint, tests, tests of features, signature; 4 passed, 2 failed",
            &["failed: bad::3", "failed: bad::4"],
        ),
    ] {
        let (output, asked) = run(fails);
        let text = String::from_utf8(output.stdout).expect("text");
        let first_words: Vec<_> = (asked.iter())
            .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
            .collect();
        let wanted = [
            "make build",
            "make lint",
            "cargo test",
            "cargo test",
            "bench.sh ",
        ];
        assert_eq!(first_words, wanted, "{fails}");
        let last = text.lines().last().expect("a line");
        assert!(last.starts_with(&format!("make test: {verdict}")), "{text}");
        assert!(last.ends_with(" GB in target/"), "{last}");
        let named: Vec<_> = (text.lines())
            .filter(|line| line.starts_with("failed: "))
            .collect();
        assert_eq!(named, names, "{text}");
        assert_eq!(output.status.code(), Some(i32::from(fails != "nothing")));
    }
}
