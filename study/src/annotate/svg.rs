//! Draws a game as SVG: White's winning chance after each move, with the mistakes marked. The
//! image follows the light or dark color scheme of the page.

use std::fmt::Write;

use super::judge::Mark;
use super::report::Report;
use crate::pgn::number_of;

/// Sizes of the image and of the curve's field, in SVG units.
const SIZE: [f64; 2] = [760.0, 320.0];
pub(super) const LEFT: f64 = 44.0;
pub(super) const RIGHT: f64 = 744.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 252.0;
/// Largest number of move numbers under the curve.
const MOST_NUMBERS: usize = 12;
/// Least distance of two labels in SVG units; of two marks closer than this, only the worse is
/// labeled.
const ROOM: f64 = 46.0;

const STYLE: &str = "\
text{font:12px system-ui,sans-serif;fill:#333}\
.head{font-weight:600;font-size:14px}\
.ground{fill:#fff}.black{fill:#8a8f98}.white{fill:#f0ede4}\
.line{fill:none;stroke:#1d5fa8;stroke-width:2;stroke-linejoin:round}\
.grid{stroke:#555;stroke-opacity:.35;stroke-dasharray:3 3}\
.frame{fill:none;stroke:#999}\
.mark{stroke:#fff;stroke-width:1}\
.inaccuracy{fill:#e0b000}.mistake{fill:#e07000}.blunder{fill:#d02020}.good{fill:#18884a}\
@media(prefers-color-scheme:dark){\
text{fill:#ddd}.ground{fill:#1b1d21}.black{fill:#2b2f36}.white{fill:#737a85}\
.line{stroke:#8cc4ff}.grid{stroke:#ccc}.frame{stroke:#666}.mark{stroke:#1b1d21}\
.inaccuracy{fill:#ffd84d}.mistake{fill:#ff9a3d}.blunder{fill:#ff5a52}.good{fill:#4cc38a}}";

/// The CSS class, name in the legend and dot size of each kind of mark.
const fn look(mark: Mark) -> (&'static str, &'static str, f64) {
    match mark {
        Mark::Blunder => ("blunder", "?? blunder", 6.0),
        Mark::Mistake => ("mistake", "? mistake", 5.0),
        Mark::Inaccuracy => ("inaccuracy", "?! inaccuracy", 4.0),
        Mark::OnlyMove => ("good", "□ only move", 3.5),
        Mark::Interesting => ("good", "!? sacrifice", 3.5),
        Mark::Brilliant => ("good", "!! brilliant", 4.5),
        Mark::Good => ("good", "! good move", 3.5),
    }
}

/// Returns the SVG of a game.
pub(super) fn draw(report: &Report) -> String {
    let record = &report.record;
    let mut svg = String::new();
    let [width, height] = SIZE;
    let title = record.title();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\
        <title>{}</title><style>{STYLE}</style><rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>",
        escaped(&title)
    );
    text(&mut svg, LEFT, 20.0, "head", "start", &title);
    let summary = format!("Accuracy and marks: {}", report.short_summary());
    text(&mut svg, LEFT, 40.0, "", "start", &summary);
    let chances = report.white_chances();
    draw_curve(&mut svg, &chances);
    draw_scales(&mut svg, report, chances.len());
    draw_marks(&mut svg, report, &chances);
    draw_legend(&mut svg);
    svg.push_str("</svg>\n");
    svg
}

fn x_of(index: usize, count: usize) -> f64 {
    LEFT + (RIGHT - LEFT) * index as f64 / count.saturating_sub(1).max(1) as f64
}

fn y_of(chance: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * chance.clamp(0.0, 1.0)
}

fn draw_curve(svg: &mut String, chances: &[f64]) {
    let (wide, high) = (RIGHT - LEFT, BOTTOM - TOP);
    let _ = writeln!(
        svg,
        "<rect class=\"black\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{wide}\" height=\"{high}\"/>"
    );
    let mut path = String::new();
    for (index, &chance) in chances.iter().enumerate() {
        let _ = write!(
            path,
            "{:.1},{:.1} ",
            x_of(index, chances.len()),
            y_of(chance)
        );
    }
    let path = path.trim_end();
    if chances.len() > 1 {
        let _ = writeln!(
            svg,
            "<polygon class=\"white\" points=\"{LEFT},{BOTTOM} {path} {RIGHT},{BOTTOM}\"/>"
        );
    }
    let middle = y_of(0.5);
    let _ = writeln!(
        svg,
        "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{middle}\" y2=\"{middle}\"/>"
    );
    let _ = writeln!(svg, "<polyline class=\"line\" points=\"{path}\"/>");
    let _ = writeln!(
        svg,
        "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{wide}\" height=\"{high}\"/>"
    );
}

