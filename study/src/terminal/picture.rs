//! The picture of an analysis: a pure function from what is known to lines of text.

use std::time::Duration;

use anstyle::{Ansi256Color, AnsiColor, Style};

use rejoinder::board::{Board, FIFTY_MOVES, Game, san::numbered};
use rejoinder::eval::win_rate::{self, WinRate};
use rejoinder::search::Report;
use rejoinder::types::{Color, Move, Piece, Score, Square, score};

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

/// The last row of the picture.
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

/// Everything that the picture shows.
#[derive(Debug)]
pub(super) struct View<'a> {
    /// The game up to the position on the board.
    pub game: &'a Game,
    /// The position before the first move.
    pub start: &'a Board,
    /// The moves from there, with those that are still to come.
    pub moves: &'a [Move],
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

/// The terminal that the picture has to fit into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paper {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Whether it shows colors.
    pub color: bool,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
}

impl Paper {
    fn ellipsis(self) -> char {
        if self.unicode { '…' } else { '>' }
    }
}

/// The columns of the board, its bar and the space behind it.
const BOARD: usize = 26;
const BAR: usize = 4;
const GAP: usize = 3;
/// The columns of the names of the numbers.
const NAME: usize = 8;
/// Below this width, lines have no depth.
const NARROW: usize = 36;
/// From this width on, the numbers stand beside the board.
const WIDE: usize = 56;
/// The rows of the board with the letters of its files.
const RANKS: usize = 9;

const PLAIN: Style = Style::new();
const LOUD: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// From this score on, in internal centipawns, a side stands better.
const EDGE: Score = 15;

const fn ansi(code: u8) -> anstyle::Color {
    anstyle::Color::Ansi256(Ansi256Color(code))
}

/// The backgrounds of dark and light squares and of the squares of the last move. White and black
/// letters can be read on all of them.
const SQUARES: [anstyle::Color; 3] = [ansi(60), ansi(67), ansi(136)];
/// The letters of White and of Black, and the colors of the bar.
const LETTERS: [anstyle::Color; 2] = [ansi(231), ansi(16)];
const BAR_COLORS: [anstyle::Color; 2] = [ansi(254), ansi(237)];

/// A row of styled text.
#[derive(Clone, Debug, Default)]
struct Row(Vec<(String, Style)>);

impl Row {
    fn push(&mut self, text: impl Into<String>, style: Style) {
        self.0.push((text.into(), style));
    }

    fn plain(text: impl Into<String>) -> Self {
        Self(vec![(text.into(), PLAIN)])
    }

    /// Returns the columns it takes: every character that is ever shown takes one.
    fn width(&self) -> usize {
        self.0.iter().map(|(text, _)| text.chars().count()).sum()
    }

    /// Cuts what is beyond this width.
    fn fit(mut self, width: usize, ellipsis: char) -> Self {
        if self.width() <= width {
            return self;
        }
        let mut left = width.saturating_sub(1);
        for (text, _) in &mut self.0 {
            let count = text.chars().count().min(left);
            *text = text.chars().take(count).collect();
            left -= count;
        }
        if width > 0 {
            self.push(ellipsis, PLAIN);
        }
        self
    }

    fn render(self, color: bool) -> String {
        let styled = |(text, style): (String, Style)| {
            if color && style != PLAIN && !text.is_empty() {
                format!("{style}{text}{style:#}")
            } else {
                text
            }
        };
        let text: String = self.0.into_iter().map(styled).collect();
        if color {
            text
        } else {
            text.trim_end().to_owned()
        }
    }
}

/// Draws the picture: at most as many lines as the paper has, none wider than it.
pub(super) fn draw(view: &View, paper: Paper) -> Vec<String> {
    let render = |row: Row| row.fit(paper.width, paper.ellipsis()).render(paper.color);
    layout(view, paper).into_iter().map(render).collect()
}

fn layout(view: &View, paper: Paper) -> Vec<Row> {
    let footer = footer(view, paper).filter(|_| paper.height >= 3);
    let height = paper.height - usize::from(footer.is_some());
    let mut rows = head(view, paper, height);
    let lines = view.lines.len().max(1);
    if !view.moves.is_empty() && height > rows.len() + lines.min(3) {
        rows.push(moves_row(view, paper));
    }
    if !rows.is_empty() && height > rows.len() + lines {
        rows.push(Row::default());
    }
    let room = height.saturating_sub(rows.len());
    rows.extend(line_rows(view, paper, room));
    rows.truncate(height);
    if let Some(footer) = footer {
        rows.resize(height, Row::default());
        rows.push(footer);
    }
    rows
}

