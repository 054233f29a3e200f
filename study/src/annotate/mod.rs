//! `rejoinder-study annotate`: analyzes the games of a PGN file and writes them with annotations.
//!
//! Games are read in sequence, analyzed in parallel, and written in the order of the input. What
//! cannot be read of a game is reported and kept as text.

mod accuracy;
mod analysis;
mod annotated;
mod effort;
mod evaluation;
mod html;
mod index;
mod json;
mod judge;
mod notes;
pub(crate) mod openings;
mod output;
mod part;
mod range;
mod reason;
mod report;
mod resume;
mod review;
mod sacrifice;
mod settle;
mod summary;
mod svg;
mod update;
mod work;
mod writing;

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Display, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use parking_lot::Mutex;
use rejoinder::board::Board;
use rejoinder::tablebase::{Probing, Tablebases};
use rejoinder::types::Move;

use crate::careless;
use crate::countdown::Countdown;
use crate::epd::LimitArgs;
use crate::pgn::{self, Source};
use crate::runner::EngineRunner;

use crate::scale::Scale;
pub(crate) use annotated::{AnnotatedGame, AnnotatedMove, Phase};
use effort::Effort;
pub(crate) use judge::Mark;
pub(crate) use notes::{Note, Notes};
use output::Output;
#[cfg(not(target_family = "wasm"))]
pub(crate) use part::write_whole;
use part::{is_same, part_of, resolved};
use range::{Range, Selection};
pub(crate) use report::{Eval, counted};
use resume::Finished;
pub use review::review;
pub(crate) use summary::Accuracies;
pub(crate) use svg::escaped;
use work::{Outcome, Work};
use writing::Style;

/// Writes scores, better lines and marks into the games of a PGN file.
///
/// Each position is searched from the end of the game to its beginning, with the hash kept, and again
/// with up to 16 times the effort where the scores of neighbors contradict each other.
/// Marks and accuracy are those of Lichess: a move that loses 5% of the winning chance is an
/// inaccuracy (?!), 10% a mistake (?), 15% a blunder (??), each with a sentence that says why. The
/// only move that does not lose 15% is marked ! or, for a side that does not stand better, □; a
/// sound sacrifice !! if it is the only good move, else !?. The name of the opening is added.
/// Tags, comments, glyphs and variations of the input are kept. A game that cannot be analyzed, or
/// only up to an illegal move, is reported; the rest of it is written as it was, and the exit status
/// is 1. Output is UTF-8.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The games: PGN of any size in UTF-8 or Latin-1; - for standard input
    #[arg(value_name = "GAMES.pgn")]
    pub games: PathBuf,
    /// Where to write them; standard output if not given
    #[arg(short, long, value_name = "OUT.pgn")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limit: LimitArgs,
    /// Threads of each search; with more than one the results differ from run to run
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: u64,
    /// Megabytes of each transposition table
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    pub hash: u64,
    /// Folders of Syzygy tablebases
    #[arg(long, value_name = "PATH")]
    pub syzygy: Option<String>,
    /// Number of games analyzed at the same time, each by its own engine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub concurrency: u64,
    /// What marks, accuracy and winning chances are measured by
    #[arg(long, value_enum, default_value_t)]
    pub scale: Scale,
    /// Write the better line beside moves that lose this much of the winning chance, in percent
    /// [default: the loss that makes an inaccuracy]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub loss: Option<f64>,
    /// Leave out the scores, so that there is a comment only where something is said
    #[arg(long)]
    pub plain: bool,
    /// Annotate only these games, numbered from 1 as in the input: 17, 1001-2000 or 1001-
    #[arg(
        long = "games",
        value_name = "FROM-TO",
        default_value = "1-",
        allow_negative_numbers = true
    )]
    pub(crate) range: Range,
    /// Continue an interrupted run; give the same options again
    #[arg(long, requires = "output")]
    pub resume: bool,
    /// Add to OUT.pgn the games that it lacks, each as soon as it is annotated, and keep those that it
    /// has; games that are annotated already in GAMES.pgn are left out
    #[arg(long, requires = "output", conflicts_with_all = ["resume", "json", "svg", "html"])]
    pub update: bool,
    /// Write a graph of each game into this folder
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
    /// Write a page of each game into this folder: board, moves and graph, for any browser; and an
    /// index of them, if there are several
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,
    /// Write each game as a JSON object in a line of this file
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "give a number from 0 to 100".to_owned())
}

