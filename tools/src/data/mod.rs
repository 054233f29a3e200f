//! Games on the disk, and `rejoinder data`: what is in them, whether it is sound, and new scores for it.

pub mod check;
pub mod filter;
pub mod info;
pub mod kept;
pub mod manifest;
pub mod rescore;
pub mod shard;
pub mod tally;
pub mod viri;

use std::io;
use std::path::{Path, PathBuf};

use rejoinder::memory::MemoryError;

use shard::ShardError;

/// What to do with files of games.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Command {
    /// Count games, results and positions, and show how scores, lengths and pieces are spread.
    Info(info::Args),
    /// Look at every move and compare with the manifests; the exit code is 1 if a file is damaged.
    Check(check::Args),
    /// Search the positions a trainer would keep again, and store the games with the new scores.
    Rescore(rescore::Args),
}

/// Why files of games are of no use.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A file cannot be read or written, or a game is bad.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// A directory without a file of games.
    #[error("there are no games in {}", .0.display())]
    Nothing(PathBuf),
    /// Some files have faults, which have been named.
    #[error("{faults} of {files} files are damaged")]
    Damaged {
        /// Those with a fault.
        faults: usize,
        /// All.
        files: usize,
    },
    /// Two files would become one.
    #[error("{} and {} would get the same name", .0.display(), .1.display())]
    SameName(PathBuf, PathBuf),
    /// A file that is there already and was made in another way.
    #[error("{} is there already and is something else: choose another directory", .0.display())]
    Other(PathBuf),
    /// The tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Output(#[from] io::Error),
}

/// Does it.
///
/// # Errors
/// Names the file and says what is wrong.
pub fn run(command: &Command) -> Result<(), DataError> {
    match command {
        Command::Info(args) => info::run(args),
        Command::Check(args) => check::run(args),
        Command::Rescore(args) => rescore::run(args),
    }
}

/// The files of games among these files and in these directories, in order.
pub(crate) fn shards(paths: &[PathBuf]) -> Result<Vec<PathBuf>, DataError> {
    let mut shards = Vec::new();
    for path in paths {
        if !path.is_dir() {
            shards.push(path.clone());
            continue;
        }
        let before = shards.len();
        let names = shard::names(path)?.into_iter();
        let own = names.filter(|name| shard::ending(Path::new(name)).is_some());
        shards.extend(own.map(|name| path.join(name)));
        if shards.len() == before {
            return Err(DataError::Nothing(path.clone()));
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
            fs::write(path(name), b"").expect("room");
        }
        let found = shards(&[scratch.path().to_path_buf(), path("else.vf")]).expect("files");
        assert_eq!(found, [path("a.vf.zst"), path("b.vf"), path("else.vf")]);
        let empty = path("empty");
        fs::create_dir(&empty).expect("room");
        assert!(matches!(shards(&[empty]), Err(DataError::Nothing(_))));
    }
}
