//! Every mate that a search announces, even in the middle of it, comes with a legal line that mates
//! in exactly that many moves, and none is shorter than the known shortest mate.
//!
//! `tests/data/mates.epd` is a sample for everyday use: random positions whose mate was found by
//! exhaustive search, and random positions of king and rook against king with the values of Syzygy
//! tables. `make mates` runs the suites of `../shared/data/suites`.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rejoinder::board::coordinates::{move_to_uci, parse_move};
use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::search::{Report, Reporter, SearchRequest, Setup};
use rejoinder::smp::Solo;
use rejoinder::tt::Bound;
use rejoinder::types::{Move, MoveKind, Square, score};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

/// The size of the transposition table in megabytes; small, so that many entries are overwritten.
const HASH: usize = 1;

/// A position whose shortest mate is known.
struct Problem {
    fen: String,
    /// The distance to the shortest mate in moves; negative if the side to move is mated.
    mate: i32,
}

impl Problem {
    /// Reads `dm N;` or `bm #N;`. `None` for a line without either.
    fn read(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        let mate = ["dm ", "bm #"].iter().find_map(|operation| {
            let (_, rest) = line.split_once(operation)?;
            rest.split(';').next()?.parse().ok()
        })?;
        Some(Self {
            fen: format!("{} 0 1", fields.join(" ")),
            mate,
        })
    }
}

/// The faults that a report can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Illegal,
    TooShort,
    TooLong,
    NoMate,
    ShorterThanKnown,
    LosesWhatIsWon,
    WinsWhatIsLost,
}

/// Keeps every report of a search.
#[derive(Default)]
struct Listener(Vec<Report>);

impl Reporter for Listener {
    fn report(&mut self, report: &Report) {
        self.0.push(report.clone());
    }
}

/// A fault, and what it takes to reproduce it.
struct Finding {
    fault: Fault,
    text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.fault, self.text)
    }
}

/// Follows the line with shakmaty. Returns its length in plies and whether it ends in mate, or
/// `None` if a move is illegal.
fn follow(board: &Board, line: &[Move]) -> Option<(usize, bool)> {
    let fen: Fen = board.fen(false).parse().ok()?;
    let mut position: Chess = fen.into_position(CastlingMode::Standard).ok()?;
    let mut board = *board;
    for &mv in line {
        let text = move_to_uci(&board, mv, false);
        let uci: UciMove = text.parse().ok()?;
        position = position.clone().play(uci.to_move(&position).ok()?).ok()?;
        board.make(mv);
    }
    Some((line.len(), position.is_checkmate()))
}

/// Returns the fault of a report, if it has one.
fn fault(problem: &Problem, report: &Report) -> Option<Fault> {
    let board = Board::from_fen(&problem.fen).expect("the FEN is invalid");
    let Some((plies, mates)) = follow(&board, &report.pv) else {
        return Some(Fault::Illegal);
    };
    let moves = score::mate_distance(report.score)?;
    let at_least = report.bound != Bound::Upper;
    // The true value of a line other than the first is unknown.
    let at_most = report.bound != Bound::Lower && report.multi_pv == 1;
    if problem.mate > 0 && moves < 0 && at_most {
        return Some(Fault::LosesWhatIsWon);
    }
    if problem.mate < 0 && moves > 0 && at_least {
        return Some(Fault::WinsWhatIsLost);
    }
    if (1..problem.mate).contains(&moves) && at_least
        || (problem.mate + 1..0).contains(&moves) && at_most
    {
        return Some(Fault::ShorterThanKnown);
    }
    if report.bound != Bound::Exact {
        return None;
    }
    let length =
        usize::try_from(score::MATE - report.score.abs()).expect("the score is not a mate");
    match plies {
        _ if plies < length => Some(Fault::TooShort),
        _ if plies > length => Some(Fault::TooLong),
        _ if !mates => Some(Fault::NoMate),
        _ => None,
    }
}

/// The results of many positions.
#[derive(Default)]
struct Tally {
    positions: usize,
    /// The number of reports of a mate with its whole line.
    mates: usize,
    reports: usize,
    /// The number of positions where the final score was the shortest mate.
    shortest: usize,
    /// The number of positions where the final score was a longer mate.
    longer: usize,
    findings: Vec<Finding>,
}

impl Tally {
    fn add(&mut self, problem: &Problem, multi_pv: usize, nodes: u64, reports: &[Report]) {
        let board = Board::from_fen(&problem.fen).expect("the FEN is invalid");
        self.positions += 1;
        self.reports += reports.len();
        for report in reports {
            self.mates += usize::from(score::is_mate(report.score));
            let Some(fault) = fault(problem, report) else {
                continue;
            };
            let line: Vec<String> = report
                .pv
                .iter()
                .map(|&mv| move_to_uci(&board, mv, false))
                .collect();
            let text = format!(
                "dm {} | setoption name Hash value {HASH} | setoption name MultiPV value {multi_pv} | position fen {} | \
                 go nodes {nodes} | depth {} multipv {} score {} ({:?}) {:?} nodes {} pv {}",
                problem.mate,
                problem.fen,
                report.depth,
                report.multi_pv,
                report.score,
                score::mate_distance(report.score),
                report.bound,
                report.nodes,
                line.join(" "),
            );
            self.findings.push(Finding { fault, text });
        }
        let last = reports
            .iter()
            .rfind(|report| report.multi_pv == 1 && report.bound == Bound::Exact);
        match last.and_then(|report| score::mate_distance(report.score)) {
            Some(moves) if moves == problem.mate => self.shortest += 1,
            Some(moves) if moves.signum() == problem.mate.signum() => self.longer += 1,
            _ => {}
        }
    }
}

