//! `rejoinder ordering`: what the user may ask for, and what is done with the rows.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::form::Form;
use super::measure::{Games, measure};
use super::records::{Records, RecordsError};
use super::table::Table;
use super::trees::Task;
use super::{chart, doc};
use rejoinder::board::Board;
use rejoinder::commands::book::{self, BookError};
use rejoinder::commands::overrides::SettingError;
use rejoinder::eval::scale;
use rejoinder::memory::MemoryError;
use rejoinder_tools::data::shard::{self, ShardError};
use rejoinder_tools::matches::{self, MatchError};

/// Measures every technique of move ordering against the default: trees of a fixed depth, and games if asked for.
///
/// Every figure is that of a variant against the default. Where the default has the technique, each variant does without it or
/// otherwise; where it has not, each variant has it. The same arguments give the same figures, whatever the number of
/// threads, but for the speed.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Plies of each search
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: i32,
    /// Megabytes of each transposition table; there is one for each thread
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: u64,
    /// How many of the positions, from the first on
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: u64,
    /// Positions to search: a file with one EPD or FEN a line; a thousand of our own games if not given
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Only these techniques, or variants as technique/variant
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Games of each variant against the default; an odd number is rounded up
    #[arg(long, value_name = "N", requires = "match_book", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// Games only where the nodes differ by no more than this, and for the default without killers, history, countermove or lbr
    #[arg(long, value_name = "PERCENT", requires = "games")]
    pub within: Option<f64>,
    /// Nodes a move of the games
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Searches or games at a time; all cores if not given
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Opening book of the games: a file with one EPD or FEN a line
    #[arg(long, value_name = "FILE")]
    pub match_book: Option<PathBuf>,
    /// Chooses the order of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write the figures to this file, as comma-separated values; what it says of other variants stays
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the rows, with all those of the file, to this file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Put the rows, with all those of the file, between the markers of this Markdown file
    #[arg(long, value_name = "FILE")]
    pub doc: Option<PathBuf>,
    /// Measure nothing: only draw and write what the file says
    #[arg(long, requires = "csv", conflicts_with_all = ["games", "only"])]
    pub render: bool,
}