/// Returns what stands above the lines: as much as fits.
fn head(view: &View, paper: Paper, height: usize) -> Vec<Row> {
    let facts = facts(view, paper.width.saturating_sub(BOARD + BAR + GAP + NAME));
    if height > RANKS && paper.width >= WIDE {
        let mut rows = board_rows(view, paper, true);
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
    if height >= RANKS + 3 && paper.width >= BOARD {
        let mut rows = board_rows(view, paper, paper.width >= BOARD + BAR);
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
fn board_rows(view: &View, paper: Paper, with_bar: bool) -> Vec<Row> {
    let order = |i: u8| if view.flipped { i } else { 7 - i };
    let board = view.game.board();
    let last = (view.game.ply() > 0).then(|| view.game.played(1).mv);
    let bar = bar(view, paper);
    let mut rows: Vec<Row> = (0..8)
        .map(|i| {
            let rank = order(i);
            let mut row = Row::default();
            row.push(format!("{} ", rank + 1), QUIET);
            for file in (0..8).map(|i| 7 - order(i)) {
                let square = Square::at(file, rank);
                let touched = last.is_some_and(|mv| [mv.from(), mv.to()].contains(&square));
                let (text, style) = cell(board.piece_on(square), square, touched, paper.color);
                row.push(text, style);
            }
            if with_bar {
                row.push("  ", PLAIN);
                let (text, style) = bar[i as usize];
                row.push(text.to_string().repeat(BAR - 2), style);
            }
            row
        })
        .collect();
    let files: Vec<String> = (0..8)
        .map(|i| format!(" {} ", char::from(b'a' + 7 - order(i))))
        .collect();
    let files = files.concat();
    let mut row = Row::default();
    row.push(format!("  {files}"), QUIET);
    if with_bar {
        row.push(" ".repeat(BAR), PLAIN);
    }
    rows.push(row);
    rows
}

/// Returns a square of the board: without colors, a dot is an empty square, and the piece that has
/// just moved stands in brackets.
fn cell(piece: Option<Piece>, square: Square, touched: bool, color: bool) -> (String, Style) {
    let letter = piece.map(Piece::letter);
    if !color {
        return match letter {
            Some(letter) if touched => (format!("[{letter}]"), PLAIN),
            _ => (format!(" {} ", letter.unwrap_or('.')), PLAIN),
        };
    }
    let is_light = (square.file() + square.rank()) % 2;
    let background = SQUARES[if touched { 2 } else { is_light as usize }];
    let ink = piece.map(|piece| LETTERS[piece.color().index()]);
    let style = Style::new().bold().bg_color(Some(background)).fg_color(ink);
    (format!(" {} ", letter.unwrap_or(' ')), style)
}

/// Returns the eight cells of the evaluation bar from top to bottom: White's share of the points is
/// drawn from White's side of the board, in steps of half a cell.
fn bar(view: &View, paper: Paper) -> [(char, Style); 8] {
    let Some(share) = white_share(view) else {
        return [(' ', PLAIN); 8];
    };
    let halves = (share * 16 + 500) / 1000;
    let [white, black] = BAR_COLORS;
    let style = if paper.color {
        Style::new().fg_color(Some(white)).bg_color(Some(black))
    } else {
        PLAIN
    };
    let [none, half, whole] = match (paper.unicode, paper.color) {
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

/// How the rules or the position end the game.
enum Ending {
    Mate(Color),
    Stalemate,
    Draw(&'static str),
}

/// Returns how the game has ended on the board, if it has.
fn ending(game: &Game) -> Option<Ending> {
    let board = game.board();
    if board.legal_moves().is_empty() {
        return Some(if board.in_check() {
            Ending::Mate(!board.side_to_move())
        } else {
            Ending::Stalemate
        });
    }
    game.outcome().map(|_| {
        Ending::Draw(if board.insufficient_material() {
            "insufficient material"
        } else if board.halfmove_clock() >= FIFTY_MOVES {
            "fifty moves"
        } else {
            "third repetition"
        })
    })
}

const fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// White's share of the points to expect, per mille; `None` before anything is known.
fn white_share(view: &View) -> Option<u32> {
    match ending(view.game) {
        Some(Ending::Mate(Color::White)) => return Some(1000),
        Some(Ending::Mate(Color::Black)) => return Some(0),
        Some(Ending::Stalemate) => return Some(500),
        _ => {}
    }
    let [win, draw, _] = chances(view)?;
    Some(win + draw / 2)
}

/// White's chances to win, to draw and to lose, per mille.
fn chances(view: &View) -> Option<[u32; 3]> {
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
        Some(Ending::Mate(winner)) => format!("Checkmate: {} wins", name(winner)),
        Some(Ending::Stalemate) => "Stalemate: a draw".to_owned(),
        Some(Ending::Draw(rule)) => format!("Draw: {rule}"),
        None => format!("{side} to move, {doing}"),
    };
    let mut facts = vec![("", headline, LOUD)];
    let Some(best) = view.lines.first() else {
        return facts;
    };
    let (score, style) = score_text(view, best.score);
    facts.push(("score", score, style));
    if let Some(chances) = chances(view) {
        // Three rounded shares do not always add up to 100, so the draws get the rest.
        let [white, _, black] = chances.map(|share| (share + 5) / 10);
        let draw = 100u32.saturating_sub(white + black);
        let mut text = format!("White {white}% draw {draw}% Black {black}%");
        if text.len() > room {
            text = format!("+{white}% ={draw}% -{black}%");
        }
        facts.push(("chances", text, PLAIN));
    }
    let depth = format!("{}/{}", best.depth, best.seldepth);
    facts.push(("depth", depth, PLAIN));
    let time = format!("{:.1} s", view.elapsed.as_secs_f64());
    facts.push(("time", time, PLAIN));
    facts.push(("nodes", grouped(view.nodes), PLAIN));
    let millis = view.elapsed.as_millis().max(1) as u64;
    let speed = view.nodes.saturating_mul(1000) / millis;
    facts.push(("speed", format!("{}/s", grouped(speed)), PLAIN));
    facts.push(("hash", format!("{}%", view.hashfull / 10), PLAIN));
    if view.tb_hits > 0 {
        facts.push(("tables", format!("{} hits", grouped(view.tb_hits)), PLAIN));
    }
    facts
}

/// Writes moves in SAN with their numbers, one word each.
fn words(board: &Board, moves: &[Move]) -> Vec<String> {
    let moves = numbered(board, moves).into_iter();
    moves.map(|(number, san)| number + &san).collect()
}

/// Returns the rows of the lines of the search, at most `room` of them. Each line gets the same
/// number of rows, so that nothing jumps when another one becomes longer.
fn line_rows(view: &View, paper: Paper, room: usize) -> Vec<Row> {
    let shown = view.lines.len().min(view.wanted);
    let each = (room / view.wanted.max(1)).clamp(1, 3);
    let board = view.game.board();
    let rows = view.lines[..shown]
        .iter()
        .enumerate()
        .flat_map(|(i, line)| {
            let (score, style) = score_text(view, line.score);
            let mut head = Row::default();
            if paper.width < NARROW {
                head.push(format!("{} ", i + 1), QUIET);
                head.push(format!("{score} "), style);
            } else {
                head.push(format!("{:>2} ", i + 1), QUIET);
                head.push(format!("{score:>7} "), style);
                head.push(format!("{:>3}  ", line.depth), QUIET);
            }
            wrap(head, &words(board, line.line()), paper, each)
        });
    rows.take(room).collect()
}

/// Sets words behind the head of a line, in as many rows as they need, at most `most`.
fn wrap(head: Row, words: &[String], paper: Paper, most: usize) -> Vec<Row> {
    let indent = if 2 * head.width() > paper.width {
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
        if end + sign <= paper.width {
            row.push(" ".repeat(gap), PLAIN);
        } else if is_last_row {
            row.push(paper.ellipsis(), QUIET);
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

/// Returns the moves around the position on the board, which stands behind the move in brackets.
fn moves_row(view: &View, paper: Paper) -> Row {
    let mut words = words(view.start, view.moves);
    words.insert(0, "start".to_owned());
    words[view.at] = format!("[{}]", words[view.at]);
    let cost = |word: &String| word.chars().count() + 1;
    // Two signs that something is missing, and a space for each.
    let mut left = (paper.width + 1).saturating_sub(cost(&words[view.at]) + 4);
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
        row.push(format!("{} ", paper.ellipsis()), QUIET);
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
        row.push(format!(" {}", paper.ellipsis()), QUIET);
    }
    row
}

/// Returns the last row; the keys that matter most come first, and those that do not fit are left
/// out.
fn footer(view: &View, paper: Paper) -> Option<Row> {
    let toggle = match view.state {
        State::Searching => "stop",
        State::Stopped => "go on",
        State::Finished => "deeper",
    };
    let arrows = if paper.unicode { "←→" } else { "arrows" };
    let keys = [
        ("q", "quit"),
        ("space", toggle),
        (arrows, "step"),
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
            for (key, effect) in keys {
                let gap = if row.0.is_empty() { "" } else { "  " };
                let text = format!("{gap}{key} {effect}");
                if row.width() + text.chars().count() > paper.width {
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
