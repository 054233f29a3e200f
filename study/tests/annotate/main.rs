//! `rejoinder-study annotate`, as people run it: games of every kind go in, and nothing of them is
//! lost.

mod faults;
mod fuzz_corpus;
mod judging;
mod keeping;
mod outputs;
mod resuming;
mod workers;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn data(name: &str) -> String {
    format!("{}/tests/data/pgn/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn program(games: &str, options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rejoinder-study"));
    command
        .args(["annotate", games])
        .args(options.split_whitespace());
    if !options.contains("--hash") {
        command.args(["--hash", "1"]);
    }
    command
}

fn run(games: &str, options: &str) -> Output {
    program(games, options).output().expect("the program runs")
}

/// Returns what the program writes to standard output.
fn annotated(games: &str, options: &str) -> String {
    let output = run(games, options);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Returns a text with its spaces and line ends made one space each.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn failure(games: &str, options: &str) -> String {
    let output = run(games, options);
    assert_eq!(output.status.code(), Some(1), "{options}");
    String::from_utf8(output.stderr).expect("text")
}

fn scratch() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the files in a folder and their texts.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let name = |path: &Path| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    paths.map(|path| (name(&path), text(&path))).collect()
}

/// Writes a file of 60 games, of which 18 cannot be annotated to their end and 6 of them not at all.
fn many(folder: &Path) -> String {
    let [one, bad] = ["mistakes.pgn", "bad_between.pgn"]
        .map(|name| fs::read_to_string(data(name)).expect("games"));
    let path = folder.join("many.pgn");
    fs::write(&path, [&*one, "\n", &*bad, "\n"].concat().repeat(6)).expect("a file");
    path.to_string_lossy().into_owned()
}

/// The glyphs of the game's own moves: "4. Qxf7+ $4" and so on.
fn marks(pgn: &str) -> Vec<String> {
    let mut depth = 0;
    let mut all: Vec<String> = Vec::new();
    let mut last = String::new();
    for word in flat(pgn).split(' ') {
        match word {
            "(" | "{" => depth += 1,
            ")" | "}" => depth -= 1,
            _ if depth > 0 || word.ends_with('.') => {}
            _ if word.starts_with('$') => all.push(format!("{last}{word}")),
            _ => word.clone_into(&mut last),
        }
    }
    all
}
