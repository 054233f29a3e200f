//! Evaluation: a neural network, its incrementally updated accumulators, the kernels that run it,
//! and a rule for the mate of a lone king.

mod accumulator;
pub mod changes;
mod explain;
pub mod features;
pub mod kernels;
mod mop_up;
pub mod network;
pub mod relations;
pub mod snapshot;
pub mod win_rate;

use std::sync::Arc;

use crate::board::Board;
use crate::types::{Score, score};

use accumulator::Accumulators;
use kernels::Kernel;
use network::Network;

pub use explain::explain;

/// Evaluates the nodes of one worker's search, or one position after the other.
#[derive(Debug)]
pub struct Evaluator {
    network: Arc<Network>,
    kernel: Kernel,
    accumulators: Accumulators,
}

impl Evaluator {
    /// Creates an evaluator with this network.
    pub fn new(network: Arc<Network>, kernel: Kernel) -> Self {
        Self {
            accumulators: Accumulators::new(&network),
            network,
            kernel,
        }
    }

    /// Enters the node of this board at this ply, at the root (ply 0) or after a move from the node
    /// above.
    #[inline(always)]
    pub(crate) fn enter(&mut self, board: &Board, ply: usize) {
        self.accumulators.enter(board, ply);
    }

    /// Enters the node after a null move at this ply. The next move must not be a null move.
    #[inline(always)]
    pub(crate) fn pass(&mut self, ply: usize) {
        self.accumulators.pass(ply);
    }

    /// Evaluates the node at this ply, in centipawns for the side to move, within
    /// ±[`EVAL_LIMIT`](score::EVAL_LIMIT). The node and those above it must have been
    /// [entered](Self::enter).
    #[inline]
    pub(crate) fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        mop_up::evaluate(board).unwrap_or_else(|| self.infer(board, ply))
    }

    /// Evaluates a single position by the network alone, in centipawns for the side to move, within
    /// ±[`EVAL_LIMIT`](score::EVAL_LIMIT).
    pub fn evaluate_alone(&mut self, board: &Board) -> Score {
        self.enter(board, 0);
        self.infer(board, 0)
    }

    /// Evaluates the node like [`evaluate`](Self::evaluate), by the network alone.
    #[inline]
    fn infer(&mut self, board: &Board, ply: usize) -> Score {
        let hidden = (self.accumulators).of_node(&self.network, self.kernel, board, ply);
        let bucket = features::output_bucket(board.occupied().count());
        let output = self.kernel.output(self.network.output(bucket), hidden);
        score::clamp_eval(self.network.score(output))
    }
}

/// Evaluates a single position by the network alone, in centipawns for the side to move, within
/// ±[`EVAL_LIMIT`](score::EVAL_LIMIT).
///
/// ```
/// use rejoinder::board::{Board, FenError};
/// use rejoinder::eval::{evaluate, network};
///
/// let network = network::embedded();
/// let up_a_queen = Board::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1")?;
/// assert!(evaluate(&network, &up_a_queen) > 300);
/// # Ok::<(), FenError>(())
/// ```
pub fn evaluate(network: &Arc<Network>, board: &Board) -> Score {
    Evaluator::new(Arc::clone(network), Kernel::best()).evaluate_alone(board)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(fen: &str) -> Score {
        let board = Board::from_fen(fen).expect(fen);
        evaluate(&network::embedded(), &board)
    }

    /// Returns the same position with the colors exchanged, without castling rights and en passant.
    fn flipped(fen: &str) -> String {
        let mut fields = fen.split_whitespace();
        let (board, side) = (fields.next().unwrap(), fields.next().unwrap());
        let ranks: Vec<_> = board.split('/').rev().collect();
        let swap = |letter: char| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        };
        let board: String = ranks.join("/").chars().map(swap).collect();
        format!("{board} {} - - 0 1", if side == "w" { "b" } else { "w" })
    }

    #[test]
    fn colors_are_equal() {
        let positions = [
            include_str!("../../tests/data/perft_standard.epd"),
            include_str!("../../tests/data/perft_dfrc.epd"),
        ];
        for line in positions.into_iter().flat_map(str::lines) {
            let fen = line.split(" ;").next().unwrap();
            assert_eq!(score(fen), score(&flipped(fen)), "{fen}");
        }
    }

    #[test]
    fn the_network_knows_what_pieces_are_worth() {
        let start = score("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        assert!((0..60).contains(&start), "{start}");
        let boards = [
            "PPPPPPP1/RNBQKBNR",
            "PPPPPPPP/R1BQKBNR",
            "PPPPPPPP/1NBQKBNR",
            "PPPPPPPP/RNB1KBNR",
        ];
        let scores =
            boards.map(|ranks| score(&format!("rnbqkbnr/pppppppp/8/8/8/8/{ranks} w kq - 0 1")));
        assert!(scores.is_sorted_by(|more, less| more > less), "{scores:?}");
        assert!(scores[0] < start && scores[3] < -500, "{scores:?}");
    }
}
