//! The view of an analysis: a pure function from what is known to lines of text.

use std::collections::HashMap;
use std::time::Duration;

use anstyle::{AnsiColor, Style};

use rejoinder::board::{Board, Game, san::words};
use rejoinder::eval::win_rate::{self, WinRate};
use rejoinder::search::Report;
use rejoinder::types::{Color, Move, Score, score};

use crate::annotate::{Eval, Note, Notes};
use crate::scale::{Ruler, Scale};

use super::board::{self, Ending, Size, ansi, ending, name};
use super::row::{Canvas, LOUD, PLAIN, QUIET, Row};

/// What the engine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It searches.
    Searching,
    /// Somebody said stop.
    Stopped,
    /// The search has reached its limit.
    Finished,
}

/// The last row of the view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Footer {
    /// There is none.
    None,
    /// The keys and what they do.
    Keys,
    /// A message.
    Note(String),
    /// A move that is being typed.
    Input(String),
}

/// Everything that is shown.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// The game up to the position on the board.
    pub game: &'a Game,
    /// The players and the result; empty if they are not known.
    pub title: &'a str,
    /// What the file of the game says about it.
    pub notes: &'a Notes,
    /// The position before the first move.
    pub start: &'a Board,
    /// The moves from there, with those that are still to come.
    pub moves: &'a [Move],
    /// White's winning chance in the positions that were searched here or for the file, per mille, by
    /// their keys.
    pub shares: &'a HashMap<u64, u32>,
    /// The number of moves played on the board.
    pub at: usize,
    /// The last report of each line, the best first.
    pub lines: &'a [Report],
    /// The number of lines asked for.
    pub wanted: usize,
    /// The model that makes chances of scores.
    pub win_rate: WinRate,
    /// What the engine is doing.
    pub state: State,
    /// Number of search threads.
    pub threads: usize,
    /// The time of the search.
    pub elapsed: Duration,
    /// The nodes of the search.
    pub nodes: u64,
    /// The share of the hash in use, per mille.
    pub hashfull: usize,
    /// The hits in endgame tablebases.
    pub tb_hits: u64,
    /// Whether Black is at the bottom.
    pub flipped: bool,
    /// The last row.
    pub footer: Footer,
}

/// The columns of the bar beside the board and of the space behind it.
const BAR: usize = 4;
const GAP: usize = 3;
/// The columns of the names of the numbers.
const NAME: usize = 8;
/// Below this width, lines have no depth.
const NARROW: usize = 36;
/// From this width on, the numbers stand beside the board.
const WIDE: usize = 56;
/// The columns beside a large board, and the rows under it, that must be left.
const BESIDE: usize = 45;
const UNDER: usize = 8;

/// The colors of White and of Black in the bar.
const BAR_COLORS: [anstyle::Color; 2] = [ansi(254), ansi(237)];

/// From this score on, in internal centipawns, a side stands better.
const EDGE: Score = 15;

/// Draws the view: at most as many lines as the canvas has, none wider than it.
pub(super) fn draw(view: &View, canvas: Canvas) -> Vec<String> {
    let render = |row: Row| {
        row.fit(canvas.width, canvas.ellipsis())
            .render(canvas.color)
    };
    layout(view, canvas).into_iter().map(render).collect()
}

fn layout(view: &View, canvas: Canvas) -> Vec<Row> {
    let footer = footer(view, canvas).filter(|_| canvas.height >= 3);
    let height = canvas.height - usize::from(footer.is_some());
    let mut rows = Vec::new();
    if !view.title.is_empty() && height > Size::SMALL.height() + 3 {
        let mut row = Row::default();
        row.push(view.title, LOUD);
        rows.push(row);
    }
    rows.extend(head(view, canvas, height - rows.len()));
    let lines = view.lines.len().max(1);
    if !view.moves.is_empty() && height > rows.len() + lines.min(3) {
        rows.push(moves_row(view, canvas));
        let graph = graph_row(view, canvas);
        rows.extend(graph.filter(|_| height > rows.len() + lines.min(3)));
    }
    let room = height.saturating_sub(rows.len() + lines.min(3) + 1);
    rows.extend(note_rows(view, canvas).into_iter().take(room));
    if !rows.is_empty() && height > rows.len() + lines {
        rows.push(Row::default());
    }
    let room = height.saturating_sub(rows.len());
    rows.extend(line_rows(view, canvas, room));
    rows.truncate(height);
    if let Some(footer) = footer {
        rows.resize(height, Row::default());
        rows.push(footer);
    }
    rows
}

