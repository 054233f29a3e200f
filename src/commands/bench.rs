//! Bench searches a fixed set of positions to a fixed depth. The number of nodes is the engine's
//! signature: it is the same on every machine, and changes with the search or the evaluation.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::board::{Board, Game};
use crate::clock::Limits;
use crate::eval::kernels::Kernel;
use crate::eval::network::{self, Network};
use crate::memory::MemoryError;
use crate::search::stats::Stats;
use crate::search::{SearchRequest, Setup, Silent};
use crate::smp::Solo;

use crate::board::book::{self, BookError};
use crate::params::overrides::{self, SettingError};

/// The depth of each search, in plies.
pub(crate) const DEPTH: i32 = 14;
/// The size of the transposition table in megabytes.
pub const HASH: usize = 16;
/// The number of final iterations from which the branching factor is computed.
const BRANCHING_SPAN: usize = 6;

/// Search a fixed set of positions; the total number of nodes is the engine's signature.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Args {
    /// Depth of each search in plies
    #[arg(default_value_t = DEPTH)]
    pub depth: i32,
    /// Size of the transposition table in MB
    #[arg(long, default_value_t = HASH)]
    pub hash: usize,
    /// Network to search with [default: the embedded one]
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    pub network: Option<Arc<Network>>,
    /// Code that runs the network [default: the fastest]
    #[arg(long, value_name = "NAME", value_parser = kernel)]
    pub kernel: Option<Kernel>,
    /// File of positions to search instead of the fixed set, one EPD or FEN per line
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Search only the first N positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub positions: Option<u64>,
    /// Values of parameters (needs a build with `--features tune`)
    #[arg(long, value_name = "NAME=VALUE,...", value_delimiter = ',')]
    pub param: Vec<String>,
}

/// Parses the name of a kernel.
fn kernel(name: &str) -> Result<Kernel, String> {
    Kernel::named(name).ok_or_else(|| {
        let names: Vec<_> = Kernel::all().map(Kernel::name).collect();
        format!("the kernels for this CPU are {}", names.join(", "))
    })
}

/// The reason why a bench fails.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The file of positions is invalid.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A parameter is invalid.
    #[error(transparent)]
    Parameter(#[from] SettingError),
    /// There is not enough memory for the transposition table.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The result cannot be printed.
    #[error("cannot print the result: {0}")]
    Output(#[from] io::Error),
}

/// The positions to search and how to search them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The depth of each search, in plies.
    pub depth: i32,
    /// The size of the transposition table in megabytes.
    pub hash: usize,
    /// The setup of the worker.
    pub setup: Setup,
    /// The positions to search.
    pub positions: Vec<Board>,
}

impl Plan {
    /// Returns the bench that gives the signature.
    ///
    /// # Panics
    /// Never, since the FENs of the set are valid.
    pub fn usual(setup: Setup) -> Self {
        let board = |fen: &&str| Board::from_fen(fen).expect("a FEN of the set is invalid");
        Self {
            depth: DEPTH,
            hash: HASH,
            setup,
            positions: POSITIONS.iter().map(board).collect(),
        }
    }

    /// Returns the bench that the arguments ask for.
    ///
    /// # Errors
    /// If the file of positions or a parameter is invalid.
    pub(crate) fn of(args: &Args) -> Result<Self, BenchError> {
        let mut setup = Setup::with_network(args.network.clone());
        setup.kernel = args.kernel.unwrap_or(setup.kernel);
        setup.params = overrides::params(&args.param)?;
        let mut plan = Self {
            depth: args.depth,
            hash: args.hash,
            ..Self::usual(setup)
        };
        if let Some(book) = &args.book {
            plan.positions = book::read(book)?;
        }
        if let Some(count) = args.positions {
            plan.positions.truncate(count as usize);
        }
        Ok(plan)
    }
}

/// The results of a bench.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The number of nodes of all searches, which is the signature.
    pub nodes: u64,
    /// The time spent in searches.
    pub elapsed: Duration,
    /// The number of cutoffs in move loops.
    pub cuts: u64,
    /// The number of cutoffs by the first move.
    pub first_move_cuts: u64,
    /// The sum and the number of the logarithms of N(d) / N(d-1).
    branching: (f64, u32),
    /// The sum and the number of the logarithms of the nodes of a position.
    sizes: (f64, u32),
}

