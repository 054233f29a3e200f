//! An analysis at a terminal, live: board, evaluation bar, lines and numbers, drawn
//! in place, with keys to stop, to go deeper and to step through the moves.
//!
//! [`Study`] has the moves, `live` the search, `view` makes lines of text of both, and `screen`
//! is the terminal. Systems without a terminal have a screen that cannot be opened, and print plain
//! lines as every system does when the output is not a terminal.

mod board;
mod key;
mod live;
#[cfg(target_family = "wasm")]
mod no_screen;
mod row;
#[cfg(not(target_family = "wasm"))]
mod screen;
mod study;
mod view;

use std::collections::HashMap;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rejoinder::board::Game;
use rejoinder::board::san::to_san;
use rejoinder::clock::Limits;
use rejoinder::smp::{Answer, Engine, Event};
use rejoinder::types::Move;

use crate::annotate::Notes;
use board::Size;
use key::Key;
use live::Live;
#[cfg(target_family = "wasm")]
use no_screen as screen;
use row::Canvas;
use screen::Screen;
use view::{Footer, State, View};

pub use study::Study;

/// The time between two drawings; search events are polled at least this often.
const FRAME: Duration = Duration::from_millis(50);
/// A search that ends within this time is not drawn while it runs.
const BLINK: Duration = Duration::from_millis(150);
/// The greatest number of lines that can be asked for by keys.
const MOST_LINES: usize = 9;

/// Returns the board of a game as text, in the colors and signs of the terminal at standard output, or
/// plain if there is none. `ascii` leaves the figurines out.
pub fn board_text(game: &Game, flipped: bool, ascii: bool) -> String {
    let canvas = looks(ascii).unwrap_or(Canvas::PLAIN);
    let is_large = canvas.width >= Size::LARGE.width() && canvas.height >= 2 * Size::LARGE.height();
    let size = if is_large { Size::LARGE } else { Size::SMALL };
    let rows = board::rows(game, flipped, canvas, size).into_iter();
    let rows: Vec<String> = rows.map(|row| row.render(canvas.color)).collect();
    rows.join("\n") + "\n"
}

/// Returns how a game has ended by the rules, in words; `None` if it goes on.
pub fn ending_text(game: &Game) -> Option<String> {
    board::ending(game).map(|ending| ending.text())
}

/// Returns the size and the abilities of the terminal; `None` if there is none.
fn looks(ascii: bool) -> Option<Canvas> {
    let canvas = screen::looks()?;
    Some(Canvas {
        unicode: canvas.unicode && !ascii,
        figurines: canvas.figurines && !ascii,
        ..canvas
    })
}

/// An analysis to show.
#[derive(Debug)]
pub struct Task {
    /// The moves, and the place among them where the analysis begins.
    pub study: Study,
    /// The players and the result of the game; empty if they are not known.
    pub title: String,
    /// What the file of the game says about it.
    pub(crate) notes: Notes,
    /// Number of search threads.
    pub threads: usize,
    /// The limits of the first search. It closes by itself when it ends, unless a key was
    /// pressed. Searches that are started by keys have no limit.
    pub limits: Limits,
    /// The time at which the first search was asked for.
    pub begin: Instant,
    /// Number of lines to search, at least 1.
    pub multi_pv: usize,
    /// True if it stays open until the user closes it.
    pub stays: bool,
    /// Whether only signs of ASCII are drawn.
    pub ascii: bool,
}

/// Returns whether there is a terminal that can be drawn on and gives keys, and nobody has typed
/// ahead.
pub fn is_usable() -> bool {
    screen::looks().is_some() && !screen::input_waits()
}