/// Returns what stands above the lines: as much as fits.
fn head(view: &View, canvas: Canvas, height: usize) -> Vec<Row> {
    let has_room =
        |size: Size| height >= size.height() + UNDER && canvas.width >= size.width() + BAR + BESIDE;
    let size = if has_room(Size::LARGE) {
        Size::LARGE
    } else {
        Size::SMALL
    };
    let (columns, ranks) = (size.width(), size.height());
    let facts = facts(
        view,
        canvas.width.saturating_sub(columns + BAR + GAP + NAME),
    );
    if height > ranks && canvas.width >= WIDE {
        let mut rows = board_rows(view, canvas, size, true);
        for (row, (name, value, style)) in rows.iter_mut().zip(facts) {
            row.push(" ".repeat(GAP), PLAIN);
            if !name.is_empty() {
                row.push(format!("{name:<NAME$}"), QUIET);
            }
            row.push(value, style);
        }
        return rows;
    }
    let brief = |wanted: &[&str]| {
        let mut row = Row::default();
        for (name, value, style) in &facts {
            if wanted.contains(name) {
                let gap = if row.0.is_empty() { "" } else { "  " };
                row.push(gap, PLAIN);
                row.push(value.clone(), *style);
            }
        }
        row
    };
    if height >= ranks + 3 && canvas.width >= columns {
        let mut rows = board_rows(view, canvas, size, canvas.width >= columns + BAR);
        rows.push(brief(&[""]));
        rows.push(brief(&["score", "depth", "time"]));
        return rows;
    }
    if height >= 3 {
        return vec![brief(&["score", "depth"]), brief(&[""])];
    }
    Vec::new()
}

/// Returns the rows of the board, with the bar beside it if wanted.
fn board_rows(view: &View, canvas: Canvas, size: Size, with_bar: bool) -> Vec<Row> {
    let mut rows = board::rows(view.game, view.flipped, canvas, size);
    if with_bar {
        let bar = bar(view, canvas);
        for (number, row) in rows.iter_mut().enumerate() {
            let cell = size.rank(number).map(|rank| bar[rank]);
            let (text, style) = cell.unwrap_or((' ', PLAIN));
            row.push("  ", PLAIN);
            row.push(text.to_string().repeat(BAR - 2), style);
        }
    }
    rows
}

/// Returns the eight cells of the evaluation bar from top to bottom: White's winning chance is drawn
/// from White's side of the board, in steps of half a cell.
fn bar(view: &View, canvas: Canvas) -> [(char, Style); 8] {
    let Some(share) = view.white_share() else {
        return [(' ', PLAIN); 8];
    };
    let halves = (share * 16 + 500) / 1000;
    let [white, black] = BAR_COLORS;
    let style = if canvas.color {
        Style::new().fg_color(Some(white)).bg_color(Some(black))
    } else {
        PLAIN
    };
    let [none, half, whole] = match (canvas.unicode, canvas.color) {
        (true, color) => [
            if color { ' ' } else { '░' },
            if view.flipped { '▀' } else { '▄' },
            '█',
        ],
        (false, true) => [' ', '=', '#'],
        (false, false) => ['.', '=', '#'],
    };
    std::array::from_fn(|i| {
        let below = if view.flipped { i } else { 7 - i } as u32;
        let text = match halves.saturating_sub(2 * below) {
            0 => none,
            1 => half,
            _ => whole,
        };
        (text, style)
    })
}

