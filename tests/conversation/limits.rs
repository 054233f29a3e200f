//! Every `go` has exactly one answer, with `info` lines and within its limits.

use std::time::{Duration, Instant};

use rejoinder::board::Board;
use rejoinder::board::coordinates::parse_move;

use crate::session::*;

#[test]
fn every_go_has_one_answer_with_its_reasons() {
    let mut session = Session::start();
    let board = Board::startpos();
    for go in [
        "go wtime 100",
        "go btime 100",
        "go wtime -50 btime -50",
        "go wtime 0 btime 0 winc 0 binc 0",
        "go winc 10 binc 10 wtime 10 btime 10",
        "go wtime 200 btime 200 movestogo 1",
        "go wtime 100 btime 100 movestogo 0",
        "go movetime 1",
        "go movetime -7",
        "go depth 1",
        "go depth 0",
        "go depth 5 nodes 100",
        "go nodes 1",
        "go nodes 0",
        "go nodes 3000 movetime 5000 depth 90",
        "go mate 2 movetime 50",
        "go depth 3 unknown words",
        "go depth 3 searchmoves",
        "hello go depth 3",
    ] {
        let lines = session.ask(go, "bestmove");
        check_answer(&board, &lines);
    }
    assert!(session.rest().is_empty());
    session.quit();
}

#[test]
fn the_clock_of_either_side_will_do() {
    let mut session = Session::start();
    session.send("position startpos moves e2e4");
    let mut board = Board::startpos();
    board.make(parse_move(&board, "e2e4").expect("e2e4 is illegal"));
    for go in ["go wtime 100", "go btime 100"] {
        let lines = session.ask(go, "bestmove");
        check_answer(&board, &lines);
    }
    session.quit();
}

#[test]
fn a_time_for_the_move_is_kept() {
    let mut session = Session::start();
    assert_prompt("the time beyond 300 ms", || {
        let start = Instant::now();
        session.ask("go movetime 300", "bestmove");
        let time = start.elapsed();
        assert!(time.as_millis() >= 200, "{time:?}");
        time.saturating_sub(Duration::from_millis(300))
    });
    session.quit();
}

#[test]
fn limits_end_the_search_where_they_say() {
    let mut session = Session::start();
    let lines = session.ask("go depth 6", "bestmove");
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with("info"))
            .map(|line| number(line, "depth"))
            .max(),
        Some(6)
    );
    let lines = session.ask("go nodes 20000", "bestmove");
    let nodes = lines
        .iter()
        .filter(|line| line.starts_with("info"))
        .map(|line| number(line, "nodes"))
        .max();
    assert!(nodes.is_some_and(|nodes| nodes < 30_000), "{nodes:?}");
    session
        .send("position fen r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 4");
    let lines = session.ask("go mate 1", "bestmove h5f7");
    assert!(
        lines.iter().any(|line| line.contains("score mate 1 ")),
        "{lines:#?}"
    );
    session.quit();
}

#[test]
fn only_the_moves_asked_for() {
    let mut session = Session::start();
    for go in [
        "go searchmoves a2a3 h2h4 depth 5",
        "go depth 5 searchmoves a2a3 h2h4",
        "go depth 5 searchmoves e2e5 a2a3",
    ] {
        let lines = session.ask(go, "bestmove");
        let best = check_answer(&Board::startpos(), &lines);
        assert!(["a2a3", "h2h4"].contains(&best.as_str()), "{best}");
    }
    let lines = session.ask("go depth 2 searchmoves e2e5", "bestmove");
    assert!(lines[0].starts_with("info string"), "{lines:#?}");
    assert_eq!(lines.last().map(String::as_str), Some("bestmove 0000"));
    session.quit();
}

#[test]
fn unreadable_limits_are_no_licence_to_search_for_ever() {
    let mut session = Session::start();
    for go in [
        "go dept 5",
        "go movetime soon",
        "go wtime 1000.0 btime 1000.0",
        "go movetime 0.5",
    ] {
        let lines = session.ask(go, "bestmove");
        check_answer(&Board::startpos(), &lines);
    }
    session.quit();
}

#[test]
fn the_search_for_a_mate_ends_for_either_side() {
    let mut session = Session::start();
    for fen in [
        "7k/8/5K2/8/8/8/8/R7 w - - 0 1",
        "7k/8/6K1/8/8/8/8/R7 b - - 0 1",
    ] {
        session.send(&format!("position fen {fen}"));
        let lines = session.ask("go mate 2", "bestmove");
        assert!(
            lines.iter().any(|line| line.contains("score mate")),
            "{lines:#?}"
        );
    }
    session.quit();
}

#[test]
fn several_lines_are_different_lines() {
    let mut session = Session::start();
    session.send("setoption name multipv value 3");
    let lines = session.ask("go depth 6", "bestmove");
    check_answer(&Board::startpos(), &lines);
    let first = |line: &String| pv(line)[0].to_owned();
    let last: Vec<&String> = lines
        .iter()
        .filter(|line| after(line, "depth") == Some("6") && !line.contains("bound"))
        .collect();
    let mut moves: Vec<String> = last[last.len() - 3..]
        .iter()
        .map(|line| first(line))
        .collect();
    moves.sort();
    moves.dedup();
    assert_eq!(moves.len(), 3, "{last:#?}");
    // More lines are requested than there are moves.
    session.send("setoption name MultiPV value 256");
    let lines = session.ask("go depth 2", "bestmove");
    assert!(lines.iter().any(|line| line.contains(" multipv 20 ")));
    assert!(!lines.iter().any(|line| line.contains(" multipv 21 ")));
    session.quit();
}

#[test]
fn castling_in_chess960() {
    let mut session = Session::start();
    let setup = "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    for (option, out) in [("false", "e1g1"), ("true", "e1h1")] {
        session.send(&format!("setoption name UCI_Chess960 value {option}"));
        for castling in ["e1g1", "e1h1"] {
            session.send(setup);
            session.ask(
                &format!("go depth 2 searchmoves {castling}"),
                &format!("bestmove {out}"),
            );
            session.send(&format!("{setup} moves {castling} e8a8"));
            assert!(session.rest().is_empty());
            assert!(session.fen().starts_with("2kr3r/8/8/8/8/8/8/R4RK1 w"));
        }
        session.send("position startpos moves e2e4 e7e5 g1f3 g8f6 f1c4 f8c5");
        session.ask("go depth 1 searchmoves e1g1", &format!("bestmove {out}"));
    }
    // Even if the GUI does not set the option, castling must not look like a normal king move.
    session.send("setoption name UCI_Chess960 value false");
    session.send("position fen 5k2/8/8/8/8/8/8/R4K1R w HA - 0 1");
    session.ask("go depth 1 searchmoves f1h1", "bestmove f1h1");
    session.quit();
}

#[test]
fn without_moves_there_is_no_move() {
    let mut session = Session::start();
    for (position, score) in [(MATED, "mate 0"), (STALEMATE, "cp 0")] {
        session.send(&format!("position fen {position}"));
        for go in ["go depth 5", "go wtime 100 btime 100", "go nodes 5"] {
            let lines = session.ask(go, "bestmove");
            assert_eq!(
                lines,
                [
                    format!("info depth 0 score {score}"),
                    "bestmove (none)".to_owned()
                ]
            );
        }
        // The search is stopped before a worker can report anything.
        session.send("go infinite");
        let lines = session.ask("stop", "bestmove (none)");
        assert_eq!(lines[0], format!("info depth 0 score {score}"));
    }
    session.quit();
}
