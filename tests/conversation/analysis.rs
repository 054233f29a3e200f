//! Tests options that a GUI sets for analysis, and their effect on the output.

use std::collections::HashSet;

use rejoinder::board::Board;

use crate::session::*;

fn infos(lines: &[String]) -> Vec<&String> {
    let infos = lines.iter().filter(|line| line.starts_with("info depth"));
    infos.collect()
}

#[test]
fn minimal_shows_the_last_lines_only() {
    let mut session = Session::start();
    session.send("setoption name Minimal value true");
    let lines = session.ask("go depth 8", "bestmove");
    check_answer(&Board::startpos(), &lines);
    assert_eq!(lines.len(), 2, "{lines:#?}");
    session.send("setoption name MultiPV value 3");
    let lines = session.ask("go depth 6", "bestmove");
    let ranks: Vec<i64> = infos(&lines)
        .iter()
        .map(|line| number(line, "multipv"))
        .collect();
    assert_eq!(ranks, [1, 2, 3]);
    session.send(&format!("position fen {MATED}"));
    let lines = session.ask("go depth 6", "bestmove");
    assert_eq!(lines, ["info depth 0 score mate 0", "bestmove (none)"]);
    session.send("setoption name Minimal value false");
    session.send("position startpos");
    assert!(session.ask("go depth 6", "bestmove").len() > 6);
    session.quit();
}

/// Hundreds of iterations are finished within milliseconds, faster than they are read.
#[test]
fn the_last_report_is_never_dropped() {
    let bare_kings = "8/8/8/8/3k4/8/8/3K4 w - - 0 1";
    let board = Board::from_fen(bare_kings).expect("a position");
    let mut session = Session::start();
    session.send("setoption name MultiPV value 5");
    session.send(&format!("position fen {bare_kings}"));
    for _ in 0..20 {
        let lines = session.ask("go depth 240", "bestmove");
        let best = check_lines(&board, &lines);
        let infos = infos(&lines);
        let [.., first, _, _, _, last] = infos[..] else {
            panic!("{lines:#?}");
        };
        assert_eq!(number(first, "depth"), 240);
        assert_eq!((number(last, "depth"), number(last, "multipv")), (240, 5));
        assert_eq!(pv(first)[0], best);
    }
    session.quit();
}

#[test]
fn a_weak_engine_still_plays_by_the_protocol() {
    let mut session = Session::start();
    let board = Board::startpos();
    let mut answers = HashSet::new();
    session.send("setoption name Skill Level value 0");
    for _ in 0..20 {
        let lines = session.ask("go movetime 200", "bestmove");
        answers.insert(check_answer(&board, &lines));
        assert!(infos(&lines).iter().all(|line| number(line, "depth") <= 2));
        assert!(
            infos(&lines)
                .iter()
                .all(|line| number(line, "multipv") == 1)
        );
    }
    assert!(answers.len() > 1, "{answers:?}");
    session.send("setoption name UCI_LimitStrength value true");
    for (elo, depth) in [(1150, 2), (2000, 12)] {
        session.send(&format!("setoption name UCI_Elo value {elo}"));
        session.send("setoption name MultiPV value 2");
        let lines = session.ask("go nodes 300000", "bestmove");
        check_lines(&board, &lines);
        let deepest = infos(&lines).iter().map(|line| number(line, "depth")).max();
        assert!(deepest <= Some(depth), "{deepest:?}");
    }
    // The choice of a weaker move leaves the lines as the search found them.
    session.send("setoption name UCI_Elo value 1150");
    session.send("setoption name Ponder value true");
    for _ in 0..40 {
        let lines = session.ask("go depth 9", "bestmove");
        // The reply belongs to the line that was chosen.
        let answer = lines.last().expect("there is no answer");
        let best = after(answer, "bestmove").expect("bestmove without a move");
        let chosen = infos(&lines).into_iter().rfind(|line| pv(line)[0] == best);
        if let Some(&[_, reply, ..]) = chosen.map(|line| pv(line)).as_deref() {
            assert_eq!(after(answer, "ponder"), Some(reply), "{lines:#?}");
        }
        assert!(
            !lines.iter().any(|line| line.contains("bound")),
            "{lines:?}"
        );
    }
    // The search goes on until `stop`, even at a low rating.
    session.send("setoption name UCI_Elo value 1150");
    session.send("go infinite");
    let before = session.until_quiet();
    assert!(!before.iter().any(|line| line.starts_with("bestmove")));
    let mut lines = before;
    lines.extend(session.ask("stop", "bestmove"));
    check_lines(&board, &lines);
    session.send("setoption name UCI_LimitStrength value false");
    session.send("setoption name Skill Level value 20");
    let lines = session.ask("go depth 9", "bestmove");
    assert_eq!(
        number(infos(&lines).last().expect("there is no line"), "depth"),
        9
    );
    session.quit();
}

#[test]
fn a_mate_that_was_asked_for_ends_the_search() {
    let mut session = Session::start();
    session.send("position fen 7k/8/5K2/8/8/8/8/1Q6 w - - 0 1");
    let lines = session.ask("go mate 3", "bestmove");
    let last = infos(&lines).pop().expect("there is no line").clone();
    let mate = number(&last, "mate");
    assert!((1..=3).contains(&mate), "{last}");
    assert_eq!(pv(&last).len() as i64, 2 * mate - 1, "{last}");
    session.quit();
}

#[test]
fn people_may_write_moves_as_in_books() {
    let mut session = Session::start();
    session.send("position startpos moves e4 e7e5 Nf3 Nc6 Bb5 Nf6 O-O");
    assert!(
        session
            .fen()
            .starts_with("r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq")
    );
    session.quit();
}
