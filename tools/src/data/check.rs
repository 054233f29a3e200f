//! `data check`: verifies files of games. Every move must be legal, every result and score
//! possible, and every manifest right.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::files::{self, FileError};
use crate::print::print;
use anyhow::bail;
use rejoinder::types::{Score, score};
use rejoinder_study::parallel;

use super::find;
use super::manifest::{self, Manifest};
use super::origin::Origin;
use super::shard::{self, ShardError};
use super::tally::Tally;

/// The files to check.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games, or directories that hold such files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// The first fault of a file.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// The shard cannot be read, or one of its games is damaged.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// The manifest cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A score is larger than any search returns.
    #[error("{}: game {game}, ply {ply}: the score {score} is impossible", path.display())]
    Score {
        path: PathBuf,
        game: usize,
        ply: usize,
        score: Score,
    },
    /// The manifest states another value.
    #[error("{}: {what} is {found}, but the manifest says {said}", path.display())]
    Manifest {
        path: PathBuf,
        what: &'static str,
        found: String,
        said: String,
    },
    /// A manifest has no shard.
    #[error("{}: the shard of this manifest is missing", .0.display())]
    Alone(PathBuf),
}

/// The contents of a file without faults.
struct Sound {
    counts: Tally,
    has_manifest: bool,
}

