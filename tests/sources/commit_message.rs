//! The hook that gives every commit its line `Bench: N`.

use std::fs;
use std::process::Command;

use crate::at;

/// Commits a message with these options in a repository with the signature 123. Returns the message
/// of the commit, or `None` if there is none.
fn committed(message: &str, options: &[&str]) -> Option<String> {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    fs::create_dir_all(dir.join("tests/data")).expect("a folder");
    fs::write(dir.join("tests/data/signature"), "123\n").expect("a file");
    fs::write(dir.join("message"), message).expect("a file");
    let hooks = format!("core.hooksPath={}", at(".githooks").display());
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", &hooks, "-c", "user.name=x", "-c", "user.email=x"])
            .args(["-c", "commit.gpgSign=false"])
            .args(arguments)
            .env("GIT_EDITOR", "true")
            .current_dir(dir);
        git.output().expect("git")
    };
    assert!(git(&["init", "-q"]).status.success());
    assert!(git(&["add", "tests"]).status.success());
    let commit = [&["commit", "-q", "-F", "message"], options].concat();
    if !git(&commit).status.success() {
        return None;
    }
    let log = git(&["log", "-1", "--format=%B"]).stdout;
    Some(String::from_utf8(log).expect("text").trim_end().to_owned())
}

#[test]
fn a_commit_ends_with_its_signature() {
    for (message, after) in [
        ("Fix it\n\nBench: 123\n", Some("Fix it\n\nBench: 123")),
        ("Fix it\n", Some("Fix it\n\nBench: 123")),
        ("Fix it\n\nBench: 124\n", None),
        (&"x".repeat(73), None),
        ("fixup! Fix it\n", Some("fixup! Fix it")),
        ("", None),
    ] {
        assert_eq!(committed(message, &[]).as_deref(), after, "{message}");
        assert_eq!(committed(message, &["-e"]).as_deref(), after, "{message}");
    }
}

/// An editor shows comments, and with `-v` the diff.
#[test]
fn neither_comments_nor_the_diff_belong_to_the_message() {
    let message = "Fix it\n\n#12 is fixed\n";
    let whole = "Fix it\n\n#12 is fixed\n\nBench: 123";
    assert_eq!(committed(message, &[]).as_deref(), Some(whole));
    for options in [&["-e"][..], &["-e", "-v"]] {
        let text = committed(message, options);
        assert_eq!(text.as_deref(), Some("Fix it\n\nBench: 123"));
        assert_eq!(committed("# nothing\n", options), None);
    }
}
