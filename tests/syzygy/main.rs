//! Tests Syzygy tablebases: known values, damaged files, lines of play, and endings played
//! against the best defense.
//!
//! The tables are not in this repository. They are expected in `../shared` (or `REJOINDER_SHARED`);
//! if they are missing, the tests say so and pass.

mod damage;
mod edge;
mod endings;
mod lines;
mod oracle;
mod values;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use rejoinder::board::Board;
use rejoinder::tablebase::Tablebases;

/// Returns the folder of tables and known values, if it exists.
fn syzygy() -> Option<PathBuf> {
    let shared = env::var_os("REJOINDER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let folder = shared.join("data/syzygy");
    if folder.join("3-4-man").is_dir() {
        return Some(folder);
    }
    println!(
        "SKIPPED: no tables in {} (set REJOINDER_SHARED)",
        folder.display()
    );
    None
}

fn tables(folder: &Path) -> Tablebases {
    let (tables, faults) = Tablebases::open(&folder.join("3-4-man").to_string_lossy());
    assert!(faults.is_empty(), "{faults:?}");
    tables
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// Creates an empty folder for one test.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The folder only exists if the test ran before.
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("cannot create a folder");
    path
}

fn copy(from: &Path, to: &Path) {
    fs::write(to, fs::read(from).expect("cannot read the table")).expect("cannot copy the table");
}

/// Returns the FEN, WDL and DTZ of every known value.
fn vectors(folder: &Path) -> Vec<(String, i32, i32)> {
    let text =
        fs::read_to_string(folder.join("probe_gen_dev.csv")).expect("cannot read the vectors");
    let vector = |line: &str| {
        let mut fields = line.split(';');
        let mut field = || fields.next().expect("a field is missing");
        let fen = format!("{} 0 1", field());
        let mut number = || field().trim().parse().expect("not a number");
        (fen, number(), number())
    };
    text.lines().skip(1).map(vector).collect()
}
