//! Games annotated with Syzygy tablebases.
//!
//! The tables are not in this repository. They are expected in `../shared` (or `REJOINDER_SHARED`);
//! if they are missing, the test says so and passes.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A drawn ending in which the queen's side seems to throw away a win with its last move.
const DRAWN: &str = "[FEN \"8/8/8/8/7Q/8/p7/1k5K w - - 0 1\"]\n\n\
    1. Qb4+ Kc2 2. Qa3 Kb1 3. Qb3+ Ka1 4. Kg2 1/2-1/2\n";

/// Returns the folder of the tables, if it exists.
fn tables() -> Option<PathBuf> {
    let shared = env::var_os("REJOINDER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    let folder = shared.join("data/syzygy/3-4-man");
    if folder.is_dir() {
        return Some(folder);
    }
    println!(
        "SKIPPED: no tables in {} (set REJOINDER_SHARED)",
        folder.display()
    );
    None
}

/// Returns the game annotated with these options.
fn annotated(game: &Path, options: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rejoinder-study"))
        .args(["annotate", "--nodes", "300"])
        .args(options)
        .arg(game)
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn tablebases_know_that_nothing_was_thrown_away() {
    let Some(tables) = tables() else { return };
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let game = scratch.path().join("drawn.pgn");
    fs::write(&game, DRAWN).expect("cannot write the game");
    let without = annotated(&game, &[]);
    assert!(without.contains("4. Kg2 $"), "{without}");
    let with = annotated(&game, &["--syzygy", &tables.to_string_lossy()]);
    assert_eq!(with.matches("[%eval 0.00]").count(), 7, "{with}");
    assert!(!with.contains("Kg2 $") && !with.contains("( "), "{with}");
}
