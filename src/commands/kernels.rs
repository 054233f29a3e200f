//! `rejoinder kernels` measures the time of an evaluation with each kernel that this CPU can run.

use std::hint::black_box;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use crate::board::Board;
use crate::eval::Evaluator;
use crate::eval::kernels::Kernel;
use crate::eval::network::{self, Network};

/// Quiet positions from a thousand games of this engine, one FEN per line.
const POSITIONS: &str = include_str!("../../networks/scale.epd");
/// The number of rounds over all positions. The fastest counts, as the others were disturbed.
const ROUNDS: usize = 40;
/// The maximum number of moves of each position.
const MOVES: usize = 8;

/// Measure the speed of the evaluation with each kernel.
///
/// The times are means over a thousand positions: of unrelated boards (fresh), and of boards after
/// one move (incremental).
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Network to evaluate with [default: the embedded one]
    #[arg(long, value_name = "FILE", value_parser = network::named)]
    network: Option<Arc<Network>>,
}

/// Prints the times of each kernel.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(args: &Args) -> io::Result<()> {
    let network = args.network.clone().unwrap_or_else(network::embedded);
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}; nanoseconds per evaluation",
        network.architecture()
    )?;
    writeln!(out, "kernel     fresh  incremental")?;
    for kernel in Kernel::all() {
        let [fresh, incremental] = times(&network, kernel);
        writeln!(
            out,
            "{:<8} {fresh:>7.1}  {incremental:>11.1}",
            kernel.name()
        )?;
    }
    Ok(())
}

/// A board and the boards after some of its moves.
struct Family {
    board: Board,
    children: Vec<Board>,
}

impl Family {
    fn new(board: Board) -> Self {
        let child = |mv| {
            let mut child = board;
            child.make(mv);
            child
        };
        let moves = board.legal_moves().into_iter();
        Self {
            board,
            children: moves.take(MOVES).map(child).collect(),
        }
    }
}

/// Returns the times of a fresh and of an incremental evaluation, in nanoseconds.
fn times(network: &Arc<Network>, kernel: Kernel) -> [f64; 2] {
    let board = |fen| Board::from_fen(fen).expect("scale.epd holds an invalid FEN");
    let families: Vec<_> = POSITIONS
        .lines()
        .map(|fen| Family::new(board(fen)))
        .collect();
    let children: usize = families.iter().map(|family| family.children.len()).sum();
    let mut evaluator = Evaluator::new(Arc::clone(network), kernel);
    let mut best = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let mut spent = [0.0; 2];
        for family in &families {
            let start = Instant::now();
            evaluator.enter(&family.board, 0);
            black_box(evaluator.evaluate(&family.board, 0));
            let between = Instant::now();
            for child in &family.children {
                evaluator.enter(child, 1);
                black_box(evaluator.evaluate(child, 1));
            }
            spent[0] += (between - start).as_secs_f64();
            spent[1] += between.elapsed().as_secs_f64();
        }
        best[0] = best[0].min(spent[0]);
        best[1] = best[1].min(spent[1]);
    }
    [best[0] / families.len() as f64, best[1] / children as f64].map(|seconds| seconds * 1e9)
}
