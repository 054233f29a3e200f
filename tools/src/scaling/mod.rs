//! `rejoinder-tools scaling`: the gain from more threads. docs/smp.md shows the results.

mod table;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use rejoinder::board::Board;
use rejoinder::board::book::{self, BookError};
use rejoinder::clock::Limits;
use rejoinder::commands::bench;
use rejoinder::search::Setup;
use rejoinder::types::Rng;
use rejoinder_study::runner::EngineRunner;

use crate::files::{self};
use crate::plot::{self};
use crate::print::print_to;
use crate::progress::Progress;

use table::{Measurements, ScalingTable};

/// Shortest and longest duration of a search before it is stopped, in milliseconds.
const BEFORE_STOP: [u64; 2] = [5, 40];

/// Measures speed, time to depth and stop latency for several numbers of threads.
///
/// Each position is searched to the same depth with each number of threads in turn, so that a slow
/// minute of the machine affects all of them alike. Nothing else should run on the machine
/// meanwhile.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Numbers of threads; the first one is the base of the comparison [default: 1, 2, 4, … up to
    /// twice the number of cores]
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Vec<u64>,
    /// Depth of each search in plies
    #[arg(long, default_value_t = 18, value_parser = clap::value_parser!(i32).range(1..))]
    pub depth: i32,
    /// Positions to search: a file with one EPD or FEN a line [default: the positions of `bench`]
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Number of positions to search, from the first on
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: u64,
    /// Number of searches of each position; several threads never search the same tree twice
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub rounds: u64,
    /// Size of the transposition table in MB; there is one for each number of threads
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    pub hash: u64,
    /// Number of searches that are stopped midway for each number of threads
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub tries: u64,
    /// Draw the table to this file as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the table to this file, as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
}

impl Args {
    /// Returns the numbers of threads without repetitions.
    fn threads(&self) -> Vec<u64> {
        if self.threads.is_empty() {
            let most = 2 * num_cpus::get() as u64;
            return (0..=most.ilog2()).map(|power| 1 << power).collect();
        }
        let mut threads = Vec::new();
        for &count in &self.threads {
            if !threads.contains(&count) {
                threads.push(count);
            }
        }
        threads
    }

    fn boards(&self) -> Result<Vec<Board>, BookError> {
        let mut boards = match &self.book {
            Some(book) => book::read(book)?,
            None => bench::Plan::usual(Setup::default()).positions,
        };
        boards.truncate(self.positions as usize);
        Ok(boards)
    }
}

/// Measures, and prints, writes and draws the table.
///
/// # Errors
/// If the engine cannot start, or a file cannot be read or written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<ScalingTable> {
    let (threads, boards) = (args.threads(), args.boards()?);
    let mut runners = threads
        .iter()
        .map(|&threads| EngineRunner::new(args.hash, threads))
        .collect::<Result<Vec<_>, _>>()?;
    let mut rows: Vec<Measurements> = (threads.iter())
        .map(|&threads| Measurements::new(threads, boards.len()))
        .collect();
    search(args, &boards, &mut runners, &mut rows);
    stop(args, &boards, &mut runners, &mut rows);

    let table = ScalingTable::of(rows);
    let often = match args.rounds {
        1 => "once".to_owned(),
        rounds => format!("{rounds} times"),
    };
    let settings = format!(
        "\n{} cores; {} positions to depth {}, {often}; {} MB; {} stops\n",
        num_cpus::get(),
        boards.len(),
        args.depth,
        args.hash,
        args.tries
    );
    print_to(out, format_args!("{table}{settings}"))?;
    if let Some(path) = &args.csv {
        files::replace(path, table.csv().as_bytes())?;
    }
    if let Some(path) = &args.svg {
        plot::save(path, table.svg())?;
    }
    Ok(table)
}

/// Searches every position to the depth of the arguments with each number of threads in turn.
fn search(args: &Args, boards: &[Board], runners: &mut [EngineRunner], rows: &mut [Measurements]) {
    let limits = Limits {
        depth: Some(args.depth),
        ..Limits::default()
    };
    let length = args.rounds * boards.len() as u64;
    let progress = Progress::new(length, "positions");
    for done in 0..length {
        let number = done as usize % boards.len();
        progress.update(done, "searching");
        for (runner, row) in runners.iter_mut().zip(rows.iter_mut()) {
            let search = runner.think(boards[number], &limits);
            row.add(number, search.nodes(), search.elapsed);
        }
    }
    progress.finish();
}

/// Stops searches after a random time and measures the latency.
fn stop(args: &Args, boards: &[Board], runners: &mut [EngineRunner], rows: &mut [Measurements]) {
    let mut rng = Rng::new(1);
    let [shortest, longest] = BEFORE_STOP.map(|milliseconds| 1000 * milliseconds);
    let progress = Progress::new(args.tries, "stops");
    for (done, board) in (0..args.tries).zip(boards.iter().cycle()) {
        progress.update(done, "stopping");
        for (runner, row) in runners.iter_mut().zip(rows.iter_mut()) {
            let micros = shortest + rng.below((longest - shortest) as usize) as u64;
            row.stops
                .push(runner.stop_after(*board, Duration::from_micros(micros)));
        }
    }
    progress.finish();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::parse_args;

    fn args(line: &str) -> Args {
        parse_args(line).expect("valid arguments")
    }

    #[test]
    fn a_table_is_printed_written_and_drawn() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let (svg, csv) = (scratch.path().join("a.svg"), scratch.path().join("a.csv"));
        let line = format!(
            "--threads 1,2,1 --depth 4 --positions 3 --rounds 2 --tries 3 --hash 1 --svg {} --csv {}",
            svg.display(),
            csv.display()
        );
        let mut out = Vec::new();
        let table = run(&args(&line), &mut out).expect("a table");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(table.lines.len(), 2);
        assert!(text.contains("\n| 2 | "), "{text}");
        assert!(text.contains("3 positions to depth 4, 2 times"), "{text}");
        let csv = std::fs::read_to_string(csv).expect("a table");
        assert_eq!(csv.lines().count(), 3, "{csv}");
        let svg = std::fs::read_to_string(svg).expect("a chart");
        assert!(svg.starts_with("<svg"), "{svg}");
    }

    #[test]
    fn threads_go_up_to_twice_the_cores() {
        let threads = args("").threads();
        assert_eq!(threads[..2], [1, 2]);
        let last = threads[threads.len() - 1] as usize;
        assert!((num_cpus::get() + 1..=2 * num_cpus::get()).contains(&last));
        assert_eq!(args("--threads 2,1,2").threads(), [2, 1]);
    }
}
