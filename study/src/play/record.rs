//! The PGN of a game that is being played. It is rewritten after each move behind what the file held
//! before. If another program has changed the file meanwhile, nothing of that is overwritten.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Zoned;
use rejoinder::board::Board;
use rejoinder::build_info::ENGINE;
use rejoinder::types::{Color, Move};

use super::End;
use crate::pgn_writer;

/// The file of a game, and what does not change in the game.
pub(super) struct Record {
    path: PathBuf,
    /// Whether there was no file before the game.
    is_new: bool,
    /// Length of the file before the game, in bytes.
    before: u64,
    /// Length of the file after the last write, in bytes.
    after: u64,
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
        let (is_new, before) = match fs::metadata(&path) {
            Ok(data) => (false, data.len()),
            // A link whose file is missing was there before.
            Err(error) if error.kind() == io::ErrorKind::NotFound => (!path.is_symlink(), 0),
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
            is_new,
            before,
            after: before,
            date: now.strftime("%Y.%m.%d").to_string(),
            players,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the game as it stands: in the place of what was written of it before, or at the end if
    /// the file is not as that left it. A game without moves is not written, and no file is kept for it.
    pub fn write(&mut self, start: &Board, moves: &[Move], end: &End) -> anyhow::Result<()> {
        let text = if moves.is_empty() {
            String::new()
        } else {
            self.pgn(start, moves, end)
        };
        let mut write = || -> io::Result<()> {
            let mut file: File = OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&self.path)?;
            let data = file.metadata()?;
            if data.is_file() {
                if data.len() != self.after {
                    self.before = data.len();
                }
                file.set_len(self.before)?;
                self.after = self.before;
                if text.is_empty() {
                    drop(file);
                    return self.delete_if_empty();
                }
                let text = format!("{}{text}", missing_line_ends(&self.path)?);
                file.seek(SeekFrom::End(0))?;
                file.write_all(text.as_bytes())?;
                self.after += text.len() as u64;
                Ok(())
            } else {
                file.write_all(text.as_bytes())
            }
        };
        // The game must not be lost with the disk.
        write().with_context(|| format!("{text}cannot write {}", self.path.display()))
    }

    fn delete_if_empty(&self) -> io::Result<()> {
        if self.is_new && self.before == 0 {
            fs::remove_file(&self.path)
        } else {
            Ok(())
        }
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
        let mut comments = vec![String::new(); moves.len()];
        if let Some(last) = comments.last_mut().filter(|_| is_over) {
            last.clone_from(&end.reason);
        }
        pgn_writer::write(&tags, start, moves, &comments, end.result)
    }
}

/// Returns what must be written before a game so that an empty line separates it from the text of the
/// file.
fn missing_line_ends(path: &Path) -> io::Result<&'static str> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    // Two line ends may have four bytes.
    file.seek(SeekFrom::Start(length.saturating_sub(4)))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    end.retain(|&byte| byte != b'\r');
    Ok(match *end {
        [] | [.., b'\n', b'\n'] => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::left;
    use rejoinder::board::notation;

    #[test]
    fn what_others_write_meanwhile_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        fs::write(&path, "before\n").expect("a file");
        let start = Board::startpos();
        let moves = notation::parse_line(&start, "e2e4 e7e5".split(' ')).expect("legal moves");
        let text = || fs::read_to_string(&path).expect("the file");
        let mut one = Record::new(Some(path.clone()), Color::White, None).expect("a record");
        let mut other = Record::new(Some(path.clone()), Color::Black, None).expect("a record");
        one.write(&start, &moves[..1], &left()).expect("written");
        one.write(&start, &moves, &left()).expect("written");
        let whole = text();
        assert_eq!(whole.matches("1. e4").count(), 1, "{whole}");
        assert!(whole.starts_with("before\n\n[Event") && whole.contains("1. e4 e5"));

        // A second game in the same file, and a file that was emptied.
        other.write(&start, &moves[..1], &left()).expect("written");
        other.write(&start, &moves, &left()).expect("written");
        let both = text();
        assert!(both.starts_with(&whole), "{both}");
        assert_eq!(both.matches("1. e4 e5").count(), 2, "{both}");
        fs::write(&path, "").expect("an empty file");
        one.write(&start, &moves, &left()).expect("written");
        assert_eq!(text(), whole["before\n\n".len()..]);
    }

    #[test]
    fn an_empty_line_stands_before_the_game() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        let start = Board::startpos();
        let moves = notation::parse_line(&start, "e2e4 e7e5".split(' ')).expect("legal moves");
        for (before, between) in [
            ("", ""),
            ("1. d4 *", "\n\n"),
            ("1. d4 *\n", "\n"),
            ("1. d4 *\r\n", "\n"),
            ("1. d4 *\n\n", ""),
            ("1. d4 *\r\n\r\n", ""),
            ("*", "\n\n"),
        ] {
            fs::write(&path, before).expect("a file");
            let mut record = Record::new(Some(path.clone()), Color::White, None).expect("a record");
            for end in 1..=2 {
                record
                    .write(&start, &moves[..end], &left())
                    .expect("written");
            }
            let text = fs::read_to_string(&path).expect("the file");
            assert!(
                text.starts_with(&format!("{before}{between}[Event \"Casual game\"]")),
                "{text:?}"
            );
            assert_eq!(text.matches("1. e4").count(), 1, "{text}");
        }
    }

    #[test]
    fn a_game_without_moves_is_taken_out_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        let start = Board::startpos();
        let moves = notation::parse_line(&start, "e2e4 e7e5".split(' ')).expect("legal moves");
        for before in [None, Some(""), Some("1. d4 *")] {
            if let Some(text) = before {
                fs::write(&path, text).expect("a file");
            }
            let mut record = Record::new(Some(path.clone()), Color::White, None).expect("a record");
            for _ in 0..2 {
                record.write(&start, &moves, &left()).expect("written");
                assert!(path.exists());
                record.write(&start, &[], &left()).expect("taken out");
                assert_eq!(fs::read_to_string(&path).ok().as_deref(), before);
            }
        }
    }
}
