//! The table of positions in `study/tests/data/reasons.tsv`: what is said, and where nothing may be.
//!
//! A line has, between tabs: the motif, the sentence or `-`, the position, the move played with the
//! line that refutes it, the better line, and the scores of both from the point of view of the side to
//! move, in centipawns or moves to mate; for an only move also the score of the next best one. The
//! lines and scores are the engine's. Where the motif must not be named, the line that looks like it
//! may be forced, and the scores those of a blunder, so that only the proof can fail.

use std::collections::BTreeMap;
use std::fmt::Write;

use rejoinder::board::{Board, notation};
use rejoinder::eval::win_rate::WinRate;
use rejoinder::types::{Score, score};

use super::*;
use crate::annotate::judge::judge;
use crate::scale::Scale;

const TABLE: &str = include_str!("../../../tests/data/reasons.tsv");

const RULER: Ruler = Ruler {
    scale: Scale::Lichess,
    model: WinRate::DEFAULT,
};

/// Returns the reason for the move of a line of the table.
fn reason(fields: &[&str]) -> Option<Reason> {
    let start = Board::from_fen(fields[2]).expect("a position");
    let line = |text: &str| {
        notation::parse_line(&start, text.split(' '))
            .unwrap_or_else(|error| panic!("{text}: {error:?}"))
    };
    let (played, better) = (line(fields[3]), line(fields[4]));
    let mut after = start;
    after.make(played[0]);
    let number = |text: &str| text.parse::<i32>().expect("a number");
    let internal = |text: &str, board: &Board| -> Score {
        match text.strip_prefix('#') {
            Some(mate) if mate.starts_with('-') => score::mated_in((-2 * number(mate)) as usize),
            Some(mate) => score::mate_in((2 * number(mate) - 1) as usize),
            None => {
                let wanted = number(text).clamp(-1000, 1000);
                let mut scores = -4000..4000;
                let found = scores.find(|score| RULER.centipawns(*score, board) >= wanted);
                found.expect("a score")
            }
        }
    };
    let here = Evaluation {
        board: start,
        score: internal(fields[5], &start),
        second: fields.get(7).map(|text| internal(text, &start)),
        line: better,
    };
    let next = Evaluation {
        board: after,
        score: -internal(fields[6], &after),
        second: None,
        line: played[1..].to_vec(),
    };
    let judgment = judge(RULER, &here, played[0], &next);
    find(&here, played[0], &next, &judgment, RULER)
}

/// How often each motif is named rightly, is rightly not named, and is wrong.
#[test]
fn motifs_are_named_where_they_are_proven_and_only_there() {
    let mut counts: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
    let mut wrong = String::new();
    for (number, line) in TABLE
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'))
    {
        let fields: Vec<&str> = line.split('\t').collect();
        let found = reason(&fields);
        let named = found
            .as_ref()
            .and_then(|reason| reason.motif)
            .map(Motif::name);
        let text = found.map_or("-".to_owned(), |reason| reason.text);
        let place = match fields[1] {
            "-" if named != Some(fields[0]) => 1,
            wanted if named == Some(fields[0]) && text == wanted => 0,
            _ => 2,
        };
        counts.entry(fields[0]).or_default()[place] += 1;
        if place == 2 {
            let _ = writeln!(wrong, "line {}: {text} ({named:?})\n  {line}", number + 1);
        }
    }
    println!("{:<20}right silent wrong", "motif");
    for (motif, [right, silent, wrong]) in &counts {
        println!("{motif:<20}{right:>5} {silent:>6} {wrong:>5}");
    }
    assert!(wrong.is_empty(), "{wrong}");
    for (motif, [right, silent, _]) in &counts {
        assert!(
            *right >= 10 && *silent >= 10,
            "{motif} has too few positions"
        );
    }
    assert_eq!(counts.len(), 10, "a motif has no positions");
}
