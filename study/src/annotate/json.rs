//! A game as one JSON object in a line.

use rejoinder::board::san;

use super::effort::Effort;
use super::reason::Drawing;
use super::report::{Eval, Report, Side};
use crate::json::Json;

/// The game in a line with its end.
pub(super) fn write(report: &Report, effort: &Effort) -> String {
    let mut json = Json(String::new());
    let record = &report.record;
    json.object(|json| {
        json.field("game").raw(&report.number.to_string());
        json.field("tags").object(|json| {
            for (index, tag) in record.tags.iter().enumerate() {
                let is_first = record.tags[..index]
                    .iter()
                    .all(|other| other.name != tag.name);
                if is_first && !tag.name.is_empty() {
                    json.field(&tag.name).text(&tag.value);
                }
            }
        });
        json.field("start").text(&record.start.fen(record.chess960));
        json.field("chess960")
            .raw(if record.chess960 { "true" } else { "false" });
        json.field("result").text(record.outcome());
        json.field("effort").text(&effort.to_string());
        let deeper = report.deeper();
        json.field("deeper").object(|json| {
            json.field("positions").raw(&deeper.positions.to_string());
            json.field("times").raw(&deeper.times.to_string());
        });
        json.field("scale").text(report.ruler.scale.name());
        if let Some(opening) = report.opening {
            json.field("opening").object(|json| {
                json.field("eco").text(opening.eco);
                json.field("name").text(opening.name);
            });
        }
        for (name, side) in ["white", "black"].into_iter().zip(&report.sides) {
            json.field(name).object(|json| write_side(json, side));
        }
        if let Some(evaluation) = report.evaluations.first() {
            write_eval(json.field("eval"), report.eval(evaluation));
        }
        json.field("moves").array(|json| {
            for index in 0..report.judgments.len() {
                json.field("")
                    .object(|json| write_move(json, report, index));
            }
        });
    });
    json.0.push('\n');
    json.0
}

fn write_side(json: &mut Json, side: &Side) {
    json.field("moves").raw(&side.moves.to_string());
    match side.accuracy {
        Some(accuracy) => json.field("accuracy").number(accuracy, 1),
        None => json.field("accuracy").raw("null"),
    }
    for (name, count) in [
        ("inaccuracies", side.inaccuracies),
        ("mistakes", side.mistakes),
        ("blunders", side.blunders),
    ] {
        json.field(name).raw(&count.to_string());
    }
}

fn write_eval(json: &mut Json, eval: Option<Eval>) {
    let (name, number) = match eval {
        Some(Eval::Centipawns(score)) => ("cp", score),
        Some(Eval::Mate(moves)) => ("mate", moves),
        None => return json.raw("null"),
    };
    json.object(|json| json.field(name).raw(&number.to_string()));
}

/// A move; the chances are those of the side that makes it, the score is White's after it.
fn write_move(json: &mut Json, report: &Report, index: usize) {
    let judgment = &report.judgments[index];
    let here = &report.evaluations[index];
    json.field("san").text(&report.record.line.plies[index].san);
    write_eval(
        json.field("eval"),
        report.eval(&report.evaluations[index + 1]),
    );
    json.field("before").number(judgment.before, 3);
    json.field("after").number(judgment.after, 3);
    json.field("loss").number(judgment.loss, 3);
    match judgment.mark {
        Some(mark) => json.field("mark").text(mark.sign()),
        None => json.field("mark").raw("null"),
    }
    match &report.reasons[index] {
        Some(reason) => {
            json.field("reason").text(&reason.text);
            match reason.motif {
                Some(motif) => json.field("motif").text(motif.name()),
                None => json.field("motif").raw("null"),
            }
            write_drawing(json.field("drawn"), &reason.here);
            write_drawing(json.field("drawnBetter"), &reason.better);
        }
        None => json.field("reason").raw("null"),
    }
    json.field("line").array(|json| {
        let mut board = here.board;
        for &mv in &here.line {
            json.field("").text(&san::to_san(&board, mv));
            board.make(mv);
        }
    });
}

/// Arrows as two squares in one text, and circles as one.
pub(super) fn write_drawing(json: &mut Json, drawing: &Drawing) {
    json.array(|json| {
        for [from, to] in &drawing.arrows {
            json.field("").text(&format!("{from}{to}"));
        }
        for square in &drawing.circles {
            json.field("").text(&square.to_string());
        }
    });
}
