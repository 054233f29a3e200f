//! Tests what the program says about itself, and commands for users.

use crate::session::*;

#[test]
fn introduction() {
    let mut session = Session::start();
    // Streams of .NET begin with a byte order mark.
    let lines = session.ask("\u{feff}uci", "uciok");
    assert!(lines[0].starts_with("id name Rejoinder "), "{lines:#?}");
    assert!(lines[1].starts_with("id author "), "{lines:#?}");
    for option in [
        "option name Hash type spin default 16 min 1 max 33554432",
        "option name Threads type spin default 1 min 1 max 1024",
        "option name Clear Hash type button",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Move Overhead type spin default 10 min 0 max 5000",
        "option name UCI_Chess960 type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name Debug Log File type string default <empty>",
    ] {
        assert!(
            lines.iter().any(|line| line == option),
            "{option} is missing"
        );
    }
    assert!(
        lines[2..lines.len() - 1]
            .iter()
            .all(|line| line.starts_with("option name "))
    );
    session.quit();
}

#[test]
fn commands_for_people() {
    let mut session = Session::start();
    session.ask("go perft 3", "Nodes searched: 8902");
    let lines = session.ask("d", "Checkers:");
    assert!(
        lines
            .iter()
            .any(|line| line == "Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        "{lines:#?}"
    );
    session.send("position startpos moves e2e4");
    session.send("flip");
    assert!(
        session
            .fen()
            .starts_with("rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq")
    );
    for command in ["eval", "compiler", "help"] {
        session.send(command);
        assert!(!session.rest().is_empty(), "{command}");
    }
    session.send("setoption name UCI_ShowWDL value true");
    let lines = session.ask("go depth 3", "bestmove");
    let info = &lines[lines.len() - 2];
    let wdl: Vec<i64> = info
        .split_whitespace()
        .skip_while(|word| *word != "wdl")
        .skip(1)
        .take(3)
        .map(|word| word.parse().expect("not a number"))
        .collect();
    assert_eq!((wdl.len(), wdl.iter().sum::<i64>()), (3, 1000), "{info}");
    session.quit();
}

#[test]
fn arguments_are_lines() {
    let mut session =
        Session::with_arguments(&["position startpos moves e2e4", "go depth 4", "quit"]);
    assert!(session.until("bestmove").len() > 1);
    assert!(session.exit().success());
    let mut session = Session::with_arguments(&["uci", "quit"]);
    session.until("uciok");
    assert!(session.exit().success());
    // Without `quit` the session goes on.
    let mut session = Session::with_arguments(&["go", "depth", "2"]);
    session.until("bestmove");
    session.ask("isready", "readyok");
    session.quit();
    // The end of the input does not cut off a search of the arguments.
    let mut session = Session::with_arguments(&["go", "depth", "8"]);
    session.input = None;
    let lines = session.until("bestmove");
    assert!(lines.iter().any(|line| line.starts_with("info depth 8 ")));
    assert!(session.exit().success());
}

#[test]
fn the_log_has_both_sides() {
    let path = std::env::temp_dir().join(format!("rejoinder-{}.log", std::process::id()));
    let mut session = Session::start();
    session.send(&format!(
        "setoption name Debug Log File value {}",
        path.display()
    ));
    session.rest();
    session.ask("go depth 2", "bestmove");
    session.send("setoption name Debug Log File value");
    session.send("eval");
    session.rest();
    session.quit();
    let log = std::fs::read_to_string(&path).expect("cannot read the log");
    std::fs::remove_file(&path).expect("cannot remove the log");
    assert!(
        log.contains(" >> go depth 2") && log.contains(" << bestmove ") && !log.contains("eval"),
        "{log}"
    );
}
