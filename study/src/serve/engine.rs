//! Conversations of the page with the engine: a WebSocket whose messages are the lines of a process
//! of this very program. So a search that fails takes nothing else with it, and whatever ends the
//! connection ends the search.

use std::env;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tungstenite::{HandshakeError, Message, WebSocket};

use super::request::Effort;
use crate::library::reviews_of;

/// The hidden command of this program that speaks UCI.
pub const ENGINE: &str = "engine";
/// The hidden command of this program that reviews a game on standard input.
pub const REVIEW: &str = "review";

/// The largest message that is taken, in bytes: the text of a game.
const LARGEST: usize = 8 << 20;

/// The longest time that a process takes to end after its last line.
const ENDING_TIME: Duration = Duration::from_secs(2);
/// The number of times that it is asked whether it has ended.
const ENDING_STEPS: u32 = 400;

/// The hidden command of this program that reviews the games of a file.
pub const REVIEWS: &str = "reviews";

/// The least hash of an engine in MB.
const LEAST_HASH: u64 = 16;

/// What the process does.
#[derive(Clone, Debug)]
pub enum Task {
    /// Speaks UCI.
    Engine,
    /// Reviews the game that the first message is.
    Review(Effort),
    /// Reviews the games of the file at this path, into the file beside it.
    Reviews(Effort, PathBuf),
    /// Sums up the games that the first message is.
    Report,
}

/// Answers the handshake on a stream and lets the page talk to a new process until either ends.
/// `head` is what was read from the stream already, `syzygy` the folders of tablebases.
///
/// # Errors
/// If the handshake fails or the process cannot be started.
pub fn talk(
    stream: &TcpStream,
    head: Vec<u8>,
    task: &Task,
    syzygy: Option<&str>,
) -> io::Result<()> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST))
        .max_frame_size(Some(LARGEST));
    let lock = Arc::new(Mutex::new(stream.try_clone()?));
    let half = |ahead| -> io::Result<Half> {
        Ok(Half {
            stream: io::Cursor::new(ahead).chain(stream.try_clone()?),
            lock: Arc::clone(&lock),
            pending: Vec::new(),
        })
    };
    let accepted = tungstenite::accept_with_config(half(head)?, Some(config));
    let mut page = accepted.map_err(|error| match error {
        HandshakeError::Failure(error) => io::Error::other(error),
        HandshakeError::Interrupted(_) => io::ErrorKind::TimedOut.into(),
    })?;
    let to_page = WebSocket::from_raw_socket(half(Vec::new())?, Role::Server, Some(config));

    let mut process = start(task, syzygy)?;
    let (Some(mut input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let process = Arc::new(Mutex::new(process));
    let waiting = Arc::clone(&process);
    let printing = thread::spawn(move || {
        print(output, to_page, &waiting);
    });
    if let (Task::Engine, Some(folders)) = (task, syzygy) {
        writeln!(input, "setoption name SyzygyPath value {folders}")?;
    }
    hear(&mut page, input, !matches!(task, Task::Engine));
    // The page has left, or the process has ended by itself.
    let _ = process.lock().kill();
    let _ = stream.shutdown(Shutdown::Both);
    let _ = printing.join();
    process.lock().wait().map(drop)
}

fn start(task: &Task, syzygy: Option<&str>) -> io::Result<Child> {
    let mut command = Command::new(env::current_exe()?);
    match task {
        Task::Engine => {
            command.arg(ENGINE);
        }
        Task::Report => {
            command.args(["report", "-", "--html", "-"]);
        }
        Task::Review(effort) => {
            let Effort {
                nodes,
                hash,
                threads,
            } = effort;
            command.args([REVIEW, "-"]);
            command.args(["--nodes", &nodes.to_string(), "--hash", &hash.to_string()]);
            command.args(["--threads", &threads.to_string()]);
            command.args(syzygy.iter().flat_map(|folders| ["--syzygy", folders]));
        }
        Task::Reviews(effort, path) => {
            // Many games are reviewed sooner by an engine for each thread.
            let hash = (effort.hash / effort.threads.max(1)).max(LEAST_HASH);
            command.arg(REVIEWS).arg(path);
            command.arg("-o").arg(reviews_of(path)).arg("--update");
            command.args(["--nodes", &effort.nodes.to_string()]);
            command.args(["--hash", &hash.to_string()]);
            command.args(["--concurrency", &effort.threads.to_string()]);
            command.args(syzygy.iter().flat_map(|folders| ["--syzygy", folders]));
            // The page shows how far it is.
            command.stderr(Stdio::null());
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.spawn()
}

/// Hands each message to the process, until the page leaves. After the text of a review the input
/// of the process ends.
fn hear(page: &mut WebSocket<Half>, input: ChildStdin, is_text: bool) {
    let mut input = Some(input);
    loop {
        let message = match page.read() {
            Ok(Message::Text(text)) => text,
            Ok(Message::Close(_)) | Err(_) => return,
            Ok(_) => continue,
        };
        let Some(to) = &mut input else { continue };
        if to.write_all(message.as_bytes()).is_err() || is_text {
            input = None;
        } else {
            let _ = to.write_all(b"\n");
        }
    }
}

/// Sends each line of the process to the page, and at the end how it has ended.
fn print(output: ChildStdout, mut page: WebSocket<Half>, process: &Mutex<Child>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
        if page.send(Message::text(text)).is_err() {
            return;
        }
    }
    let (code, reason) = match ending(process) {
        Some(status) if status.success() => (CloseCode::Normal, String::new()),
        Some(status) => (CloseCode::Error, format!("it ended with {status}")),
        None => (CloseCode::Error, "it says nothing any more".to_owned()),
    };
    let reason = reason.into();
    let _ = page.close(Some(CloseFrame { code, reason }));
    let _ = page.flush();
}

/// Returns how a process has ended that prints nothing any more; `None` if it does not end. It is
/// never waited for with the lock, which whoever ends it needs.
fn ending(process: &Mutex<Child>) -> Option<ExitStatus> {
    (0..ENDING_STEPS).find_map(|_| {
        let status = process.lock().try_wait().ok().flatten();
        if status.is_none() {
            thread::sleep(ENDING_TIME / ENDING_STEPS);
        }
        status
    })
}

/// A stream of which two threads have one each: one reads messages, the other sends them. What is
/// written goes out whole at a flush, so that no message gets into another.
struct Half {
    /// What is read: bytes that were read already, then those of the stream.
    stream: io::Chain<io::Cursor<Vec<u8>>, TcpStream>,
    lock: Arc<Mutex<TcpStream>>,
    pending: Vec<u8>,
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.lock.lock().write_all(&self.pending);
        self.pending.clear();
        result
    }
}
