use std::fs;

use super::*;
use crate::data::origin::Mixture;
use rejoinder::board::Board;
use rejoinder::board::Outcome;

fn game() -> GameRecord {
    GameRecord {
        opening: Board::startpos(),
        moves: Vec::new(),
        outcome: Outcome::Draw,
    }
}

fn settings(seed: u64) -> DatagenSettings {
    DatagenSettings {
        engine: "Rejoinder".to_owned(),
        network: "fedcba9876543210".to_owned(),
        nodes: 1000,
        mixture: Some(Mixture::default()),
        params: Vec::new(),
        hard_factor: 8,
        hash: 2,
        chess960_share: 0.15,
        seed,
        threads: 2,
        shard_games: 2,
    }
}

/// Plays a run of seed 7 in which thread 1 has finished five games.
fn played(dir: &Path) {
    let run = Run::begin(dir, settings(7)).expect("a new run");
    let mut shards = Shards::new(&run, 1);
    for _ in 0..5 {
        shards.add(&game()).expect("a writable directory");
    }
    shards.finish().expect("a writable directory");
    shards.finish().expect("nothing to do");
}

fn resumed(dir: &Path) -> Result<Run, RunError> {
    Run::resume(dir, None, DatagenSettings::clone)
}

#[test]
fn shards_come_with_manifests() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    played(scratch.path());
    let expected = [
        "games-7-01-00000.json",
        "games-7-01-00000.vf.zst",
        "games-7-01-00001.json",
        "games-7-01-00001.vf.zst",
        "games-7-01-00002.json",
        "games-7-01-00002.vf.zst",
        "run-7.json",
    ];
    assert_eq!(files::names(scratch.path()).expect("a directory"), expected);
    let path = scratch.path().join(expected[5]);
    let manifest = manifest::read(&path)
        .expect("a readable manifest")
        .expect("a manifest");
    let Some(Origin::Datagen(share)) = manifest.played else {
        panic!("{manifest:?}");
    };
    assert_eq!((share.first_game, share.last_game), (9, 9));
    assert_eq!((manifest.counts.games(), manifest.counts.draws), (1, 1));
    let raw = shard::read_raw(&path).expect("the shard");
    assert_eq!(manifest.bytes, raw.len() as u64);
    assert_eq!(manifest.checksum, manifest::checksum(&raw));
}

#[test]
fn a_run_continues_where_it_stopped() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path();
    played(dir);
    // One crash between shard and manifest, and one in the middle of a file.
    let lost = dir.join("games-7-01-00002.json");
    let text = fs::read(&lost).expect("a manifest");
    fs::remove_file(&lost).expect("removed");
    fs::write(dir.join("games-7-00-00000.vf.zst.tmp"), b"half").expect("a writable directory");
    fs::write(dir.join("games-77-00-00000.vf.zst.tmp"), b"another run")
        .expect("a writable directory");

    let run = resumed(dir).expect("a run");
    assert_eq!(
        run.places,
        [Place { shard: 0, games: 0 }, Place { shard: 3, games: 5 }]
    );
    assert_eq!(run.tally.games(), 5);
    assert_eq!(fs::read(&lost).expect("a manifest again"), text);
    assert!(!dir.join("games-7-00-00000.vf.zst.tmp").exists());
    assert!(dir.join("games-77-00-00000.vf.zst.tmp").exists());

    let error = resumed(dir).expect_err("busy").to_string();
    assert!(error.contains("another program"), "{error}");
    drop(run);
    assert!(resumed(dir).is_ok());
}

#[test]
fn a_directory_holds_one_run() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let dir = scratch.path().join("deep/er");
    drop(Run::begin(&dir, settings(7)).expect("a new directory"));
    let error = Run::begin(&dir, settings(7))
        .expect_err("taken")
        .to_string();
    assert!(
        error.contains("seed 7") && error.contains("--resume"),
        "{error}"
    );
    let error = Run::begin(&dir, settings(77)).expect_err("another run");
    assert!(error.to_string().contains("seed 7 already"), "{error}");
    // Runs of several machines may be copied together.
    files::create_json(&file_of(&dir, 77), &settings(77)).expect("a writable directory");
    fs::write(dir.join("games-5-00-00000.vf"), b"").expect("a writable directory");
    assert!(
        Run::begin(&dir, settings(5)).is_err(),
        "games of an older program"
    );

    let error = resumed(&dir).expect_err("two runs").to_string();
    assert!(error.contains("7, 77"), "{error}");
    let error = Run::resume(&dir, Some(8), DatagenSettings::clone).expect_err("no such run");
    assert!(error.to_string().contains("seed 8"), "{error}");
    let error = resumed(scratch.path()).expect_err("no run").to_string();
    assert!(error.contains("holds no run"), "{error}");
}

#[test]
fn other_settings_are_refused() {
    let scratch = tempfile::tempdir().expect("a temporary directory");
    played(scratch.path());
    let error = Run::resume(scratch.path(), Some(7), |begun| DatagenSettings {
        nodes: 2000,
        network: "0123456789abcdef".to_owned(),
        ..begun.clone()
    });
    let error = error.expect_err("other games").to_string();
    assert!(error.contains("nodes was 1000 and is 2000"), "{error}");
    assert!(
        error.contains("network was \"fedcba9876543210\""),
        "{error}"
    );
    // A run of old, which recorded every score.
    let error = Run::resume(scratch.path(), Some(7), |begun| DatagenSettings {
        mixture: None,
        ..begun.clone()
    });
    let error = error.expect_err("other games").to_string();
    assert!(error.contains("label_every was 4 and is none"), "{error}");
}

#[test]
fn files_that_do_not_fit_are_refused() {
    for (name, remove, says) in [
        (
            "games-7-01-00001.vf.zst",
            true,
            "is missing, but its manifest exists",
        ),
        ("games-7-01-00001.*", true, "is missing, but later files"),
        ("games-7-01-00002.vf.zst", false, "describes another file"),
        ("games-7-05-00000.vf.zst", false, "no such thread"),
    ] {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path();
        played(dir);
        let stem = name.strip_suffix('*').unwrap_or(name);
        for other in files::names(dir).expect("a directory") {
            if remove && other.starts_with(stem) {
                fs::remove_file(dir.join(other)).expect("removed");
            }
        }
        if !remove {
            fs::write(dir.join(name), b"something").expect("a writable directory");
        }
        let error = resumed(dir).expect_err(says).to_string();
        assert!(
            error.contains(says) && error.contains("games-7-0"),
            "{error}"
        );
    }
}
