//! The commands of docs/training.md on a small scale, from the untrained network to a trained one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use rejoinder::commands::bench::{self, Plan};
use rejoinder::eval::network;
use rejoinder::search::Setup;

/// Runs the program, and returns what it prints.
fn tools(arguments: &str, files: &[&Path]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rejoinder-tools"))
        .args(arguments.split_whitespace())
        .args(files)
        .output()
        .expect("the program runs and ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).expect("text")
}

fn fresh_directory() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("from_zero");
    // The directory does not exist the first time.
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).expect("a writable directory");
    dir
}

#[test]
fn games_become_a_network_that_plays() {
    let dir = fresh_directory();
    let (data, network) = (dir.join("data"), dir.join("0.rjn"));
    let line = "datagen --network zero --games 240 --nodes 100 --threads 2 --seed 1 --out";
    let summary = tools(line, &[&data]);
    assert!(summary.starts_with("games      240 "), "{summary}");
    let soundness = tools("data check", &[&data]);
    assert!(soundness.contains("240 games"), "{soundness}");

    let line = "train --hidden 32 --epochs 40 --batch 256 --lambda 1 --lambda-end 1 --threads 2";
    tools(line, &[&data, Path::new("--out"), &network]);
    for ending in ["json", "svg"] {
        let size = fs::metadata(network.with_extension(ending))
            .expect("a file")
            .len();
        assert!(size > 500, "{ending}: {size} bytes");
    }

    let bench = |name: &str| {
        let network = network::named(name).expect("a network");
        let plan = Plan {
            depth: 4,
            ..Plan::usual(Setup::with_network(Some(network)))
        };
        bench::run(plan, &mut io::sink()).expect("a bench").nodes
    };
    let learned = bench(&network.display().to_string());
    assert!(learned > 0 && learned != bench("zero"));
}
