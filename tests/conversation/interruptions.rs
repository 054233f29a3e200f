//! Tests commands during a search, and the end of the session.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use rejoinder::board::Board;

use crate::session::*;

#[test]
fn commands_during_a_search_end_it() {
    let mut session = Session::start();
    for command in [
        "position startpos moves e2e4",
        "ucinewgame",
        "setoption name Hash value 8",
        "setoption name Threads value 2",
        "setoption name Clear Hash",
        "go depth 2",
        "flip",
    ] {
        session.send("position startpos");
        let mut lines = session.ask("go infinite", "info depth");
        lines.extend(session.ask(command, "bestmove"));
        check_answer(&Board::startpos(), &lines);
    }
    // The `go depth 2` above is answered as well.
    let lines = session.rest();
    let answers = lines.iter().filter(|line| line.starts_with("bestmove"));
    assert_eq!(answers.count(), 1, "{lines:#?}");
    // These commands do not end the search.
    session.send("position startpos");
    session.send("go infinite");
    for command in [
        "isready",
        "uci",
        "debug on",
        "d",
        "setoption name MultiPV value 2",
        "setoption name Contempt value 1",
        "nonsense",
    ] {
        session.send(command);
    }
    assert!(
        !session
            .rest()
            .iter()
            .any(|line| line.starts_with("bestmove"))
    );
    session.ask("stop", "bestmove");
    session.quit();
}

#[test]
fn go_upon_go_gives_answer_upon_answer() {
    let mut session = Session::start();
    for _ in 0..200 {
        session.send("go infinite");
    }
    session.send("stop");
    let mut answers = 0;
    let mut reasons = false;
    for line in session.rest() {
        if line.starts_with("bestmove") {
            assert!(reasons, "no info line before answer {answers}");
            answers += 1;
            reasons = false;
        } else {
            reasons |= line.contains(" score ");
        }
    }
    assert_eq!(answers, 200);
    session.quit();
}

#[test]
fn the_end_of_input_ends_everything() {
    for go in [
        "go infinite",
        "go ponder wtime 1000",
        "go depth 100",
        "go wtime 600000 btime 600000",
    ] {
        let mut session = Session::start();
        session.send(go);
        let (lines, status) = session.end_input();
        assert!(status.success(), "{go}: {status}");
        check_answer(&Board::startpos(), &lines);
    }
    let (lines, status) = Session::start().end_input();
    assert!(status.success() && lines.is_empty(), "{lines:?}");
}

#[test]
fn the_end_of_input_does_not_cut_off_a_search_of_the_arguments() {
    let mut session = Session::with_arguments(&["position startpos", "go depth 9"]);
    let (lines, status) = session.end_input();
    assert!(status.success(), "{status}");
    let depth = |line: &String| number(line, "depth");
    let reports = lines.iter().filter(|line| line.starts_with("info depth"));
    assert_eq!(reports.map(depth).max(), Some(9), "{lines:#?}");
    let mut session = Session::with_arguments(&["position startpos", "go infinite"]);
    assert!(session.end_input().1.success());
}

#[test]
fn quit_does_not_wait() {
    for go in ["go infinite", "go depth 100", "go ponder"] {
        assert_prompt(go, || {
            let mut session = Session::start();
            session.send("setoption name Threads value 4");
            session.ask(go, "info depth");
            let start = Instant::now();
            session.send("quit");
            assert!(session.exit().success());
            start.elapsed()
        });
    }
}

#[test]
fn a_reader_that_leaves_is_no_crash() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rejoinder"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("cannot start the program");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("the stream is not piped");
    writeln!(input, "uci\ngo infinite").expect("cannot write to the engine");
    // The program ends although its input stays open.
    let output = child
        .wait_with_output()
        .expect("cannot wait for the program");
    drop(input);
    assert!(output.status.success(), "{}", output.status);
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn games_and_sizes_come_and_go() {
    let mut session = Session::start();
    let nodes = |session: &mut Session| {
        session.send("ucinewgame");
        session.send("position startpos");
        let lines = session.ask("go depth 8", "bestmove");
        let last = lines
            .iter()
            .rfind(|line| line.contains(" nodes "))
            .expect("there is no info line");
        number(last, "nodes")
    };
    let first = nodes(&mut session);
    assert_eq!(
        nodes(&mut session),
        first,
        "a new game remembers the old one"
    );
    #[cfg(target_os = "linux")]
    let memory = session.memory();
    for _ in 0..3 {
        for line in [
            "Hash value 64",
            "Threads value 8",
            "Hash value 1",
            "Threads value 1",
        ] {
            session.send(&format!("setoption name {line}"));
            session.ask("go depth 2", "bestmove");
        }
    }
    session.send("setoption name Hash value 16");
    assert_eq!(
        nodes(&mut session),
        first,
        "another size and back is another engine"
    );
    #[cfg(target_os = "linux")]
    assert!(
        session.memory() < memory + 40_000,
        "{} KB after {memory} KB",
        session.memory()
    );
    session.quit();
}
