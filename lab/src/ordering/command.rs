//! The command line of `rejoinder-lab ordering`, and the use of the measured rows.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::measure::{Games, measure};
use super::records::Records;
use super::table::TextTable;
use super::trees::TreeTask;
use super::variants::NamedVariant;
use super::{chart, doc};
use anyhow::{Context, anyhow};
use rejoinder::board::Board;
use rejoinder::board::book::{self, BookError};
use rejoinder_tools::print::print_to;
use rejoinder_tools::scale;
use rejoinder_tools::{files, matches, plot};

/// Measures experiments in move ordering against the default: search trees to a fixed depth, and
/// games if --games is given.
///
/// Each variant of an experiment changes the default: it leaves out or changes a technique that the
/// default has, or adds one that the default lacks. Except for the speed, the same arguments give
/// the same figures, whatever the number of threads.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Depth of each search in plies
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: i32,
    /// Size of the transposition table of each thread in MB
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub hash: u64,
    /// Number of positions to search, from the first on
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: u64,
    /// Positions to search: a file with one EPD or FEN a line [default: a thousand positions from
    /// games of the engine]
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Measure only these experiments, or single variants as experiment/variant
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Number of games of each variant against the default; an odd number is rounded up
    #[arg(long, value_name = "N", requires = "match_book", value_parser = clap::value_parser!(u64).range(1..))]
    pub games: Option<u64>,
    /// Play games only for variants whose number of nodes differs by at most this, and for the
    /// default without killers, history, countermove or lbr
    #[arg(long, value_name = "PERCENT", requires = "games")]
    pub within: Option<f64>,
    /// Nodes a move in the games
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Searches or games at a time [default: the number of cores]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Opening book of the games: a file with one EPD or FEN a line
    #[arg(long, value_name = "FILE")]
    pub match_book: Option<PathBuf>,
    /// Seed of the order of the openings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Write the rows to this CSV file; its rows of other variants stay
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw all rows of the CSV file to this file as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the list of all experiments with their results between the markers of this Markdown
    /// file
    #[arg(long, value_name = "FILE")]
    pub doc: Option<PathBuf>,
    /// Only draw and write the rows of the CSV file, without measuring
    #[arg(long, requires = "csv", conflicts_with_all = ["games", "only"])]
    pub render: bool,
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

    fn task(&self) -> Result<TreeTask, BookError> {
        Ok(TreeTask {
            boards: self.boards()?,
            depth: self.depth,
            hash: self.hash as usize,
            threads: self.threads(),
        })
    }

    fn matches(&self) -> anyhow::Result<Option<Games>> {
        let Some((games, book)) = self.games.zip(self.match_book.as_ref()) else {
            return Ok(None);
        };
        let openings = matches::from_book(book, games, self.seed)?;
        let games = Games::new(openings, self.nodes, self.threads(), self.within);
        Ok(Some(games))
    }
}

/// Measures, and prints, writes and draws the rows.
///
/// # Errors
/// If an argument or a file cannot be used, or memory is short.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<()> {
    let variants = NamedVariant::choose(&args.only)
        .map_err(|name| anyhow!("there is no experiment or variant {name}"))?;
    // A faulty file is reported before the hours of measuring.
    let mut records = match &args.csv {
        Some(path) => Records::read(path)?,
        None => Records::default(),
    };
    if let Some(path) = &args.doc {
        write_doc(path, &records)?;
    }
    if !args.render {
        let (task, games) = (args.task()?, args.matches()?);
        measure(&variants, &task, games.as_ref(), |row| {
            records.put(row);
            if let Some(path) = &args.csv {
                records.write(path)?;
            }
            Ok(())
        })?;
        print_to(out, TextTable(&records.of(&variants)))?;
    }
    if records.stale() > 0 {
        eprintln!(
            "{} rows were measured against another default and should be measured again",
            records.stale()
        );
    }
    if let Some(path) = &args.svg {
        plot::save(path, chart::svg(records.rows()))?;
    }
    if let Some(path) = &args.doc {
        write_doc(path, &records)?;
    }
    Ok(())
}

/// Updates the generated block of a Markdown file.
fn write_doc(path: &Path, records: &Records) -> anyhow::Result<()> {
    let name = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(name)?;
    let text = doc::replaced(&text, records.rows())
        .map_err(anyhow::Error::msg)
        .with_context(name)?;
    Ok(files::replace(path, text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use clap::{Args as _, Command, FromArgMatches};

    use super::*;
    use crate::ordering::row::ResultRow;

    fn args(line: &str) -> Result<Args, String> {
        let command = Args::augment_args(Command::new("ordering").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split_whitespace());
        let args = matches.and_then(|matches| Args::from_arg_matches(&matches));
        args.map_err(|error| error.to_string())
    }

    /// Returns the rows of a file without their speed.
    fn rows(path: &Path) -> Vec<ResultRow> {
        let records = Records::read(path).expect("rows");
        let timeless = |row: &ResultRow| ResultRow {
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
        fs::write(path("doc.md"), doc::tests::MARKED).expect("a writable directory");
        let book = scale::positions().skip(500).take(2);
        let book: Vec<_> = book.map(|board| board.fen(false)).collect();
        fs::write(path("book.epd"), book.join("\n")).expect("a writable directory");
        let [one, two] = [1, 2].map(|threads| {
            let csv = path(&format!("{threads}.csv"));
            let line = format!(
                "--depth 7 --positions 3 --hash 1 --only killers/off --games 3 --nodes 50 --within 0 --threads {threads} \
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
        assert_eq!((one[0].positions, one[0].depth), (3, 7));
        assert!(one[0].nodes > 0 && one[1].nodes != one[0].nodes);
        let svg = fs::read_to_string(path("chart.svg")).expect("a chart");
        assert!(svg.contains("killers/off"), "{svg}");

        // The CSV file alone gives the same text.
        let before = fs::read_to_string(path("doc.md")).expect("a text");
        assert!(before.contains("killers"), "{before}");
        fs::write(path("doc.md"), doc::tests::MARKED).expect("a writable directory");
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
    fn faults_are_reported_before_anything_is_measured() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let bare = scratch.path().join("bare.md");
        fs::write(&bare, "# Nothing\n").expect("a writable directory");
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
