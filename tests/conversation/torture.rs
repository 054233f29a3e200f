//! A random conversation under stress: many threads on few cores, a tiny table, options, positions,
//! searches, stops and new games.
//!
//! Every line is checked by shakmaty, every `go` must have one answer, and the memory must not
//! grow. The seed is printed; `SEED` repeats the same conversation, but not the same searches.

use std::collections::VecDeque;
use std::env;
use std::fmt::Write as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rejoinder::types::Rng;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use crate::session::*;
use crate::tables;

/// The start positions of the games.
const STARTS: [&str; 10] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 90 80",
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "8/8/8/4k3/8/3QK3/8/5r2 w - - 0 1",
    "8/P6P/3k4/8/8/3K4/p6p/8 b - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "7k/5Q2/8/8/8/8/8/6K1 b - - 0 1",
];

/// A `go` that is not answered yet.
struct PendingSearch {
    position: Chess,
    /// How castling is written in the answer.
    mode: CastlingMode,
    go: String,
}

/// The state of the conversation.
struct Torture {
    session: Session,
    rng: Rng,
    position: Chess,
    mode: CastlingMode,
    /// The searches that are not answered yet.
    open: VecDeque<PendingSearch>,
    /// True if an info line with a score has come since the last answer.
    explained: bool,
    answers: u64,
    lines: u64,
    moves: u64,
    commands: u64,
}

impl Torture {
    fn new(seed: u64) -> Self {
        let mut session = Session::start();
        session.send("setoption name Hash value 1");
        Self {
            session,
            rng: Rng::new(seed),
            position: Chess::default(),
            mode: CastlingMode::Standard,
            open: VecDeque::new(),
            explained: false,
            answers: 0,
            lines: 0,
            moves: 0,
            commands: 0,
        }
    }

    fn send(&mut self, line: &str) {
        self.commands += 1;
        self.session.send(line);
    }

    /// Sends one command or a few.
    fn step(&mut self) {
        match self.rng.below(24) {
            0..=4 => self.set_position(),
            5..=14 => self.go(),
            15..=17 => self.option(),
            18 => self.send("ucinewgame"),
            19 => self.send("ponderhit"),
            20 => self.send("stop"),
            21 => {
                let number = self.rng.below(4);
                self.send(["d", "eval", "uci", "debug off"][number]);
            }
            _ => thread::sleep(Duration::from_micros(self.rng.below(8_000) as u64)),
        }
        // Sometimes many commands wait in the pipe, sometimes each is executed before the next is
        // sent.
        match self.rng.below(6) {
            0 => self.sync(),
            1 => thread::sleep(Duration::from_millis(self.rng.below(20) as u64)),
            _ => {}
        }
        while let Ok(line) = self.session.lines.try_recv() {
            self.on_engine_event(&line);
        }
    }

    fn set_position(&mut self) {
        let fen = STARTS[self.rng.below(STARTS.len())];
        let parsed: Fen = fen.parse().expect("the FEN is invalid");
        let mut position: Chess = parsed
            .into_position(CastlingMode::Chess960)
            .or_else(shakmaty::PositionError::ignore_too_much_material)
            .or_else(shakmaty::PositionError::ignore_impossible_check)
            .expect("the FEN is invalid");
        let mut line = format!("position fen {fen}");
        let moves = self.rng.below(40);
        for number in 0..moves {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            if number == 0 {
                line += " moves";
            }
            let mv = legal[self.rng.below(legal.len())];
            let _ = write!(line, " {}", mv.to_uci(CastlingMode::Chess960));
            position.play_unchecked(mv);
        }
        self.position = position;
        self.send(&line);
    }

    fn go(&mut self) {
        let legal = self.position.legal_moves();
        let n = self.rng.below(300);
        let go = match self.rng.below(14) {
            0 => "go infinite".to_owned(),
            1 => format!("go depth {}", 1 + n % 9),
            2 => format!("go nodes {}", n * 50),
            3 => format!("go movetime {}", n / 4),
            4 => format!("go wtime {n} btime {n} winc {} binc {}", n / 9, n / 9),
            5 => format!("go wtime {} btime {n} movestogo {}", n * 3, 1 + n % 4),
            6 => format!("go mate {} nodes 20000", 1 + n % 4),
            7 => format!("go ponder wtime {n} btime {n}"),
            8 => format!("go infinite depth {}", 1 + n % 6),
            9 if !legal.is_empty() => {
                let mv = legal[n % legal.len()].to_uci(CastlingMode::Chess960);
                format!("go nodes 3000 searchmoves {mv}")
            }
            _ => format!("go movetime {}", n / 20),
        };
        self.open.push_back(PendingSearch {
            position: self.position.clone(),
            mode: self.mode,
            go: go.clone(),
        });
        self.send(&go);
    }

    fn option(&mut self) {
        let n = self.rng.below(1_000);
        let network = Path::new(env!("CARGO_MANIFEST_DIR")).join("networks/rejoinder.rjn");
        let line = match self.rng.below(20) {
            0 | 1 => format!("Threads value {}", [16, 64, 17, 1, 33, 2][n % 6]),
            2 => format!("Hash value {}", 1 + n % 3),
            3 => "Clear Hash".to_owned(),
            4 => format!("MultiPV value {}", [1, 1, 2, 5, 256][n % 5]),
            5 => format!("Move Overhead value {}", n % 60),
            6 => {
                self.mode = [CastlingMode::Standard, CastlingMode::Chess960][n % 2];
                format!("UCI_Chess960 value {}", n % 2 == 1)
            }
            7 => format!("EvalFile value {}", network.display()),
            8 => "EvalFile value".to_owned(),
            9 => format!("UCI_ShowWDL value {}", n % 2 == 1),
            10 => format!("Ponder value {}", n % 2 == 1),
            11 => format!("Minimal value {}", n % 2 == 1),
            12 => format!("Skill Level value {}", [20, 20, 0, 10][n % 4]),
            13 => format!("UCI_LimitStrength value {}", n % 3 == 1),
            14 => format!("SyzygyPath value {}", tables::folder().display()),
            15 => "SyzygyPath value <empty>".to_owned(),
            16 => format!("SyzygyProbeDepth value {}", 1 + n % 9),
            17 => format!("Syzygy50MoveRule value {}", n % 2 == 1),
            _ => format!("Threads value {}", 16 + n % 49),
        };
        self.send(&format!("setoption name {line}"));
    }

