//! Bench: a fixed set of positions searched to a fixed depth. The node count is the signature of the
//! search: the same on every machine, and another one as soon as search or evaluation change.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::board::{Board, Game};
use crate::clock::Limits;
use crate::memory::MemoryError;
use crate::search::{Job, Setup, Silent, Worker};
use crate::shared::Shared;
use crate::tt::Table;

/// Iterations of each position, plies.
pub const DEPTH: i32 = 14;
/// Table, MB.
pub const HASH: usize = 16;
/// Last iterations of a search that the branching factor is taken over.
const BRANCHING_SPAN: usize = 6;

/// What a bench found.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Nodes of all positions: the signature.
    pub nodes: u64,
    /// Time of the searches alone.
    pub elapsed: Duration,
    /// Cuts in move loops.
    pub cuts: u64,
    /// Those by the first move.
    pub first_move_cuts: u64,
    /// Logarithms of N(d) / N(d-1): their sum, and how many there are.
    branching: (f64, u32),
}

impl Summary {
    /// Nodes a second.
    pub fn nps(&self) -> u64 {
        (self.nodes as u128 * 1_000_000 / self.elapsed.as_micros().max(1)) as u64
    }

    /// Share of the cuts that the first move made, 0 to 1.
    pub fn first_move_share(&self) -> f64 {
        self.first_move_cuts as f64 / self.cuts.max(1) as f64
    }

    /// Geometric mean of the growth of an iteration over the one before.
    pub fn branching_factor(&self) -> f64 {
        let (sum, count) = self.branching;
        (sum / f64::from(count.max(1))).exp()
    }
}

/// Searches every position of the set, each with an empty table and a worker that knows nothing, and writes a
/// line for each. The last line is `N nodes M nps`.
///
/// # Errors
/// If `out` cannot be written, or the table's memory cannot be had.
pub fn run(depth: i32, hash: usize, setup: Setup, out: &mut dyn Write) -> io::Result<Summary> {
    let table = Table::new(hash).map_err(|error: MemoryError| io::Error::other(error))?;
    let shared = Shared::new(1);
    let mut worker = Worker::new(0, setup);
    let mut summary = Summary::default();
    for (number, fen) in POSITIONS.iter().enumerate() {
        let board = Board::from_fen(fen).map_err(io::Error::other)?;
        let limits = Limits {
            depth: Some(depth),
            ..Limits::default()
        };
        table.clear(0, 1);
        worker.new_game();
        shared.reset();
        let start = Instant::now();
        let job = Job {
            game: Game::new(board),
            limits,
            budget: None,
            start,
            multi_pv: 1,
        };
        let answer = worker.search(&job, &shared, &table, &mut Silent);
        summary.elapsed += start.elapsed();
        let best = answer
            .pv
            .first()
            .map_or_else(|| "(none)".to_owned(), |mv| format!("{mv:?}"));
        let stats = worker.stats();
        writeln!(out, "{:>2} {:>9} {best:<6} {fen}", number + 1, stats.nodes)?;
        summary.nodes += stats.nodes;
        summary.cuts += stats.cuts;
        summary.first_move_cuts += stats.first_move_cuts;
        let tail = &stats.iterations[stats.iterations.len().saturating_sub(BRANCHING_SPAN + 1)..];
        for pair in tail.windows(2) {
            summary.branching.0 += (pair[1].max(1) as f64 / pair[0].max(1) as f64).ln();
            summary.branching.1 += 1;
        }
    }
    writeln!(
        out,
        "first-move cutoffs {:.2} %",
        summary.first_move_share() * 100.0
    )?;
    writeln!(out, "branching factor {:.3}", summary.branching_factor())?;
    writeln!(out, "{} nodes {} nps", summary.nodes, summary.nps())?;
    Ok(summary)
}

