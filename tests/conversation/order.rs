//! Tests that the lines of every MultiPV report are complete and in order, also when nodes, time or
//! `stop` cut an iteration short.

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use rejoinder::board::coordinates::move_to_uci;
use rejoinder::board::{Board, openings};
use rejoinder::types::Rng;

use crate::session::*;
use crate::tables;

/// Positions of the tablebases: two that are won, one that is lost, and one that is drawn.
const ENDINGS: [&str; 4] = [
    "8/8/8/8/4k3/8/8/R3K3 w - - 0 1",
    "8/8/1k6/8/8/3K4/3PP3/8 w - - 0 1",
    "8/8/8/3k4/8/8/1Q6/3K4 b - - 0 1",
    "8/8/8/4k3/8/2p5/2R5/4K3 w - - 12 40",
];

/// Returns a number that orders scores, whether they are in centipawns or moves to mate.
fn value(info: &str) -> i64 {
    match after(info, "mate").map(|text| text.parse::<i64>().expect("not a number")) {
        Some(moves) if moves > 0 => 1_000_000 - moves,
        Some(moves) => -1_000_000 - moves,
        None => number(info, "cp"),
    }
}

/// Checks all reports of a search, each of which has this many lines with moves out of `allowed`.
/// Returns the number of reports.
fn check_reports(lines: &[String], count: usize, allowed: &[String]) -> usize {
    let infos: Vec<&String> = lines
        .iter()
        .filter(|line| line.starts_with("info depth"))
        .collect();
    let is_next = |a: &&String, b: &&String| number(a, "multipv") < number(b, "multipv");
    let mut last = "";
    let mut reports = 0;
    for report in infos.chunk_by(is_next) {
        let ranks = report.iter().map(|line| number(line, "multipv"));
        assert!(ranks.eq(1..=count as i64), "{report:#?}");
        let values: Vec<i64> = report.iter().map(|line| value(line)).collect();
        assert!(values.is_sorted_by(|a, b| a >= b), "{report:#?}");
        let moves: HashSet<&str> = report.iter().map(|line| pv(line)[0]).collect();
        assert_eq!(moves.len(), count, "{report:#?}");
        assert!(
            moves.iter().all(|mv| allowed.iter().any(|one| one == mv)),
            "{report:#?}"
        );
        last = pv(report[0])[0];
        reports += 1;
    }
    let best = lines.last().and_then(|line| after(line, "bestmove"));
    assert_eq!(Some(last), best, "{lines:#?}");
    reports
}

/// Searches this many positions in different ways, and returns the number of reports.
fn search(threads: usize, positions: usize) -> usize {
    let folder = tables::folder();
    let mut session = Session::start();
    session.send(&format!("setoption name Threads value {threads}"));
    session.send("setoption name UCI_Chess960 value true");
    if folder.is_dir() {
        session.send(&format!(
            "setoption name SyzygyPath value {}",
            folder.display()
        ));
    } else {
        println!("SKIPPED: no tablebases in {}", folder.display());
    }
    let mut rng = Rng::new(threads as u64);
    let mut reports = 0;
    for index in 0..positions {
        let random = std::iter::repeat_with(|| openings::random(0.5, &mut rng)).flatten();
        let mut boards = random.filter(|board| !board.legal_moves().is_empty());
        let board = if index % 6 == 5 {
            Board::from_fen(ENDINGS[index / 6 % 4]).expect("the FEN is invalid")
        } else {
            boards.next().expect("there is no position")
        };
        drop(boards);
        let multi_pv = 2 + index % 4;
        let mut allowed: Vec<String> = board
            .legal_moves()
            .iter()
            .map(|&mv| move_to_uci(&board, mv, true))
            .collect();
        let mut limits = match index % 3 {
            0 => format!("nodes {}", 1 + 2 * rng.below(4000)),
            1 => format!("movetime {}", 1 + rng.below(40)),
            _ => "infinite".to_owned(),
        };
        if index % 4 == 3 {
            rng.shuffle(&mut allowed);
            allowed.truncate(1 + rng.below(6));
            limits = format!("{limits} searchmoves {}", allowed.join(" "));
        }
        session.send(&format!("setoption name MultiPV value {multi_pv}"));
        session.send(&format!("position fen {}", board.fen(true)));
        session.send(&format!("go {limits}"));
        if index % 3 == 2 {
            thread::sleep(Duration::from_millis(rng.below(40) as u64));
            session.send("stop");
        }
        let lines = session.until("bestmove");
        check_answer(&board, &lines);
        reports += check_reports(&lines, multi_pv.min(allowed.len()), &allowed);
    }
    session.quit();
    reports
}

#[test]
fn some_reports_are_in_order() {
    for threads in [1, 2] {
        assert!(search(threads, 18) >= 18);
    }
}

#[test]
#[ignore = "a minute: `make order`"]
fn reports_of_many_positions_are_in_order() {
    for threads in [1, 2] {
        let reports = search(threads, 200);
        println!("{threads} threads: {reports} reports of 200 positions, all in order");
    }
}