/// Shows an analysis until it ends or the user closes it. Returns the last view and the best
/// move, as lines of text. The engine must not have searched before; `next_event` returns what it
/// reports, without waiting.
///
/// # Errors
/// If the terminal fails. The search has ended in this case too.
pub fn run(
    engine: &mut Engine,
    next_event: &mut dyn FnMut() -> Option<Event>,
    task: Task,
) -> io::Result<Vec<String>> {
    let mut canvas = looks(task.ascii).ok_or(io::ErrorKind::Unsupported)?;
    let shares = (task.notes.chances(task.study.start()).iter())
        .map(|(board, chance)| (board.key(), view::per_mille(*chance)))
        .collect();
    let mut session = Session {
        live: Live::new(engine),
        study: task.study,
        title: task.title,
        notes: task.notes,
        threads: task.threads,
        shares,
        multi_pv: task.multi_pv.max(1),
        flipped: false,
        input: None,
        note: None,
        is_touched: task.stays,
        is_closed: false,
    };
    let game = session.study.game();
    session
        .live
        .go(game, task.limits, session.multi_pv, task.begin);
    let soon = Instant::now() + BLINK;
    while !session.is_done() && !task.stays && Instant::now() < soon {
        session.listen(next_event);
        thread::sleep(Duration::from_millis(2));
    }
    if !session.is_done() {
        let mut screen = Screen::open()?;
        while !session.is_done() {
            session.listen(next_event);
            canvas = looks(task.ascii).unwrap_or(canvas);
            screen.draw(&session.rows(canvas))?;
            let mut key = screen.key(FRAME)?;
            while let Some(pressed) = key {
                if pressed == Key::Suspend {
                    screen.suspend()?;
                } else if session.press(pressed) {
                    // At once: the lines of the position before are of no use to the next key.
                    session.look_again();
                }
                key = screen.key(Duration::ZERO)?;
            }
        }
    }
    Ok(session.leave(canvas))
}

/// The state of an analysis: what is drawn, and what keys change.
struct Session<'e> {
    live: Live<'e>,
    study: Study,
    title: String,
    /// What the file says.
    notes: Notes,
    threads: usize,
    /// White's winning chance in the positions that were searched here or for the file, per mille, by
    /// their keys.
    shares: HashMap<u64, u32>,
    multi_pv: usize,
    flipped: bool,
    /// The move typed so far.
    input: Option<String>,
    /// A message in place of the keys, until the next key.
    note: Option<String>,
    /// True if it stays open after the end of the search.
    is_touched: bool,
    /// The user closed it.
    is_closed: bool,
}