impl View<'_> {
    /// Returns White's winning chance on the scale of the marks, per mille; `None` before anything is
    /// known.
    pub fn white_share(&self) -> Option<u32> {
        match ending(self.game) {
            Some(Ending::Mate(Color::White)) => return Some(1000),
            Some(Ending::Mate(Color::Black)) => return Some(0),
            Some(Ending::Stalemate) => return Some(500),
            _ => {}
        }
        let best = self.lines.first()?;
        let board = self.game.board();
        let ruler = Ruler {
            scale: Scale::Lichess,
            model: self.win_rate,
        };
        let chance = ruler.chance(best.score, board);
        let white = match board.side_to_move() {
            Color::White => chance,
            Color::Black => 1.0 - chance,
        };
        Some(per_mille(white))
    }

    /// Returns what the file says behind so many moves.
    fn note(&self, moves: usize) -> Option<&Note> {
        self.notes.at(&self.moves[..moves])
    }
}

/// Returns a chance, 0 to 1, in thousandths.
pub(super) fn per_mille(chance: f64) -> u32 {
    (1000.0 * chance).round() as u32
}

/// White's chances to win, to draw and to lose against an equal engine, per mille.
fn odds(view: &View) -> Option<[u32; 3]> {
    let best = view.lines.first()?;
    let board = view.game.board();
    let mut chances = view.win_rate.chances(best.score, win_rate::material(board));
    if board.side_to_move() == Color::Black {
        chances.reverse();
    }
    Some(chances)
}

/// Returns a score from White's view, and its style.
fn score_text(view: &View, internal: Score) -> (String, Style) {
    let board = view.game.board();
    let sign = match board.side_to_move() {
        Color::White => 1,
        Color::Black => -1,
    };
    let text = if let Some(moves) = score::mate_distance(internal) {
        format!("#{}", sign * moves)
    } else {
        let material = win_rate::material(board);
        let centipawns = view.win_rate.centipawns(internal, material);
        format!("{:+.2}", f64::from(sign * centipawns) / 100.0)
    };
    let color = match sign * internal {
        EDGE.. => Some(AnsiColor::Green.into()),
        score if score <= -EDGE => Some(AnsiColor::Red.into()),
        _ => None,
    };
    (text, LOUD.fg_color(color))
}

/// Writes a number with a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns the numbers beside the board: name, value, style. Values have this room, in columns.
fn facts(view: &View, room: usize) -> Vec<(&'static str, String, Style)> {
    let board = view.game.board();
    let side = name(board.side_to_move());
    let doing = match view.state {
        State::Searching => "searching",
        State::Stopped => "stopped",
        State::Finished => "finished",
    };
    let headline = match ending(view.game) {
        Some(ending) => ending.text(),
        None => format!("{side} to move, {doing}"),
    };
    let mut facts = vec![("", headline, LOUD)];
    let Some(best) = view.lines.first() else {
        return facts;
    };
    let (score, style) = score_text(view, best.score);
    facts.push(("score", score, style));
    if let Some(chances) = odds(view) {
        // Three rounded shares do not always add up to 100, so the draws get the rest.
        let [white, _, black] = chances.map(|share| (share + 5) / 10);
        let draw = 100u32.saturating_sub(white + black);
        let mut text = format!("White {white}% draw {draw}% Black {black}%");
        if text.len() > room {
            text = format!("+{white}% ={draw}% -{black}%");
        }
        facts.push(("odds", text, PLAIN));
    }
    let depth = format!("{}/{}", best.depth, best.seldepth);
    facts.push(("depth", depth, PLAIN));
    let time = format!("{:.1} s", view.elapsed.as_secs_f64());
    facts.push(("time", time, PLAIN));
    facts.push(("nodes", grouped(view.nodes), PLAIN));
    let millis = view.elapsed.as_millis().max(1) as u64;
    let speed = view.nodes.saturating_mul(1000) / millis;
    let threads = if view.threads == 1 {
        "thread"
    } else {
        "threads"
    };
    let mut text = format!("{}/s", grouped(speed));
    let by = format!(" by {} {threads}", view.threads);
    if text.len() + by.len() <= room {
        text += &by;
    }
    facts.push(("speed", text, PLAIN));
    facts.push(("hash", format!("{}%", view.hashfull / 10), PLAIN));
    if view.tb_hits > 0 {
        facts.push(("tables", format!("{} hits", grouped(view.tb_hits)), PLAIN));
    }
    facts
}

