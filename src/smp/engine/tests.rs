//! Searches by the engine: limits, stops, threads and votes.

use std::sync::mpsc::{self, Receiver};

use crate::locks::{Mutex, lock};

use super::*;
use crate::board::Game;
use crate::clock::Limits;
use crate::types::score::MATE;

/// Far more time than any of these searches takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(20);

fn engine(threads: usize) -> (Engine, Receiver<Event>) {
    let (events, inbox) = mpsc::channel();
    let sink = move |event| drop(events.send(event));
    let engine = Engine::new(Arc::new(sink), 1, threads).expect("an engine");
    (engine, inbox)
}

fn go(engine: &mut Engine, limits: Limits) {
    engine.go(request(limits));
}

/// Returns a search of the start position.
fn request(limits: Limits) -> SearchRequest {
    SearchRequest::new(Game::new(Board::startpos()), limits)
}

fn infinite() -> Limits {
    Limits {
        infinite: true,
        ..Limits::default()
    }
}

fn depth(depth: i32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

/// Returns the last report before the end of the search.
fn last_report(inbox: &Receiver<Event>) -> Option<Report> {
    let mut last = None;
    loop {
        match inbox.recv_timeout(TIMEOUT).expect("the search ends") {
            Event::Lines(lines) => last = lines.into_iter().last(),
            Event::Bound(_) | Event::CurrentMove { .. } => {}
            Event::Finished => return last,
        }
    }
}

#[test]
fn a_search_ends_by_itself_and_waits_for_its_answer() {
    for threads in [1, 2, 4, 16] {
        let (mut engine, inbox) = engine(threads);
        go(&mut engine, depth(4));
        let last = last_report(&inbox).expect("a report");
        assert!(engine.current.is_some());
        let answer = engine.stop_and_vote();
        assert!(engine.current.is_none());
        let report = answer.lines.first().expect("a line");
        assert_eq!((report.depth, report.score), (4, last.score));
        assert_eq!(report.pv, last.pv);
        assert_eq!((answer.best, answer.ponder), (last.pv[0], Some(last.pv[1])));
    }
}

#[test]
fn every_go_has_an_answer_and_an_end() {
    for threads in [1, 2, 4, 16] {
        let (mut engine, inbox) = engine(threads);
        for _ in 0..20 {
            go(&mut engine, infinite());
            let answer = engine.stop_and_vote();
            assert!(Board::startpos().is_legal(answer.best));
            assert_eq!(
                answer.lines.first().map(|report| report.pv[0]),
                Some(answer.best)
            );
        }
        for _ in 0..20 {
            last_report(&inbox);
        }
        engine.halt();
        assert!(inbox.try_recv().is_err());
    }
}

/// The first move of the generator would be as legal, but loses.
#[test]
fn the_answer_to_an_immediate_stop_is_that_of_depth_1() {
    let board = Board::from_fen("k7/8/8/3q4/4P3/8/8/K7 w - - 0 1").expect("a valid FEN");
    for threads in [1, 4] {
        let (mut engine, _inbox) = engine(threads);
        for _ in 0..50 {
            engine.go(SearchRequest::new(Game::new(board), infinite()));
            let answer = engine.stop_and_vote();
            assert!(answer.best.is_capture() && answer.lines[0].depth >= 1);
        }
    }
}

/// Worker 0 is blocked in its first report, after its result was published.
#[test]
fn an_answer_does_not_wait_for_the_workers() {
    let (events, inbox) = mpsc::channel();
    let (release, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let sink = move |event: Event| {
        let is_report = matches!(event, Event::Lines(_));
        drop(events.send(event));
        if is_report {
            lock(&gate).recv_timeout(TIMEOUT).ok();
        }
    };
    let mut engine = Engine::new(Arc::new(sink), 1, 2).expect("an engine");
    go(&mut engine, infinite());
    let mut events = iter::from_fn(|| inbox.recv_timeout(TIMEOUT).ok());
    assert!(events.any(|event| matches!(event, Event::Lines(_))));
    let asked = Instant::now();
    let answer = engine.stop_and_vote();
    assert!(asked.elapsed() < TIMEOUT / 2 && !answer.best.is_null());
    drop(release);
    last_report(&inbox);
}

#[test]
fn all_workers_search() {
    let (mut engine, _inbox) = engine(4);
    go(&mut engine, infinite());
    let begun = Instant::now();
    while (0..4).any(|worker| engine.shared.published(worker).depth < 2) {
        assert!(begun.elapsed() < TIMEOUT);
    }
    // The vote may elect a result that is less deep than that of worker 0.
    assert!(engine.stop_and_vote().lines[0].depth >= 2);
}

#[test]
fn without_a_legal_move_there_is_no_answer() {
    let (mut engine, inbox) = engine(2);
    let mated = "7k/5KQ1/8/8/8/8/8/8 b - - 0 1";
    let game = Game::new(Board::from_fen(mated).expect("a valid FEN"));
    engine.go(SearchRequest::new(game, Limits::default()));
    let report = last_report(&inbox).expect("a report");
    assert_eq!((report.depth, report.score), (0, -MATE));
    let answer = engine.stop_and_vote();
    assert!(answer.best.is_null() && answer.lines.is_empty());
}

#[test]
fn the_clock_ends_a_search_by_the_deadline() {
    let (mut engine, inbox) = engine(2);
    let limits = Limits {
        time: [Some(100), None],
        ..Limits::default()
    };
    let begun = Instant::now();
    engine.go(SearchRequest {
        start: begun,
        overhead: Duration::from_millis(30),
        ..request(limits)
    });
    let deadline = engine.deadline().expect("a deadline");
    assert!(deadline - begun < Duration::from_millis(50));
    assert!(last_report(&inbox).is_some());
    assert!(!engine.stop_and_vote().best.is_null());
    assert_eq!(engine.deadline(), None);
}

#[test]
fn a_ponder_search_ends_after_the_ponderhit() {
    let (mut engine, inbox) = engine(2);
    let ponder = || Limits {
        time: [Some(1_000), None],
        ponder: true,
        ..Limits::default()
    };
    // The soft limit expires before the `ponderhit`.
    go(&mut engine, ponder());
    let begun = Instant::now();
    while !engine.shared.soft_expired() {
        assert!(begun.elapsed() < TIMEOUT);
        assert_eq!(engine.deadline(), None);
    }
    engine.ponderhit();
    assert!(last_report(&inbox).is_some());
    engine.stop_and_vote();
    // The `ponderhit` comes at once, and a second one changes nothing.
    go(&mut engine, ponder());
    engine.ponderhit();
    let deadline = engine.deadline();
    engine.ponderhit();
    assert!(deadline.is_some() && engine.deadline() == deadline);
    assert!(last_report(&inbox).is_some());
    assert!(!engine.stop_and_vote().best.is_null());
}

#[test]
fn only_a_free_search_is_voted_on() {
    let (mut engine, _inbox) = engine(2);
    for (limits, multi_pv, votes) in [
        (infinite(), 1, true),
        (infinite(), 2, false),
        (depth(2), 1, false),
    ] {
        let request = SearchRequest {
            multi_pv,
            ..request(limits)
        };
        assert_eq!(request.is_voted(), votes);
        engine.go(request);
        assert!(engine.current.is_some());
    }
}

#[test]
fn threads_come_and_go() {
    let (mut engine, inbox) = engine(1);
    for threads in [16, 2, 0, 3] {
        engine.set_threads(threads).expect("a few threads");
        assert_eq!(engine.pool.workers(), threads.max(1));
        go(&mut engine, depth(2));
        assert!(last_report(&inbox).is_some());
        assert!(!engine.stop_and_vote().best.is_null());
    }
}

#[test]
fn a_search_in_the_way_is_stopped() {
    let (mut engine, inbox) = engine(2);
    let begin = |engine: &mut Engine| go(engine, infinite());
    begin(&mut engine);
    engine.new_game();
    begin(&mut engine);
    engine.clear_hash();
    begin(&mut engine);
    engine.resize(3).expect("3 MB");
    begin(&mut engine);
    engine.set_threads(3).expect("3 threads");
    for _ in 0..4 {
        last_report(&inbox);
    }
    begin(&mut engine);
    drop(engine);
    last_report(&inbox);
}

#[test]
fn a_table_too_large_leaves_the_old_size() {
    let (mut engine, inbox) = engine(2);
    engine.resize(5).expect("5 MB");
    let refusal = engine.resize(usize::MAX / 2).expect_err("too much");
    assert!(matches!(refusal, EngineError::Hash { kept: 5, .. }));
    assert_eq!(engine.tt.megabytes(), 5);
    go(&mut engine, depth(2));
    assert!(last_report(&inbox).is_some());
}

#[test]
fn a_new_game_forgets_the_table() {
    let (mut engine, inbox) = engine(2);
    let mut forget: [fn(&mut Engine); 2] = [Engine::new_game, Engine::clear_hash];
    for forget in &mut forget {
        go(&mut engine, depth(6));
        last_report(&inbox);
        let key = Board::startpos().key();
        assert!(engine.tt.probe(key, 0).is_some());
        forget(&mut engine);
        assert!(engine.tt.probe(key, 0).is_none());
    }
}
