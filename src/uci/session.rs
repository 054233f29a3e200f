//! The state of a conversation, and what each event does to it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Event;
use super::command::{self, Command, Go, Position, quote};
use super::compiler;
use super::debug_log::DebugLog;
use super::flip::flipped;
use super::format::{self, Style, parse_move};
use super::options::{self, Change};
use super::writer::Writer;
use crate::board::{Board, Game, san};
use crate::build_info;
use crate::commands::bench::{self, Plan};
use crate::eval;
use crate::eval::network;
use crate::search::strength::{self, Strength};
use crate::search::{Report, Setup};
use crate::smp::{self, Engine};
use crate::tablebase::{Probing, Tablebases};
use crate::tt::Bound;

/// A GUI is not told of unsettled scores and single root moves before this, or it may drown in them.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether the conversation goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Continue,
    /// Nothing more will be said.
    End,
}

/// What `setoption` changed, beside what the engine itself keeps.
#[derive(Debug)]
struct Settings {
    ponder: bool,
    multi_pv: usize,
    overhead: Duration,
    chess960: bool,
    wdl: bool,
    minimal: bool,
    skill: i32,
    limit_strength: bool,
    elo: i32,
}

impl Settings {
    fn strength(&self) -> Option<Strength> {
        if self.limit_strength {
            Some(Strength::of_elo(self.elo))
        } else {
            Strength::of_level(self.skill)
        }
    }
}

/// A `go` that is not answered yet.
#[derive(Debug)]
struct PendingSearch {
    board: Board,
    style: Style,
    asked: Instant,
    /// No answer before `stop`.
    infinite: bool,
    /// No answer before `ponderhit` or `stop`.
    pondering: bool,
    /// The search is over; only its answer may be held back.
    finished: bool,
    /// Nothing is shown before the answer.
    minimal: bool,
    /// The last exact report of each line, the best first.
    lines: Vec<Report>,
}

impl PendingSearch {
    fn is_held_back(&self) -> bool {
        self.infinite || self.pondering
    }
}

/// One conversation with one engine.
#[derive(Debug)]
pub struct Session {
    engine: Engine,
    writer: Writer,
    settings: Settings,
    log: DebugLog,
    /// `debug on`
    debug: bool,
    readable: bool,
    question: Option<PendingSearch>,
    /// Searches that were answered before they were over: so many `Finished`, and all reports before the
    /// last of them, are old news.
    stale: usize,
}

impl Session {
    /// A conversation before its first word.
    pub fn new(engine: Engine, writer: Writer, readable: bool) -> Self {
        Self {
            engine,
            writer,
            settings: Settings {
                ponder: false,
                multi_pv: 1,
                overhead: options::DEFAULT_OVERHEAD,
                chess960: false,
                wdl: false,
                minimal: false,
                skill: strength::FULL,
                limit_strength: false,
                elo: strength::GREATEST_ELO,
            },
            log: DebugLog::default(),
            debug: false,
            readable,
            question: None,
            stale: 0,
        }
    }

    /// Whether the next line of a script may come: not while a search runs that ends by itself.
    pub fn is_open_to_script(&self) -> bool {
        self.question
            .as_ref()
            .is_none_or(PendingSearch::is_held_back)
    }

    /// When the search has to be cut off from here, if at all.
    pub fn deadline(&self) -> Option<Instant> {
        let question = self.question.as_ref()?;
        if question.is_held_back() {
            None
        } else {
            self.engine.deadline()
        }
    }

    /// Deals with one event.
    pub fn handle(&mut self, event: Event) -> Flow {
        match event {
            Event::Line(line, read) => {
                log::debug!(">> {line}");
                match command::parse(&line) {
                    Ok(None) => {}
                    Ok(Some(Command::Quit)) => return Flow::End,
                    Ok(Some(command)) => self.execute(command, read),
                    Err(mistake) => self.note(&mistake.to_string()),
                }
            }
            Event::Engine(event) => self.on_engine_event(event),
            Event::Deadline => self.answer(),
            Event::InputEnded => {
                self.answer();
                return Flow::End;
            }
            Event::OutputBroken => return Flow::End,
        }
        Flow::Continue
    }