/// Searches the problems on all cores with this many nodes, every other one with four lines.
fn solve(problems: &[Problem], nodes: u64) -> Tally {
    let next = AtomicUsize::new(0);
    let tally = Mutex::new(Tally::default());
    let solve_some = || {
        let mut solo = Solo::new(Setup::default(), HASH).expect("cannot map the table");
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(problem) = problems.get(index) else {
                return;
            };
            let board = Board::from_fen(&problem.fen)
                .unwrap_or_else(|error| panic!("{}: {error}", problem.fen));
            solo.forget();
            let limits = Limits {
                nodes: Some(nodes),
                ..Limits::default()
            };
            let job = SearchRequest {
                multi_pv: if index.is_multiple_of(2) { 1 } else { 4 },
                ..SearchRequest::new(Game::new(board), limits)
            };
            let mut listener = Listener::default();
            solo.search(&job, &mut listener);
            let mut tally = tally.lock().expect("a worker panicked");
            tally.add(problem, job.multi_pv, nodes, &listener.0);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(solve_some);
        }
    });
    tally.into_inner().expect("a worker panicked")
}

fn read(path: &Path) -> Vec<Problem> {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().filter_map(Problem::read).collect()
}

/// Prints the results, and returns the number of faults.
fn judge(name: &str, mut tally: Tally) -> usize {
    tally.findings.sort_by_key(|finding| finding.fault);
    for finding in &tally.findings {
        println!("{finding}");
    }
    println!(
        "{name}: {} positions, {} shortest mates and {} longer ones found; {} reports, {} of a mate, {} wrong",
        tally.positions,
        tally.shortest,
        tally.longer,
        tally.reports,
        tally.mates,
        tally.findings.len()
    );
    tally.findings.len()
}

#[test]
fn announced_mates_are_given() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mates.epd");
    let problems = read(&path);
    assert!(problems.len() >= 60, "the sample is too short");
    assert_eq!(judge("sample", solve(&problems, 20_000)), 0);
}

/// Builds a report of a line, which may contain illegal moves.
fn report(problem: &Problem, multi_pv: usize, score: i32, line: &str) -> Report {
    let mut game = Game::new(Board::from_fen(&problem.fen).expect("the FEN is invalid"));
    let mut pv = Vec::new();
    for word in line.split_whitespace() {
        let mv = parse_move(game.board(), word);
        if let Some(mv) = mv {
            game.play(mv);
        }
        let square = |part| Square::parse(part).expect("not a square");
        let as_written = Move::new(square(&word[..2]), square(&word[2..]), MoveKind::Quiet);
        pv.push(mv.unwrap_or(as_written));
    }
    Report {
        depth: 1,
        seldepth: 1,
        multi_pv,
        score,
        bound: Bound::Exact,
        nodes: 0,
        elapsed: Duration::ZERO,
        hashfull: 0,
        tb_hits: 0,
        pv,
        lengthened: None,
    }
}

#[test]
fn what_is_wrong_is_found() {
    let won = Problem::read("6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;")
        .expect("the line is not a mate problem");
    let lost = Problem::read("k7/8/1K6/8/8/8/8/6R1 b - - bm #-1;")
        .expect("the line is not a mate problem");
    for (problem, multi_pv, score, words, expected) in [
        (&won, 1, score::mate_in(1), "a1a8", None),
        (&won, 1, score::mate_in(1), "", Some(Fault::TooShort)),
        (
            &won,
            1,
            score::mate_in(1),
            "a1a8 g8f8",
            Some(Fault::Illegal),
        ),
        (
            &won,
            1,
            score::mate_in(1),
            "a1a7 g8f8",
            Some(Fault::TooLong),
        ),
        (&won, 1, score::mate_in(1), "a1a7", Some(Fault::NoMate)),
        (&won, 1, score::mate_in(3), "a1a2 g8h8 a2a8", None),
        (&won, 1, 31, "a1a7 g8f8", None),
        (&won, 1, 31, "a1a7 a7a8", Some(Fault::Illegal)),
        (
            &won,
            1,
            score::mated_in(2),
            "a1a7 g8f8",
            Some(Fault::LosesWhatIsWon),
        ),
        (
            &won,
            2,
            score::mated_in(2),
            "a1a7 g8f8",
            Some(Fault::NoMate),
        ),
        (&lost, 1, score::mated_in(2), "a8b8 g1g8", None),
        (
            &lost,
            1,
            score::mate_in(1),
            "a8b8",
            Some(Fault::WinsWhatIsLost),
        ),
    ] {
        let report = report(problem, multi_pv, score, words);
        assert_eq!(fault(problem, &report), expected, "{score} {words}");
    }
}

/// Returns the folder of the suites that are not in the repository: `REJOINDER_SHARED`, or
/// `../shared` beside it.
fn shared() -> PathBuf {
    env::var_os("REJOINDER_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    )
}

#[test]
#[ignore = "minutes: `make mates`"]
fn announced_mates_of_the_suites_are_given() {
    let number =
        |name, usual| env::var(name).map_or(usual, |text| text.parse().expect("not an integer"));
    let (nodes, stride) = (number("NODES", 60_000), number("STRIDE", 1));
    let mut wrong = 0;
    for name in ["mate_in_1to8.epd", "krvk1000.epd"] {
        let path = shared().join("data/suites").join(name);
        if !path.exists() {
            println!("SKIPPED: no {} (set REJOINDER_SHARED)", path.display());
            continue;
        }
        let problems = read(&path).into_iter().step_by(stride as usize);
        let problems: Vec<Problem> = problems.collect();
        wrong += judge(name, solve(&problems, nodes));
    }
    assert_eq!(wrong, 0);
}