/// Returns the rows of the lines of the search, at most `room` of them. Each line gets the same
/// number of rows, so that nothing jumps when another one becomes longer.
fn line_rows(view: &View, canvas: Canvas, room: usize) -> Vec<Row> {
    let shown = view.lines.len().min(view.wanted);
    let each = (room / view.wanted.max(1)).clamp(1, 3);
    let board = view.game.board();
    let rows = view.lines[..shown]
        .iter()
        .enumerate()
        .flat_map(|(i, line)| {
            let (score, style) = score_text(view, line.score);
            let mut head = Row::default();
            if canvas.width < NARROW {
                head.push(format!("{} ", i + 1), QUIET);
                head.push(format!("{score} "), style);
            } else {
                head.push(format!("{:>2} ", i + 1), QUIET);
                head.push(format!("{score:>7} "), style);
                head.push(format!("{:>3}  ", line.depth), QUIET);
            }
            wrap(head, &words(board, line.line()), canvas, each)
        });
    rows.take(room).collect()
}

/// Sets words behind the head of a line, in as many rows as they need, at most `most`.
fn wrap(head: Row, words: &[String], canvas: Canvas, most: usize) -> Vec<Row> {
    let indent = if 2 * head.width() > canvas.width {
        2
    } else {
        head.width()
    };
    let (mut rows, mut row) = (Vec::new(), head);
    for (i, word) in words.iter().enumerate() {
        let is_last_row = rows.len() + 1 >= most;
        let gap = usize::from(row.0.last().is_some_and(|(text, _)| !text.ends_with(' ')));
        let end = row.width() + gap + word.chars().count();
        // The last row keeps a column for the sign that something is missing.
        let sign = usize::from(is_last_row && i + 1 < words.len());
        if end + sign <= canvas.width {
            row.push(" ".repeat(gap), PLAIN);
        } else if is_last_row {
            row.push(canvas.ellipsis(), QUIET);
            break;
        } else {
            rows.push(row);
            row = Row::plain(" ".repeat(indent));
        }
        row.push(word.clone(), if i == 0 { LOUD } else { PLAIN });
    }
    rows.push(row);
    rows
}

/// Most rows of what the file says about a position, and most of its other lines.
const NOTE_ROWS: usize = 2;
const OTHER_LINES: usize = 2;

/// Returns what the file says about the position on the board: score, signs and comment, and the
/// lines in place of the last move.
fn note_rows(view: &View, canvas: Canvas) -> Vec<Row> {
    let Some(note) = view.note(view.at) else {
        return Vec::new();
    };
    let plain = |text: &str| canvas.written(text);
    let score = note.eval.map(Eval::signed);
    let signs = note.signs.iter().map(|sign| plain(sign));
    let text = plain(&note.text);
    let said = text.split_whitespace().map(str::to_owned);
    let said: Vec<String> = score.into_iter().chain(signs).chain(said).collect();
    let mut rows = Vec::new();
    if !said.is_empty() {
        let mut head = Row::default();
        head.push("file ", QUIET);
        rows.extend(wrap(head, &said, canvas, NOTE_ROWS));
    }
    let mut before = *view.start;
    for &mv in &view.moves[..view.at.saturating_sub(1)] {
        before.make(mv);
    }
    for line in note.lines.iter().take(OTHER_LINES) {
        let mut head = Row::default();
        head.push("  or ", QUIET);
        let score = line.eval.map(Eval::signed);
        let words: Vec<String> = score
            .into_iter()
            .chain(words(&before, &line.moves))
            .collect();
        rows.extend(wrap(head, &words, canvas, 1));
    }
    rows
}

