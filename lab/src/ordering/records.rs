//! The CSV file of all rows. A run that measures some variants leaves the rows of the others
//! unchanged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::row::ResultRow;
use super::variants::NamedVariant;
use rejoinder_tools::files::{self, FileError};

/// The CSV file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// The file cannot be read, or was not written by this program.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        reason: csv::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
}

/// All rows: first the default, then the variants in the order of the catalogue, then those that
/// the catalogue no longer has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    rows: Vec<ResultRow>,
}

impl Records {
    /// Reads the file; there are no rows if it does not exist.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read(path: &Path) -> Result<Self, RecordsError> {
        let failed = |reason| RecordsError::Read {
            path: path.to_path_buf(),
            reason,
        };
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error.into())),
        };
        let mut records = Self::default();
        for row in csv::Reader::from_reader(&text[..]).deserialize() {
            records.put(row.map_err(failed)?);
        }
        Ok(records)
    }

    /// Writes the file; the earlier one stays until the new one is complete.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), RecordsError> {
        Ok(files::replace(path, self.text().as_bytes())?)
    }

    /// Replaces the earlier row of the same variant, if there is one. The new row takes over the
    /// games of the earlier one if it has none and the trees are the same.
    pub fn put(&mut self, mut row: ResultRow) {
        if let Some(earlier) = self.rows.iter().position(|earlier| earlier.is_of(&row)) {
            row.keep_match(&self.rows.remove(earlier));
        }
        self.rows.push(row);
        let variants = NamedVariant::choose(&[]).unwrap_or_default();
        self.rows.sort_by_key(|row| {
            let place = (variants.iter()).position(|variant| variant.name() == row.full_name());
            (!row.is_default(), place.unwrap_or(usize::MAX))
        });
    }

    /// Returns all rows.
    pub fn rows(&self) -> &[ResultRow] {
        &self.rows
    }

    /// Returns the row of the default, and the rows of these variants.
    pub fn of(&self, variants: &[NamedVariant]) -> Vec<&ResultRow> {
        let wanted = |row: &&ResultRow| {
            row.is_default()
                || variants
                    .iter()
                    .any(|variant| variant.name() == row.full_name())
        };
        self.rows.iter().filter(wanted).collect()
    }

    /// Returns the number of rows that were measured against an earlier default.
    pub fn stale(&self) -> usize {
        let default = self.rows.iter().find(|row| row.is_default());
        let is_stale =
            |row: &&ResultRow| default.is_some_and(|last| last.nodes != row.default_nodes);
        self.rows.iter().filter(is_stale).count()
    }

    fn text(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &self.rows {
            // Writing to memory does not fail, and all rows have the same columns.
            let _ = writer.serialize(row);
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ordering::trees::{TreeTask, Trees};
    use crate::ordering::variants::DEFAULT;

    /// Returns a row for tests, whose figures mean nothing.
    pub fn row(name: &str, variant: &str, nodes: u64, games: u64) -> ResultRow {
        let task = TreeTask {
            boards: Vec::new(),
            depth: 8,
            hash: 1,
            threads: 1,
        };
        let trees = Trees::default();
        ResultRow {
            name: name.to_owned(),
            variant: variant.to_owned(),
            in_default: name == "killers",
            nodes,
            default_nodes: 1000,
            nodes_percent: nodes as f64 / 10.0 - 100.0,
            mean_percent: nodes as f64 / 10.0 - 100.0,
            mean_low: nodes as f64 / 10.0 - 101.0,
            mean_high: nodes as f64 / 10.0 - 99.0,
            games,
            match_nodes: (games > 0).then_some(2000),
            elo: (games > 0).then_some(-12.0),
            elo_error: (games > 0).then_some(7.1),
            ..ResultRow::new(None, &task, &trees, &trees)
        }
    }

    #[test]
    fn a_run_replaces_its_rows_and_keeps_the_others() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("rows.csv");
        let mut records = Records::read(&path).expect("no file is an empty one");
        for row in [
            row("gone", "", 990, 0),
            row("recapture", "raised", 1010, 4000),
            row("recapture", "first", 1020, 4000),
            row("killers", "off", 1031, 0),
            row(DEFAULT, "", 1000, 0),
        ] {
            records.put(row);
        }
        records.write(&path).expect("a writable directory");

        let mut again = Records::read(&path).expect("the file");
        assert_eq!(again, records);
        again.put(row("killers", "off", 1031, 20));
        again.put(row("recapture", "first", 1021, 0));
        again.put(row("recapture", "raised", 1010, 0));
        again.write(&path).expect("a writable directory");
        let rows: Vec<_> = Records::read(&path)
            .expect("the file")
            .rows()
            .iter()
            .map(|row| (row.full_name(), row.nodes, row.games))
            .collect();
        let expected = [
            (DEFAULT, 1000, 0),
            ("killers/off", 1031, 20),
            ("recapture/first", 1021, 0),
            ("recapture/raised", 1010, 4000),
            ("gone", 990, 0),
        ];
        assert_eq!(
            rows,
            expected.map(|(name, nodes, games)| (name.to_owned(), nodes, games))
        );
    }

    #[test]
    fn rows_against_another_default_are_noticed() {
        let mut records = Records::default();
        records.put(row("killers", "off", 1031, 0));
        records.put(row(DEFAULT, "", 1000, 0));
        assert_eq!(records.stale(), 0);
        records.put(ResultRow {
            default_nodes: 1001,
            ..row(DEFAULT, "", 1001, 0)
        });
        assert_eq!(records.stale(), 1);
    }

    #[test]
    fn another_file_is_refused() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("rows.csv");
        fs::write(&path, "threads,nps\n1,2\n").expect("a writable directory");
        let error = Records::read(&path).expect_err("another table").to_string();
        assert!(error.contains("rows.csv"), "{error}");
    }
}
