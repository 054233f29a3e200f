//! Compares perft, the number of move sequences of each length, with the counts of other engines.
//!
//! `tests/data` has a sample for everyday use: random walks from public-domain openings, counted by
//! Stockfish 15.1. `make perft` runs the larger suites of `../shared/data/perft`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rejoinder::board::Board;
use rejoinder::board::perft::perft;

/// Checks one line, `FEN ;D1 20 ;D2 400 …`, and returns the number of leaves counted. Other
/// operations are ignored.
fn check(line: &str, deepest: u32) -> Result<u64, String> {
    let mut fields = line.split(" ;");
    let fen = fields.next().unwrap_or_default();
    let board = Board::from_fen(fen).map_err(|error| format!("{fen}: {error}"))?;
    let mut total = 0;
    for field in fields {
        let Some((depth, count)) = field
            .strip_prefix('D')
            .and_then(|rest| rest.split_once(' '))
        else {
            continue;
        };
        let depth: u32 = depth.parse().map_err(|error| format!("{line}: {error}"))?;
        let count: u64 = count
            .trim()
            .parse()
            .map_err(|error| format!("{line}: {error}"))?;
        if depth <= deepest {
            let found = perft(&board, depth);
            if found != count {
                return Err(format!("{fen}: {found} at depth {depth}, not {count}"));
            }
            total += found;
        }
    }
    Ok(total)
}

/// Checks all lines on all cores, and returns the number of leaves counted.
fn check_all(lines: &[String], deepest: u32) -> u64 {
    let next = AtomicUsize::new(0);
    let count_some = || {
        let (mut total, mut faults) = (0, Vec::new());
        while let Some(line) = lines.get(next.fetch_add(1, Ordering::Relaxed)) {
            match check(line, deepest) {
                Ok(leaves) => total += leaves,
                Err(fault) => faults.push(fault),
            }
        }
        (total, faults)
    };
    let (totals, faults): (Vec<_>, Vec<_>) = thread::scope(|scope| {
        let workers: Vec<_> = (0..thread::available_parallelism().map_or(1, usize::from))
            .map(|_| scope.spawn(count_some))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker panicked"))
            .unzip()
    });
    let faults = faults.concat();
    assert!(faults.is_empty(), "{faults:#?}");
    totals.into_iter().sum()
}

fn lines_of(path: &Path) -> Vec<String> {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_sample_is_counted_right() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for file in ["perft_standard.epd", "perft_dfrc.epd"] {
        let lines = lines_of(&data.join(file));
        assert!(lines.len() >= 100, "{file} is too short");
        assert!(check_all(&lines, 5) > 1_000_000, "{file} has no counts");
    }
}

#[test]
fn a_wrong_count_is_found() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert_eq!(check(&format!("{start} ;D1 20 ;D3 8902"), 3), Ok(8922));
    assert!(check(&format!("{start} ;D1 20 ;D3 8903"), 3).is_err());
}

/// Returns the folder of the suites that are not in the repository: `REJOINDER_SHARED`, or
/// `../shared` beside it.
fn shared() -> PathBuf {
    env::var_os("REJOINDER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    )
}

#[test]
#[ignore = "billions of nodes: `make perft`"]
fn the_shared_suites_are_counted_right() {
    let folder = shared().join("data/perft");
    let Ok(files) = fs::read_dir(&folder) else {
        println!(
            "SKIPPED: no perft suites in {} (set REJOINDER_SHARED)",
            folder.display()
        );
        return;
    };
    let mut files: Vec<_> = files
        .map(|file| file.expect("cannot read an entry of the folder").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "epd"));
    files.sort();
    assert!(!files.is_empty(), "{} has no .epd file", folder.display());
    for path in files {
        let lines = lines_of(&path);
        let leaves = check_all(&lines, 5);
        println!(
            "{}: {} positions, {leaves} leaves, all equal",
            path.display(),
            lines.len()
        );
    }
}
