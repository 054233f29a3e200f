//! A file with one test position per line.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use rejoinder::board::epd;

use super::record::Record;

/// A line that cannot be read as a test position.
#[derive(Debug)]
pub struct Skipped {
    /// The number of the line, from 1.
    pub line: usize,
    /// The error in the line.
    pub reason: anyhow::Error,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is skipped: {:#}", self.line, self.reason)
    }
}

/// The positions of a suite.
#[derive(Debug, Default)]
pub struct Suite {
    /// The positions, in the order of the file.
    pub records: Vec<Record>,
    /// The lines that are neither comments nor can be read.
    pub skipped: Vec<Skipped>,
}

/// Reads a suite. Empty lines and comments are passed over; they need not be UTF-8.
///
/// # Errors
/// Fails if the file cannot be read or has no position.
pub fn read(path: &Path) -> anyhow::Result<Suite> {
    let bytes = fs::read(path);
    let bytes = bytes.with_context(|| format!("cannot read the suite {}", path.display()))?;
    parse(path, &bytes)
}

/// Parses the bytes of a suite; `path` is used only in errors.
///
/// # Errors
/// Fails if no line is a position.
pub fn parse(path: &Path, bytes: &[u8]) -> anyhow::Result<Suite> {
    let text = epd::text(bytes);
    let mut suite = Suite::default();
    for (line, text) in epd::lines(&text) {
        match Record::read(text) {
            Ok(record) => suite.records.push(record),
            Err(reason) => suite.skipped.push(Skipped { line, reason }),
        }
    }
    let path = path.display();
    match suite.skipped.first() {
        _ if !suite.records.is_empty() => Ok(suite),
        Some(Skipped { line, reason }) => {
            bail!("{path}, line {line}: {reason:#}; no line of the suite can be read")
        }
        None => bail!("there is no position in the suite {path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDING: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

    #[test]
    fn lines_without_a_position_are_passed_over() {
        let text = format!(
            "\u{feff}# a comment\r\n\r\n{ENDING} bm e4;\r\n  \n; note\n  // note\n% note\n{ENDING} 0 1\n\x1a"
        );
        let suite = parse(Path::new("a.epd"), text.as_bytes()).expect("the suite was refused");
        assert_eq!((suite.records.len(), suite.skipped.len()), (2, 0));
        assert_eq!(suite.records[0].best.len(), 1);
    }

    #[test]
    fn bad_lines_are_skipped_by_their_numbers() {
        let text = format!("{ENDING} bm e4;\nhello\n\n{ENDING} bm e5;\n{ENDING} am e3;\n");
        let suite = parse(Path::new("a.epd"), text.as_bytes()).expect("the suite was refused");
        assert_eq!(suite.records.len(), 2);
        let said: Vec<String> = suite.skipped.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 2);
        assert!(said[0].starts_with("line 2 is skipped: "), "{said:?}");
        assert!(
            said[1].starts_with("line 4 is skipped: bm e5: the move is illegal"),
            "{said:?}"
        );
    }

    #[test]
    fn a_suite_without_positions_is_refused() {
        for (text, says) in [
            ("\n# nothing\n", "there is no position in the suite a.epd"),
            ("\nhello\nworld\n", "a.epd, line 2: "),
        ] {
            let error = parse(Path::new("a.epd"), text.as_bytes()).expect_err("it was accepted");
            assert!(error.to_string().contains(says), "{error}");
        }
        let error = read(Path::new("/no/such.epd")).expect_err("a missing file was read");
        assert!(error.to_string().contains("/no/such.epd"), "{error}");
    }
}
