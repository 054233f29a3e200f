//! Runs searches of an engine one after the other, for measurements.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::eval::win_rate::WinRate;
use rejoinder::search::strength::Strength;
use rejoinder::search::{Report, SearchRequest};
use rejoinder::smp::{Engine, EngineError, Event};
use rejoinder::tablebase::Probing;
use rejoinder::types::Move;

/// An engine with its own transposition table.
#[derive(Debug)]
pub struct EngineRunner {
    engine: Engine,
    events: Receiver<Event>,
    strength: Option<Strength>,
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// The best move; [`Move::NULL`] if there is no legal move.
    pub best: Move,
    /// The last report of the first line.
    pub report: Option<Report>,
    /// The time from the start of the search to the answer.
    pub elapsed: Duration,
}

impl SearchOutcome {
    /// Returns the number of nodes of all workers.
    pub fn nodes(&self) -> u64 {
        self.report.as_ref().map_or(0, |report| report.nodes)
    }
}

impl EngineRunner {
    /// Creates an engine with a transposition table of this many megabytes and this many threads.
    ///
    /// # Errors
    /// If there is not enough memory, or the threads cannot be started.
    pub fn new(megabytes: u64, threads: u64) -> Result<Self, EngineError> {
        let (sender, events) = mpsc::channel();
        let sink = move |event| drop(sender.send(event));
        let engine = Engine::new(Arc::new(sink), megabytes as usize, threads as usize)?;
        Ok(Self {
            engine,
            events,
            strength: None,
        })
    }

    /// Sets how strong the next searches play; `None` for full strength.
    pub fn set_strength(&mut self, strength: Option<Strength>) {
        self.strength = strength;
    }

    /// Sets which endgame tablebases the searches probe.
    pub fn set_probing(&mut self, probing: Probing) {
        self.engine.set_probing(probing);
    }

    /// Returns the model that turns scores of the network into chances.
    pub fn win_rate(&self) -> WinRate {
        self.engine.setup().network.win_rate()
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        self.engine.new_game();
    }

    /// Forgets everything, and searches the position within the limits.
    pub fn think(&mut self, board: Board, limits: &Limits) -> SearchOutcome {
        self.forget();
        self.think_on(Game::new(board), limits)
    }

    /// Searches the position of a game within the limits, with what earlier searches have left in
    /// the hash and the histories.
    pub fn think_on(&mut self, game: Game, limits: &Limits) -> SearchOutcome {
        let start = self.begin(game, limits.clone());
        self.wait();
        let answer = self.engine.stop_and_vote();
        SearchOutcome {
            best: answer.best,
            report: answer.lines.into_iter().next(),
            elapsed: start.elapsed(),
        }
    }

    /// Searches the position, stops the search after this time, and returns the time from the stop
    /// to the answer.
    pub fn stop_after(&mut self, board: Board, thinking: Duration) -> Duration {
        let infinite = Limits {
            infinite: true,
            ..Limits::default()
        };
        self.begin(Game::new(board), infinite);
        std::thread::sleep(thinking);
        let stop = Instant::now();
        self.engine.stop_and_vote();
        let latency = stop.elapsed();
        self.wait();
        latency
    }

    fn begin(&mut self, game: Game, limits: Limits) -> Instant {
        let request = SearchRequest {
            strength: self.strength,
            ..SearchRequest::new(game, limits)
        };
        let start = request.start;
        self.engine.go(request);
        start
    }

    /// Waits until worker 0 has returned.
    fn wait(&self) {
        while !matches!(self.events.recv(), Ok(Event::Finished) | Err(_)) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_end_by_their_limits_or_by_a_stop() {
        for threads in [1, 3] {
            let mut runner = EngineRunner::new(1, threads).expect("cannot start the engine");
            let limits = Limits {
                depth: Some(5),
                ..Limits::default()
            };
            for _ in 0..3 {
                let board = Board::startpos();
                let latency = runner.stop_after(board, Duration::from_millis(3));
                assert!(latency < Duration::from_secs(5));
                let thought = runner.think(board, &limits);
                assert!(board.is_legal(thought.best) && thought.nodes() > 0);
                assert_eq!(thought.report.map(|report| report.depth), Some(5));
            }
        }
    }
}
