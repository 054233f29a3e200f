//! Tests tablebases that a GUI sets by options.
//!
//! The tables are expected in `../shared` (or `REJOINDER_SHARED`). If they are missing, only tests
//! that need no tables run.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use rejoinder::board::coordinates::parse_move;
use rejoinder::board::{Board, Game, Outcome};

use crate::session::*;

/// A position that is won in 25 plies, without a capture or pawn move before mate.
const ROOK: &str = "8/8/8/8/4k3/8/8/R3K3 w - - 0 1";
/// The same position with a castling right, so that it is not in the tables.
const CASTLING: &str = "8/8/8/8/4k3/8/8/R3K3 w Q - 0 1";
/// A position with five pieces, where captures lead to positions in the tables.
const FIVE: &str = "8/2k5/3r4/8/3PK3/8/3R4/8 b - - 0 1";
/// A position where one capture leads to the largest tables, and smaller ones are far away.
const ONE_CAPTURE: &str = "8/2k5/3r4/8/3P4/8/7R/7K b - - 0 1";

/// A position with a mate in two moves, and a won pawn move that the tables prefer to it, because
/// the halfmove clock is high.
const PAWN_OR_MATE: &str = "k7/8/2K5/8/8/8/P6Q/8 w - - 80 100";

/// Returns the folder of the tables, which may not exist.
pub fn folder() -> PathBuf {
    let shared = env::var_os("REJOINDER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    shared.join("data/syzygy/3-4-man")
}

fn tables() -> Option<PathBuf> {
    let folder = folder();
    if folder.is_dir() {
        return Some(folder);
    }
    println!(
        "SKIPPED: no tables in {} (set REJOINDER_SHARED)",
        folder.display()
    );
    None
}

/// Sets the option, and returns the output.
fn path(session: &mut Session, text: &str) -> Vec<String> {
    session.send(&format!("setoption name SyzygyPath value {text}"));
    session.rest()
}

/// Searches a position, and returns all lines of the answer.
fn go(session: &mut Session, fen: &str, limits: &str) -> Vec<String> {
    session.send(&format!("position fen {fen}"));
    session.ask(&format!("go {limits}"), "bestmove")
}

/// Returns the text after the word in the last line that contains it.
fn last<'a>(lines: &'a [String], word: &str) -> &'a str {
    let start = format!(" {word} ");
    let after = lines.iter().rev().find_map(|line| line.split_once(&start));
    after.map_or("", |(_, rest)| rest)
}

fn hits(lines: &[String]) -> u64 {
    let number = last(lines, "tbhits")
        .split(' ')
        .next()
        .expect("there is no word");
    number.parse().expect("not a number")
}

#[test]
fn a_path_without_tables_is_reported_and_does_no_harm() {
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-tables");
    fs::create_dir_all(&empty).expect("cannot create a folder");
    fs::write(empty.join("KQvK.rtbw"), "not a table").expect("cannot write a file");
    let mut session = Session::start();
    for (text, reasons) in [
        (
            "/no/such/folder",
            &["/no/such/folder", "0 WDL and 0 DTZ"][..],
        ),
        (env!("CARGO_MANIFEST_DIR"), &["0 WDL and 0 DTZ"]),
        (&*empty.to_string_lossy(), &["KQvK.rtbw", "0 WDL and 0 DTZ"]),
        ("/none;/nothing", &["/none", "/nothing", "0 WDL and 0 DTZ"]),
        ("<empty>", &[]),
        ("", &[]),
    ] {
        let lines = path(&mut session, text);
        assert_eq!(lines.len(), reasons.len(), "{lines:?}");
        for (line, reason) in lines.iter().zip(reasons) {
            assert!(
                line.starts_with("info string ") && line.contains(reason),
                "{line}"
            );
        }
        let lines = go(&mut session, ROOK, "depth 4");
        assert_eq!(hits(&lines), 0);
    }
    session.quit();
}

#[test]
fn tables_are_asked_as_the_options_say() {
    let Some(folder) = tables() else { return };
    let mut session = Session::start();
    let lines = path(&mut session, &folder.to_string_lossy());
    assert_eq!(
        lines,
        ["info string 35 WDL and 35 DTZ tables of up to 4 pieces"]
    );

    // At the root the tables show a result that the search alone does not see.
    let lines = go(&mut session, ROOK, "depth 2");
    assert!(
        hits(&lines) > 0 && last(&lines, "cp").starts_with("199"),
        "{lines:?}"
    );
    // Positions with castling rights are not in the tables.
    let lines = go(&mut session, CASTLING, "depth 2");
    assert_eq!(hits(&lines), 0, "{lines:?}");
    // Tables are probed below the root.
    let lines = go(&mut session, FIVE, "depth 8");
    assert!(hits(&lines) > 0, "{lines:?}");
    session.send("setoption name Threads value 4");
    let lines = go(&mut session, FIVE, "depth 10");
    assert!(hits(&lines) > 0, "{lines:?}");

    // The limit is below the size of all tables.
    session.send("setoption name SyzygyProbeLimit value 2");
    for fen in [ROOK, FIVE] {
        assert_eq!(hits(&go(&mut session, fen, "depth 6")), 0);
    }
    session.send("setoption name SyzygyProbeLimit value 7");
    // What several threads remember of the search before may spare the only capture.
    session.send("setoption name Threads value 1");
    for (depth, asked) in [(100, false), (1, true)] {
        session.send("ucinewgame");
        session.send(&format!("setoption name SyzygyProbeDepth value {depth}"));
        let lines = go(&mut session, ONE_CAPTURE, "depth 3");
        assert_eq!(hits(&lines) > 0, asked, "{lines:?}");
    }

    assert!(path(&mut session, "<empty>").is_empty());
    assert_eq!(hits(&go(&mut session, ROOK, "depth 4")), 0);
    session.quit();
}

