//! Tests searches that answer only when they are told to.

use std::thread;
use std::time::Instant;

use rejoinder::board::Board;

use crate::session::*;

#[test]
fn infinite_means_until_stop() {
    let mut session = Session::start();
    for position in [
        "startpos".to_owned(),
        format!("fen {MATE_IN_ONE}"),
        format!("fen {BARE_KINGS}"),
        format!("fen {MATED}"),
    ] {
        session.send(&format!("position {position}"));
        let mut before = session.ask("go infinite", "info depth");
        thread::sleep(PAUSE);
        before.extend(session.rest());
        assert!(
            !before.iter().any(|line| line.starts_with("bestmove")),
            "{position}: {before:#?}"
        );
        assert!(
            before.iter().any(|line| line.contains("score")),
            "{position}: {before:#?}"
        );
        session.ask("stop", "bestmove");
    }
    // An additional stop is not answered.
    session.send("stop");
    assert!(session.rest().is_empty());
    session.quit();
}

#[cfg(target_os = "linux")]
#[test]
fn waiting_costs_no_processor_time() {
    let mut session = Session::start();
    // The start itself takes processor time, and under load it may take a while.
    session.ask("isready", "readyok");
    for go in ["go infinite", "go ponder wtime 1000 btime 1000"] {
        for position in [MATED, MATE_IN_ONE, BARE_KINGS] {
            session.send(&format!("position fen {position}"));
            session.send(go);
            session.until_idle();
            let before = session.ticks();
            thread::sleep(2 * PAUSE);
            let used = session.ticks() - before;
            assert!(
                used <= 3,
                "{used} ticks of 10 ms in {:?}: {go} at {position}",
                2 * PAUSE
            );
            session.ask("stop", "bestmove");
        }
    }
    session.quit();
}

#[test]
fn pondering() {
    let mut session = Session::start();
    session.send("setoption name Ponder value true");
    let lines = session.ask("go depth 6", "bestmove");
    let reply = after(lines.last().expect("there is no answer"), "ponder")
        .expect("there is no move to ponder on");
    let best = check_answer(&Board::startpos(), &lines);
    play(&Board::startpos(), &[&best, reply]).expect("the reply is illegal");

    // After a ponderhit the answer comes in time, and not before.
    session.send("position startpos moves e2e4 e7e5");
    assert_prompt("ponderhit", || {
        session.send("go ponder wtime 500 btime 500");
        thread::sleep(4 * PAUSE);
        assert!(
            !session
                .rest()
                .iter()
                .any(|line| line.starts_with("bestmove"))
        );
        let hit = Instant::now();
        session.ask("ponderhit", "bestmove");
        hit.elapsed()
    });

    // The opponent plays another move.
    session.send("go ponder wtime 500 btime 500");
    session.ask("stop", "bestmove");

    // The search is over long before the ponderhit.
    for position in [MATE_IN_ONE, BARE_KINGS] {
        session.send(&format!("position fen {position}"));
        assert_prompt(position, || {
            session.send("go ponder wtime 60000 btime 60000");
            session.until_idle();
            let before = session.rest();
            assert!(
                !before.iter().any(|line| line.starts_with("bestmove")),
                "{position}"
            );
            let hit = Instant::now();
            session.ask("ponderhit", "bestmove");
            hit.elapsed()
        });
    }
    // A ponderhit with only a depth limit, and an additional ponderhit.
    session.send("position startpos");
    session.send("go ponder depth 4");
    session.until_idle();
    session.ask("ponderhit", "bestmove");
    session.send("ponderhit");
    assert!(session.rest().is_empty());
    session.quit();
}
