//! Opening books with one EPD or FEN per line.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::board::{Board, FenError, epd};

/// The reason why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error("cannot read the book {}: {reason}", path.display())]
    Read {
        /// The path of the book.
        path: PathBuf,
        /// The error of the system.
        reason: io::Error,
    },
    /// A line is not a position.
    #[error("{}, line {line}: {reason}", path.display())]
    Position {
        /// The path of the book.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The error in the line.
        reason: FenError,
    },
    /// A position has no legal move.
    #[error("{}, line {line}: the game is already over", path.display())]
    Over {
        /// The path of the book.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
    /// The book has no position.
    #[error("there is no position in the book {}", path.display())]
    Empty {
        /// The path of the book.
        path: PathBuf,
    },
}

/// Reads a book with one EPD or FEN per line, as tolerantly as a suite. Duplicates are left
/// out, because they would lead to the same games.
///
/// # Errors
/// Returns the file, the line and what is wrong with it.
pub fn read(path: &Path) -> Result<Vec<Board>, BookError> {
    let bytes = fs::read(path).map_err(|reason| BookError::Read {
        path: path.to_path_buf(),
        reason,
    })?;
    let text = epd::text(&bytes);
    let mut openings = Vec::new();
    let mut seen = HashSet::new();
    for (line_number, line) in epd::lines(&text) {
        let path = path.to_path_buf();
        let (board, _) = epd::read(line).map_err(|reason| BookError::Position {
            path: path.clone(),
            line: line_number,
            reason,
        })?;
        if board.legal_moves().is_empty() {
            return Err(BookError::Over {
                path,
                line: line_number,
            });
        }
        if seen.insert(board.key()) {
            openings.push(board);
        }
    }
    if openings.is_empty() {
        return Err(BookError::Empty {
            path: path.to_path_buf(),
        });
    }
    Ok(openings)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn read_text(text: &[u8]) -> Result<Vec<Board>, String> {
        let scratch = tempfile::tempdir().expect("cannot create a temporary directory");
        let path = scratch.path().join("book.epd");
        fs::write(&path, text).expect("cannot write the scratch file");
        read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn epd_and_fen_lines_are_read() {
        let book = read_text(
            b"\xef\xbb\xbf# a comment\n\
            rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - bm e5; id \"1 2\";\n\
            \n\
            4k3/8/8/8/8/8/4P3/4K3 w - - 3 40\r\n\
            4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n",
        )
        .expect("the book was refused");
        assert_eq!(book.len(), 2, "the third is the second again");
        assert_eq!(book[0].fullmove_number(), 1);
        assert_eq!(
            (book[1].halfmove_clock(), book[1].fullmove_number()),
            (3, 40)
        );
    }

    #[test]
    fn a_book_is_read_as_tolerantly_as_a_suite() {
        let book = read_text(
            b"; one\r% two\r// three\r# four\r\
            4k3/8/8/8/8/8/4P3/4K3 w KQkq e6 id \"Gr\xfcnfeld\";\r\
            4k3/8/8/8/8/8/3P4/4K3 w - - hmvc 7; fmvn 30;\r\n\x1a",
        )
        .expect("the book was refused");
        let fens: Vec<String> = book.iter().map(|board| board.fen(false)).collect();
        assert_eq!(
            fens,
            [
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
                "4k3/8/8/8/8/8/3P4/4K3 w - - 7 30"
            ]
        );
    }

    #[test]
    fn errors_name_the_line() {
        let good = "4k3/8/8/8/8/8/4P3/4K3 w - -\n";
        for (line, says) in [
            ("4k3/8/8/8/8/8/4P3 w - -", ""),
            ("hello", ""),
            ("k7/1Q6/1K6/8/8/8/8/8 b - -", "already over"),
        ] {
            let error = read_text(format!("{good}{line}\n").as_bytes()).expect_err(line);
            assert!(
                error.contains("book.epd, line 2: ") && error.contains(says),
                "{error}"
            );
        }
    }

    #[test]
    fn a_book_without_positions_is_refused() {
        for text in [&b""[..], b"\n# nothing\n"] {
            let error = read_text(text).expect_err("an empty book was accepted");
            assert!(error.contains("there is no position"), "{error}");
        }
        let error = read_text(b"\xff\xfe").expect_err("no text");
        assert!(error.contains("book.epd, line 1: "), "{error}");
        let error = read(Path::new("/no/such/book.epd")).expect_err("no file");
        assert!(error.to_string().contains("/no/such/book.epd"), "{error}");
    }
}