impl Session<'_> {
    fn listen(&mut self, next_event: &mut dyn FnMut() -> Option<Event>) {
        while let Some(event) = next_event() {
            self.live.hear(event);
        }
        self.live.check_deadline();
        let game = self.study.game();
        if let Some(share) = self.view(&game, Footer::None).white_share() {
            self.shares.insert(game.board().key(), share);
        }
    }

    fn is_done(&self) -> bool {
        self.is_closed || !self.is_touched && self.live.state != State::Searching
    }

    /// Handles a key. Returns whether the position on the board or the number of lines is another
    /// one now.
    fn press(&mut self, key: Key) -> bool {
        if key == Key::Redraw {
            return false;
        }
        self.is_touched = true;
        self.note = None;
        if key == Key::Interrupt {
            self.is_closed = true;
            return false;
        }
        if let Some(text) = self.input.take() {
            return self.edit(text, key);
        }
        match key {
            Key::Sign('q') | Key::Escape => self.is_closed = true,
            Key::Sign(' ') if self.live.state != State::Searching => self.go_on(),
            Key::Sign(' ' | 's') => self.live.conclude(State::Stopped),
            Key::Sign('g') => self.go_on(),
            Key::Sign('n') => return self.go_to_mistake(true),
            Key::Sign('p') => return self.go_to_mistake(false),
            Key::Sign('v') => return self.play_other_line(),
            Key::Sign('m') => self.input = Some(String::new()),
            Key::Sign('f') => self.flipped = !self.flipped,
            Key::Sign('+' | '=') if self.multi_pv < MOST_LINES => {
                return self.ask_for(self.multi_pv + 1);
            }
            Key::Sign('-') if self.multi_pv > 1 => return self.ask_for(self.multi_pv - 1),
            Key::Sign(digit @ '1'..='9') => return self.play_line(digit as usize - '1' as usize),
            Key::Sign('u') | Key::Backspace => {
                let undone = self.study.undo();
                self.note = (!undone).then(|| "there is nothing to undo".to_owned());
                return undone;
            }
            Key::Right => {
                let best = self.live.lines.first().map_or(&[][..], |line| &line.pv);
                return self.study.forward(best);
            }
            Key::Left => return self.study.at() > 0 && self.study.go_to(self.study.at() - 1),
            Key::Home => return self.study.go_to(0),
            Key::End => return self.study.go_to(usize::MAX),
            _ => {}
        }
        false
    }

    /// Handles a key while a move is being typed; returns whether it was played.
    fn edit(&mut self, mut text: String, key: Key) -> bool {
        const LONGEST: usize = 10;
        match key {
            Key::Escape => return false,
            Key::Enter if text.is_empty() => return false,
            Key::Enter => {
                let move_there = study::move_of(self.study.game().board(), &text);
                match move_there {
                    Some(mv) => self.study.play(mv),
                    None => self.note = Some(format!("{text} is not a legal move here")),
                }
                return move_there.is_some();
            }
            Key::Backspace => drop(text.pop()),
            Key::Sign(sign) if text.len() < LONGEST && sign.is_ascii_graphic() => text.push(sign),
            _ => {}
        }
        self.input = Some(text);
        false
    }

    /// Plays the first move of a line; lines are counted from 0.
    fn play_line(&mut self, line: usize) -> bool {
        let first = self.live.lines.get(line).and_then(|line| line.pv.first());
        let Some(&mv) = first else {
            self.note = Some(format!("there is no line {}", line + 1));
            return false;
        };
        self.study.play(mv);
        true
    }

    /// Goes to the next mistake of the file, or the one before; returns whether there is one.
    fn go_to_mistake(&mut self, is_next: bool) -> bool {
        let played = &self.study.moves()[..self.study.at()];
        let Some(place) = self.notes.mistake(played, is_next) else {
            let side = if is_next { "behind" } else { "before" };
            self.note = Some(format!("there is no mistake {side} this position"));
            return false;
        };
        self.study.take(self.notes.moves().to_vec(), place);
        true
    }

    /// Plays the first move of the line that the file has in place of the last move; returns whether
    /// there is one.
    fn play_other_line(&mut self) -> bool {
        let at = self.study.at();
        let played = &self.study.moves()[..at];
        let line = (self.notes.at(played)).and_then(|note| note.lines.first());
        let Some(line) = line else {
            self.note = Some("the file has no other line here".to_owned());
            return false;
        };
        let moves = [&played[..at - 1], &line.moves].concat();
        self.study.take(moves, at);
        true
    }

    /// Changes the number of lines; returns whether the search has to begin again for that.
    fn ask_for(&mut self, lines: usize) -> bool {
        self.multi_pv = lines;
        let is_searching = self.live.state == State::Searching;
        if !is_searching && lines > self.live.lines.len() {
            self.note = Some(format!("space searches {lines} lines"));
        }
        is_searching
    }

    /// Searches the position on the board without limit.
    fn go_on(&mut self) {
        let limits = Limits {
            infinite: true,
            ..Limits::default()
        };
        let game = self.study.game();
        self.live.go(game, limits, self.multi_pv, Instant::now());
    }

    /// Restarts the search for the current position unless the user stopped it.
    fn look_again(&mut self) {
        if self.live.state == State::Stopped {
            self.live.forget();
        } else {
            self.go_on();
        }
    }

    fn draw(&self, canvas: Canvas, footer: Footer) -> Vec<String> {
        view::draw(&self.view(&self.study.game(), footer), canvas)
    }

    /// Returns what is shown; `game` is that of the position on the board.
    fn view<'a>(&'a self, game: &'a Game, footer: Footer) -> View<'a> {
        let used = self.live.counters();
        View {
            game,
            title: &self.title,
            notes: &self.notes,
            start: self.study.start(),
            moves: self.study.moves(),
            shares: &self.shares,
            at: self.study.at(),
            lines: &self.live.lines,
            wanted: self.multi_pv,
            win_rate: self.live.engine().setup().network.win_rate(),
            state: self.live.state,
            threads: self.threads,
            elapsed: used.elapsed,
            nodes: used.nodes,
            hashfull: used.hashfull,
            tb_hits: used.tb_hits,
            flipped: self.flipped,
            footer,
        }
    }

    fn rows(&self, canvas: Canvas) -> Vec<String> {
        let footer = match (&self.input, &self.note) {
            (Some(text), _) => Footer::Input(text.clone()),
            (None, Some(note)) => Footer::Note(note.clone()),
            (None, None) => Footer::Keys,
        };
        self.draw(canvas, footer)
    }

    /// Ends the analysis: the last view becomes text that stays.
    fn leave(mut self, canvas: Canvas) -> Vec<String> {
        let best = self.live.end();
        let canvas = Canvas {
            height: canvas.height.max(24),
            ..canvas
        };
        let mut text = self.draw(canvas, Footer::None);
        text.extend(self.answer(&best));
        text
    }

    /// Returns the best move in words, if there is one. A search that was stopped long ago still
    /// has its answer.
    fn answer(&self, best: &Answer) -> Option<String> {
        let mut board = *self.study.game().board();
        let mut write = |mv: Move| {
            let legal = board.is_legal(mv);
            let san = legal.then(|| to_san(&board, mv))?;
            board.make(mv);
            Some(san)
        };
        let first = write(best.best)?;
        Some(match best.ponder.and_then(write) {
            Some(reply) => format!("best move: {first}, expecting {reply}"),
            None => format!("best move: {first}"),
        })
    }
}
