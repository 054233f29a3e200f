//! The search that is shown: it is started, stopped and listened to here.

use std::time::{Duration, Instant};

use rejoinder::board::Game;
use rejoinder::clock::Limits;
use rejoinder::search::{Report, SearchRequest};
use rejoinder::smp::{Answer, Engine, Event};

use super::view::State;

/// A search that may still run, with what it has found.
#[derive(Debug)]
pub(super) struct Live<'e> {
    engine: &'e mut Engine,
    /// Number of searches that were concluded before they ended. That many `Finished` events are
    /// still to come, and all reports before the last of them are ignored.
    stale: usize,
    /// The last report of each line, the best first.
    pub lines: Vec<Report>,
    pub state: State,
    begin: Instant,
    /// The counters at the end of the search.
    last: Counters,
    /// The answer of the last search.
    best: Answer,
}

/// What a search has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counters {
    pub elapsed: Duration,
    pub nodes: u64,
    pub hashfull: usize,
    pub tb_hits: u64,
}

impl<'e> Live<'e> {
    /// Creates a search that has not begun, of an engine that has not searched.
    pub fn new(engine: &'e mut Engine) -> Self {
        Self {
            engine,
            stale: 0,
            lines: Vec::new(),
            state: State::Stopped,
            begin: Instant::now(),
            last: Counters::default(),
            best: Answer::default(),
        }
    }

    /// Starts a search of this position in place of an earlier one. Without a legal move there is
    /// nothing to search.
    pub fn go(&mut self, game: Game, limits: Limits, multi_pv: usize, begin: Instant) {
        self.conclude(State::Stopped);
        self.forget();
        let is_over = game.board().legal_moves().is_empty();
        if is_over {
            self.state = State::Finished;
            return;
        }
        self.begin = begin;
        self.state = State::Searching;
        self.engine.go(SearchRequest {
            start: begin,
            multi_pv,
            ..SearchRequest::new(game, limits)
        });
    }

    /// Forgets what was found, as the position is another one. The search must have been concluded.
    pub fn forget(&mut self) {
        self.lines.clear();
        self.best = Answer::default();
        self.last = Counters::default();
    }

    /// Ends the search, if there is one, with its answer.
    pub fn conclude(&mut self, state: State) {
        if self.state != State::Searching {
            return;
        }
        self.stale += 1;
        self.finish(state);
    }

    fn finish(&mut self, state: State) {
        self.last = self.counters();
        self.state = state;
        self.best = self.engine.stop_and_vote();
        self.best.lengthen();
        if !self.best.lines.is_empty() {
            self.lines = std::mem::take(&mut self.best.lines);
        }
    }

    /// Concludes a search that is late.
    pub fn check_deadline(&mut self) {
        let is_late = |deadline| Instant::now() >= deadline;
        if self.state == State::Searching && self.engine.deadline().is_some_and(is_late) {
            self.conclude(State::Finished);
        }
    }

    /// Takes an event of the engine.
    pub fn hear(&mut self, event: Event) {
        match event {
            Event::Finished if self.stale > 0 => self.stale -= 1,
            _ if self.stale > 0 || self.state != State::Searching => {}
            Event::Lines(lines) => self.lines = lines,
            Event::Bound(_) | Event::CurrentMove { .. } => {}
            Event::Finished => self.finish(State::Finished),
        }
    }

    /// Returns what the search has used so far, or had used when it ended.
    pub fn counters(&self) -> Counters {
        if self.state != State::Searching {
            return self.last;
        }
        let (nodes, hashfull, tb_hits) = self.engine.usage();
        Counters {
            elapsed: self.begin.elapsed(),
            nodes,
            hashfull,
            tb_hits,
        }
    }

    pub fn engine(&self) -> &Engine {
        self.engine
    }

    /// Ends the search and returns its answer.
    pub fn end(&mut self) -> Answer {
        self.conclude(State::Stopped);
        self.best.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};

    use super::*;
    use rejoinder::board::Board;

    fn depth(depth: i32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    fn infinite() -> Limits {
        Limits {
            infinite: true,
            ..Limits::default()
        }
    }

    /// Calls `test` with a search and a way to wait until a condition holds.
    fn with_live(test: impl FnOnce(&mut Live, &dyn Fn(&mut Live, fn(&Live) -> bool))) {
        let (sender, inbox) = mpsc::channel();
        let sink = move |event| drop(sender.send(event));
        let mut engine = Engine::new(Arc::new(sink), 1, 1).expect("cannot start an engine");
        let mut live = Live::new(&mut engine);
        test(&mut live, &|live, holds| {
            while !holds(live) {
                let event = inbox.recv_timeout(Duration::from_mins(1));
                live.hear(event.expect("the engine is silent"));
            }
        });
    }

    #[test]
    fn lines_stay_apart_and_as_many_as_asked() {
        with_live(|live, wait| {
            let game = Game::new(Board::startpos());
            live.go(game, depth(7), 4, Instant::now());
            wait(live, |live| {
                let mut first: Vec<_> = live.lines.iter().map(|line| line.pv[0]).collect();
                first.sort_by_key(|mv| mv.bits());
                first.dedup();
                assert_eq!(first.len(), live.lines.len(), "a move in two lines");
                assert!(live.lines.len() <= 4);
                live.state == State::Finished
            });
            assert_eq!(live.lines.len(), 4);
            assert!(live.lines.iter().all(|line| line.depth == 7));
            assert_eq!(live.stale, 0);
            assert_eq!(Some(&live.end().best), live.lines[0].pv.first());
        });
    }

    #[test]
    fn reports_of_an_earlier_search_are_ignored() {
        with_live(|live, wait| {
            let game = Game::new(Board::startpos());
            for _ in 0..5 {
                live.go(game.clone(), infinite(), 1, Instant::now());
            }
            let mate = Board::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1").expect("a valid FEN");
            live.go(Game::new(mate), depth(3), 1, Instant::now());
            wait(live, |live| {
                let board = Board::from_fen("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
                let legal = board
                    .is_ok_and(|board| live.lines.iter().all(|line| board.is_legal(line.pv[0])));
                assert!(legal, "a line of another position");
                live.state == State::Finished
            });
            assert_eq!(live.stale, 0);
            assert_eq!(live.lines[0].pv.len(), 1);
        });
    }

    #[test]
    fn without_a_move_nothing_is_searched() {
        with_live(|live, _| {
            let mated = "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1";
            let game = Game::new(Board::from_fen(mated).expect("a valid FEN"));
            live.go(game, infinite(), 1, Instant::now());
            assert_eq!(live.state, State::Finished);
            assert!(live.lines.is_empty() && live.end().best.is_null());
        });
    }
}