/// Why nothing was measured, or the result is lost.
#[derive(Debug, thiserror::Error)]
pub enum OrderingError {
    /// No technique is called so.
    #[error("no technique or variant is called {0}")]
    Unknown(String),
    /// The file of positions is no good.
    #[error(transparent)]
    Book(#[from] BookError),
    /// The games cannot be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// The catalogue is no good.
    #[error(transparent)]
    Parameter(#[from] SettingError),
    /// The tables do not fit into memory.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The file of rows is no good.
    #[error(transparent)]
    Records(#[from] RecordsError),
    /// The picture or the text cannot be written.
    #[error(transparent)]
    File(#[from] ShardError),
    /// The rows cannot be drawn.
    #[error("cannot draw {}: {reason}", path.display())]
    Plot {
        /// The picture.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The text is no place for the rows.
    #[error("{}: {reason}", path.display())]
    Doc {
        /// The text.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Output(#[from] io::Error),
}

impl Args {
    fn boards(&self) -> Result<Vec<Board>, BookError> {
        let mut boards = match &self.book {
            Some(book) => book::read(book)?,
            None => scale::positions().collect(),
        };
        boards.truncate(self.positions as usize);
        Ok(boards)
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(num_cpus::get, |n| n as usize)
    }

    fn task(&self) -> Result<Task, BookError> {
        Ok(Task {
            boards: self.boards()?,
            depth: self.depth,
            hash: self.hash as usize,
            threads: self.threads(),
        })
    }

    fn matches(&self) -> Result<Option<Games>, OrderingError> {
        let Some((games, book)) = self.games.zip(self.match_book.as_ref()) else {
            return Ok(None);
        };
        let openings = matches::openings(book, games, self.seed)?;
        let games = Games::new(openings, self.nodes, self.threads(), self.within);
        Ok(Some(games))
    }
}

/// Measures, and prints, writes and draws the rows.
///
/// # Errors
/// Names the file or the argument that is no good, or says what the machine lacks.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), OrderingError> {
    let forms = Form::named(&args.only).map_err(OrderingError::Unknown)?;
    // What is wrong with a file must be known before the hours of measuring.
    let mut records = match &args.csv {
        Some(path) => Records::read(path)?,
        None => Records::default(),
    };
    if let Some(path) = &args.doc {
        write_doc(path, &records)?;
    }
    if !args.render {
        let (task, games) = (args.task()?, args.matches()?);
        measure(&forms, &task, games.as_ref(), |row| {
            records.put(row);
            if let Some(path) = &args.csv {
                records.write(path)?;
            }
            Ok(())
        })?;
        write!(out, "{}", Table(&records.of(&forms)))?;
    }
    if records.stale() > 0 {
        eprintln!(
            "{} rows were measured against another default: measure them again",
            records.stale()
        );
    }
    if let Some(path) = &args.svg {
        let svg = chart::svg(records.rows()).map_err(|reason| OrderingError::Plot {
            path: path.clone(),
            reason,
        })?;
        shard::replace(path, svg.as_bytes())?;
    }
    if let Some(path) = &args.doc {
        write_doc(path, &records)?;
    }
    Ok(())
}

/// Puts the rows into a text.
fn write_doc(path: &Path, records: &Records) -> Result<(), OrderingError> {
    let wrong = |reason: String| OrderingError::Doc {
        path: path.to_path_buf(),
        reason,
    };
    let text = fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let text = doc::replaced(&text, records.rows()).map_err(|reason| wrong(reason.to_owned()))?;
    Ok(shard::replace(path, text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::ordering::row::Row;
    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn args(line: &str) -> Result<Args, String> {
        let words = ["ordering"].into_iter().chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        Ok(line.args)
    }

    /// The rows of a file, but for the speed.
    fn rows(path: &Path) -> Vec<Row> {
        let records = Records::read(path).expect("rows");
        let timeless = |row: &Row| Row {
            nps: 0,
            nps_ratio: 0.0,
            ..row.clone()
        };
        records.rows().iter().map(timeless).collect()
    }

    #[test]
    fn rows_are_the_same_whatever_the_threads() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| scratch.path().join(name);
        fs::write(path("doc.md"), doc::tests::MARKED).expect("room");
        let book = scale::positions().skip(500).take(2);
        let book: Vec<_> = book.map(|board| board.fen(false)).collect();
        fs::write(path("book.epd"), book.join("\n")).expect("room");
        let [one, two] = [1, 2].map(|threads| {
            let csv = path(&format!("{threads}.csv"));
            let line = format!(
                "--depth 4 --positions 3 --hash 1 --only killers/off --games 3 --nodes 50 --within 0 --threads {threads} \
                 --match-book {} --csv {} --svg {} --doc {}",
                path("book.epd").display(),
                csv.display(),
                path("chart.svg").display(),
                path("doc.md").display(),
            );
            let mut out = Vec::new();
            run(&args(&line).expect("arguments"), &mut out).expect("rows");
            let text = String::from_utf8(out).expect("text");
            assert!(text.contains("\nkillers/off* "), "{text}");
            assert!(text.contains("(4 games)"), "{text}");
            rows(&csv)
        });
        assert_eq!(one, two);
        assert_eq!(one.len(), 2);
        assert_eq!((one[0].positions, one[0].depth), (3, 4));
        assert!(one[0].nodes > 0 && one[1].nodes != one[0].nodes);
        let svg = fs::read_to_string(path("chart.svg")).expect("a picture");
        assert!(svg.contains("killers/off"), "{svg}");

        // The same from the file alone.
        let before = fs::read_to_string(path("doc.md")).expect("a text");
        assert!(before.contains("killers"), "{before}");
        fs::write(path("doc.md"), doc::tests::MARKED).expect("room");
        let line = format!(
            "--csv {} --doc {} --render",
            path("2.csv").display(),
            path("doc.md").display()
        );
        run(&args(&line).expect("arguments"), &mut Vec::new()).expect("a text");
        let after = fs::read_to_string(path("doc.md")).expect("a text");
        assert_eq!(before, after);
    }

    #[test]
    fn what_is_wrong_is_told_before_anything_is_measured() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let bare = scratch.path().join("bare.md");
        fs::write(&bare, "# Nothing\n").expect("room");
        for (line, says) in [
            ("--games 10", "--match-book"),
            ("--render", "--csv"),
            ("--only nonsense", "nonsense"),
            ("--games 10 --match-book /no/such/book", "/no/such/book"),
            ("--doc /no/such/text", "/no/such/text"),
            (&format!("--doc {}", bare.display()), "bare.md"),
        ] {
            let error = match args(line) {
                Ok(args) => run(&args, &mut Vec::new()).expect_err(line).to_string(),
                Err(error) => error,
            };
            assert!(error.contains(says), "{line}: {error}");
        }
    }
}
