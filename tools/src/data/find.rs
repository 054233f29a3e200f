//! The files of games that a command line names.

use std::path::{Path, PathBuf};

use crate::files;
use anyhow::bail;

use super::shard;

/// Returns the given files, and the files of games directly inside the given directories, in the
/// order of the arguments.
///
/// # Errors
/// If a directory cannot be read or holds no file of games.
pub fn shards(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut shards = Vec::new();
    for path in paths {
        if !path.is_dir() {
            shards.push(path.clone());
            continue;
        }
        let before = shards.len();
        let names = files::names(path)?.into_iter();
        let own = names.filter(|name| shard::ending(Path::new(name)).is_some());
        shards.extend(own.map(|name| path.join(name)));
        if shards.len() == before {
            bail!("there are no games in {}", path.display());
        }
    }
    Ok(shards)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn directories_stand_for_their_games() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| scratch.path().join(name);
        for name in ["b.vf", "a.vf.zst", "a.json", "run-1.json", "c.vf.zst.tmp"] {
            fs::write(path(name), b"").expect("a writable directory");
        }
        let found = shards(&[scratch.path().to_path_buf(), path("else.vf")]).expect("files");
        assert_eq!(found, [path("a.vf.zst"), path("b.vf"), path("else.vf")]);
        let empty = path("empty");
        fs::create_dir(&empty).expect("a writable directory");
        let error = shards(&[empty]).expect_err("no games");
        assert!(error.to_string().starts_with("there are no games in "));
    }
}
