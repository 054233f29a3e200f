//! The PGN of a game that is being played. It is rewritten after each move behind what the file held
//! before.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Zoned;
use rejoinder::board::{Board, pgn};
use rejoinder::build_info::ENGINE;
use rejoinder::types::{Color, Move};

use super::End;

/// The file of a game, and what does not change in the game.
pub(super) struct Record {
    path: PathBuf,
    /// Length of the file before the game, in bytes.
    before: u64,
    date: String,
    players: [String; 2],
}

impl Record {
    /// Prepares the file, but writes nothing yet. Without a path its name is that of the time.
    pub fn new(path: Option<PathBuf>, human: Color, elo: Option<i32>) -> anyhow::Result<Self> {
        let now = Zoned::now();
        let path = path.unwrap_or_else(|| {
            PathBuf::from(now.strftime("rejoinder-%Y%m%d-%H%M%S.pgn").to_string())
        });
        let before = match fs::metadata(&path) {
            Ok(data) => data.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let engine = elo.map_or(ENGINE.to_owned(), |elo| format!("{ENGINE} ({elo} Elo)"));
        let mut players = ["Player".to_owned(), engine];
        if human == Color::Black {
            players.reverse();
        }
        Ok(Self {
            path,
            before,
            date: now.strftime("%Y.%m.%d").to_string(),
            players,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the game as it stands.
    pub fn write(&self, start: &Board, moves: &[Move], end: &End) -> anyhow::Result<()> {
        let text = self.pgn(start, moves, end);
        let write = || -> io::Result<()> {
            let mut file: File = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&self.path)?;
            if file.metadata()?.is_file() {
                file.set_len(self.before)?;
                file.seek(SeekFrom::End(0))?;
            }
            file.write_all(text.as_bytes())
        };
        // The game must not be lost with the disk.
        write().with_context(|| format!("{text}cannot write {}", self.path.display()))
    }

    fn pgn(&self, start: &Board, moves: &[Move], end: &End) -> String {
        let [white, black] = &self.players;
        let tags = [
            ("Event", "Casual game"),
            ("Site", "?"),
            ("Date", &self.date),
            ("Round", "-"),
            ("White", white),
            ("Black", black),
            ("Result", end.result),
        ];
        let is_over = end.result != "*";
        let comment = if is_over { end.reason.as_str() } else { "" };
        pgn::write(&tags, start, moves, comment, end.result)
    }
}