/// Openings, middlegames, endings, Chess960, checks and near mates.
#[rustfmt::skip]
const POSITIONS: [&str; 50] = [
    // Openings.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "rnbqk2r/ppp1ppbp/3p1np1/8/2PPP3/2N5/PP3PPP/R1BQKBNR w KQkq - 0 5",
    "rnbqkb1r/pp3ppp/4pn2/2pp4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 0 5",
    "rnbqkbnr/pp2pppp/2p5/3pP3/3P4/8/PPP2PPP/RNBQKBNR b KQkq - 0 3",
    "rnbq1rk1/ppp1bppp/4pn2/3p4/2PP4/5NP1/PP2PPBP/RNBQ1RK1 b - - 4 6",
    "r1bqkb1r/pp1n1ppp/2p1pn2/3p4/2PP4/2N1PN2/PP3PPP/R1BQKB1R w KQkq - 1 6",
    "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq - 0 3",
    "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
    // Middlegames.
    "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NP3/1BN1B3/PPP1QPPP/R4RK1 w - - 2 12",
    "r1b2rk1/pp1nqppp/2p1pn2/3p4/2PP4/2NBPN2/PPQ2PPP/R4RK1 w - - 3 11",
    "2rq1rk1/pb1nbppp/1p2pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2Q1RK1 w - - 4 11",
    "r3r1k1/pp1q1ppp/2p2n2/3p1b2/3P4/2PB1N1P/PP1Q1PP1/R3R1K1 w - - 5 17",
    "r4rk1/2q1bppp/p1bppn2/1p6/4PP2/1NN1BB2/PPP3PP/R2Q1R1K w - - 2 15",
    "2kr3r/ppp1qppp/2n1bn2/2b1p3/4P3/2NP1N2/PPPBBPPP/R2Q1RK1 w - - 4 9",
    "r2qr1k1/pp1bbppp/2n1pn2/3p4/3P1B2/2NBPN2/PP3PPP/2RQ1RK1 w - - 6 12",
    "1rbq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BPP1N1P/PP3PP1/RNBQR1K1 w - - 1 11",
    "r1bqr1k1/ppp2pbp/2np1np1/4p3/2PPP3/2N1BN2/PP2BPPP/R2Q1RK1 w - - 2 9",
    "3r1rk1/1pq1bppp/p1n1pn2/3p4/N2P4/1P1BPN2/P3QPPP/2R2RK1 b - - 3 15",
    "r1b1r1k1/1pqn1pbp/p2p1np1/P1pP4/4PB2/2N2N1P/1P1Q1PP1/R3KB1R w KQ - 1 14",
    "4rrk1/pp1q1ppp/2pb1n2/3p1b2/3P4/2NBP2P/PPQB1PP1/R4RK1 w - - 2 15",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    // Sharp, with checks and loose kings.
    "r1b1k2r/ppppnppp/2n2q2/2b5/3NP3/2P1B3/PP3PPP/RN1QKB1R w KQkq - 1 7",
    "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 10",
    "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 1 17",
    "rnb1k1nr/pppp1ppp/8/4p3/1bB1P2q/2N5/PPPP1KPP/R1BQ2NR w kq - 4 5",
    "2r3k1/1q3p1p/p3pQp1/1p1bP1N1/3P4/1P6/P4PPP/4R1K1 w - - 0 25",
    "6k1/5ppp/1q6/4r3/8/1P3Q1P/P4PP1/3R2K1 b - - 0 30",
    "r4rk1/pp1b1p1p/1q2pNp1/3pP3/7Q/3B4/PP3PPP/R5K1 b - - 1 20",
    // Endings.
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5pk1/4p1p1/3pP2p/1r1P1P1P/4K1P1/R7/8 w - - 0 40",
    "8/pp3k2/2p2p2/3p1P1p/3P3P/2P2K2/PP6/8 w - - 0 35",
    "3k4/8/8/2KP4/8/8/8/8 w - - 0 1",
    "8/8/1p2k1p1/3p3p/1p1P1P1P/1P2PK2/8/8 w - - 0 1",
    "8/1r3pk1/6p1/R6p/5P1P/6P1/5K2/8 b - - 3 45",
    "5k2/3b1p2/p3p1p1/Pp1pP1Pp/1P1P3P/2K1B3/8/8 w - - 0 1",
    "8/6pk/1p4np/p1p5/P1P1N3/1P4P1/5K1P/8 w - - 0 38",
    "2r3k1/5ppp/p7/1p1R4/8/1P3P2/P5PP/6K1 w - - 0 30",
    "8/8/8/4k3/8/3QK3/8/5r2 w - - 0 1",
    "6k1/1q3p2/6p1/2Q4p/5P1P/6P1/5K2/8 w - - 0 45",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
    // Chess960 and double Chess960.
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1",
    "rkbnqbnr/1pp1pppp/p2p4/8/3P4/2N5/PPP1PPPP/RK1BQBNR w HAha - 0 3",
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
    // Near mate, and a stalemate trick.
    "8/8/8/8/8/1Q3K2/8/7k w - - 0 1",
    "7k/6pp/8/8/8/1q6/2r5/K2R4 w - - 0 1",
];
