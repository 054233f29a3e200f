//! The PGN of a game that is being played. It is rewritten after each move behind what the file held
//! before.
// Source: PGN standard, 8, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Zoned;
use rejoinder::board::{Board, Outcome, san::numbered};
use rejoinder::build_info::ENGINE;
use rejoinder::types::{Color, Move};

use super::End;

/// Longest line of movetext, in characters.
const WIDTH: usize = 80;

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
        let mut tags = vec![
            ("Event", "Casual game".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", self.date.clone()),
            ("Round", "-".to_owned()),
            ("White", white.clone()),
            ("Black", black.clone()),
            ("Result", end.result.to_owned()),
        ];
        if start.key() != Board::startpos().key() {
            let chess960 = !start.has_standard_castling();
            if chess960 {
                tags.push(("Variant", "Chess960".to_owned()));
            }
            tags.push(("SetUp", "1".to_owned()));
            tags.push(("FEN", start.fen(chess960)));
        }
        let tags = tags
            .iter()
            .map(|(name, value)| format!("[{name} \"{value}\"]\n"));
        let mut text: String = tags.collect();
        text.push('\n');
        let moves = numbered(start, moves).into_iter();
        let mut words: Vec<String> = moves
            .flat_map(|(number, san)| [number.trim().to_owned(), san])
            .filter(|word| !word.is_empty())
            .collect();
        if end.result != "*" {
            words.push("{".to_owned());
            words.extend(end.reason.split(' ').map(str::to_owned));
            words.push("}".to_owned());
        }
        words.push(end.result.to_owned());
        let mut column = 0;
        for word in words {
            if column > 0 {
                let fits = column + 1 + word.len() <= WIDTH;
                text.push(if fits { ' ' } else { '\n' });
                column = if fits { column + 1 } else { 0 };
            }
            text += &word;
            column += word.len();
        }
        text + "\n\n"
    }
}

/// Returns the result of a game in PGN.
pub(super) const fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::WhiteWin => "1-0",
        Outcome::Draw => "1/2-1/2",
        Outcome::BlackWin => "0-1",
    }
}
