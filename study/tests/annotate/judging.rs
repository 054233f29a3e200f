//! What the engine finds: marks, better lines, scales and limits.

use crate::{annotated, data, flat, marks};

#[test]
fn known_mistakes_get_their_marks_and_better_lines() {
    let pgn = annotated(&data("mistakes.pgn"), "--nodes 20000");
    let (first, second) = pgn.split_once("[Event \"A mate").expect("two games");
    let first_marks = marks(first);
    assert!(
        first_marks.contains(&"Qxf7+$4".to_owned()),
        "{first_marks:?}"
    );
    let bad = |mark: &&String| mark.contains("$4") || mark.contains("$2");
    assert!(
        !first_marks
            .iter()
            .filter(bad)
            .any(|mark| mark.starts_with("Kxf7")),
        "{first_marks:?}"
    );
    assert!(flat(first).contains("Qxf7+ $4 { [%eval -"), "{first}");
    assert!(flat(first).contains("( 4. "), "{first}");
    // 2. g4 allows mate, and 2... d5 does not give it.
    let second_marks = marks(second);
    for mark in ["g4$4", "d5$4"] {
        assert!(second_marks.contains(&mark.to_owned()), "{second_marks:?}");
    }
    let second = flat(second);
    for part in [
        "2. g4 $4 { [%eval #-1] Allows mate in 1: 2... Qh4#. }",
        "Misses mate in 1: 2... Qh4#. }",
        "[ECO \"A00\"] [Opening \"Barnes Opening\"]",
    ] {
        assert!(second.contains(part), "{part}\n{second}");
    }
    assert!(second.contains("( 2... Qh4# { [%eval #-1] } )"), "{second}");
    assert!(
        second.contains("White: accuracy ")
            && second.contains("1 mistake, 1 blunder. Black: accuracy "),
        "{second}"
    );
    assert!(pgn.contains("[Annotator \"Rejoinder "), "{pgn}");
}

#[test]
fn the_scale_can_be_that_of_the_engine() {
    let pgn = annotated(&data("mistakes.pgn"), "--nodes 20000 --scale engine");
    // 2... d5 does not give mate, but stays won by the network's win-rate model.
    let marks = marks(&pgn);
    for mark in ["g4$4", "d5$2"] {
        assert!(marks.contains(&mark.to_owned()), "{marks:?}");
    }
}

#[test]
fn the_move_played_is_no_better_line() {
    let pgn = flat(&annotated(&data("mistakes.pgn"), "--nodes 700 --loss 0"));
    let mut lines = 0;
    // A better line follows the move that it replaces, its score, and perhaps the move's comment.
    for (before, line) in pgn.match_indices("( ").map(|(at, _)| pgn.split_at(at)) {
        let is_move = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_alphabetic());
        let outside = before
            .split('}')
            .map(|part| part.split('{').next().unwrap_or(part));
        let played = outside.flat_map(str::split_whitespace).rfind(is_move);
        let better = line.split_whitespace().find(is_move);
        assert_ne!(played, better, "{pgn}");
        lines += 1;
    }
    assert!(lines > 0, "{pgn}");
}

#[test]
fn the_same_nodes_give_the_same_output() {
    for limit in ["--nodes 700", "--depth 4"] {
        let once = annotated(&data("mistakes.pgn"), limit);
        let options = format!("{limit} --concurrency 3");
        assert_eq!(once, annotated(&data("mistakes.pgn"), &options));
    }
}

#[test]
fn time_limits_and_threads_are_taken() {
    let pgn = annotated(&data("latin1.pgn"), "--time 5 --threads 2");
    // Five milliseconds may find fault with a good move, whose better line has a score as well.
    let main_line = pgn
        .split('(')
        .map(|part| part.split(')').next_back().unwrap_or(part));
    let scores: usize = main_line.map(|part| part.matches("[%eval").count()).sum();
    assert_eq!(scores, 4, "{pgn}");
    assert!(flat(&pgn).contains("5 ms a position"), "{pgn}");
}
