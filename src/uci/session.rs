//! The state of a UCI session, and how each event changes it.

mod change;
mod console;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::Event;
use super::command::{self, Command, Go, Mistake};
use super::debug_log::DebugLog;
use super::format::{self, Style};
use super::request::{CheckedGo, GameRequest, NO_BOARD};
use super::settings::Settings;
use super::writer::Writer;
use super::{compiler, options};
use crate::board::{Board, Game};
use crate::build_info;
use crate::search::{Report, SearchRequest};
use crate::smp::{self, Engine};

/// Before this time a GUI gets no bounds and no `currmove`, because fast iterations would flood it with them.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// A `go` that is not answered yet.
#[derive(Debug)]
struct PendingSearch {
    board: Board,
    style: Style,
    start: Instant,
    /// No answer before `stop`.
    infinite: bool,
    /// No answer before `ponderhit` or `stop`.
    pondering: bool,
    /// The search has ended, though its answer may have to wait.
    finished: bool,
    /// There was nothing to search.
    is_void: bool,
    /// No `info` lines before the answer.
    minimal: bool,
    /// The lines of the last report, the best first.
    lines: Vec<Report>,
}

impl PendingSearch {
    fn is_held_back(&self) -> bool {
        self.infinite || self.pondering
    }
}

/// A session of one client with one engine.
#[derive(Debug)]
pub struct Session {
    pub(super) engine: Engine,
    /// The game up to the position to search.
    pub(super) game: Game,
    pub(super) writer: Writer,
    pub(super) settings: Settings,
    pub(super) log: DebugLog,
    /// `debug on`
    debug: bool,
    readable: bool,
    /// The last `position` was refused, so that no board is the one to search.
    position_refused: bool,
    pending: Option<PendingSearch>,
    /// Number of searches that were answered before they ended. That many `Finished` events are still to come, and all reports before the
    /// last of them are ignored.
    stale: usize,
}

impl Session {
    /// Creates a new session.
    pub fn new(engine: Engine, writer: Writer, readable: bool) -> Self {
        Self {
            engine,
            game: Game::new(Board::startpos()),
            writer,
            settings: Settings::default(),
            log: DebugLog::default(),
            debug: false,
            readable,
            position_refused: false,
            pending: None,
            stale: 0,
        }
    }

    /// Returns whether a search runs that ends by itself.
    pub fn is_searching(&self) -> bool {
        (self.pending.as_ref()).is_some_and(|pending| !pending.is_held_back())
    }

    /// Returns when the session must answer the pending search itself; `None` if it need not.
    pub fn deadline(&self) -> Option<Instant> {
        let pending = self.pending.as_ref()?;
        if pending.is_held_back() {
            None
        } else {
            self.engine.deadline()
        }
    }

    /// Handles one event; breaks at the end of the session.
    pub fn handle(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Line(line, read) => {
                log::debug!(">> {line}");
                match command::parse(&line) {
                    Ok(None) => {}
                    Ok(Some(Command::Quit)) => return ControlFlow::Break(()),
                    Ok(Some(command)) => self.execute(command, read),
                    Err(Mistake::Unknown(_)) if self.readable && self.play(&line) => {}
                    Err(mistake) => {
                        if mistake == Mistake::Position {
                            self.answer();
                            self.position_refused = true;
                        }
                        self.note(&mistake.to_string());
                    }
                }
            }
            Event::Engine(event) => self.on_engine_event(event),
            Event::Deadline => self.answer(),
            Event::InputEnded => {
                self.answer();
                return ControlFlow::Break(());
            }
            Event::OutputBroken => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    fn execute(&mut self, command: Command, read: Instant) {
        if self.position_refused && needs_board(&command) {
            self.answer();
            self.note(NO_BOARD);
            return;
        }
        match command {
            Command::Uci => self.print_id(),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.writer.say("readyok"),
            Command::SetOption { name, value } => match options::parse(&name, value.as_deref()) {
                Ok(change) => self.change(change),
                Err(refusal) => self.note(&refusal.to_string()),
            },
            Command::NewGame => {
                self.answer();
                self.engine.new_game();
            }
            Command::Position(position) => {
                self.answer();
                let request = GameRequest::new(&position);
                self.position_refused = request.is_err();
                match request {
                    Ok(request) => {
                        self.notes(&request.remarks);
                        self.game = request.game;
                    }
                    Err(error) => self.note(&format!("position refused: {error}")),
                }
            }
            Command::Go(go) => self.go(go, read),
            Command::Perft(depth) => {
                self.answer();
                self.print(&format::divide(self.board(), depth, self.settings.chess960));
            }
            Command::Stop => self.answer(),
            Command::PonderHit => self.ponder_hit(),
            Command::Display => self.display(),
            Command::Eval => self.explain(),
            Command::Bench(depth) => {
                self.answer();
                self.bench(depth);
            }
            Command::Flip => {
                self.answer();
                self.flip();
            }
            Command::Compiler => self.print(&compiler::describe()),
            Command::Help => self.print(console::HELP),
            Command::Register | Command::Quit => {}
        }
    }

    fn print_id(&mut self) {
        self.readable = false;
        self.writer.say(format!("id name {}", build_info::ENGINE));
        self.writer.say("id author the Rejoinder developers");
        for option in options::listing() {
            self.writer.say(option);
        }
        self.writer.say("uciok");
    }

    /// Reports damage that probing found in the tablebases.
    fn tell_table_faults(&self) {
        if let Some(tables) = &self.engine.probing().tables {
            for fault in tables.take_faults() {
                self.note(&fault);
            }
        }
    }

    fn go(&mut self, go: Go, read: Instant) {
        self.answer();
        let board = *self.board();
        let CheckedGo {
            limits,
            remarks,
            is_void,
        } = CheckedGo::new(go, &board, self.position_refused);
        self.notes(&remarks);
        self.pending = Some(PendingSearch {
            board,
            style: self.style(),
            start: read,
            infinite: limits.infinite,
            pondering: limits.ponder,
            finished: is_void,
            is_void,
            minimal: self.settings.minimal,
            lines: Vec::new(),
        });
        if is_void {
            if !limits.infinite && !limits.ponder {
                self.answer();
            }
            return;
        }
        if self.readable {
            self.writer.write_lossy(format::HEADING);
        }
        self.engine.go(SearchRequest {
            start: read,
            overhead: self.settings.overhead,
            multi_pv: self.settings.multi_pv,
            strength: self.settings.strength(),
            ..SearchRequest::new(self.game.clone(), limits)
        });
        if self.debug
            && let Some(deadline) = self.engine.deadline()
        {
            let budget = deadline.saturating_duration_since(read);
            self.note(&format!("an answer is due after {} ms", budget.as_millis()));
        }
    }

    fn ponder_hit(&mut self) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        pending.pondering = false;
        if pending.finished && !pending.infinite {
            self.answer();
        } else if !pending.is_void {
            self.engine.ponderhit();
        }
    }

