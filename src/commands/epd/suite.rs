//! A file with one test position per line.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::record::{Record, RecordError};

/// The reason why a suite cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The file cannot be read.
    #[error("cannot read the suite {}: {source}", path.display())]
    Read {
        /// The path of the suite.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A line is not a test position.
    #[error("{}, line {line}: {source}", path.display())]
    Record {
        /// The path of the suite.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The error in the line.
        source: RecordError,
    },
    /// The suite has no position.
    #[error("there is no position in the suite {}", path.display())]
    Empty {
        /// The path of the suite.
        path: PathBuf,
    },
}

/// Reads a suite. Empty lines and lines that begin with `#` are skipped; comments need not be
/// UTF-8.
///
/// # Errors
/// Returns the file, the line and what is wrong with it.
pub fn read(path: &Path) -> Result<Vec<Record>, SuiteError> {
    let bytes = fs::read(path).map_err(|source| SuiteError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    parse(path, &String::from_utf8_lossy(&bytes))
}

/// Parses the text of a suite; `path` is used only in errors.
///
/// # Errors
/// Returns the file, the line and what is wrong with it.
pub fn parse(path: &Path, text: &str) -> Result<Vec<Record>, SuiteError> {
    let text = text.trim_start_matches('\u{feff}');
    let mut records = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        records.push(Record::read(text).map_err(|source| SuiteError::Record {
            path: path.to_path_buf(),
            line,
            source,
        })?);
    }
    if records.is_empty() {
        let path = path.to_path_buf();
        return Err(SuiteError::Empty { path });
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDING: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

    #[test]
    fn lines_without_a_position_are_passed_over() {
        let text = format!("\u{feff}# a comment\r\n\r\n{ENDING} bm e4;\r\n  \n{ENDING} 0 1\n");
        let records = parse(Path::new("a.epd"), &text).expect("the suite was refused");
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].best.len(), 1);
    }

    #[test]
    fn errors_name_file_and_line() {
        for (line, says) in [
            ("hello", "a.epd, line 2: "),
            ("4k3/8/8/8/8/8/4P3/4K3 w - - bm e5;", "line 2: bm e5"),
        ] {
            let text = format!("{ENDING} bm e4;\n{line}\n");
            let error = parse(Path::new("a.epd"), &text).expect_err(line);
            assert!(error.to_string().contains(says), "{error}");
        }
        let error =
            parse(Path::new("a.epd"), "\n# nothing\n").expect_err("an empty suite was accepted");
        assert!(
            error
                .to_string()
                .contains("there is no position in the suite a.epd")
        );
        let error = read(Path::new("/no/such.epd")).expect_err("a missing file was read");
        assert!(error.to_string().contains("/no/such.epd"), "{error}");
    }
}
