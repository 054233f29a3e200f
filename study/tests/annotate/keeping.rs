//! What a file holds is kept, however careless it is.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::{annotated, data, flat, program, run, scratch, text};

#[test]
fn comments_glyphs_and_variations_are_kept() {
    let pgn = flat(&annotated(&data("crlf.pgn"), "--nodes 500"));
    for part in [
        "[Event \"Carriage returns\"]",
        "{ Before the game. } 1. e4 $1 { [%eval ",
        "] [%clk 0:01:00] The king's pawn. } ( 1. d4 $5 d5 ( 1... Nf6 2. c4 ) 2. c4 { Queen's gambit } )",
        " a rest-of-line comment }",
        "2. Nf3 $14 { [%eval ",
        "( 2... d6 $6 3. d4 -- 4. dxe5 )",
        "] Spanish }",
        "1/2-1/2",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
    assert!(!pgn.contains("[%eval 0.30] Spanish"), "{pgn}");
    assert!(!pgn.contains('\u{feff}') && !pgn.contains('\r'));
}

#[test]
fn other_encodings_become_utf_8() {
    let pgn = annotated(&data("latin1.pgn"), "--nodes 200");
    for part in [
        "[Event \"Café de la Régence\"]",
        "[Site \"?\"]",
        "[Date \"????.??.??\"]",
        "[White \"Hübner, R\"]",
        "[Black \"Šahoviæ\"]",
        "[Result \"*\"]",
        "[Annotator \"Laskér; Rejoinder ",
        " très solide }",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
    assert!(pgn.trim_end().ends_with('*'), "{pgn}");
}

/// The values of the tags `Event`.
fn events(pgn: &str) -> Vec<&str> {
    pgn.lines()
        .filter_map(|line| line.strip_prefix("[Event \"")?.strip_suffix("\"]"))
        .collect()
}

#[test]
fn bad_games_are_named_and_all_are_written() {
    let output = run(&data("bad_between.pgn"), "--nodes 100 --concurrency 2");
    assert_eq!(output.status.code(), Some(1));
    let (pgn, says) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let wanted = [
        "Good",
        "Illegal",
        "No moves",
        "Open comment",
        "No word",
        "Other rules",
        "?",
        "Last",
    ];
    assert_eq!(events(&pgn), wanted, "{pgn}");
    for part in [
        "game 2 (line 6): line 9: 2. Ke3 is not one legal move there; the game is kept as text from there on",
        "game 4 (line 16): line 18: this comment does not end",
        "game 6 (line 24) is not annotated: this engine does not play the variant 'Atomic'",
        "3: ? - ? 0-1  no moves, copied as it is",
        "8 games, 3 not annotated to their end",
        "3 of the 8 games of ",
    ] {
        assert!(says.contains(part), "{part}\n{says}");
    }
    let pgn = flat(&pgn);
    for part in [
        "] 2. Ke3 } ",
        "] this does not end * } ",
        "] Zug } ",
        "[Variant \"Atomic\"] 1. e4 *",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
}

#[test]
fn nothing_of_a_careless_file_is_lost() {
    let output = run(&data("torture.pgn"), "--nodes 50");
    assert_eq!(output.status.code(), Some(1));
    let pgn = String::from_utf8(output.stdout).expect("UTF-8");
    let says = String::from_utf8_lossy(&output.stderr);
    let input = text(Path::new(&data("torture.pgn")));
    let wanted: Vec<String> = input
        .split("[Event \"")
        .skip(1)
        .filter_map(|game| Some(game.split_once('"')?.0.to_owned()))
        .collect();
    assert_eq!(events(&pgn), wanted, "{pgn}");
    for part in [
        "4 of the 12 games of ",
        "'Atomic960'",
        "2. Ke3 is not one legal move",
        "its FEN: ",
        "'Sf6' is not a move",
    ] {
        assert!(says.contains(part), "{part}\n{says}");
    }
    // Every line of tags is there as it was.
    for line in input
        .lines()
        .filter(|line| line.starts_with('[') && line.ends_with(']'))
    {
        assert!(pgn.lines().any(|other| other == line), "{line}\n{pgn}");
    }
    let plain = flat(&pgn);
    for part in [
        "{ A file of all that people write: this line and the next belong to the first game. }",
        "{ % escaped by a percent sign }",
        "{ In braces, before the tags. }",
        "{ Printed on a4 paper }",
        "{ Before the moves. } 1. e4 $1 ",
        "( 1... c5 2. Nf3 ( 2. c3 { inner } ) 2... d6 )",
        "{ Before the second game. } 1. e4 ",
        "] [#] } ",
        "] TN } ",
        "] RR } ",
        "] Diagram } ",
        " -- *",
        "] 2. Ke3 (no) Ke7 } ",
        "[SetUp \"1\"] 1. Kf7 { kept } *",
        " a1=N ",
        "] Sf6 2. e5 } ",
        "{ After the last game. } ",
    ] {
        assert!(plain.contains(part), "{part}\n{pgn}");
    }
}

#[test]
fn games_are_read_from_standard_input() {
    let games = data("bad_between.pgn");
    let file = fs::File::open(&games).expect("the games");
    let options = "--nodes 100";
    let piped = program("-", options).stdin(file).output();
    let piped = piped.expect("the program runs");
    assert_eq!(piped.status.code(), Some(1));
    assert_eq!(piped.stdout, run(&games, options).stdout);
    let empty = program("-", options).stdin(Stdio::null()).output();
    let says = String::from_utf8(empty.expect("the program runs").stderr).expect("text");
    assert!(says.contains("standard input holds no game"), "{says}");
}

#[test]
fn chess960_castles() {
    let pgn = flat(&annotated(&data("chess960.pgn"), "--nodes 300"));
    for part in [
        "3. O-O",
        "1. O-O",
        "O-O-O",
        "20. O-O-O",
        "[FEN \"rk2r3/4p3/8/8/8/8/4P3/RK2R3 w EAea - 0 1\"]",
    ] {
        assert!(pgn.contains(part), "{part}\n{pgn}");
    }
}

#[test]
fn what_is_written_can_be_annotated_again() {
    let scratch = scratch();
    let path = scratch.path().join("once.pgn");
    fs::write(&path, annotated(&data("crlf.pgn"), "--nodes 200")).expect("a file");
    let again = annotated(&path.to_string_lossy(), "--nodes 200");
    // Scores, marks, lines and the summary are found again, and not written twice.
    assert_eq!(again, text(&path));
}

#[test]
fn text_beside_a_summary_is_kept() {
    let scratch = scratch();
    let path = scratch.path().join("edited.pgn");
    let once = flat(&annotated(&data("crlf.pgn"), "--nodes 200"));
    let edited = once
        .replacen("{ White: accuracy", "{ Found in a book. White: accuracy", 1)
        .replacen(" a position. }", " a position. An introduction. }", 1);
    fs::write(&path, edited).expect("a file");
    let again = flat(&annotated(&path.to_string_lossy(), "--nodes 200"));
    let wanted = once.replacen(
        " a position. }",
        " a position. } { Found in a book. An introduction. }",
        1,
    );
    assert_eq!(again, wanted);
}
