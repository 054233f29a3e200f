//! A run of the program connected by pipes, and helpers to read its output.

use std::env;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use rejoinder::board::coordinates::parse_move;
use rejoinder::board::{Board, Game};
use rejoinder::types::Move;

/// The time without the expected event after which the engine counts as stuck; generous, because
/// other programs may use the machine.
pub const STUCK: Duration = Duration::from_mins(5);
/// The longest time for an answer that needs no thought.
const PROMPT: Duration = Duration::from_millis(500);
/// A pause in which a wrong answer has time to arrive. What is right is waited for by its event: no
/// test fails because a pause is too short for a busy machine.
pub const PAUSE: Duration = Duration::from_millis(150);

pub const MATE_IN_ONE: &str = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
pub const MATED: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";
pub const STALEMATE: &str = "7k/5Q2/8/8/8/8/8/6K1 b - - 0 1";
/// A position with almost nothing to search, where the greatest depth is reached at once.
pub const BARE_KINGS: &str = "8/8/8/4k3/8/8/8/4K3 w - - 0 1";

/// Returns the path of the program: that of this build, or the one that `REJOINDER_EXE` names.
pub fn program() -> OsString {
    env::var_os("REJOINDER_EXE").unwrap_or_else(|| env!("CARGO_BIN_EXE_rejoinder").into())
}

/// Asserts that an answer takes at most half a second, where `attempt` measures how long it takes.
/// One attempt suffices, because a busy machine may delay many; an engine that is slow by itself
/// fails all of them.
pub fn assert_prompt(what: &str, mut attempt: impl FnMut() -> Duration) {
    let end = Instant::now() + STUCK / 5;
    let mut times = Vec::new();
    while times.len() < 3 || Instant::now() < end {
        times.push(attempt());
        if times.last() < Some(&PROMPT) {
            return;
        }
    }
    panic!("{what}: {times:?}");
}

/// A run of the program, and its output so far.
pub struct Session {
    pub child: Child,
    pub input: Option<ChildStdin>,
    pub lines: Receiver<String>,
}

impl Session {
    pub fn start() -> Self {
        Self::with_arguments(&[])
    }

    pub fn with_arguments(arguments: &[&str]) -> Self {
        Self::of(Command::new(program()).args(arguments))
    }

    /// Returns a session with the program that this command starts.
    pub fn of(command: &mut Command) -> Self {
        let (mut session, output) = Self::unheard(command);
        let (said, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if said.send(line).is_err() {
                    break;
                }
            }
        });
        session.lines = lines;
        session
    }

    /// Returns a session that does not read the output, and the pipe to read it from.
    pub fn unheard(command: &mut Command) -> (Self, ChildStdout) {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("cannot start the program");
        let output = child.stdout.take().expect("the stream is not piped");
        let input = child.stdin.take();
        let (_, lines) = mpsc::channel();
        let session = Self {
            child,
            input,
            lines,
        };
        (session, output)
    }

    pub fn send(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    /// Sends a line that need not be UTF-8.
    pub fn send_bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("the input is closed");
        let line = [line, b"\n"].concat();
        input.write_all(&line).expect("cannot write to the engine");
    }

    /// Reads all lines up to the first one with this start.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut heard = Vec::new();
        let end = Instant::now() + STUCK;
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => {
                    heard.push(line);
                    if heard.last().is_some_and(|line| line.starts_with(start)) {
                        return heard;
                    }
                }
                Err(error) => panic!(
                    "no line `{start}` ({error}) after {:#?}",
                    heard.iter().rev().take(5).collect::<Vec<_>>()
                ),
            }
        }
    }

    /// Sends a line, and reads all lines up to the first one with this start.
    pub fn ask(&mut self, text: &str, start: &str) -> Vec<String> {
        self.send(text);
        self.until(start)
    }

    /// Reads all lines until the engine has executed everything it was sent.
    pub fn rest(&mut self) -> Vec<String> {
        let mut lines = self.ask("isready", "readyok");
        lines.pop();
        lines
    }

    /// Returns the FEN of the engine's current position.
    pub fn fen(&mut self) -> String {
        let lines = self.ask("d", "Checkers");
        let fen = lines.iter().find_map(|line| line.strip_prefix("Fen: "));
        fen.expect("`d` does not print the FEN").to_owned()
    }

    /// Waits until nothing is left to do: every thread of the program waits for an event, which the
    /// system tells. Elsewhere than under Linux a while has to do.
    pub fn until_idle(&mut self) {
        /// Looks in a row that must find nobody at work, and the time between them.
        const LOOKS: (usize, Duration) = (10, Duration::from_millis(5));
        if cfg!(not(target_os = "linux")) {
            return thread::sleep(4 * PAUSE);
        }
        let end = Instant::now() + STUCK;
        let mut idle = 0;
        while idle < LOOKS.0 {
            assert!(Instant::now() < end, "the program does not come to rest");
            thread::sleep(LOOKS.1);
            idle = if self.is_waiting() { idle + 1 } else { 0 };
        }
    }

    /// Returns whether every thread of the program waits for an event.
    fn is_waiting(&self) -> bool {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        tasks.expect("the process has ended").all(|task| {
            // A thread that ends meanwhile is at work.
            let stat = task.and_then(|task| std::fs::read_to_string(task.path().join("stat")));
            stat.is_ok_and(|stat| {
                let fields = stat.rsplit_once(')').map(|(_, fields)| fields.trim_start());
                fields.is_some_and(|fields| fields.starts_with('S'))
            })
        })
    }

    /// Waits until the program has used this many more clock ticks of 10 ms of processor time.
    #[cfg(target_os = "linux")]
    pub fn until_ticks(&self, more: u64) {
        let end = Instant::now() + STUCK;
        let before = self.ticks();
        while self.ticks() < before + more {
            assert!(Instant::now() < end, "the program does not work");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Reads all lines until no line arrives for a while.
    pub fn until_quiet(&mut self) -> Vec<String> {
        let mut heard = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(2 * PAUSE) {
            heard.push(line);
        }
        heard
    }

    /// Closes the input, and returns the remaining lines and the exit status.
    pub fn end_input(&mut self) -> (Vec<String>, ExitStatus) {
        self.input = None;
        let status = self.exit();
        (self.lines.iter().collect(), status)
    }

    pub fn exit(&mut self) -> ExitStatus {
        let end = Instant::now() + STUCK;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("cannot wait for the program") {
                return status;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the program does not end");
    }

    pub fn quit(mut self) {
        self.send("quit");
        assert!(self.exit().success());
        let leftover: Vec<String> = self.lines.iter().collect();
        assert!(leftover.is_empty(), "{leftover:?}");
    }

    /// Returns the processor time used so far, in clock ticks of 10 ms.
    #[cfg(target_os = "linux")]
    pub fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))
            .expect("the process has ended");
        let (_, fields) = stat
            .rsplit_once(')')
            .expect("there is no name in parentheses");
        let times = fields.split_whitespace().skip(11).take(2);
        times
            .map(|field| field.parse::<u64>().expect("not a number"))
            .sum()
    }

    /// Returns the resident memory in KB; always 0 under a sanitizer, which uses memory of its own.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> u64 {
        if env::var_os("REJOINDER_SANITIZED").is_some() {
            return 0;
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .expect("the process has ended");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .expect("there is no resident size");
        line.trim()
            .trim_end_matches(" kB")
            .parse()
            .expect("not a number")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The program has ended already unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the word that follows this word.
pub fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.split_whitespace()
        .skip_while(|candidate| *candidate != word)
        .nth(1)
}