/// Returns the moves around the position on the board, which stands behind the move in brackets, with
/// their marks.
fn moves_row(view: &View, canvas: Canvas) -> Row {
    let mut words = words(view.start, view.moves);
    for (place, word) in words.iter_mut().enumerate() {
        let signs = view.note(place + 1).map_or(&[][..], |note| &note.signs);
        *word += &canvas.written(signs.first().unwrap_or(&""));
    }
    words.insert(0, "start".to_owned());
    words[view.at] = format!("[{}]", words[view.at]);
    let cost = |word: &String| word.chars().count() + 1;
    // Two signs that something is missing, and a space for each.
    let mut left = (canvas.width + 1).saturating_sub(cost(&words[view.at]) + 4);
    let (mut from, mut to) = (view.at, view.at + 1);
    loop {
        let before = from.checked_sub(1).filter(|&i| cost(&words[i]) <= left);
        if let Some(i) = before {
            left -= cost(&words[i]);
            from = i;
        }
        let after = (to < words.len() && cost(&words[to]) <= left).then_some(to);
        if let Some(i) = after {
            left -= cost(&words[i]);
            to = i + 1;
        }
        if before.is_none() && after.is_none() {
            break;
        }
    }
    let mut row = Row::default();
    if from > 0 {
        row.push(format!("{} ", canvas.ellipsis()), QUIET);
    }
    for (i, word) in words.iter().enumerate().take(to).skip(from) {
        let style = match i {
            _ if i == view.at => LOUD,
            _ if i > view.at => QUIET,
            _ => PLAIN,
        };
        let gap = if i > from { " " } else { "" };
        row.push(gap, PLAIN);
        row.push(word.clone(), style);
    }
    if to < words.len() {
        row.push(format!(" {}", canvas.ellipsis()), QUIET);
    }
    row
}

/// Returns a graph of White's share of the points in the positions of the game, as far as they were
/// searched, with the position on the board in bold; `None` if fewer than two were.
fn graph_row(view: &View, canvas: Canvas) -> Option<Row> {
    let mut board = *view.start;
    let mut shares = vec![view.shares.get(&board.key())];
    for &mv in view.moves {
        board.make(mv);
        shares.push(view.shares.get(&board.key()));
    }
    if shares.iter().flatten().count() < 2 {
        return None;
    }
    let steps = if canvas.unicode {
        "▁▂▃▄▅▆▇█"
    } else {
        "12345678"
    };
    let name = "White ";
    let room = canvas.width.saturating_sub(name.len()).max(1);
    // The position on the board stays in the middle of a game that is longer than the row.
    let first = view
        .at
        .saturating_sub(room / 2)
        .min(shares.len().saturating_sub(room));
    let mut row = Row::default();
    row.push(name, QUIET);
    for (place, share) in shares.iter().enumerate().skip(first).take(room) {
        let step = share.and_then(|share| steps.chars().nth((*share as usize * 8 / 1001).min(7)));
        let style = if place == view.at { LOUD } else { QUIET };
        row.push(step.unwrap_or('.'), style);
    }
    Some(row)
}

/// Returns the last row; the keys that matter most come first, and those that do not fit are left
/// out.
fn footer(view: &View, canvas: Canvas) -> Option<Row> {
    let toggle = match view.state {
        State::Searching => "stop",
        State::Stopped => "go on",
        State::Finished => "deeper",
    };
    let arrows = if canvas.unicode { "←→" } else { "arrows" };
    let keys = [
        ("q", "quit"),
        ("space", toggle),
        (arrows, "step"),
        ("n p", "mistakes"),
        ("v", "its line"),
        ("1-9", "play"),
        ("m", "move"),
        ("u", "undo"),
        ("f", "flip"),
        ("+-", "lines"),
    ];
    match &view.footer {
        Footer::None => None,
        Footer::Note(text) => Some(Row::plain(text.clone())),
        Footer::Input(text) => Some(Row::plain(format!("move: {text}_"))),
        Footer::Keys => {
            let mut row = Row::default();
            let other = view
                .note(view.at)
                .is_some_and(|note| !note.lines.is_empty());
            let is_of_use = |(key, _): &(&str, &str)| match *key {
                "n p" => view.notes.has_mistakes(),
                "v" => other,
                _ => true,
            };
            for (key, effect) in keys.into_iter().filter(is_of_use) {
                let gap = if row.0.is_empty() { "" } else { "  " };
                let text = format!("{gap}{key} {effect}");
                if row.width() + text.chars().count() > canvas.width {
                    break;
                }
                row.push(gap, PLAIN);
                row.push(key, LOUD);
                row.push(format!(" {effect}"), PLAIN);
            }
            Some(row)
        }
    }
}

#[cfg(test)]
mod tests;
