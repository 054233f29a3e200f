//! Tests that invalid input changes nothing.

use std::io::Write;
use std::thread;

use rejoinder::board::Board;

use rejoinder::types::Rng;

use crate::session::*;

#[test]
fn a_wrong_position_is_not_searched_and_neither_is_another() {
    let mut session = Session::start();
    session.send("position startpos moves e2e4");
    for bad in [
        "position fen rubbish",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
        "position startpos moves e2e4 e7e5 e4e5",
        "position fen 4k3/8/8/8/8/8/8/4RK2 b - - 0 1 moves 0000",
        "position",
        "position startpos move e2e4",
        "position fen",
    ] {
        session.send(bad);
        let lines = session.rest();
        assert!(
            lines.len() == 1 && lines[0].starts_with("info string "),
            "{bad}: {lines:?}"
        );
        for go in ["go depth 3", "go wtime 50 btime 50", "go nodes 5"] {
            let lines = session.ask(go, "bestmove");
            assert!(
                lines.len() == 2 && lines[0].contains("refused") && lines[1] == "bestmove 0000",
                "{bad}: {lines:?}"
            );
        }
        for question in ["go perft 1", "d", "eval", "flip"] {
            session.send(question);
            let lines = session.rest();
            assert!(
                lines.len() == 1 && lines[0].contains("there is no board"),
                "{bad}, {question}: {lines:?}"
            );
        }
        for (go, end) in [
            ("go infinite", "stop"),
            ("go ponder wtime 9 btime 9", "ponderhit"),
        ] {
            session.send(go);
            let lines = session.rest();
            assert!(
                lines.len() == 1 && lines[0].contains("refused"),
                "{lines:?}"
            );
            assert_eq!(session.ask(end, "bestmove"), ["bestmove 0000"], "{go}");
        }
    }
    session.send("position startpos moves e2e4");
    let best = session.ask("go depth 3", "bestmove");
    assert!(best.last().is_some_and(|best| best != "bestmove 0000"));
    session.quit();
}

/// As a right one does: otherwise nobody would know when the old search ends.
#[test]
fn a_wrong_position_ends_the_search() {
    let mut session = Session::start();
    for bad in ["position startpos e2e4", "position fen foo", "position"] {
        session.send("position startpos");
        session.send("go infinite");
        session.send(bad);
        let lines = session.rest();
        let answers = lines.iter().filter(|line| line.starts_with("bestmove "));
        assert_eq!(answers.count(), 1, "{bad}: {lines:?}");
    }
    session.quit();
}

#[test]
fn a_wrong_option_changes_nothing() {
    let mut session = Session::start();
    for bad in [
        "setoption name Hash value 0",
        "setoption name Hash value many",
        "setoption name Hash value 99999999999999999999999",
        "setoption name Hash",
        "setoption name Threads value 1025",
        "setoption name Threads value -1",
        "setoption name MultiPV value",
        "setoption name UCI_Chess960 value perhaps",
        "setoption name Contempt value 3",
        "setoption name Debug Log File value /no/such/folder/log.txt",
        "setoption",
        "setoption name",
        "setoption Hash 3",
    ] {
        session.send(bad);
        let lines = session.rest();
        assert!(
            lines.len() == 1 && lines[0].starts_with("info string "),
            "{bad}: {lines:?}"
        );
    }
    for good in [
        "setoption name HASH value 4",
        "setoption name clear hash",
        "setoption name Clear Hash value",
        "setoption name MoveOverhead value 10",
        "setoption name move overhead value 10",
        "setoption name Debug Log File value <empty>",
        "register later",
        "debug on",
        "debug off",
    ] {
        session.send(good);
        let lines = session.rest();
        assert!(lines.is_empty(), "{good}: {lines:?}");
    }
    session.ask("go depth 3", "bestmove");
    session.quit();
}

#[test]
fn garbage_is_answered_politely() {
    const WORDS: [&str; 40] = [
        "uci",
        "isready",
        "debug",
        "on",
        "setoption",
        "name",
        "value",
        "Hash",
        "Threads",
        "MultiPV",
        "Clear",
        "true",
        "position",
        "startpos",
        "fen",
        "moves",
        "e2e4",
        "e7e5",
        "e1g1",
        "0000",
        "go",
        "depth",
        "wtime",
        "nodes",
        "infinite",
        "ponder",
        "searchmoves",
        "mate",
        "movestogo",
        "stop",
        "ponderhit",
        "ucinewgame",
        "d",
        "eval",
        "flip",
        "-1",
        "3",
        "99999999999999999999",
        "w",
        "-",
    ];
    let mut random = Rng::new(0x5EED);
    let mut session = Session::start();
    let mut input = session.input.take().expect("the input is closed");
    let talk = thread::spawn(move || {
        for _ in 0..10_000 {
            let mut line = Vec::new();
            if random.below(2) == 0 {
                for _ in 0..random.below(8) {
                    line.extend_from_slice(WORDS[random.below(WORDS.len())].as_bytes());
                    line.push(b' ');
                }
            } else {
                line.extend((0..random.below(60)).map(|_| random.below(256) as u8));
                line.retain(|byte| *byte != b'\n');
            }
            line.push(b'\n');
            input.write_all(&line).expect("cannot write to the engine");
        }
        // None of the lines above can ask for this.
        writeln!(input, "stop\nposition startpos\ngo perft 1").expect("cannot write to the engine");
        input
    });
    let heard = session.until("Nodes searched: 20");
    session.input = Some(talk.join().expect("the sending thread panicked"));
    let answers = heard
        .iter()
        .filter(|line| line.starts_with("bestmove"))
        .count();
    assert!(answers > 10, "{answers} answers");
    let lines = session.ask("go depth 4", "bestmove");
    check_answer(&Board::startpos(), &lines);
    session.quit();
}
