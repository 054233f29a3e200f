//! The files of games that a command line names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::files::FileError;
use anyhow::bail;

use super::shard;

/// Returns the given files, and the files of games in the given directories and in those inside
/// them, sorted and without repetitions.
///
/// # Errors
/// If a path does not exist, a directory cannot be read, or it holds no file of games.
pub fn shards(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut shards = Vec::new();
    for path in paths {
        let before = shards.len();
        let about = fs::metadata(path).map_err(|reason| FileError::read(path, reason))?;
        if about.is_dir() {
            search(path, &mut shards)?;
        } else {
            shards.push(path.clone());
        }
        if shards.len() == before {
            bail!("there is no .vf or .vf.zst file in {}", path.display());
        }
    }
    shards.sort();
    shards.dedup();
    Ok(shards)
}

fn search(dir: &Path, shards: &mut Vec<PathBuf>) -> Result<(), FileError> {
    let failed = |reason| FileError::read(dir, reason);
    for entry in fs::read_dir(dir).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            search(&path, shards)?;
        } else if shard::ending(&path).is_some() {
            shards.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_stand_for_their_games() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| scratch.path().join(name);
        fs::create_dir_all(path("deep/er")).expect("a writable directory");
        for name in [
            "b.vf",
            "deep/er/a.vf.zst",
            "a.json",
            "run-1.json",
            "c.vf.zst.tmp",
        ] {
            fs::write(path(name), b"").expect("a writable directory");
        }
        let games = ["b.vf", "deep/er/a.vf.zst"].map(path);
        let all = [scratch.path().to_path_buf(), path("b.vf")];
        assert_eq!(shards(&all).expect("files"), games);
    }

    #[test]
    fn what_is_missing_is_told() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let error = shards(&[scratch.path().to_path_buf()]).expect_err("no games");
        assert!(error.to_string().starts_with("there is no .vf or .vf.zst"));
        let error = shards(&[scratch.path().join("else.vf")]).expect_err("no file");
        assert!(error.to_string().contains("else.vf"), "{error}");
    }
}
