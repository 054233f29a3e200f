//! Measures the time of answers and the memory of the program. `make latency` and `make memory`
//! check the strict limits, on a machine that does nothing else.

use std::env;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::process::{ChildStdout, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rejoinder::board::Board;

use crate::session::*;

/// The times from a command to its answer, in ascending order.
struct Times(Vec<Duration>);

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    /// Returns the time that this share (0 to 1) of all times does not exceed.
    fn at(&self, share: f64) -> Duration {
        let index = (self.0.len() as f64 * share).ceil() as usize;
        self.0[index.clamp(1, self.0.len()) - 1]
    }
}

/// A session whose output is read without another thread, because such a thread would need time to
/// wake up.
struct Direct {
    session: Session,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Direct {
    fn start() -> Self {
        let (session, output) = Session::unheard(&mut Command::new(program()));
        Self {
            session,
            output: BufReader::new(output),
            line: String::new(),
        }
    }

    /// Sends a line, and returns the time until a line with this start arrives.
    fn ask(&mut self, text: &str, start: &str) -> Duration {
        let asked = Instant::now();
        self.session.send(text);
        loop {
            self.line.clear();
            let length = self.output.read_line(&mut self.line).expect("not UTF-8");
            assert!(length > 0, "the program has ended");
            if self.line.starts_with(start) {
                return asked.elapsed();
            }
        }
    }

    /// Sends `isready` and `stop` in the middle of this many searches, and returns the times of
    /// their answers.
    fn answer_times(&mut self, tries: usize) -> [(&'static str, Times); 2] {
        let (mut ready, mut stop) = (Vec::new(), Vec::new());
        for number in 0..tries {
            self.session.send("go infinite");
            // The pauses differ, so that commands arrive at different points of a time slice.
            thread::sleep(Duration::from_micros(5_000 + number as u64 * 613 % 4_000));
            ready.push(self.ask("isready", "readyok"));
            stop.push(self.ask("stop", "bestmove"));
        }
        [("isready", Times::new(ready)), ("stop", Times::new(stop))]
    }
}

/// Measures with these numbers of threads, while `busy` threads of the test use processor time.
fn answers(threads: &[usize], tries: usize, busy: usize) -> Vec<(usize, &'static str, Times)> {
    let done = AtomicBool::new(false);
    let mut all = Vec::new();
    thread::scope(|scope| {
        for _ in 0..busy {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    black_box(0);
                }
            });
        }
        let mut direct = Direct::start();
        for &threads in threads {
            let option = format!("setoption name Threads value {threads}");
            direct.session.send(&option);
            direct.ask("isready", "readyok");
            for (what, times) in direct.answer_times(tries) {
                println!(
                    "{threads:>2} threads beside {busy} busy ones, {what:<7}: p50 {:?}, p99 {:?}, max {:?} of {tries}",
                    times.at(0.5),
                    times.at(0.99),
                    times.at(1.0)
                );
                all.push((threads, what, times));
            }
        }
        direct.session.quit();
        done.store(true, Ordering::Relaxed);
    });
    all
}

#[test]
fn answers_come_at_once() {
    for (threads, what, times) in answers(&[1, 2, 4, 16], 50, 0) {
        // The limit is generous because other tests run at the same time; on a quiet machine it is
        // 10 ms.
        assert!(
            times.at(0.5) < Duration::from_millis(100),
            "{threads} threads, {what}: {:?}",
            times.at(0.5)
        );
    }
}

#[test]
#[ignore = "for a quiet machine: `make latency`"]
fn answers_come_within_ten_milliseconds() {
    let tries =
        env::var("TRIES").map_or(1_000, |text| text.parse().expect("TRIES is not a number"));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    println!("{cores} cores");
    for busy in [0, cores] {
        for (threads, what, times) in answers(&[1, 2, 16], tries, busy) {
            assert!(
                threads > cores || times.at(0.99) < Duration::from_millis(10),
                "{threads} threads, {what}: p99 {:?}",
                times.at(0.99)
            );
        }
    }
}

#[test]
#[ignore = "more than 4 GB of memory, and minutes: `make memory`"]
fn memory_is_hash_and_sixteen_megabytes_a_thread() {
    for threads in [1, 16] {
        let mut session = Session::start();
        session.send(&format!("setoption name Threads value {threads}"));
        for hash in [1_u64, 16, 256, 4096] {
            session.send(&format!("setoption name Hash value {hash}"));
            assert!(session.rest().is_empty(), "{hash} MB are refused");
            // Clearing touches all pages of the table; the search is for the memory of the workers.
            session.send("position startpos");
            session.ask("go nodes 3000000", "bestmove");
            let megabytes = session.memory().div_ceil(1024);
            let bar = hash + 16 * threads;
            println!("{threads:>2} threads, Hash {hash:>4}: RSS {megabytes} MB, at most {bar}");
            assert!((hash..=bar).contains(&megabytes));
        }
        session.quit();
    }
}

#[test]
#[ignore = "an hour: `make infinite`"]
fn an_infinite_search_takes_no_more_and_no_more() {
    let minutes: u64 = env::var("MINUTES").map_or(60, |text| text.parse().expect("not a number"));
    let mut session = Session::start();
    session.send("setoption name Threads value 2");
    session.send("setoption name Hash value 64");
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let board = Board::from_fen(kiwipete).expect("the FEN is invalid");
    session.send(&format!("position fen {kiwipete}"));
    session.send("go infinite");
    let (mut samples, mut lines) = (Vec::new(), 0);
    let mut last = String::new();
    for _ in 0..60 {
        thread::sleep(Duration::from_secs(minutes));
        samples.push(session.memory() / 1024);
        while let Ok(line) = session.lines.try_recv() {
            assert!(line.starts_with("info depth "), "{line}");
            play(&board, &pv(&line)).unwrap_or_else(|error| panic!("{error}: {line}"));
            lines += 1;
            if line.contains(" pv ") {
                last = line;
            }
        }
    }
    let asked = Instant::now();
    let answer = session.ask("stop", "bestmove");
    println!(
        "{minutes} minutes, {lines} lines, all legal; RSS in MB: {samples:?}; {} {:?} after stop; {last}",
        answer.last().expect("there is no answer"),
        asked.elapsed()
    );
    assert!(samples[59] <= samples[9] + 4, "memory grows");
    session.quit();
}