impl Summary {
    /// Adds the search of a position.
    pub fn add(&mut self, stats: &Stats, elapsed: Duration) {
        self.nodes += stats.nodes;
        self.elapsed += elapsed;
        self.cuts += stats.cuts;
        self.first_move_cuts += stats.first_move_cuts;
        self.sizes.0 += (stats.nodes.max(1) as f64).ln();
        self.sizes.1 += 1;
        let tail = &stats.iterations[stats.iterations.len().saturating_sub(BRANCHING_SPAN + 1)..];
        for pair in tail.windows(2) {
            self.branching.0 += (pair[1].max(1) as f64 / pair[0].max(1) as f64).ln();
            self.branching.1 += 1;
        }
    }

    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        (self.nodes as u128 * 1_000_000 / self.elapsed.as_micros().max(1)) as u64
    }

    /// Returns the share of cutoffs by the first move, 0 to 1.
    pub fn first_move_share(&self) -> f64 {
        self.first_move_cuts as f64 / self.cuts.max(1) as f64
    }

    /// Returns the geometric mean of the ratio of an iteration's nodes to those of the one before.
    pub fn branching_factor(&self) -> f64 {
        geometric_mean(self.branching)
    }

    /// Returns the geometric mean of the nodes of a position.
    pub(crate) fn mean_nodes(&self) -> f64 {
        geometric_mean(self.sizes)
    }
}

/// Returns the geometric mean from the sum and the number of the logarithms; 1 if there are none.
fn geometric_mean((sum, count): (f64, u32)) -> f64 {
    (sum / f64::from(count.max(1))).exp()
}

/// Searches every position with an empty table and a fresh worker, and writes a line for each. The
/// last line is `N nodes M nps`.
///
/// # Errors
/// If `out` cannot be written, or there is not enough memory.
pub fn run(plan: Plan, out: &mut dyn Write) -> Result<Summary, BenchError> {
    let mut solo = Solo::new(plan.setup, plan.hash)?;
    let mut summary = Summary::default();
    for (number, board) in (1..).zip(plan.positions) {
        let limits = Limits {
            depth: Some(plan.depth),
            ..Limits::default()
        };
        solo.forget();
        let request = SearchRequest::new(Game::new(board), limits);
        let answer = solo.search(&request, &mut Silent);
        let elapsed = request.start.elapsed();
        let best = answer
            .pv
            .first()
            .map_or_else(|| "(none)".to_owned(), |mv| format!("{mv:?}"));
        let stats = solo.stats();
        let fen = board.fen(!board.has_standard_castling());
        writeln!(out, "{number:>2} {:>9} {best:<6} {fen}", stats.nodes)?;
        summary.add(stats, elapsed);
    }
    writeln!(
        out,
        "geometric mean {:.0} nodes per position",
        summary.mean_nodes()
    )?;
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
    // Sharp positions with checks and exposed kings.
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
    // Positions near mate, and one with a stalemate trick.
    "8/8/8/8/8/1Q3K2/8/7k w - - 0 1",
    "7k/6pp/8/8/8/1q6/2r5/K2R4 w - - 0 1",
];

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn plan(line: &str) -> Result<Plan, BenchError> {
        let words = ["bench"].into_iter().chain(line.split_whitespace());
        Plan::of(
            &Line::try_parse_from(words)
                .expect("the arguments were refused")
                .args,
        )
    }

    fn text(plan: Plan) -> String {
        let mut out = Vec::new();
        run(plan, &mut out).expect("the bench failed");
        String::from_utf8(out).expect("the output is not UTF-8")
    }

    #[test]
    fn the_positions_of_a_file_are_searched() {
        let scratch = tempfile::tempdir().expect("cannot create a temporary directory");
        let path = scratch.path().join("book.epd");
        let other = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
        let book = format!("{}\n{other}\n{}\n", POSITIONS[1], POSITIONS[2]);
        std::fs::write(&path, book).expect("cannot write the scratch file");
        let line = format!("4 --hash 1 --positions 2 --book {}", path.display());
        let text = text(plan(&line).expect("the plan was refused"));
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].ends_with(POSITIONS[1]), "{text}");
        assert!(lines[1].ends_with(other), "{text}");
        assert!(lines[2].starts_with("geometric mean "), "{text}");
        let last: Vec<_> = lines[lines.len() - 1].split(' ').collect();
        assert!(matches!(last[..], [_, "nodes", _, "nps"]), "{text}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, says) in [
            ("--book /no/such/file", "/no/such/file"),
            ("--param no_such_number=1", "no_such_number"),
        ] {
            let error = plan(line).expect_err(line).to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
