//! A game as a web page that stands alone: board, moves, comments and graph together.

use rejoinder::board::{Board, coordinates, san};
use rejoinder::types::Move;

use super::report::Report;
use super::svg::{self, escaped};
use super::writing::{LONGEST_LINE, Style, has_better_line, without_commands};
use super::{index, json};
use crate::json::Json;
use crate::pgn::{Item, Ply};

const PAGE: &str = include_str!("report.html");

/// Returns the page of a game.
pub(super) fn write(report: &Report, style: &Style) -> String {
    let record = &report.record;
    let title = record.title();
    let values = [
        ("title", escaped(&title)),
        ("row", index::row(report)),
        ("about", escaped(&about(report))),
        (
            "graph",
            if report.judgments.is_empty() {
                String::new()
            } else {
                svg::draw(report)
            },
        ),
        // A closing tag in a comment must not end the script.
        ("game", game(report, style).replace('<', "\\u003c")),
    ];
    let mut page = String::new();
    for (index, part) in PAGE.split("@@").enumerate() {
        // What is put in is not looked at again.
        match values
            .iter()
            .find(|(name, _)| index % 2 == 1 && *name == part)
        {
            Some((_, value)) => page.push_str(value),
            None => page.push_str(part),
        }
    }
    page
}

/// Returns event, place, date and opening in one line, and what could not be read.
fn about(report: &Report) -> String {
    let record = &report.record;
    let tags = ["Event", "Site", "Date"].map(|name| record.tag(name));
    let known = tags.into_iter().flatten().map(str::trim);
    let known = known.filter(|value| !value.is_empty() && !value.starts_with('?'));
    let opening = report
        .opening
        .map(|opening| format!("{} {}", opening.eco, opening.name));
    // A move that cannot be played is said to be none, as it stands there as a comment.
    let fault = record.fault.clone();
    let parts = known.map(str::to_owned).chain(opening).chain(fault);
    let parts: Vec<String> = parts.collect();
    parts.join(" · ")
}

/// Returns the game as JSON for the script of the page.
fn game(report: &Report, style: &Style) -> String {
    let record = &report.record;
    let mut json = Json(String::new());
    json.object(|json| {
        for (name, tag) in [("white", "White"), ("black", "Black")] {
            json.field(name).text(record.player(tag));
        }
        json.field("result").text(record.outcome());
        json.field("first").raw(&record.line.start.to_string());
        json.field("start").text(&placement(&record.start));
        json.field("head").text(&comments(&record.line.head));
        json.field("graph").array(|json| {
            for edge in [svg::LEFT, svg::RIGHT] {
                json.field("").number(edge, 0);
            }
        });
        json.field("moves").array(|json| {
            let mut board = record.start;
            for (index, &mv) in record.moves.iter().enumerate() {
                json.field("").object(|json| {
                    write_move(json, &mut board, mv);
                    let ply = &record.line.plies[index];
                    write_evaluation(json, report, style, index, ply);
                });
            }
        });
    });
    json.0
}

/// Writes a move with the position after it, and makes it.
fn write_move(json: &mut Json, board: &mut Board, mv: Move) {
    let squares = coordinates::move_to_uci(board, mv, true);
    json.field("san").text(&san::to_san(board, mv));
    board.make(mv);
    json.field("from").text(&squares[..2]);
    json.field("to").text(&squares[2..4]);
    json.field("fen").text(&placement(board));
}

fn write_evaluation(json: &mut Json, report: &Report, style: &Style, index: usize, ply: &Ply) {
    let judgment = &report.judgments[index];
    if let Some(mark) = judgment.mark {
        json.field("mark").text(mark.sign());
    }
    if let Some(eval) = report.eval(&report.evaluations[index + 1]) {
        json.field("eval").text(&eval.to_string());
    }
    let reason = report.reasons[index].as_ref();
    let sentence = reason.map(|reason| reason.text.as_str()).into_iter();
    let said = comments(&ply.items);
    let said: Vec<&str> = sentence
        .chain([said.as_str()])
        .filter(|text| !text.is_empty())
        .collect();
    json.field("text").text(&said.join(" "));
    if let Some(reason) = reason {
        json::write_drawing(json.field("drawn"), &reason.here);
        json::write_drawing(json.field("drawnBetter"), &reason.better);
    }
    if has_better_line(report, style, index) {
        json.field("line").array(|json| {
            let here = &report.evaluations[index];
            let mut board = here.board;
            for &mv in here.line.iter().take(LONGEST_LINE) {
                json.field("")
                    .object(|json| write_move(json, &mut board, mv));
            }
        });
    }
}

/// Returns the comments among the items, without commands such as `[%clk 0:10:00]`.
fn comments(items: &[Item]) -> String {
    let texts = items.iter().filter_map(|item| match item {
        Item::Comment(text) => Some(without_commands(text)),
        _ => None,
    });
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    texts.join(" ")
}

/// Returns the first field of the FEN.
fn placement(board: &Board) -> String {
    let fen = board.fen(false);
    fen.split(' ').next().unwrap_or_default().to_owned()
}
