//! `rejoinder-study epd` runs a suite of test positions and counts the solved ones.

pub mod answer;
mod limit_args;
pub mod record;
mod status_line;
pub mod suite;
pub mod summary;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use rejoinder::clock::Limits;
use rejoinder::types::score;

use crate::parallel;
use crate::runner::EngineRunner;

use answer::Answer;
pub use limit_args::LimitArgs;
use record::Record;
pub use status_line::StatusLine;
use suite::Suite;
use summary::Summary;

/// Run a suite of test positions (EPD with bm, am, dm or points) and count the solved ones.
///
/// The engine forgets everything before each position. A position with a mate (`dm 3` or `bm #3`)
/// is solved by a mate that is at least as fast. Other positions are solved by any of the best
/// moves (bm) that is not to be avoided (am). Points are given in the first comment, as in: c0
/// "f5=10, Be5=2". Moves may be SAN or coordinates. Lines that cannot be read are reported and
/// skipped.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// File with one EPD or FEN per line
    #[arg(value_name = "FILE")]
    pub suite: PathBuf,
    /// Limit of each search
    #[command(flatten)]
    pub limit: LimitArgs,
    /// Threads of each search
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: u64,
    /// Size of each transposition table in MB
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    pub hash: u64,
    /// Number of positions searched at the same time, each by an engine of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub concurrency: u64,
    /// Search only the first N positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: Option<u64>,
    /// Print a line for each position that is not solved
    #[arg(long)]
    pub verbose: bool,
}

/// Runs the suite, and prints the positions that were not solved (if requested) and the summary.
///
/// # Errors
/// If the suite is invalid, an engine cannot be started, or `out` cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Summary> {
    let Suite {
        mut records,
        skipped,
    } = suite::read(&args.suite)?;
    for line in &skipped {
        // The results matter more than an error that cannot be reported.
        let _ = writeln!(io::stderr(), "{}, {line}", args.suite.display());
    }
    records.truncate(args.positions.map_or(usize::MAX, |count| count as usize));
    let limits = args.limit.limits();
    let mut runners = (0..args.concurrency.min(records.len() as u64))
        .map(|_| EngineRunner::new(args.hash, args.threads))
        .collect::<Result<Vec<_>, _>>()?;

    let status = StatusLine::default();
    let (done, solved) = (AtomicU64::new(0), AtomicU64::new(0));
    let answers = parallel::map_with(&mut runners, &records, |runner, record| {
        let answer = answer(runner, record, &limits);
        let is_solved = u64::from(answer.solves(record) == Some(true));
        let solved = solved.fetch_add(is_solved, Ordering::Relaxed) + is_solved;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        status.show(&format!(
            "{done}/{} positions, {solved} solved",
            records.len()
        ));
        answer
    });
    status.clear();

    let mut summary = Summary {
        skipped: skipped.len() as u64,
        ..Summary::default()
    };
    for (record, answer) in records.iter().zip(&answers) {
        summary.add(record, answer);
        if args.verbose && answer.solves(record) == Some(false) {
            writeln!(out, "{}", answer.line(record))?;
        }
    }
    write!(out, "{summary}")?;
    Ok(summary)
}

fn answer(runner: &mut EngineRunner, record: &Record, limits: &Limits) -> Answer {
    let thought = runner.think(record.board, limits);
    let report = thought.report.as_ref();
    Answer {
        mv: thought.best,
        mate: report.and_then(|report| score::mate_distance(report.score)),
        depth: report.map_or(0, |report| report.depth),
        nodes: thought.nodes(),
        elapsed: thought.elapsed,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// Mates, tactics and an endgame rule, all written for this test.
    const SUITE: &str = "../tests/data/suite.epd";

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn run_line(line: &str) -> (Summary, String) {
        run_suite(SUITE, line)
    }

    fn run_suite(suite: &str, line: &str) -> (Summary, String) {
        let words = ["epd", suite].into_iter().chain(line.split_whitespace());
        let mut out = Vec::new();
        let args = Line::try_parse_from(words)
            .expect("the arguments were refused")
            .args;
        let summary = run(&args, &mut out).expect("the suite failed");
        (
            summary,
            String::from_utf8(out).expect("the output is not UTF-8"),
        )
    }

    #[test]
    fn the_suite_is_solved() {
        let (summary, text) = run_line("--nodes 20000 --hash 1");
        assert_eq!((summary.all.asked, summary.all.solved), (10, 10), "{text}");
        assert_eq!(
            (summary.all.points, summary.all.most_points),
            (17, 20),
            "{text}"
        );
        assert!(
            text.contains("solved 10/10, points 17/20 (85.0%)"),
            "{text}"
        );
    }

    /// How many are solved by threads or within a time depends on what else the machine does.
    #[test]
    fn threads_and_times_are_limits_too() {
        for line in [
            "--depth 14 --hash 1 --threads 2 --concurrency 2",
            "--time 400 --hash 1 --concurrency 16",
        ] {
            let (summary, text) = run_line(line);
            assert_eq!(summary.all.asked, 10, "{line}\n{text}");
            assert!(summary.all.solved >= 6, "{line}\n{text}");
        }
    }

    #[test]
    fn what_is_not_solved_is_shown() {
        let (summary, text) = run_line("--depth 1 --hash 1 --verbose");
        let failed = summary.all.asked - summary.all.solved;
        assert!(failed > 0, "{text}");
        assert_eq!(text.matches(" expected ").count() as u64, failed, "{text}");
    }

    #[test]
    fn a_run_goes_on_behind_bad_lines() {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("mixed.epd");
        let mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
        let text = format!("; a note\r\n{mate} bm a1a8\r\nno position\r\n{mate} bm #1; ep; 00:00;");
        std::fs::write(&path, text).expect("a file");
        let (summary, text) = run_suite(&path.to_string_lossy(), "--depth 4 --hash 1");
        assert_eq!((summary.all.solved, summary.all.asked), (2, 2), "{text}");
        assert_eq!(summary.skipped, 1);
        assert!(
            text.ends_with("1 line of the suite could not be read and was skipped\n"),
            "{text}"
        );
    }

    #[test]
    fn only_the_first_positions_are_searched() {
        let (summary, _) = run_line("--depth 1 --hash 1 --positions 2");
        assert_eq!(summary.all.positions, 2);
    }
}
