//! Standard output has a thread of its own, so that a full pipe does not delay the engine.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::locks::{Condvar, Mutex, lock, wait};

/// No further `info` lines are taken while this many lines wait to be written.
const BOUND: usize = 1000;

/// A handle to the writer. Copies share one queue.
#[derive(Clone, Debug)]
pub struct Writer(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<String>,
    /// True if lines have left the queue but are not written yet.
    writing: bool,
    /// True if writing has failed.
    broken: bool,
}

impl Writer {
    /// Starts the output thread. If writing fails, `broken` is called once, and all further lines
    /// are dropped.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(
        sink: impl Write + Send + 'static,
        broken: impl FnOnce() + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let writer = Self(Arc::clone(&shared));
        thread::Builder::new().spawn(move || {
            super::sched::low_latency();
            if write_lines(&shared, sink).is_err() {
                lock(&shared.queue).broken = true;
                shared.changed.notify_all();
                broken();
            }
        })?;
        Ok(writer)
    }

    /// Writes a line that must not be lost.
    pub fn say(&self, line: impl Into<String>) {
        let line = line.into();
        log::debug!("<< {line}");
        self.push(line);
    }

    /// Writes a line that may be dropped if too many lines are waiting.
    pub fn write_lossy(&self, line: impl Into<String>) {
        self.write_together([line.into()]);
    }

    /// Writes all of these lines, or drops them all if too many lines are waiting. Returns whether
    /// they are written.
    pub fn write_together(&self, lines: impl IntoIterator<Item = String>) -> bool {
        let has_room = lock(&self.0.queue).lines.len() < BOUND;
        if has_room {
            lines.into_iter().for_each(|line| self.say(line));
        }
        has_room
    }

    fn push(&self, line: String) {
        let mut queue = lock(&self.0.queue);
        if !queue.broken {
            queue.lines.push_back(line);
            self.0.changed.notify_all();
        }
    }

    /// Waits until all lines are written, but not longer than `patience`.
    pub fn drain(&self, patience: Duration) {
        let end = Instant::now() + patience;
        let mut queue = lock(&self.0.queue);
        while !queue.broken && (queue.writing || !queue.lines.is_empty()) {
            let rest = end.saturating_duration_since(Instant::now());
            match self.0.changed.wait_timeout(queue, rest) {
                Ok((guard, result)) if !result.timed_out() => queue = guard,
                _ => return,
            }
        }
    }

    /// Returns a [`Write`] for commands such as `bench`. Each line is sent when it is complete.
    pub fn as_write(&self) -> impl Write {
        Lines {
            writer: self.clone(),
            pending: Vec::new(),
        }
    }
}

/// Writes the queue without end; lines that wait are written together.
fn write_lines(shared: &Shared, mut sink: impl Write) -> io::Result<()> {
    let mut text = String::new();
    loop {
        {
            let mut queue = lock(&shared.queue);
            queue.writing = false;
            shared.changed.notify_all();
            while queue.lines.is_empty() {
                queue = wait(&shared.changed, queue);
            }
            queue.writing = true;
            for line in queue.lines.drain(..) {
                text.push_str(&line);
                text.push('\n');
            }
        }
        sink.write_all(text.as_bytes())?;
        sink.flush()?;
        text.clear();
    }
}

struct Lines {
    writer: Writer,
    pending: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.pending.extend_from_slice(part);
            if self.pending.ends_with(b"\n") {
                self.pending.pop();
                self.flush()?;
            }
        }
        Ok(bytes.len())
    }

    /// Sends an incomplete line as a line of its own.
    fn flush(&mut self) -> io::Result<()> {
        self.writer.say(String::from_utf8_lossy(&self.pending));
        self.pending.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A pipe whose reader may be stuck.
    struct Pipe {
        gate: mpsc::Receiver<()>,
        out: mpsc::Sender<String>,
    }

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.gate.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.out.send(text).map_err(|_| io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_stuck_pipe_loses_info_lines_and_nothing_else() {
        let (open, gate) = mpsc::channel();
        let (out, read) = mpsc::channel();
        let writer =
            Writer::start(Pipe { gate, out }, || ()).expect("cannot start the output thread");
        // From here on the output thread is stuck, and nothing leaves the queue.
        writer.say("uciok");
        while !lock(&writer.0.queue).lines.is_empty() {
            thread::yield_now();
        }
        let report = || ["info 1".to_owned(), "info 2".to_owned()];
        while writer.write_together(report()) {}
        assert!(!writer.write_together(report()));
        writer.write_lossy("info");
        writer.say("bestmove e2e4");
        for _ in 0..3 * BOUND {
            open.send(()).expect("the output thread has ended");
        }
        writer.drain(Duration::from_secs(10));
        let text: String = read.try_iter().collect();
        // All of them, with `uciok` and `bestmove`.
        let lines = BOUND.next_multiple_of(2) + 2;
        assert_eq!(text.lines().count(), lines);
        assert!(text.ends_with("info 1\ninfo 2\nbestmove e2e4\n"));
    }

    #[test]
    fn a_broken_pipe_is_reported_once() {
        let (open, gate) = mpsc::channel::<()>();
        let (out, _read) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        drop(open);
        let writer = Writer::start(Pipe { gate, out }, move || {
            tell.send(()).expect("the test has ended early");
        })
        .expect("cannot start the output thread");
        writer.say("uciok");
        assert!(told.recv_timeout(Duration::from_secs(10)).is_ok());
        writer.drain(Duration::from_secs(10));
        writer.say("readyok");
    }

    #[test]
    fn tools_write_whole_lines() {
        let (open, gate) = mpsc::channel();
        let (out, read) = mpsc::channel();
        let writer =
            Writer::start(Pipe { gate, out }, || ()).expect("cannot start the output thread");
        for _ in 0..10 {
            open.send(()).expect("the output thread has ended");
        }
        write!(writer.as_write(), "a{}\nb\n", 1).expect("writing into the queue failed");
        writer.drain(Duration::from_secs(10));
        assert_eq!(read.try_iter().collect::<String>(), "a1\nb\n");
    }
}
