//! Analyzes games in parallel and returns the results in the order of the input.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use parking_lot::Mutex;

use crate::countdown::Countdown;

use super::analysis;
use super::effort::Effort;
use super::range::Selection;
use super::report::Report;
use super::update::is_annotated;
use crate::pgn::{self, GameText, Identity, Record, Refused};
use crate::runner::EngineRunner;
use crate::scale::{Ruler, Scale};

/// Number of games for each engine that may be in memory, being analyzed or waiting to be written
/// after an earlier game.
const AHEAD: usize = 16;

/// What a game is to the countdown where the number of games is known.
pub(super) const GAME: u64 = 1000;

/// The outcome of a game's analysis.
pub(super) enum Outcome {
    /// The game was analyzed.
    Annotated {
        /// The annotated game.
        report: Box<Report>,
        /// Number of its first line in the file.
        line: u64,
        /// Number of nodes searched.
        nodes: u64,
    },
    /// The game was annotated before.
    Known,
    /// The game cannot be analyzed.
    Refused {
        /// Number of its first line in the file.
        line: u64,
        reason: String,
        /// The game as it was.
        text: String,
    },
}

/// The games to analyze.
pub(super) struct Work<R> {
    pub games: Selection<R>,
    pub effort: Effort,
    pub scale: Scale,
    /// The games that are left out; those that are annotated join them. `None` leaves none out.
    pub known: Option<Mutex<HashSet<Identity>>>,
    pub countdown: Countdown,
    /// Set if the countdown goes by games, not by bytes.
    pub counts_games: bool,
}

/// A message from an engine to the writer.
type News = Result<(u64, Outcome), io::Error>;

/// The state that all engines share.
struct Shared<'a, R> {
    games: Mutex<Selection<R>>,
    permits: Mutex<Receiver<()>>,
    /// Set when no more results are wanted.
    stop: AtomicBool,
    /// The source could not be read to its end.
    broken: AtomicBool,
    effort: &'a Effort,
    scale: Scale,
    known: Option<&'a Mutex<HashSet<Identity>>>,
    countdown: &'a Countdown,
    counts_games: bool,
}

impl<R: BufRead + Send> Work<R> {
    /// Calls `write` for each game in order, until it fails. The outer result is the error of
    /// `write`, the inner one that of the source.
    pub fn run<E>(
        self,
        runners: Vec<EngineRunner>,
        write: &mut dyn FnMut(u64, Outcome, &Countdown) -> Result<(), E>,
    ) -> Result<io::Result<()>, E> {
        let passed = self.games.passed();
        let (permit, permits) = mpsc::channel();
        for _ in 0..AHEAD * runners.len() {
            let _ = permit.send(());
        }
        let shared = Shared {
            games: Mutex::new(self.games),
            permits: Mutex::new(permits),
            stop: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            effort: &self.effort,
            scale: self.scale,
            known: self.known.as_ref(),
            countdown: &self.countdown,
            counts_games: self.counts_games,
        };
        let (sender, news) = mpsc::channel();
        let result = thread::scope(|scope| {
            for runner in runners {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || shared.serve(runner, &sender));
            }
            drop(sender);
            let result = in_order(&news, passed, &permit, &mut |number, outcome| {
                write(number, outcome, &self.countdown)
            });
            // Tell busy threads to stop; waiting threads get no more work.
            shared.stop.store(true, Ordering::Relaxed);
            drop(permit);
            result
        });
        self.countdown.clear();
        result
    }
}

/// Calls `write` for the games in the order of their numbers.
fn in_order<E>(
    news: &Receiver<News>,
    passed: u64,
    permit: &Sender<()>,
    write: &mut dyn FnMut(u64, Outcome) -> Result<(), E>,
) -> Result<io::Result<()>, E> {
    let mut waiting = BTreeMap::new();
    let mut next = passed + 1;
    let mut failed = None;
    for one in news {
        match one {
            Ok((number, outcome)) => waiting.insert(number, outcome),
            Err(error) => {
                // The games before that are still written.
                failed = Some(error);
                continue;
            }
        };
        while let Some(outcome) = waiting.remove(&next) {
            write(next, outcome)?;
            next += 1;
            // Nobody is left to take it at the end.
            let _ = permit.send(());
        }
    }
    Ok(failed.map_or(Ok(()), Err))
}

impl<R: BufRead> Shared<'_, R> {
    /// Analyzes games until there are none left or the run is stopped.
    fn serve(&self, mut runner: EngineRunner, sender: &Sender<News>) {
        while !self.stop.load(Ordering::Relaxed) && !self.broken.load(Ordering::Relaxed) {
            if self.permits.lock().recv().is_err() {
                return;
            }
            let taken = self.games.lock().next_game();
            let news = match taken {
                Ok(None) => return,
                Ok(Some(game)) => {
                    let number = game.number;
                    match self.treat(&mut runner, game) {
                        Some(outcome) => Ok((number, outcome)),
                        None => return,
                    }
                }
                Err(error) => {
                    self.broken.store(true, Ordering::Relaxed);
                    Err(error)
                }
            };
            if sender.send(news).is_err() {
                return;
            }
        }
    }

    /// Analyzes one game; `None` if the run was stopped.
    fn treat(&self, runner: &mut EngineRunner, game: GameText) -> Option<Outcome> {
        let (number, line) = (game.number, game.line);
        let size = if self.counts_games { GAME } else { game.size() };
        let record = match pgn::read(game) {
            Ok(record) => record,
            Err(Refused { reason, text }) => {
                self.countdown.add(size);
                return Some(Outcome::Refused { line, reason, text });
            }
        };
        if let Some(known) = self.known
            && (is_annotated(&record) || !known.lock().insert(Identity::of(&record)))
        {
            self.countdown.add(size);
            return Some(Outcome::Known);
        }
        let ruler = Ruler {
            scale: self.scale,
            model: runner.win_rate(),
        };
        let mut tick = self.ticks(&record, size);
        let (effort, stop) = (self.effort, &self.stop);
        let analysis = analysis::analyze(runner, &record, effort, ruler, stop, &mut tick)?;
        let nodes = analysis.nodes;
        let report = Report::new(number, record, analysis, ruler);
        Some(Outcome::Annotated {
            report: Box::new(report),
            line,
            nodes,
        })
    }

    /// Advances the progress bar, with the size of a game spread over its positions.
    fn ticks(&self, record: &Record, size: u64) -> impl FnMut() + '_ {
        let positions = record.moves.len() as u64 + 1;
        let mut seen = 0;
        move || {
            let before = size * seen / positions;
            seen += 1;
            self.countdown.add(size * seen / positions - before);
        }
    }
}