pub fn number(line: &str, word: &str) -> i64 {
    let text = after(line, word).unwrap_or_else(|| panic!("no {word} in: {line}"));
    text.parse()
        .unwrap_or_else(|_| panic!("{word} is not followed by an integer in: {line}"))
}

pub fn pv(line: &str) -> Vec<&str> {
    line.split_whitespace()
        .skip_while(|word| *word != "pv")
        .skip(1)
        .collect()
}

/// Plays the moves, or returns which of them is illegal.
pub fn play(board: &Board, moves: &[&str]) -> Result<(), String> {
    let mut game = Game::new(*board);
    for text in moves {
        let mv: Option<Move> = parse_move(game.board(), text);
        game.play(mv.ok_or_else(|| format!("{text} is illegal in {}", game.board().fen(false)))?);
    }
    Ok(())
}

/// Checks the lines from a `go` to its `bestmove`, which is the first move of the best line, and
/// returns the move.
pub fn check_answer(board: &Board, lines: &[String]) -> String {
    let best = check_lines(board, lines);
    let last = lines
        .iter()
        .rfind(|line| line.starts_with("info depth") && number(line, "multipv") == 1)
        .expect("there is no info line before bestmove");
    assert_eq!(pv(last)[0], best, "{lines:#?}");
    best
}

/// Checks the lines from a `go` to its `bestmove`, each by itself, and returns the move.
pub fn check_lines(board: &Board, lines: &[String]) -> String {
    let infos = lines.iter().filter(|line| line.starts_with("info depth"));
    for info in infos {
        for word in [
            "depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time",
        ] {
            assert!(number(info, word) >= 0, "{info}");
        }
        assert!(
            info.contains(" score cp ") || info.contains(" score mate "),
            "{info}"
        );
        assert!(!pv(info).is_empty(), "{info}");
        play(board, &pv(info)).unwrap_or_else(|error| panic!("{error}: {info}"));
    }
    let answers: Vec<&String> = lines
        .iter()
        .filter(|line| line.starts_with("bestmove"))
        .collect();
    assert_eq!(answers.len(), 1, "{lines:#?}");
    let best = after(answers[0], "bestmove")
        .expect("bestmove without a move")
        .to_owned();
    assert!(parse_move(board, &best).is_some(), "{best} is illegal");
    best
}