#[test]
fn the_fifty_move_rule_may_be_switched_off() {
    let Some(folder) = tables() else { return };
    let mut session = Session::start();
    path(&mut session, &folder.to_string_lossy());
    // The mate takes longer than the fifty-move rule allows.
    let late = "8/8/8/8/4k3/8/8/R3K3 w - - 90 80";
    let lines = go(&mut session, late, "depth 3");
    // The side that could win without the rule is better by the least there is.
    let score = last(&lines, "cp");
    assert!(
        ["0 ", "1 "].iter().any(|draw| score.starts_with(draw)),
        "{lines:?}"
    );
    session.send("setoption name Syzygy50MoveRule value false");
    let lines = go(&mut session, late, "depth 3");
    assert!(last(&lines, "cp").starts_with("199"), "{lines:?}");
    session.quit();
}

#[test]
fn moves_that_keep_the_result_come_first() {
    let Some(folder) = tables() else { return };
    let mut session = Session::start();
    path(&mut session, &folder.to_string_lossy());
    // Only Kd6 and Kf6 win; the other two moves are shown in the following lines.
    let pawn = "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1";
    session.send("setoption name MultiPV value 256");
    let lines = go(&mut session, pawn, "depth 6");
    let scores: Vec<i32> = lines
        .iter()
        .filter(|line| line.contains(" depth 6 "))
        .map(|line| {
            let mut words = line.split(' ').skip_while(|word| *word != "score").skip(1);
            let (unit, number) = (words.next(), words.next().expect("there is no score"));
            let number: i32 = number.parse().expect("not a number");
            if unit == Some("mate") {
                30_000 - number
            } else {
                number
            }
        })
        .collect();
    assert_eq!(scores.len(), 4, "{lines:?}");
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(
        scores[0] > 19_000 && scores[scores.len() - 1] == 0,
        "{scores:?}"
    );
    // None of the requested moves wins.
    let lines = go(&mut session, pawn, "depth 6 searchmoves e6d5 e6f5");
    assert!(last(&lines, "cp").starts_with("0 "), "{lines:?}");
    let best = lines.last().expect("there is no answer");
    assert!(best.contains("e6d5") || best.contains("e6f5"), "{best}");
    session.quit();
}

#[test]
fn a_mate_in_few_moves_is_found_with_tables() {
    let Some(folder) = tables() else { return };
    let mut session = Session::start();
    path(&mut session, &folder.to_string_lossy());
    let lines = go(&mut session, PAWN_OR_MATE, "depth 5");
    assert!(last(&lines, "pv").starts_with("a2"), "{lines:?}");
    let lines = go(&mut session, PAWN_OR_MATE, "mate 2");
    assert!(last(&lines, "score").starts_with("mate 2 "), "{lines:?}");
}

#[test]
fn won_lines_go_on_to_the_mate() {
    let Some(folder) = tables() else { return };
    let mut session = Session::start();
    path(&mut session, &folder.to_string_lossy());
    let board = Board::from_fen(ROOK).expect("the FEN is invalid");
    // On a busy machine the time may be over before the mate.
    let mates = (0..20).any(|_| {
        let lines = go(&mut session, ROOK, "depth 7");
        check_answer(&board, &lines);
        let shown = last(&lines, "pv");
        let mut game = Game::new(board);
        for word in shown.split(' ') {
            game.play(parse_move(game.board(), word).expect("the move is illegal"));
        }
        game.outcome() == Some(Outcome::WhiteWin)
    });
    assert!(mates);
    // A line has no more moves than time.
    for limits in ["movetime 1", "wtime 20 btime 20", "wtime 5 btime 5 winc 1"] {
        let lines = go(&mut session, ROOK, limits);
        check_answer(&board, &lines);
    }
    session.quit();
}

#[test]
fn a_change_during_a_search_ends_it() {
    let folder = tables().unwrap_or_default();
    let path = format!("setoption name SyzygyPath value {}", folder.display());
    let mut session = Session::start();
    for command in [
        &*path,
        "setoption name SyzygyProbeDepth value 2",
        "setoption name SyzygyProbeLimit value 5",
        "setoption name Syzygy50MoveRule value false",
        "setoption name SyzygyPath value /no/such/folder",
        "setoption name SyzygyPath value <empty>",
    ] {
        session.send(&format!("position fen {FIVE}"));
        session.ask("go infinite", "info depth");
        session.ask(command, "bestmove");
        session.rest();
    }
    session.quit();
}

#[test]
fn a_damaged_table_is_reported_once() {
    let Some(folder) = tables() else { return };
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged-tables");
    fs::create_dir_all(&own).expect("cannot create a folder");
    for name in ["KRvK.rtbw", "KRvK.rtbz"] {
        let mut bytes = fs::read(folder.join(name)).expect("cannot read the table");
        bytes[5..9].fill(0xff);
        fs::write(own.join(name), bytes).expect("cannot write a file");
    }
    let mut session = Session::start();
    let lines = path(&mut session, &own.to_string_lossy());
    assert_eq!(
        lines,
        ["info string 1 WDL and 1 DTZ tables of up to 3 pieces"]
    );
    let reports = |lines: &[String]| {
        let is_report =
            |line: &&String| line.starts_with("info string") && line.contains("damaged");
        lines.iter().filter(is_report).count()
    };
    let lines = go(&mut session, ROOK, "depth 4");
    assert!(reports(&lines) == 1 && hits(&lines) == 0, "{lines:?}");
    assert_eq!(reports(&go(&mut session, ROOK, "depth 4")), 0);
    session.quit();
}