impl Args {
    fn style(&self) -> Style {
        let least = self.scale.thresholds().inaccuracy;
        Style {
            least_loss: self.loss.map_or(least, |percent| percent / 100.0),
            is_plain: self.plain,
            effort: Effort::new(self.limit.limits()),
        }
    }
}

/// The result of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Number of games, including those of an interrupted run.
    pub games: u64,
    /// Number of games that could not be analyzed, or not to their end.
    pub faulty: u64,
    /// Number of games among them that were annotated before.
    pub kept: u64,
    /// Number of positions searched by this run.
    pub positions: u64,
    /// Number of nodes searched by this run.
    pub nodes: u64,
    /// Duration of the run.
    pub elapsed: Duration,
}

/// Annotates the games. With an output file, the summaries go to `out`; without one, the games go
/// to `out` and the summaries to standard error.
///
/// # Errors
/// Fails if a file cannot be read or written, if memory or threads are lacking, or, after everything
/// was written, if a game could not be analyzed to its end.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Totals> {
    let start = Instant::now();
    for path in args.output.iter().chain(&args.json) {
        resolved(path)?;
    }
    let (input, size) = open_input(args)?;
    let probing = probing(args)?;
    let runners = (0..args.concurrency)
        .map(|_| {
            let mut runner = EngineRunner::new(args.hash, args.threads)?;
            runner.set_probing(probing.clone());
            Ok(runner)
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let games = Selection::new(Source::new(input), args.range);
    let mut games = games.with_context(unreadable(&args.games))?;
    let mut output = Output::open(args, &mut games, out)?;
    let known = output.known.take();
    let Finished {
        games: done,
        faulty,
        ..
    } = output.finished;
    let mut totals = Totals {
        games: done,
        faulty,
        ..Totals::default()
    };
    let countdown = match args.range.length() {
        None => Countdown::new(games.position(), size),
        Some(length) => Countdown::new(work::GAME * done, length.saturating_mul(work::GAME)),
    };
    let work = Work {
        counts_games: args.range.length().is_some(),
        games,
        effort: Effort::new(args.limit.limits()),
        scale: args.scale,
        known: known.map(Mutex::new),
        countdown,
    };
    let finished = work.run(runners, &mut |number, outcome, countdown| {
        totals.games += 1;
        countdown.clear();
        match outcome {
            Outcome::Known => {
                totals.kept += 1;
                Ok(())
            }
            Outcome::Refused { line, reason, text } => {
                totals.faulty += 1;
                tell(format_args!(
                    "game {number} (line {line}) is not annotated: {reason}\n"
                ));
                output.copy(&text)
            }
            Outcome::Annotated {
                report,
                line,
                nodes,
            } => {
                let game = format!("game {number} (line {line})");
                careless::tell(&game, &report.record.dropped);
                if let Some(fault) = &report.record.fault {
                    totals.faulty += 1;
                    tell(format_args!("{game}: {fault}\n"));
                }
                totals.positions += report.evaluations.len() as u64;
                totals.nodes += nodes;
                output.write(&report)
            }
        }
    });
    finished?.with_context(unreadable(&args.games))?;
    if totals.games == 0 {
        let path = name(&args.games);
        match args.range.first() {
            1 => bail!("{path} holds no game"),
            first => bail!("{path} holds no game {first}"),
        }
    }
    totals.elapsed = start.elapsed();
    output.close(&totals.to_string())?;
    verdict(args, totals)
}

/// Fails if a game could not be annotated to its end.
fn verdict(args: &Args, totals: Totals) -> anyhow::Result<Totals> {
    let Totals { games, faulty, .. } = totals;
    if faulty > 0 {
        let path = name(&args.games);
        bail!("{faulty} of the {games} games of {path} could not be annotated to their end");
    }
    Ok(totals)
}

/// The path that stands for standard input.
const STANDARD_INPUT: &str = "-";

/// Returns the name of the games for messages.
fn name(path: &Path) -> Display<'_> {
    let is_standard = path == Path::new(STANDARD_INPUT);
    let name = if is_standard {
        Path::new("standard input")
    } else {
        path
    };
    name.display()
}

