//! Whether files of games are sound: every move legal, every result and score possible, every manifest true.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::data::manifest::{self, Manifest, Played};
use crate::data::shard::{self, ShardError};
use crate::data::tally::Tally;
use crate::data::viri;
use rejoinder::types::{Score, score};

use rejoinder::commands::parallel;

use super::DataError;

/// Files to look through.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Files of games, or directories of them
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// What is wrong with a file; its first fault.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// It cannot be read, or a game is bad.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A score that no search gives.
    #[error("{}: game {game}, ply {ply}: no score is {score}", path.display())]
    Score {
        path: PathBuf,
        game: usize,
        ply: usize,
        score: Score,
    },
    /// The manifest tells of something else.
    #[error("{}: {what} is {found}, the manifest says {said}", path.display())]
    Manifest {
        path: PathBuf,
        what: &'static str,
        found: String,
        said: String,
    },
    /// A manifest alone.
    #[error("{}: the games it tells of are missing", .0.display())]
    Alone(PathBuf),
}

/// What a sound file holds.
struct Sound {
    counts: Tally,
    has_manifest: bool,
}

/// Checks the files and prints what there is; each fault goes to standard error.
///
/// # Errors
/// If a file has a fault.
pub fn run(args: &Args) -> Result<(), DataError> {
    let files = super::shards(&args.files)?;
    let mut faults = lonely_manifests(&args.files)?;
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
    let mut out = io::stdout();
    let (games, positions) = (counts.games(), counts.positions);
    writeln!(out, "sound: {games} games, {positions} positions")?;
    if bare > 0 {
        writeln!(out, "without a manifest: {bare} of {} files", files.len())?;
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(DataError::Damaged {
        faults: faults.len(),
        files: files.len(),
    })
}

/// Manifests in these directories whose games are not there.
fn lonely_manifests(paths: &[PathBuf]) -> Result<Vec<Fault>, DataError> {
    let mut lonely = Vec::new();
    for dir in paths.iter().filter(|path| path.is_dir()) {
        for name in shard::names(dir)? {
            let stem = name
                .strip_suffix(".json")
                .filter(|_| !name.starts_with("run-"));
            let has_games = |stem: &str| {
                let mut endings = shard::ENDINGS.into_iter();
                endings.any(|ending| dir.join(format!("{stem}{ending}")).exists())
            };
            if stem.is_some_and(|stem| !has_games(stem)) {
                lonely.push(Fault::Alone(dir.join(name)));
            }
        }
    }
    Ok(lonely)
}

fn check(path: &Path) -> Result<Sound, Fault> {
    let raw = shard::read_raw(path)?;
    let manifest = manifest::read(path)?;
    // What cannot be unpacked is best told by the checksum.
    if let Some(manifest) = &manifest {
        let bytes = raw.len() as u64;
        agree(path, "the size", &bytes, &manifest.bytes)?;
        let checksum = manifest::checksum(&raw);
        agree(path, "the checksum", &checksum, &manifest.checksum)?;
    }
    let mut counts = Tally::default();
    for (index, game) in viri::games(&shard::unpack(path, &raw)?).enumerate() {
        let game = game.map_err(|source| ShardError::Game {
            path: path.to_path_buf(),
            source,
        })?;
        counts.add(&game);
        let wrong = |&(_, score): &(_, Score)| score.abs() > score::MATE;
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
    if let Some(Played::Datagen(played)) = &manifest.played {
        let others = counts.games().saturating_sub(1);
        let last = others
            .saturating_mul(played.run.threads)
            .saturating_add(played.first_game);
        agree(
            path,
            "the number of the last game",
            &last,
            &played.last_game,
        )?;
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
    use crate::selfplay::GameRecord;
    use rejoinder::board::Board;
    use rejoinder::board::Outcome;

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
            viri::encode(&game, &mut bytes).expect("room");
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

    fn all(dir: &Path) -> Result<(), DataError> {
        run(&Args {
            files: vec![dir.to_path_buf()],
        })
    }

    #[test]
    fn sound_files_pass_with_and_without_manifests() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let (bytes, counts) = games(7);
        let [packed, plain] = ["a.vf.zst", "b.vf"].map(|name| scratch.path().join(name));
        manifest::store(&packed, &bytes, counts, None, Vec::new()).expect("room");
        fs::write(&plain, &bytes).expect("room");
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
            (games(32_001).0, "game 1, ply 1: no score is 32001"),
        ] {
            fs::write(&plain, bytes).expect("room");
            let said = fault(&plain);
            assert!(said.contains("plain.vf: ") && said.contains(says), "{said}");
        }
        fs::remove_file(&plain).expect("removed");

        let packed = scratch.path().join("packed.vf.zst");
        let wrong = Tally { kept: 9, ..counts };
        manifest::store(&packed, &bytes, wrong, None, Vec::new()).expect("room");
        let said = fault(&packed);
        assert!(
            said.ends_with("to train on is 0, the manifest says 9"),
            "{said}"
        );
        let mut damaged = fs::read(&packed).expect("readable");
        *damaged.last_mut().expect("bytes") ^= 1;
        fs::write(&packed, damaged).expect("room");
        assert!(
            fault(&packed).contains("the checksum is"),
            "{}",
            fault(&packed)
        );
        let error = all(scratch.path()).expect_err("damaged").to_string();
        assert_eq!(error, "1 of 1 files are damaged");

        fs::rename(&packed, scratch.path().join("other.vf.zst")).expect("renamed");
        let lonely = lonely_manifests(&[scratch.path().to_path_buf()]).expect("readable");
        assert_eq!(lonely.len(), 1);
        assert!(
            lonely[0].to_string().contains("packed.json"),
            "{}",
            lonely[0]
        );
    }
}
