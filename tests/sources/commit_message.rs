//! The hook that gives every commit its line `Bench: N`.

use std::fs;
use std::process::Command;

use crate::at;

/// Runs the hook on a message in a repository with the signature 123. Returns the message afterwards,
/// or `None` if it was refused.
fn after_the_hook(message: &str) -> Option<String> {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    fs::create_dir_all(dir.join("tests/data")).expect("a folder");
    fs::write(dir.join("tests/data/signature"), "123\n").expect("a file");
    fs::write(dir.join("message"), message).expect("a file");
    for arguments in [["init", "-q"], ["add", "tests"]] {
        let git = Command::new("git")
            .args(arguments)
            .current_dir(dir)
            .status();
        assert!(git.expect("git").success());
    }
    let hook = at(".githooks/commit-msg");
    let run = Command::new(hook).arg("message").current_dir(dir).output();
    let accepted = run.expect("the hook").status.success();
    accepted.then(|| fs::read_to_string(dir.join("message")).expect("a file"))
}

#[test]
fn a_commit_ends_with_its_signature() {
    for (message, after) in [
        ("Fix it\n\nBench: 123\n", Some("Fix it\n\nBench: 123\n")),
        ("Fix it\n", Some("Fix it\n\nBench: 123\n")),
        (
            "Fix it\n\nWhy.\n# a comment\n",
            Some("Fix it\n\nWhy.\n\nBench: 123\n"),
        ),
        ("Fix it\n\nBench: 124\n", None),
        (&"x".repeat(73), None),
        ("fixup! Fix it\n", Some("fixup! Fix it\n")),
        ("", Some("")),
    ] {
        assert_eq!(after_the_hook(message).as_deref(), after, "{message}");
    }
}