    fn execute(&mut self, command: Command, read: Instant) {
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
                match game(&position) {
                    Ok(game) => self.engine.set_position(game),
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
            Command::Help => self.print(HELP),
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

    fn change(&mut self, change: Change) {
        if let Err(error) = self.try_change(change) {
            self.note(&error);
        }
    }

    fn try_change(&mut self, change: Change) -> Result<(), String> {
        match change {
            Change::Hash(megabytes) => {
                self.answer();
                self.engine
                    .resize(megabytes)
                    .map_err(|error| error.to_string())?;
            }
            Change::Threads(workers) => {
                self.answer();
                self.engine
                    .set_threads(workers)
                    .map_err(|error| error.to_string())?;
            }
            Change::ClearHash => {
                self.answer();
                self.engine.clear_hash();
            }
            Change::Ponder(on) => self.settings.ponder = on,
            Change::MultiPv(lines) => self.settings.multi_pv = lines,
            Change::MoveOverhead(overhead) => self.settings.overhead = overhead,
            Change::Chess960(on) => self.settings.chess960 = on,
            Change::ShowWdl(on) => self.settings.wdl = on,
            Change::Minimal(on) => self.settings.minimal = on,
            Change::SkillLevel(level) => self.settings.skill = level,
            Change::LimitStrength(on) => self.settings.limit_strength = on,
            Change::Elo(elo) => self.settings.elo = elo,
            Change::DebugLogFile(path) => {
                self.log
                    .open(&path)
                    .map_err(|error| format!("{}: {error}", quote(&path)))?;
            }
            Change::EvalFile(path) => {
                let network = if path.is_empty() {
                    network::embedded()
                } else {
                    network::load(Path::new(&path)).map_err(|error| error.to_string())?
                };
                self.answer();
                let setup = Setup {
                    network,
                    ..self.engine.setup().clone()
                };
                self.engine
                    .set_up(setup)
                    .map_err(|error| error.to_string())?;
            }
            Change::SyzygyPath(folders) => self.open_tables(&folders),
            Change::SyzygyProbeDepth(depth) => self.probe(|probing| probing.depth = depth),
            Change::SyzygyProbeLimit(limit) => self.probe(|probing| probing.limit = limit),
            Change::Syzygy50MoveRule(on) => self.probe(|probing| probing.fifty = on),
            #[cfg(feature = "tune")]
            Change::Parameter(name, value) => {
                self.answer();
                let mut setup = self.engine.setup().clone();
                setup.params.set(name, value)?;
                self.engine
                    .set_up(setup)
                    .map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    /// Looks for endgame tables, and says what there is.
    fn open_tables(&mut self, folders: &str) {
        self.answer();
        let (tables, faults) = Tablebases::open(folders);
        for fault in &faults {
            self.note(&format!("SyzygyPath: {fault}"));
        }
        let [wdl, dtz] = tables.count();
        let largest = tables.largest();
        if !folders.is_empty() {
            self.note(&format!(
                "{wdl} WDL and {dtz} DTZ tables of up to {largest} pieces"
            ));
        }
        let tables = (largest > 0).then(|| Arc::new(tables));
        self.probe(|probing| probing.tables = tables);
    }

    /// Changes how endgame tables are asked, as if `stop` came first.
    fn probe(&mut self, change: impl FnOnce(&mut Probing)) {
        self.answer();
        let mut probing = self.engine.probing().clone();
        change(&mut probing);
        self.engine.set_probing(probing);
    }

    /// Says what was found wrong with the endgame tables while they were asked.
    fn tell_table_faults(&self) {
        if let Some(tables) = &self.engine.probing().tables {
            for fault in tables.take_faults() {
                self.note(&fault);
            }
        }
    }

    fn go(&mut self, go: Go, read: Instant) {
        self.answer();
        for remark in &go.remarks {
            self.note(remark);
        }
        let board = *self.board();
        let mut limits = go.limits;
        for text in &go.search_moves {
            match parse_move(&board, text) {
                Some(mv) => limits.search_moves.push(mv),
                None => self.note(&format!("searchmoves: {} is not legal here", quote(text))),
            }
        }
        self.question = Some(PendingSearch {
            board,
            style: self.style(),
            asked: read,
            infinite: limits.infinite,
            pondering: limits.ponder,
            finished: false,
            minimal: self.settings.minimal,
            lines: Vec::new(),
        });
        if self.readable {
            self.writer.write_lossy(format::HEADING);
        }
        self.engine.set_strength(self.settings.strength());
        self.engine
            .go(limits, read, self.settings.overhead, self.settings.multi_pv);
        if self.debug
            && let Some(deadline) = self.engine.deadline()
        {
            let budget = deadline.saturating_duration_since(read);
            self.note(&format!("an answer is due after {} ms", budget.as_millis()));
        }
    }

    fn ponder_hit(&mut self) {
        let Some(question) = &mut self.question else {
            return;
        };
        question.pondering = false;
        if question.finished && !question.infinite {
            self.answer();
        } else {
            self.engine.ponderhit();
        }
    }

    fn on_engine_event(&mut self, event: smp::Event) {
        let is_stale = self.stale > 0;
        match event {
            smp::Event::Finished if is_stale => self.stale -= 1,
            _ if is_stale => {}
            smp::Event::Report(report) => self.show(&report),
            smp::Event::CurrentMove { depth, mv, number } => {
                if let Some(question) = &self.question
                    && question.asked.elapsed() >= PATIENCE
                    && !question.style.readable
                    && !question.minimal
                {
                    let line =
                        format::current_move(depth, mv, number, &question.board, question.style);
                    self.writer.write_lossy(line);
                }
            }
            smp::Event::Finished => {
                if let Some(question) = &mut self.question {
                    question.finished = true;
                    if !question.is_held_back() {
                        self.answer();
                    }
                }
            }
        }
    }

    fn show(&mut self, report: &Report) {
        let Some(question) = &mut self.question else {
            return;
        };
        let is_settled = report.bound == Bound::Exact;
        if is_settled {
            // Lines come in order: what stood here and below is of an earlier time.
            question.lines.truncate(report.multi_pv - 1);
            question.lines.push(report.clone());
        }
        if !question.minimal && (is_settled || question.asked.elapsed() >= PATIENCE) {
            self.writer
                .write_lossy(format::report(report, &question.board, question.style));
        }
    }

    /// Ends the search, if there is one, with its answer.
    fn answer(&mut self) {
        let Some(question) = self.question.take() else {
            return;
        };
        if !question.finished {
            self.stale += 1;
        }
        let conclusion = self.engine.conclude();
        self.tell_table_faults();
        let (board, style) = (&question.board, question.style);
        let mut lines = question.lines;
        let mut unsaid = if question.minimal { lines.len() } else { 0 };
        if let Some(report) = conclusion.report
            && !lines
                .first()
                .is_some_and(|shown| same_result(shown, &report))
        {
            unsaid = unsaid.max(1);
            lines.splice(..lines.len().min(1), [report]);
        }
        for report in &lines[..unsaid] {
            self.writer.say(format::report(report, board, style));
        }
        if lines.is_empty() {
            self.writer.say(format::no_move(board));
        }
        if self.debug {
            self.note(&format!(
                "answered after {} ms",
                question.asked.elapsed().as_millis()
            ));
        }
        let reply = conclusion
            .ponder
            .filter(|_| self.settings.ponder || style.readable);
        self.writer
            .say(format::best_move(conclusion.best, reply, board, style));
    }

    fn bench(&self, depth: Option<i32>) {
        let mut plan = Plan::usual(self.engine.setup().clone());
        plan.depth = depth.unwrap_or(plan.depth);
        if let Err(error) = bench::run(plan, &mut self.writer.as_write()) {
            self.note(&error.to_string());
        }
    }

    fn board(&self) -> &Board {
        self.engine.game().board()
    }

    fn explain(&mut self) {
        let setup = self.engine.setup();
        let text = eval::explain(&setup.network, setup.kernel, self.board());
        self.print(&text);
    }

    fn style(&self) -> Style {
        Style {
            win_rate: self.engine.setup().network.win_rate(),
            chess960: self.settings.chess960,
            wdl: self.settings.wdl,
            readable: self.readable,
        }
    }

    fn display(&self) {
        let board = self.board();
        let checkers: Vec<String> = board
            .checkers()
            .into_iter()
            .map(|square| square.to_string())
            .collect();
        self.print(&format::diagram(board));
        self.writer
            .say(format!("Fen: {}", board.fen(self.settings.chess960)));
        self.writer.say(format!("Key: {:016X}", board.key()));
        self.writer.say(format!("Checkers: {}", checkers.join(" ")));
    }

    fn flip(&mut self) {
        let fen = flipped(&self.board().fen(true));
        match Board::from_fen(&fen) {
            Ok(board) => self.engine.set_position(Game::new(board)),
            Err(error) => self.note(&format!("position refused: {error}")),
        }
    }

    /// Text for people, in as many lines as it has.
    fn print(&self, text: &str) {
        for line in text.lines() {
            self.writer.say(line);
        }
    }

    /// A remark that a GUI may show.
    fn note(&self, text: &str) {
        if self.readable {
            self.writer.write_lossy(text);
        } else {
            self.writer.write_lossy(format!("info string {text}"));
        }
    }
}

/// Whether two reports differ only in what it cost to get there.
fn same_result(a: &Report, b: &Report) -> bool {
    (a.depth, a.score, &a.pv) == (b.depth, b.score, &b.pv)
}

/// The game that a `position` line tells.
fn game(position: &Position) -> Result<Game, String> {
    let board = match &position.fen {
        None => Board::startpos(),
        Some(fen) => Board::from_fen(fen).map_err(|error| error.to_string())?,
    };
    let mut game = Game::new(board);
    for text in &position.moves {
        let mv = parse_move(game.board(), text)
            .or_else(|| san::parse(game.board(), text))
            .ok_or_else(|| format!("{} is not legal", quote(text)))?;
        game.play(mv);
    }
    Ok(game)
}

const HELP: &str = "\
position startpos moves e4 e7e5     set up a position; moves as in UCI or in books
go movetime 5000                    think for five seconds; also depth, nodes, mate, infinite, wtime …
stop                                answer now
setoption name Threads value 2      change an option; 'uci' lists them
go perft 5                          count the positions five plies on
d, eval, flip                       show the board, its evaluation; change its colours
bench                               the fixed run that measures speed
compiler                            what this program was built with
quit                                leave";
