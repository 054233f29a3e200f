//! An engine that is measured: a position goes in, an answer comes out.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::board::{Board, Game};
use crate::clock::Limits;
use crate::search::Report;
use crate::smp::{Engine, EngineError, Event};
use crate::types::Move;

/// An engine of its own, with a table of its own.
#[derive(Debug)]
pub struct EngineRunner {
    engine: Engine,
    events: Receiver<Event>,
}

/// What came of a search.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// The move; [`Move::NULL`] if there is none.
    pub best: Move,
    /// The line behind it.
    pub report: Option<Report>,
    /// From the order to the answer.
    pub elapsed: Duration,
}

impl SearchOutcome {
    /// Nodes of all workers.
    pub fn nodes(&self) -> u64 {
        self.report.as_ref().map_or(0, |report| report.nodes)
    }
}

impl EngineRunner {
    /// An engine with a table of so many megabytes and so many threads.
    ///
    /// # Errors
    /// If there is not so much memory, or not so many threads.
    pub fn new(megabytes: u64, threads: u64) -> Result<Self, EngineError> {
        let (sender, events) = mpsc::channel();
        let sink = move |event| drop(sender.send(event));
        let engine = Engine::new(Arc::new(sink), megabytes as usize, threads as usize)?;
        Ok(Self { engine, events })
    }

    /// Forgets everything and searches the position until the limits end it.
    pub fn think(&mut self, board: Board, limits: &Limits) -> SearchOutcome {
        self.engine.new_game();
        let start = self.begin(board, limits.clone());
        self.wait();
        let conclusion = self.engine.conclude();
        SearchOutcome {
            best: conclusion.best,
            report: conclusion.report,
            elapsed: start.elapsed(),
        }
    }

    /// Searches the position for so long, then stops; how long the answer took from there.
    pub fn stop_after(&mut self, board: Board, thinking: Duration) -> Duration {
        let infinite = Limits {
            infinite: true,
            ..Limits::default()
        };
        self.begin(board, infinite);
        std::thread::sleep(thinking);
        let stop = Instant::now();
        self.engine.conclude();
        let latency = stop.elapsed();
        self.wait();
        latency
    }

    fn begin(&mut self, board: Board, limits: Limits) -> Instant {
        self.engine.set_position(Game::new(board));
        let start = Instant::now();
        self.engine.go(limits, start, Duration::ZERO, 1);
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
            let mut runner = EngineRunner::new(1, threads).expect("an engine");
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
