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
        "2. g4 $4 { [%eval #-1] [%csl Re1] [%cal Rd8h4] Allows mate in 1: 2... Qh4#. }",
        "Misses mate in 1: 2... Qh4#. }",
        "[ECO \"A00\"] [Opening \"Barnes Opening\"]",
    ] {
        assert!(second.contains(part), "{part}\n{second}");
    }
    assert!(second.contains("( 2... Qh4# { [%eval #-1] } )"), "{second}");
    assert!(
        second.contains("White: accuracy ") && second.contains(", 1 blunder. Black: accuracy "),
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
    // On a busy machine scores may contradict each other, which costs more time at some positions.
    let told = flat(&pgn);
    let effort = ["5 ms a position", "5 ms (up to "].map(|effort| told.contains(effort));
    assert!(effort.contains(&true), "{pgn}");
}

/// The accuracies in the summaries of games, White's and Black's in turns.
fn accuracies(pgn: &str) -> Vec<f64> {
    let pgn = flat(pgn);
    let found = pgn.split("accuracy ").skip(1);
    let found = found.map(|text| text.split('%').next().unwrap_or(text));
    found.map(|text| text.parse().expect("a number")).collect()
}

#[test]
fn scores_that_contradict_each_other_cost_more_effort_which_is_told() {
    let scratch = crate::scratch();
    let json = scratch.path().join("a.json");
    let options = format!("--nodes 500 --json {}", json.display());
    let pgn = flat(&annotated(&data("famous.pgn"), &options));
    let (_, effort) = pgn
        .split_once(", 500 nodes (up to ")
        .expect("deeper searches");
    let (most, rest) = effort.split_once(" at ").expect("their number");
    let most: u64 = most.parse().expect("a number");
    assert!(matches!(most, 1000 | 2000 | 4000 | 8000), "{most}");
    let (number, rest) = rest.split_once(" of 34) a position. }").expect("all");
    let number: usize = number.parse().expect("a number");
    assert!((1..34).contains(&number), "{rest}");
    let json = crate::text(&json);
    let deeper = format!(
        "\"deeper\":{{\"positions\":{number},\"times\":{}}}",
        most / 500
    );
    assert!(json.contains(&deeper), "{json}");
}

/// The verdict at the page's default is that of ten times the effort, within 3 points.
#[test]
#[ignore = "minutes in a release build; `cargo test --release --package rejoinder-study --test annotate verdict -- --ignored --nocapture`"]
fn the_verdict_does_not_depend_on_the_effort() {
    let options = |nodes: u64| format!("--hash 64 --nodes {nodes}");
    let [usual, long] = [100_000, 1_000_000]
        .map(|nodes| accuracies(&annotated(&data("famous.pgn"), &options(nodes))));
    println!("100,000 nodes: {usual:?}\n1,000,000 nodes: {long:?}");
    assert_eq!((usual.len(), long.len()), (4, 4));
    for (usual, long) in usual.iter().zip(&long) {
        assert!((usual - long).abs() <= 3.0, "{usual} and {long}");
    }
}