/// Checks the files and prints the number of games and positions; each fault goes to the standard
/// error.
///
/// # Errors
/// If a file has a fault.
pub fn run(args: &Args) -> anyhow::Result<()> {
    let files = find::shards(&args.files)?;
    let mut faults = lonely_manifests(&args.files, &files)?;
    let (mut counts, mut bare) = (Tally::default(), 0);
    for result in parallel::map(&files, |path| check(path)) {
        match result {
            Ok(sound) => {
                counts += sound.counts;
                bare += u64::from(!sound.has_manifest);
            }
            Err(fault) => faults.push(fault),
        }
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    let (games, positions) = (counts.games(), counts.positions);
    print(format_args!(
        "sound: {games} games, {positions} positions\n"
    ))?;
    if bare > 0 {
        print(format_args!(
            "without a manifest: {bare} of {} files\n",
            files.len()
        ))?;
    }
    if faults.is_empty() {
        return Ok(());
    }
    bail!("{} of {} files are damaged", faults.len(), files.len())
}

/// The manifests without shards in the directories that were named and in those inside them where
/// files were found.
fn lonely_manifests(named: &[PathBuf], files: &[PathBuf]) -> anyhow::Result<Vec<Fault>> {
    let named = || {
        named
            .iter()
            .map(PathBuf::as_path)
            .filter(|path| path.is_dir())
    };
    let inside = files.iter().filter_map(|path| path.parent());
    let inside = inside.filter(|path| named().any(|dir| path.starts_with(dir)));
    let dirs: BTreeSet<&Path> = named().chain(inside).collect();
    let mut lonely = Vec::new();
    for dir in dirs {
        for name in files::names(dir)? {
            let stem = name
                .strip_suffix(".json")
                .filter(|_| !name.starts_with("run-"));
            let has_games = |stem: &str| {
                let mut endings = shard::ENDINGS.into_iter();
                endings.any(|ending| dir.join(format!("{stem}{ending}")).exists())
            };
            let path = dir.join(&name);
            if stem.is_some_and(|stem| !has_games(stem)) && !is_something_else(&path) {
                lonely.push(Fault::Alone(path));
            }
        }
    }
    Ok(lonely)
}

/// Returns whether a JSON file is complete and no manifest, such as the history of `grow` or `spsa`.
fn is_something_else(path: &Path) -> bool {
    let is_json = files::read_json::<serde_json::Value>(path).is_ok();
    is_json && files::read_json::<Manifest>(path).is_err()
}

fn check(path: &Path) -> Result<Sound, Fault> {
    let raw = shard::read_raw(path)?;
    let manifest = manifest::read(path)?;
    // The checksum says more about a damaged file than the decompression.
    if let Some(manifest) = &manifest {
        let bytes = raw.len() as u64;
        agree(path, "the size", &bytes, &manifest.bytes)?;
        let checksum = manifest::checksum(&raw);
        agree(path, "the checksum", &checksum, &manifest.checksum)?;
    }
    let mut counts = Tally::default();
    for (index, game) in shard::games(path, &shard::unpack(path, &raw)?).enumerate() {
        let game = game?;
        counts.add(&game);
        let wrong = |&(_, score): &(_, Score)| score.abs() > score::MATE && score != score::NONE;
        if let Some(ply) = game.moves.iter().position(wrong) {
            return Err(Fault::Score {
                path: path.to_path_buf(),
                game: index + 1,
                ply: ply + 1,
                score: game.moves[ply].1,
            });
        }
    }
    if let Some(manifest) = &manifest {
        agree_on_counts(path, &counts, manifest)?;
    }
    Ok(Sound {
        counts,
        has_manifest: manifest.is_some(),
    })
}

fn agree_on_counts(path: &Path, counts: &Tally, manifest: &Manifest) -> Result<(), Fault> {
    let said = &manifest.counts;
    for (what, found, said) in [
        (
            "the number of White's wins",
            counts.white_wins,
            said.white_wins,
        ),
        ("the number of draws", counts.draws, said.draws),
        (
            "the number of Black's wins",
            counts.black_wins,
            said.black_wins,
        ),
        ("the number of positions", counts.positions, said.positions),
        (
            "the number of positions to train on",
            counts.kept,
            said.kept,
        ),
    ] {
        agree(path, what, &found, &said)?;
    }
    if let Some(Origin::Datagen(part)) = &manifest.played {
        let others = counts.games().saturating_sub(1);
        let last = others
            .saturating_mul(part.run.threads)
            .saturating_add(part.first_game);
        agree(path, "the number of the last game", &last, &part.last_game)?;
    }
    Ok(())
}

fn agree<T: PartialEq + ToString>(
    path: &Path,
    what: &'static str,
    found: &T,
    said: &T,
) -> Result<(), Fault> {
    if found == said {
        return Ok(());
    }
    Err(Fault::Manifest {
        path: path.to_path_buf(),
        what,
        found: found.to_string(),
        said: said.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::data::viri;
    use crate::selfplay::GameRecord;
    use rejoinder::board::{Board, Outcome};

    /// Two games of one move with this score.
    fn games(score: Score) -> (Vec<u8>, Tally) {
        let opening = Board::startpos();
        let game = GameRecord {
            opening,
            moves: vec![(opening.legal_moves()[0], score)],
            outcome: Outcome::Draw,
        };
        let (mut bytes, mut counts) = (Vec::new(), Tally::default());
        for _ in 0..2 {
            viri::encode(&game, &mut bytes).expect("the game fits the format");
            counts.add(&game);
        }
        (bytes, counts)
    }

    fn fault(path: &Path) -> String {
        match check(path) {
            Ok(_) => "none".to_owned(),
            Err(fault) => fault.to_string(),
        }
    }

    fn all(dir: &Path) -> anyhow::Result<()> {
        run(&Args {
            files: vec![dir.to_path_buf()],
        })
    }

    #[test]
    fn sound_files_pass_with_and_without_manifests() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let (bytes, counts) = games(7);
        let [packed, plain] = ["a.vf.zst", "b.vf"].map(|name| scratch.path().join(name));
        manifest::store(&packed, &bytes, counts, None, Vec::new()).expect("a writable directory");
        fs::write(&plain, &bytes).expect("a writable directory");
        assert_eq!([fault(&packed), fault(&plain)], ["none", "none"]);
        all(scratch.path()).expect("all is well");
    }

    #[test]
    fn the_first_fault_is_named() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let (bytes, counts) = games(7);
        let plain = scratch.path().join("plain.vf");
        let mut illegal = bytes.clone();
        illegal[40 + 32] ^= 1;
        for (bytes, says) in [
            (illegal, "game 2 (byte 40): ply 1"),
            (bytes[..50].to_vec(), "game 2 (byte 40): the data ends"),
            (
                games(32_001).0,
                "game 1, ply 1: the score 32001 is impossible",
            ),
        ] {
            fs::write(&plain, bytes).expect("a writable directory");
            let said = fault(&plain);
            assert!(said.contains("plain.vf: ") && said.contains(says), "{said}");
        }
        fs::remove_file(&plain).expect("removed");

        let packed = scratch.path().join("packed.vf.zst");
        let wrong = Tally { kept: 9, ..counts };
        manifest::store(&packed, &bytes, wrong, None, Vec::new()).expect("a writable directory");
        let said = fault(&packed);
        assert!(
            said.ends_with("to train on is 0, but the manifest says 9"),
            "{said}"
        );
        let mut damaged = fs::read(&packed).expect("a readable file");
        *damaged.last_mut().expect("bytes") ^= 1;
        fs::write(&packed, damaged).expect("a writable directory");
        assert!(
            fault(&packed).contains("the checksum is"),
            "{}",
            fault(&packed)
        );
        let error = all(scratch.path()).expect_err("damaged").to_string();
        assert_eq!(error, "1 of 1 files are damaged");

        fs::rename(&packed, scratch.path().join("other.vf.zst")).expect("renamed");
        fs::write(scratch.path().join("grow.json"), "[]").expect("a writable directory");
        let named = [scratch.path().to_path_buf()];
        let lonely = lonely_manifests(&named, &[]).expect("a readable file");
        assert_eq!(lonely.len(), 1);
        assert!(
            lonely[0].to_string().contains("packed.json"),
            "{}",
            lonely[0]
        );
    }
}
