//! The Universal Chess Interface. The only module that writes to standard output while the engine plays.
//!
//! Everything that happens comes through one channel into one loop: a line that was read, a report from
//! the search, the end of input or of output. While a search has a deadline, the loop waits no longer than that.
//!
//! Source: Huber and Meyer-Kahlen 2006, the UCI protocol

pub mod command;
pub mod compiler;
mod console;
mod debug_log;
mod flip;
pub mod format;
pub mod options;
mod sched;
mod session;
mod settings;
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
use session::{Flow, Session};
use writer::Writer;

/// How long the last lines may take after the end of a session.
const FAREWELL: Duration = Duration::from_secs(2);

/// Something that happened.
#[derive(Debug)]
enum Event {
    /// A line was read, just then.
    Line(String, Instant),
    /// There will be no more lines.
    InputEnded,
    /// Nobody reads what we write.
    OutputBroken,
    /// The search has something to say.
    Engine(smp::Event),
    /// The search should have ended by itself.
    Deadline,
}

/// Holds a session: first the lines of the script, each after the search that the ones before it started,
/// then those of standard input, until `quit` or the end of input.
///
/// `readable` asks for output for people. A terminal gets it too, until it says `uci`.
pub fn run(script: Vec<String>, readable: bool) -> ExitCode {
    sched::low_latency();
    let (events, inbox) = mpsc::channel();
    let to_loop = events.clone();
    let output_broken = move || drop(to_loop.send(Event::OutputBroken));
    let writer = match Writer::start(AutoStream::auto(io::stdout()), output_broken) {
        Ok(writer) => writer,
        Err(error) => {
            let mut out = io::stdout();
            // Nobody is left to tell if that fails.
            let _ = writeln!(
                out,
                "info string cannot start a thread for the output: {error}"
            );
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
    loop {
        let event = if let Some(line) = script.pop_front_if(|_| session.is_open_to_script()) {
            Event::Line(line, Instant::now())
        } else {
            if script.is_empty()
                && let Some(events) = unread.take()
            {
                let reader = thread::Builder::new().spawn(move || {
                    sched::low_latency();
                    read_lines(io::stdin().lock(), &events);
                });
                if let Err(error) = reader {
                    writer.say(format!(
                        "info string cannot start a thread for the input: {error}"
                    ));
                    writer.drain(FAREWELL);
                    return ExitCode::FAILURE;
                }
            }
            next(&inbox, session.deadline())
        };
        if session.handle(event) == Flow::End {
            break;
        }
    }
    writer.drain(FAREWELL);
    ExitCode::SUCCESS
}

/// The next event; the deadline itself, once it has passed.
fn next(inbox: &Receiver<Event>, deadline: Option<Instant>) -> Event {
    let Some(deadline) = deadline else {
        return inbox.recv().unwrap_or(Event::InputEnded);
    };
    // A crowd of waiting events must not hide that the time is up.
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

/// Sends every line with the time of its arrival. Bytes that are no text become replacement characters.
fn read_lines(mut input: impl BufRead, events: &Sender<Event>) {
    let mut bytes = Vec::new();
    while let Ok(1..) = input.read_until(b'\n', &mut bytes) {
        let now = Instant::now();
        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
        if events.send(Event::Line(line, now)).is_err() {
            return;
        }
        bytes.clear();
    }
    drop(events.send(Event::InputEnded));
}
