//! The Universal Chess Interface. Only this module writes to standard output while the engine
//! plays.
//!
//! All events arrive through one channel in one loop: a line that was read, a report from the
//! search, the end of input or of output. While a search has a deadline, the loop does not wait
//! longer than that.
//!
//! Source: R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface", 2006

pub mod command;
mod compiler;
mod debug_log;
mod flip;
pub mod format;
pub mod options;
pub mod request;
mod sched;
mod session;
mod settings;
mod writer;

use std::convert::Infallible;
use std::io::{self, BufRead, IsTerminal, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anstream::AutoStream;

use crate::build_info::ENGINE;
use crate::native_text;
use crate::smp::{self, Engine};
pub use session::PATIENCE;
use session::Session;
use writer::Writer;

/// The longest time that writing the last lines may take at the end of a session.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a person sees who starts the program at a terminal.
const GREETING: &str =
    "Type 'help' for the commands; the program rejoinder-study plays and analyzes here.";

/// An event that the session reacts to.
#[derive(Debug)]
enum Event {
    /// A line was read at this time.
    Line(String, Instant),
    /// The input has ended.
    InputEnded,
    /// The output cannot be written any more.
    OutputBroken,
    /// The engine reports something.
    Engine(smp::Event),
    /// The deadline has passed, so the search should have ended by itself.
    Deadline,
}

/// Runs a session until `quit` or the end of input. The lines of the script come first, each when
/// the search started by an earlier line has ended; then lines are read from standard input. The end
/// of an input without lines does not cut off a search of the script.
///
/// `readable` asks for output that is meant for people. A terminal gets it as well, until the
/// command `uci` is read.
pub fn run(script: Vec<String>, readable: bool) -> ExitCode {
    sched::low_latency();
    let (events, inbox) = mpsc::channel();
    let to_loop = events.clone();
    let output_broken = move || drop(to_loop.send(Event::OutputBroken));
    let writer = match Writer::start(AutoStream::auto(io::stdout()), output_broken) {
        Ok(writer) => writer,
        Err(error) => {
            let mut out = io::stdout();
            // If this fails, the error cannot be reported anywhere.
            let _ = writeln!(out, "info string cannot start the output thread: {error}");
            return ExitCode::FAILURE;
        }
    };
    let to_loop = events.clone();
    let sink = move |event| drop(to_loop.send(Event::Engine(event)));
    let engine = match Engine::new(
        Arc::new(sink),
        options::DEFAULT_HASH,
        options::DEFAULT_THREADS,
    ) {
        Ok(engine) => engine,
        Err(error) => {
            writer.say(format!("info string {error}"));
            writer.drain(FAREWELL);
            return ExitCode::FAILURE;
        }
    };
    let readable = readable || io::stdout().is_terminal();
    let mut session = Session::new(engine, writer.clone(), readable);
    if script.is_empty() && io::stdin().is_terminal() && io::stdout().is_terminal() {
        writer.say(format!("{ENGINE}. {GREETING}"));
    }
    if run_script(&mut session, script, &inbox).is_continue() {
        if let Err(error) = start_reading(events) {
            writer.say(format!(
                "info string cannot start the input thread: {error}"
            ));
            writer.drain(FAREWELL);
            return ExitCode::FAILURE;
        }
        let ControlFlow::Break(()) = run_input(&mut session, &inbox);
    }
    writer.drain(FAREWELL);
    ExitCode::SUCCESS
}

/// Handles the lines of the script.
fn run_script(
    session: &mut Session,
    script: Vec<String>,
    inbox: &Receiver<Event>,
) -> ControlFlow<()> {
    for line in script {
        finish_search(session, inbox)?;
        session.handle(Event::Line(line, Instant::now()))?;
    }
    ControlFlow::Continue(())
}

/// Handles what is read, until the session ends. The end of an input without lines does not cut off
/// a search of the script.
fn run_input(session: &mut Session, inbox: &Receiver<Event>) -> ControlFlow<(), Infallible> {
    let mut has_read = false;
    loop {
        let event = next(inbox, session.deadline());
        has_read |= matches!(event, Event::Line(..));
        if matches!(event, Event::InputEnded) && !has_read {
            finish_search(session, inbox)?;
        }
        session.handle(event)?;
    }
}

/// Handles events until no search runs that ends by itself.
fn finish_search(session: &mut Session, inbox: &Receiver<Event>) -> ControlFlow<()> {
    while session.is_searching() {
        session.handle(next(inbox, session.deadline()))?;
    }
    ControlFlow::Continue(())
}

/// Waits for the next event, or returns the deadline once it has passed.
fn next(inbox: &Receiver<Event>, deadline: Option<Instant>) -> Event {
    let Some(deadline) = deadline else {
        return inbox.recv().unwrap_or(Event::InputEnded);
    };
    // Many waiting events must not hide that the deadline has passed.
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Event::Deadline;
    }
    inbox
        .recv_timeout(left)
        .unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Event::Deadline,
            RecvTimeoutError::Disconnected => Event::InputEnded,
        })
}

/// Starts a thread that reads standard input.
fn start_reading(events: Sender<Event>) -> io::Result<()> {
    thread::Builder::new().spawn(move || {
        sched::low_latency();
        read_lines(io::stdin().lock(), &events);
    })?;
    Ok(())
}

/// Sends every line with the time of its arrival. A byte order mark, with which some
/// systems begin a stream, is left out.
fn read_lines(mut input: impl BufRead, events: &Sender<Event>) {
    let mut bytes = Vec::new();
    while let Ok(1..) = input.read_until(b'\n', &mut bytes) {
        let now = Instant::now();
        let line = native_text::decode(&bytes);
        let line = line.trim_start_matches('\u{feff}').trim().to_owned();
        if events.send(Event::Line(line, now)).is_err() {
            return;
        }
        bytes.clear();
    }
    drop(events.send(Event::InputEnded));
}
