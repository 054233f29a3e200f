//! The games of a match as PGN.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rejoinder::build_info::ENGINE;
use rejoinder::eval::win_rate::WinRate;
use rejoinder::types::Move;
use rejoinder_study::pgn_writer;

use crate::score_text;
use crate::selfplay::GameRecord;

/// A PGN file that is being written.
#[derive(Debug)]
pub struct PgnFile {
    path: PathBuf,
    file: File,
    /// The models that turn the scores of A and B into those that users see.
    win_rates: [WinRate; 2],
}

impl PgnFile {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: &Path, win_rates: [WinRate; 2]) -> anyhow::Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            path: path.to_path_buf(),
            file,
            win_rates,
        })
    }

    /// Writes the two games of an opening, with the score of each search behind its move; A has
    /// White in the first. The round is the number of the pair, counted from 1, with that of the
    /// game.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn add(&mut self, pair: &[GameRecord; 2], number: u64) -> anyhow::Result<()> {
        let mut text = String::new();
        for (game, white_is_a) in pair.iter().zip([true, false]) {
            let mut names = [format!("{ENGINE} A"), format!("{ENGINE} B")];
            let mut win_rates = self.win_rates;
            if !white_is_a {
                names.reverse();
                win_rates.reverse();
            }
            let round = format!("{number}.{}", if white_is_a { 1 } else { 2 });
            let result = pgn_writer::result(game.outcome);
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
            let comments = comments(game, win_rates);
            text += &pgn_writer::write(&tags, &game.opening, &moves, &comments, result);
        }
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

/// Returns the score of each move from the mover's view, as text. The models are White's and Black's.
fn comments(game: &GameRecord, win_rates: [WinRate; 2]) -> Vec<String> {
    let mut board = game.opening;
    let comment = |&(mv, score)| {
        let model = win_rates[board.side_to_move().index()];
        let text = score_text::write(score_text::turned(score, &board), &board, model);
        board.make(mv);
        text
    };
    game.moves.iter().map(comment).collect()
}