    fn on_engine_event(&mut self, event: smp::Event) {
        let is_stale = self.stale > 0;
        match event {
            smp::Event::Finished if is_stale => self.stale -= 1,
            _ if is_stale => {}
            smp::Event::Lines(lines) => self.show_lines(lines),
            smp::Event::Bound(report) => self.show_bound(&report),
            smp::Event::CurrentMove { depth, mv, number } => {
                if let Some(pending) = &self.pending
                    && pending.start.elapsed() >= PATIENCE
                    && !pending.style.readable
                    && !pending.minimal
                {
                    let line =
                        format::current_move(depth, mv, number, &pending.board, pending.style);
                    self.writer.write_lossy(line);
                }
            }
            smp::Event::Finished => {
                if let Some(pending) = &mut self.pending {
                    pending.finished = true;
                    if !pending.is_held_back() {
                        self.answer();
                    }
                }
            }
        }
    }

    fn show_lines(&mut self, lines: Vec<Report>) {
        let Some(pending) = &mut self.pending else {
            return;
        };
        let reports = lines
            .iter()
            .map(|report| format::report(report, &pending.board, pending.style));
        // Lines that were dropped are not shown yet: the answer brings them.
        if pending.minimal || self.writer.write_together(reports) {
            pending.lines = lines;
        }
    }

    fn show_bound(&self, report: &Report) {
        if let Some(pending) = &self.pending
            && !pending.minimal
            && pending.start.elapsed() >= PATIENCE
        {
            self.writer
                .write_lossy(format::report(report, &pending.board, pending.style));
        }
    }

    /// Ends the search, if there is one, with its answer.
    pub(super) fn answer(&mut self) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        if pending.is_void {
            self.writer.say(format::VOID);
            return;
        }
        if !pending.finished {
            self.stale += 1;
        }
        let mut answer = self.engine.stop_and_vote();
        self.tell_table_faults();
        let (board, style) = (&pending.board, pending.style);
        let (shown, lines) = (&pending.lines, &answer.lines);
        let is_shown = !pending.minimal
            && shown.len() == lines.len()
            && shown.iter().zip(lines).all(|(a, b)| same_result(a, b));
        if lines.is_empty() && (shown.is_empty() || pending.minimal) {
            self.writer.say(format::no_move(board));
        }
        let reports = if is_shown {
            shown
        } else {
            answer.lengthen();
            // A report is always complete, so that its lines are in order.
            for report in &answer.lines {
                self.writer.say(format::report(report, board, style));
            }
            &answer.lines
        };
        // Weakened play need not choose the first line.
        let reply = reports.iter().find_map(|report| match *report.line() {
            [first, reply, ..] if first == answer.best => Some(reply),
            _ => None,
        });
        if self.debug {
            self.note(&format!(
                "answered after {} ms",
                pending.start.elapsed().as_millis()
            ));
        }
        let reply = reply
            .or(answer.ponder)
            .filter(|_| self.settings.ponder || style.readable);
        self.writer
            .say(format::best_move(answer.best, reply, board, style));
    }

    /// Returns the position to search.
    pub(super) fn board(&self) -> &Board {
        self.game.board()
    }

    fn style(&self) -> Style {
        Style {
            win_rate: self.engine.setup().network.win_rate(),
            chess960: self.settings.chess960,
            wdl: self.settings.wdl,
            readable: self.readable,
        }
    }

    fn notes(&self, remarks: &[String]) {
        for remark in remarks {
            self.note(remark);
        }
    }

    /// Prints a remark, which a GUI may show.
    pub(super) fn note(&self, text: &str) {
        if self.readable {
            self.writer.write_lossy(text);
        } else {
            self.writer.write_lossy(format!("info string {text}"));
        }
    }
}

/// Returns whether a command other than `go`, which has an answer of its own, is about the board.
fn needs_board(command: &Command) -> bool {
    matches!(
        command,
        Command::Perft(_) | Command::Display | Command::Eval | Command::Flip
    )
}

/// Returns whether two reports differ only in what it cost to get there.
fn same_result(a: &Report, b: &Report) -> bool {
    (a.depth, a.score, a.bound, &a.pv) == (b.depth, b.score, b.bound, &b.pv)
}
