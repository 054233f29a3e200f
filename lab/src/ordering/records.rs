//! The file of all rows, comma-separated: runs of some variants leave those of the others as they are.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::form::Form;
use super::row::Row;
use rejoinder_tools::data::shard::{self, ShardError};

/// Why the file is no good.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// It is not what this program writes, or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: csv::Error,
    },
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] ShardError),
}

/// All rows: the default first, then in the order of the catalogue, then what the catalogue has no more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    rows: Vec<Row>,
}

impl Records {
    /// What the file holds; nothing if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(path: &Path) -> Result<Self, RecordsError> {
        let failed = |source| RecordsError::Read {
            path: path.to_path_buf(),
            source,
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

    /// Writes the file; an earlier one stays until the new one is complete.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), RecordsError> {
        Ok(shard::replace(path, self.text().as_bytes())?)
    }

    /// Puts a row in place of an earlier one of the same variant, whose games it keeps if it has none and the trees
    /// are the same.
    pub fn put(&mut self, mut row: Row) {
        if let Some(earlier) = self.rows.iter().position(|earlier| earlier.is_of(&row)) {
            row.keep_match(&self.rows.remove(earlier));
        }
        self.rows.push(row);
        let forms = Form::named(&[]).unwrap_or_default();
        self.rows.sort_by_key(|row| {
            let place = (forms.iter()).position(|form| form.name() == row.full_name());
            (!row.is_default(), place.unwrap_or(usize::MAX))
        });
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The rows of these variants, and that of the default.
    pub fn of(&self, forms: &[Form]) -> Vec<&Row> {
        let wanted = |row: &&Row| {
            row.is_default() || forms.iter().any(|form| form.name() == row.full_name())
        };
        self.rows.iter().filter(wanted).collect()
    }

    /// How many rows were measured against another default than the last one.
    pub fn stale(&self) -> usize {
        let default = self.rows.iter().find(|row| row.is_default());
        let is_stale = |row: &&Row| default.is_some_and(|last| last.nodes != row.default_nodes);
        self.rows.iter().filter(is_stale).count()
    }

    fn text(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in &self.rows {
            // Memory takes whatever is written, and every row has the same columns.
            let _ = writer.serialize(row);
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ordering::form::DEFAULT;
    use crate::ordering::trees::{Task, Trees};
    /// A row of little sense.
    pub fn row(name: &str, variant: &str, nodes: u64, games: u64) -> Row {
        let task = Task {
            boards: Vec::new(),
            depth: 8,
            hash: 1,
            threads: 1,
        };
        let trees = Trees::default();
        Row {
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
            ..Row::new(None, &task, &trees, &trees)
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
        records.write(&path).expect("room");

        let mut again = Records::read(&path).expect("the file");
        assert_eq!(again, records);
        again.put(row("killers", "off", 1031, 20));
        again.put(row("recapture", "first", 1021, 0));
        again.put(row("recapture", "raised", 1010, 0));
        again.write(&path).expect("room");
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
        records.put(Row {
            default_nodes: 1001,
            ..row(DEFAULT, "", 1001, 0)
        });
        assert_eq!(records.stale(), 1);
    }

    #[test]
    fn another_file_is_refused() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = scratch.path().join("rows.csv");
        fs::write(&path, "threads,nps\n1,2\n").expect("room");
        let error = Records::read(&path).expect_err("another table").to_string();
        assert!(error.contains("rows.csv"), "{error}");
    }
}
