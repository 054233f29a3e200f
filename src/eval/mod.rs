//! Position to score: one network, its incremental accumulator, and the kernels that run it.

mod accumulator;
mod explain;
pub mod features;
mod first;
pub mod kernels;
pub mod network;
pub mod win_rate;

use std::sync::Arc;

use crate::board::{Board, Change};
use crate::types::{Score, score};

use accumulator::Accumulators;
use kernels::Kernel;
use network::Network;

pub use explain::explain;

/// Evaluates the nodes of one worker's search.
#[derive(Debug)]
pub struct Evaluator {
    network: Option<Arc<Network>>,
    kernel: Kernel,
    accumulators: Option<Accumulators>,
}

impl Evaluator {
    /// An evaluator with this network. [`reset`](Self::reset) comes before the first evaluation.
    pub fn new(network: Option<Arc<Network>>, kernel: Kernel) -> Self {
        Self {
            accumulators: network.as_deref().map(Accumulators::new),
            network,
            kernel,
        }
    }

    /// A search begins, at another root.
    pub fn reset(&mut self) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.reset();
        }
    }

    /// The node at this ply, from 1, came about by a move that changed this; by none after a null move.
    #[inline(always)]
    pub fn enter(&mut self, ply: usize, change: Option<Change>) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.enter(ply, change);
        }
    }

    /// Centipawns for the side to move, within the evaluation band. The board is that of the node at this ply,
    /// reached as [`enter`](Self::enter) was told.
    #[inline]
    pub fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        match (&self.network, &mut self.accumulators) {
            (Some(network), Some(accumulators)) => {
                let hidden = accumulators.sums(network, self.kernel, board, ply);
                let bucket = features::bucket(board.occupied().count());
                let sum = self.kernel.output(hidden, network.output_weights(bucket));
                score::clamp_eval(network.score(bucket, sum))
            }
            _ => first::evaluate(board),
        }
    }
}

/// The evaluation of a single position: see [`Evaluator::evaluate`].
pub fn evaluate(network: &Arc<Network>, board: &Board) -> Score {
    Evaluator::new(Some(Arc::clone(network)), Kernel::best()).evaluate(board, 0)
}
