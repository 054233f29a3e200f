//! The Universal Chess Interface. Only this module writes to standard output while the engine
//! plays; while a picture is shown at a terminal, it leaves that to [`terminal`].
//!
//! All events arrive through one channel in one loop: a line that was read, a report from the
//! search, the end of input or of output. While a search has a deadline, the loop does not wait
//! longer than that.
//!
//! Source: R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface", 2006

pub mod command;
mod compiler;
mod console;
mod debug_log;
mod flip;
pub mod format;
pub mod options;
mod sched;
mod session;
mod settings;
mod solo;
mod writer;

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anstream::AutoStream;

use crate::smp::{self, Engine};
use crate::terminal;
use session::{Flow, Session};
use writer::Writer;

/// The longest time that writing the last lines may take at the end of a session.
const FAREWELL: Duration = Duration::from_secs(2);

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

impl Event {
    /// Returns what the engine reports; `None` for any other event. Nothing else matters while a
    /// picture is shown, because no line is read then, and none is written.
    fn report(self) -> Option<smp::Event> {
        match self {
            Self::Engine(event) => Some(event),
            _ => None,
        }
    }
}

/// Runs a session until `quit` or the end of input. The lines of the script come first, each when
/// the search started by an earlier line has ended; then lines are read from standard input. The end
/// of the input does not cut off a search of the script.
///
/// `readable` asks for output that is meant for people. A terminal gets it as well, until the
/// command `uci` is read.
pub fn run(script: Vec<String>, readable: bool) -> ExitCode {
    if cfg!(has_no_threads) {
        return solo::run(&script);
    }
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
    let mut script = VecDeque::from(script);
    let mut unread = Some(events);
    // Somebody types: the next line is read when the last one has been handled, because the keys
    // of a picture come the same way.
    let (turn, turns) = mpsc::channel();
    let typed = io::stdin().is_terminal() && io::stdout().is_terminal();
    let mut turns = typed.then_some(turns);
    let mut searches_script = false;
    let mut leaves = false;
    while !leaves || !session.is_open_to_script() {
        let event = if let Some(line) = script.pop_front_if(|_| session.is_open_to_script()) {
            searches_script = true;
            Event::Line(line, Instant::now())
        } else {
            if script.is_empty()
                && let Some(events) = unread.take()
            {
                let turns = turns.take();
                let reader = thread::Builder::new().spawn(move || {
                    sched::low_latency();
                    read_lines(io::stdin().lock(), &events, turns.as_ref());
                });
                if let Err(error) = reader {
                    writer.say(format!(
                        "info string cannot start the input thread: {error}"
                    ));
                    writer.drain(FAREWELL);
                    return ExitCode::FAILURE;
                }
            }
            next(&inbox, session.deadline())
        };
        let was_read = unread.is_none() && matches!(event, Event::Line(..));
        searches_script &= !was_read;
        if searches_script && matches!(event, Event::InputEnded) {
            leaves = true;
            continue;
        }
        session.allow_pictures(was_read && typed && terminal::is_usable());
        if session.handle(event) == Flow::End {
            break;
        }
        if let Some(task) = session.take_picture() {
            writer.drain(FAREWELL);
            let mut reports = || inbox.try_iter().find_map(Event::report);
            if let Err(error) = session.draw(task, &mut reports) {
                writer.say(format!("info string the terminal fails: {error}"));
                break;
            }
        }
        if was_read {
            // The reader may have gone with the end of the input.
            let _ = turn.send(());
        }
    }
    writer.drain(FAREWELL);
    ExitCode::SUCCESS
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

/// Sends every line with the time of its arrival. Invalid UTF-8 becomes replacement characters, and
/// a byte order mark, with which some systems begin a stream, is left out.
/// With `turns`, it waits for a turn after each line.
fn read_lines(mut input: impl BufRead, events: &Sender<Event>, turns: Option<&Receiver<()>>) {
    let mut bytes = Vec::new();
    while let Ok(1..) = input.read_until(b'\n', &mut bytes) {
        let now = Instant::now();
        let line = String::from_utf8_lossy(&bytes);
        let line = line.trim_start_matches('\u{feff}').trim().to_owned();
        if events.send(Event::Line(line, now)).is_err() {
            return;
        }
        if turns.is_some_and(|turns| turns.recv().is_err()) {
            return;
        }
        bytes.clear();
    }
    drop(events.send(Event::InputEnded));
}
