//! A file of games together with the reviews of them, which lie in a file beside it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::pgn::{self, GameText, Identity, Record, Source};

/// Returns the file in which the reviews of the games of a file are: `GAMES.reviewed.pgn` beside
/// `GAMES.pgn`.
pub(crate) fn reviews_of(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(".reviewed.pgn");
    path.with_file_name(name)
}

/// Returns the files that the games of a file come from: the file itself, its reviews, and those of a run
/// that is not finished. Not all of them need be there.
pub(crate) fn files_of(path: &Path) -> [PathBuf; 3] {
    let finished = reviews_of(path);
    let mut part = OsString::from(&finished);
    part.push(".part");
    [path.to_path_buf(), finished, PathBuf::from(part)]
}

/// A game of the file.
pub(crate) struct Found {
    /// Its number in the file, from 1.
    pub number: u64,
    /// The game, with its review if there is one.
    pub record: Record,
    /// The text that it was read from, in the encoding of its file.
    pub bytes: Vec<u8>,
}

/// The games of a file that can be read, each with its review.
pub(crate) struct Games {
    source: Source<BufReader<File>>,
    reviews: HashMap<Identity, (Record, Vec<u8>)>,
}

impl Games {
    /// Opens a file, and reads the reviews beside it, also those of a run that is not finished.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let source = source(path)?;
        let [_, finished, part] = files_of(path);
        let mut reviews = HashMap::new();
        for path in [finished, part] {
            // There may be none, and the end of one that is being written may be torn.
            let Ok(mut source) = self::source(&path) else {
                continue;
            };
            while let Ok(Some(game)) = source.next_game() {
                if let Some((record, bytes)) = read(game) {
                    reviews.insert(Identity::of(&record), (record, bytes));
                }
            }
        }
        Ok(Self { source, reviews })
    }
}

impl Iterator for Games {
    type Item = io::Result<Found>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let game = match self.source.next_game().transpose()? {
                Ok(game) => game,
                Err(error) => return Some(Err(error)),
            };
            let number = game.number;
            let Some((record, bytes)) = read(game) else {
                continue;
            };
            let review = self.reviews.get(&Identity::of(&record)).cloned();
            let (record, bytes) = review.unwrap_or((record, bytes));
            return Some(Ok(Found {
                number,
                record,
                bytes,
            }));
        }
    }
}

fn source(path: &Path) -> io::Result<Source<BufReader<File>>> {
    let file = File::open(path)?;
    Ok(Source::new(BufReader::with_capacity(1 << 16, file)))
}

fn read(game: GameText) -> Option<(Record, Vec<u8>)> {
    let bytes = game.bytes.clone();
    let record = pgn::read(game).ok()?;
    Some((record, bytes))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::library::Summary;

    const SUMMARY: &str = "{ White: accuracy 90.0%, 0 inaccuracies, 0 mistakes, 0 blunders. \
        Black: accuracy 80.0%, 0 inaccuracies, 0 mistakes, 0 blunders. \
        Rejoinder 0.1.0, 1 nodes a position. }";

    #[test]
    fn a_game_has_its_review_wherever_that_stands() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("my games.PGN");
        let review = |name: &str| format!("[White \"{name}\"]\n\n{SUMMARY} 1. e4 $6 e5 *\n\n");
        let game = |name: &str| format!("[White \"{name}\"]\n\n1. e4 e5 *\n\n");
        fs::write(&path, ["A", "B", "C", "D"].map(game).concat()).expect("a file");
        let reviews = reviews_of(&path);
        assert!(reviews.ends_with("my games.reviewed.pgn"));
        fs::write(&reviews, review("C")).expect("a file");
        let part = folder.path().join("my games.reviewed.pgn.part");
        let torn = "[White \"D\"]\n\n{ White: accuracy 9";
        fs::write(part, format!("{}{torn}", review("A"))).expect("a file");
        let games = Games::open(&path).expect("games");
        let games: Vec<_> = games.map(|found| found.expect("a game")).collect();
        let is_reviewed = |found: &Found| Summary::of(&found.record).is_reviewed;
        let reviewed: Vec<bool> = games.iter().map(is_reviewed).collect();
        assert_eq!(reviewed, [true, false, true, false]);
        assert_eq!(games[2].number, 3);
        assert!(String::from_utf8_lossy(&games[2].bytes).contains("accuracy 80.0%"));
    }
}