    /// Stops the search and waits for all answers.
    fn sync(&mut self) {
        self.send("stop");
        self.send("isready");
        loop {
            let line = self.session.lines.recv_timeout(STUCK);
            let line = line.unwrap_or_else(|error| {
                let open: Vec<&str> = self.open.iter().map(|asked| asked.go.as_str()).collect();
                panic!("{error}: no readyok after {open:?}")
            });
            if line == "readyok" {
                break;
            }
            self.on_engine_event(&line);
        }
        let open: Vec<&str> = self.open.iter().map(|asked| asked.go.as_str()).collect();
        assert!(open.is_empty(), "searches without an answer: {open:?}");
    }

    fn on_engine_event(&mut self, line: &str) {
        self.lines += 1;
        let first = line.split(' ').next().unwrap_or_default();
        if line.starts_with("info string") && !line.contains("Syzygy") && !line.contains(" DTZ ") {
            panic!("a command was refused: {line}");
        } else if line.starts_with("info depth") {
            let asked = self.open.front();
            let asked = asked.unwrap_or_else(|| panic!("an answer without a question: {line}"));
            self.explained |= line.contains(" score ");
            let moves = pv(line);
            check_line(asked, &moves, line);
            self.moves += moves.len() as u64;
        } else if first == "bestmove" {
            let asked = self.open.pop_front();
            let asked = asked.unwrap_or_else(|| panic!("one answer too many: {line}"));
            assert!(self.explained, "no reason for {line} to {}", asked.go);
            self.explained = false;
            self.answers += 1;
            let mut moves = vec![after(line, "bestmove").expect("bestmove without a move")];
            moves.extend(after(line, "ponder"));
            if moves == ["(none)"] {
                assert!(asked.position.legal_moves().is_empty(), "{line}");
            } else {
                check_line(&asked, &moves, line);
            }
        }
    }
}

/// Plays the moves with shakmaty.
fn check_line(asked: &PendingSearch, moves: &[&str], line: &str) {
    let mut position = asked.position.clone();
    for text in moves {
        let uci: UciMove = text
            .parse()
            .unwrap_or_else(|error| panic!("{text}: {error}: {line}"));
        let fen = || Fen::from_position(&position, EnPassantMode::Legal);
        let mv = uci.to_move(&position).unwrap_or_else(|error| {
            panic!("{text} in {}: {error} after {}: {line}", fen(), asked.go)
        });
        // Standard notation is used only if the option is off and the position allows it: see
        // `coordinates::move_to_uci`.
        if asked.mode == CastlingMode::Chess960 && mv.is_castle() {
            assert_eq!(
                *text,
                mv.to_uci(CastlingMode::Chess960).to_string(),
                "{line}"
            );
        }
        position.play_unchecked(mv);
    }
}

/// Runs for this time. Memory is sampled at moments with the same number of threads and the same
/// size of the table.
fn torture(time: Duration) {
    let seed = env::var("SEED").map_or_else(
        |_| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(1, |now| now.as_nanos() as u64)
        },
        |text| text.parse().expect("SEED is not a number"),
    );
    println!("SEED={seed}");
    let mut torture = Torture::new(seed);
    let end = Instant::now() + time;
    let mut samples = Vec::new();
    let mut next_sample = Instant::now() + time / 20;
    while Instant::now() < end {
        torture.step();
        if Instant::now() >= next_sample {
            next_sample += time / 20;
            torture.sync();
            torture.send("setoption name Threads value 64");
            torture.send("setoption name Hash value 1");
            torture.send("position startpos");
            torture.position = Chess::default();
            torture.open.push_back(PendingSearch {
                position: Chess::default(),
                mode: torture.mode,
                go: "go infinite".to_owned(),
            });
            torture.send("go infinite");
            thread::sleep(PAUSE);
            torture.sync();
            samples.push(torture.session.memory());
        }
    }
    torture.sync();
    println!(
        "{time:?}: {} commands, {} answers, {} lines, {} moves of lines, all legal; RSS with 64 threads in MB: {:?}",
        torture.commands,
        torture.answers,
        torture.lines,
        torture.moves,
        samples
            .iter()
            .map(|kilobytes| kilobytes / 1024)
            .collect::<Vec<_>>()
    );
    // Memory goes up and down with what the allocator keeps of threads that have ended, but it must
    // not grow steadily.
    let (early, late) = samples.split_at(samples.len() / 2);
    if let (Some(early), Some(late)) = (early.iter().max(), late.iter().min()) {
        assert!(
            *late < early + early / 8 + 16_000,
            "memory grows: {samples:?} KB"
        );
    }
    torture.session.quit();
}

#[test]
fn a_short_torture() {
    torture(Duration::from_secs(10));
}

#[test]
#[ignore = "minutes: `make torture`"]
fn a_long_torture() {
    let minutes: u64 = env::var("MINUTES").map_or(10, |text| text.parse().expect("not a number"));
    torture(Duration::from_secs(60 * minutes));
}
