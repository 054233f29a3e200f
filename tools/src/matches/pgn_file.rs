//! The games of a match as PGN.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rejoinder::board::pgn;
use rejoinder::build_info::ENGINE;
use rejoinder::types::Move;

use crate::selfplay::GameRecord;

/// A PGN file that is being written.
#[derive(Debug)]
pub struct PgnFile {
    path: PathBuf,
    file: File,
}

impl PgnFile {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            path: path.to_path_buf(),
            file,
        })
    }

    /// Writes the two games of an opening; A has White in the first. The round is the number of the
    /// pair, counted from 1, with that of the game.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, pair: &[GameRecord; 2], number: u64) -> anyhow::Result<()> {
        let mut text = String::new();
        for (game, white_is_a) in pair.iter().zip([true, false]) {
            let mut names = [format!("{ENGINE} A"), format!("{ENGINE} B")];
            if !white_is_a {
                names.reverse();
            }
            let round = format!("{number}.{}", if white_is_a { 1 } else { 2 });
            let result = pgn::result(game.outcome);
            let tags = [
                ("Event", "rejoinder-tools match"),
                ("Site", "?"),
                ("Date", "????.??.??"),
                ("Round", &round),
                ("White", &names[0]),
                ("Black", &names[1]),
                ("Result", result),
            ];
            let moves: Vec<Move> = game.moves.iter().map(|(mv, _)| *mv).collect();
            text += &pgn::write(&tags, &game.opening, &moves, "", result);
        }
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
