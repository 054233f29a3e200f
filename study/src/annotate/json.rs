//! A game as one JSON object in a line.
// Source: RFC 8259, https://www.rfc-editor.org/rfc/rfc8259

use std::fmt::Write;

use rejoinder::board::san;

use super::report::{Eval, Report, Side};

/// Fields of an object or an array, written one after the other.
pub(super) struct Json(pub String);

impl Json {
    /// Begins the next field, or the next value if the name is empty.
    pub fn field(&mut self, name: &str) -> &mut Self {
        if !self.0.is_empty() && !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
        if !name.is_empty() {
            self.text(name);
            self.0.push(':');
        }
        self
    }

    pub fn text(&mut self, text: &str) {
        self.0.push('"');
        for letter in text.chars() {
            match letter {
                '"' | '\\' => self.0.extend(['\\', letter]),
                // Two of them are line ends to JavaScript.
                '\0'..' ' | '\u{7f}' | '\u{2028}' | '\u{2029}' => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(letter));
                }
                _ => self.0.push(letter),
            }
        }
        self.0.push('"');
    }

    /// Writes a number with this many decimals; infinities, which JSON lacks, become 0.
    pub fn number(&mut self, number: f64, digits: usize) {
        let number = if number.is_finite() { number } else { 0.0 };
        let _ = write!(self.0, "{number:.digits$}");
    }

    pub fn raw(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn nested(&mut self, ends: [char; 2], write: impl FnOnce(&mut Self)) {
        self.0.push(ends[0]);
        write(self);
        self.0.push(ends[1]);
    }

    pub fn object(&mut self, write: impl FnOnce(&mut Self)) {
        self.nested(['{', '}'], write);
    }

    pub fn array(&mut self, write: impl FnOnce(&mut Self)) {
        self.nested(['[', ']'], write);
    }
}

/// The game in a line with its end.
pub(super) fn write(report: &Report, effort: &str) -> String {
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
        json.field("effort").text(effort);
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
        if let Some(opinion) = report.opinions.first() {
            write_eval(json.field("eval"), report.eval(opinion));
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
    let here = &report.opinions[index];
    json.field("san").text(&report.record.line.plies[index].san);
    write_eval(json.field("eval"), report.eval(&report.opinions[index + 1]));
    json.field("before").number(judgment.before, 3);
    json.field("after").number(judgment.after, 3);
    json.field("loss").number(judgment.loss, 3);
    match judgment.mark {
        Some(mark) => json.field("mark").text(mark.sign()),
        None => json.field("mark").raw("null"),
    }
    match &report.reasons[index] {
        Some(reason) => json.field("reason").text(reason),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_every_kind_is_escaped() {
        let mut json = Json(String::new());
        json.object(|json| {
            json.field("a\"b").text("\\ \n\u{1}é\u{2028}");
            json.field("list").array(|json| {
                json.field("").number(0.5, 1);
                json.field("").number(f64::NAN, 0);
                json.field("").array(|_| {});
            });
        });
        assert_eq!(
            json.0,
            r#"{"a\"b":"\\ \u000a\u0001é\u2028","list":[0.5,0,[]]}"#
        );
    }
}