fn draw_scales(svg: &mut String, report: &Report, count: usize) {
    for percent in [0, 50, 100] {
        let y = y_of(f64::from(percent) / 100.0) + 4.0;
        text(svg, LEFT - 6.0, y, "", "end", &format!("{percent}%"));
    }
    let moves = count.saturating_sub(1).div_ceil(2);
    let step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
    let step = step
        .into_iter()
        .find(|step| moves / step <= MOST_NUMBERS)
        .unwrap_or(2000);
    let start = report.record.line.start as usize;
    for index in 1..count {
        // The index is that of the position after the move.
        let ply = start + index - 1;
        if ply.is_multiple_of(2) && (ply / 2 + 1).is_multiple_of(step) {
            let number = (ply / 2 + 1).to_string();
            text(
                svg,
                x_of(index, count),
                BOTTOM + 16.0,
                "",
                "middle",
                &number,
            );
        }
    }
}

fn draw_marks(svg: &mut String, report: &Report, chances: &[f64]) {
    let start = report.record.line.start as usize;
    let mut marks: Vec<(usize, Mark)> = (report.judgments.iter().enumerate())
        .filter_map(|(index, judgment)| Some((index, judgment.mark?)))
        .collect();
    // The worst ones lie on top, and get their labels first.
    let rank = |mark: Mark| look(mark).2;
    marks.sort_by(|a, b| rank(a.1).total_cmp(&rank(b.1)));
    let mut labels: Vec<f64> = Vec::new();
    let mut texts = Vec::new();
    for &(index, mark) in marks.iter().rev() {
        let x = x_of(index + 1, chances.len());
        let is_bad = matches!(mark, Mark::Blunder | Mark::Mistake);
        if is_bad && labels.iter().all(|other| (other - x).abs() >= ROOM) {
            labels.push(x);
            texts.push((x, index, mark));
        }
    }
    for (index, mark) in marks {
        let number = number_of((start + index) as u32);
        let san = &report.record.line.plies[index].san;
        let (class, _, radius) = look(mark);
        let _ = writeln!(
            svg,
            "<circle class=\"mark {class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"><title>{number} {}{}</title></circle>",
            x_of(index + 1, chances.len()),
            y_of(chances[index + 1]),
            escaped(san),
            mark.sign()
        );
    }
    for (x, index, mark) in texts {
        let y = y_of(chances[index + 1]);
        let y = if y < TOP + 24.0 { y + 20.0 } else { y - 10.0 };
        let ends = [(LEFT + 30.0, "start"), (RIGHT - 30.0, "end")];
        let anchor = if x < ends[0].0 {
            ends[0].1
        } else if x > ends[1].0 {
            ends[1].1
        } else {
            "middle"
        };
        let san = &report.record.line.plies[index].san;
        text(svg, x, y, "", anchor, &format!("{san}{}", mark.sign()));
    }
}

fn draw_legend(svg: &mut String) {
    let y = BOTTOM + 46.0;
    let mut x = LEFT + 6.0;
    for mark in [Mark::Inaccuracy, Mark::Mistake, Mark::Blunder, Mark::Good] {
        let (class, mut name, radius) = look(mark);
        if mark == Mark::Good {
            name = "!! ! !? □ remarkable move";
        }
        let _ = writeln!(
            svg,
            "<circle class=\"mark {class}\" cx=\"{x}\" cy=\"{}\" r=\"{radius}\"/>",
            y - 4.0
        );
        text(svg, x + 10.0, y, "", "start", name);
        x += 120.0;
    }
    text(svg, RIGHT, y, "", "end", "White's winning chance");
}

fn text(svg: &mut String, x: f64, y: f64, class: &str, anchor: &str, text: &str) {
    let class = if class.is_empty() {
        String::new()
    } else {
        format!(" class=\"{class}\"")
    };
    let text = escaped(text);
    let _ = writeln!(
        svg,
        "<text{class} x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
    );
}

/// Escapes text for XML and drops characters that XML does not allow.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\0'..'\t' | '\u{b}'..' ' | '\u{fffe}' | '\u{ffff}' => {}
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_break_the_image() {
        assert_eq!(escaped("<A> & \u{1}B"), "&lt;A&gt; &amp; B");
    }

    #[test]
    fn the_field_is_filled() {
        assert_eq!((x_of(0, 5), x_of(4, 5)), (LEFT, RIGHT));
        assert_eq!((y_of(0.0), y_of(1.0), y_of(2.0)), (BOTTOM, TOP, TOP));
        assert_eq!((x_of(0, 1), y_of(0.5)), (LEFT, f64::midpoint(TOP, BOTTOM)));
    }
}