fn unreadable(path: &Path) -> impl FnOnce() -> String {
    move || format!("cannot read {}", name(path))
}

/// Opens the games, and returns their size in bytes as well; 0 for standard input.
fn open_input(args: &Args) -> anyhow::Result<(Box<dyn BufRead + Send>, u64)> {
    let path = &args.games;
    if path == Path::new(STANDARD_INPUT) {
        return Ok((Box::new(BufReader::new(io::stdin())), 0));
    }
    let input = File::open(path).with_context(unreadable(path))?;
    let data = input.metadata().with_context(unreadable(path))?;
    if data.is_dir() {
        bail!("cannot read {}: it is a folder", path.display());
    }
    let outputs = args.output.iter().chain(&args.json);
    let outputs = outputs.filter_map(|path| resolved(path).ok());
    let mut outputs = outputs.flat_map(|path| [part_of(&path), path]);
    if data.is_file()
        && let Some(output) = outputs.find(|output| is_same(path, output))
    {
        bail!(
            "{} is the input: give the output another name",
            output.display()
        );
    }
    let input = BufReader::with_capacity(1 << 16, input);
    Ok((Box::new(input), data.len()))
}

/// A game for other commands than this one.
pub(crate) struct PlainGame {
    pub start: Board,
    pub moves: Vec<Move>,
    /// The players and the result, as in `Morphy - Isouard 1-0`.
    pub title: String,
    /// What the file says about the game.
    pub notes: Notes,
}

/// Reads one game of a PGN file, counted from 1.
///
/// # Errors
/// If the file cannot be read, has fewer games, or the game cannot be read.
pub(crate) fn game_of(path: &Path, number: u64) -> anyhow::Result<PlainGame> {
    let input = File::open(path).with_context(unreadable(path))?;
    let mut source = Source::new(BufReader::with_capacity(1 << 16, input));
    let (file, mut games) = (path.display(), 0);
    while let Some(game) = source.next_game().with_context(unreadable(path))? {
        games += 1;
        if games == number {
            let record = pgn::read(game).map_err(|refused| {
                anyhow!("{file}: game {number} cannot be read: {}", refused.reason)
            })?;
            careless::tell(&format!("{file}: game {number}"), &record.dropped);
            if let Some(reason) = &record.fault {
                tell(format_args!("{file}: game {number}: {reason}\n"));
            }
            return Ok(PlainGame {
                title: record.title(),
                notes: Notes::of(&record),
                start: record.start,
                moves: record.moves,
            });
        }
    }
    bail!("{file}: there are {games} games, not {number}")
}

/// Returns what a text says about the game in it, for tests.
#[cfg(test)]
pub(crate) fn notes_of(text: &str) -> Notes {
    let game = Source::new(text.as_bytes()).next_game();
    let game = game.expect("a text").expect("a game");
    Notes::of(&pgn::read(game).expect("a record"))
}

/// Writes to standard error. A failure is ignored.
fn tell(text: fmt::Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}

fn print(out: &mut dyn Write, text: &str) -> anyhow::Result<()> {
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    printed.context("cannot print the result")
}

/// Opens the tablebases that the user names, and reports damaged ones.
fn probing(args: &Args) -> anyhow::Result<Probing> {
    let mut probing = Probing::default();
    if let Some(folders) = &args.syzygy {
        let (tables, faults) = Tablebases::open(folders);
        for fault in faults {
            tell(format_args!("{fault}\n"));
        }
        if tables.largest() == 0 {
            bail!("there are no Syzygy tablebases in {folders}");
        }
        probing.tables = Some(Arc::new(tables));
    }
    Ok(probing)
}

impl std::fmt::Display for Totals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let annotated = counted(self.games - self.kept, "game", "games");
        match self.faulty {
            0 => write!(f, "{annotated} annotated")?,
            faulty => write!(
                f,
                "{} games, {faulty} not annotated to their end",
                self.games
            )?,
        }
        if self.kept > 0 {
            write!(f, ", {} before", self.kept)?;
        }
        writeln!(
            f,
            ", {} positions, {} nodes, {:.1} s",
            self.positions,
            self.nodes,
            self.elapsed.as_secs_f64()
        )
    }
}
