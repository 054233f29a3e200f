//! The accumulators of every node on the current line, updated only where an evaluation needs them.
//!
//! An accumulator holds the values of the hidden layer as one side sees the board, before they are
//! clipped. When a node is evaluated, each side's accumulator is computed from that of the nearest
//! node above that has them: a snapshot of what the network saw there tells which features have
//! changed since. A parent without accumulators, whose evaluation came from elsewhere, gets them
//! when a second child would have to repeat its changes. If a king move has changed the side's
//! perspective (its bucket or the mirroring), every feature has changed. Then it is computed from
//! the refresh table, which keeps the last accumulator of each perspective.
// Source: efficiently updatable networks, Y. Nasu (2018); the refresh table is known as "Finny
// tables".

use std::fmt;

use crate::board::Board;
use crate::memory::{Arena, Mapped};
use crate::types::{Color, MAX_PLY, Square};

use super::changes::Changes;
use super::features::Perspective;
use super::kernels::Kernel;
use super::network::{Block, Network};
use super::snapshot::Snapshot;

/// Number of plies that are searched upwards for a node with accumulators.
const REACH: usize = 6;

/// The accumulators of all nodes on the current line for both sides.
pub struct Accumulators {
    blocks: usize,
    /// `[ply][side][blocks]`
    values: Mapped<Block>,
    nodes: Box<[Node]>,
    /// `[side][perspective]`
    refresh_table: [Box<[RefreshEntry]>; 2],
}

/// A node on the current line.
#[derive(Clone, Copy, Debug)]
struct Node {
    state: State,
    snapshot: Snapshot,
    /// The perspective of each side.
    perspectives: [Perspective; 2],
}

/// What is known of a node on the current line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing: it follows a null move, and has all that the node above has.
    Passed,
    /// Only its pieces: nothing below has asked for its accumulators.
    Entered,
    /// Only its pieces, and a child was evaluated without its accumulators.
    Missed,
    /// Its accumulators, relations and perspectives.
    Current,
}

/// The last board that a side has seen from a perspective, and its accumulator.
#[derive(Clone)]
struct RefreshEntry {
    snapshot: Snapshot,
    values: Box<[Block]>,
}

impl Accumulators {
    /// Allocates the accumulators of a line for a network of this size. [Enter](Self::enter)
    /// a root before using them.
    pub fn new(network: &Network) -> Self {
        let blocks = network.blocks();
        let empty = RefreshEntry {
            snapshot: Snapshot::EMPTY,
            values: network.feature_biases().into(),
        };
        let node = Node {
            state: State::Entered,
            snapshot: Snapshot::EMPTY,
            perspectives: [Perspective::new(Color::White, Square::new(0), network.king_buckets());
                2],
        };
        let values = (MAX_PLY + 1) * 2 * blocks;
        let entries = vec![empty; 2 * network.king_buckets().count].into_boxed_slice();
        Self {
            blocks,
            values: Arena::new(values * size_of::<Block>()).take(values),
            nodes: vec![node; MAX_PLY + 1].into_boxed_slice(),
            refresh_table: [entries.clone(), entries],
        }
    }

    /// Enters the node of this board at this ply, at the root or after a move from the node above.
    #[inline(always)]
    pub fn enter(&mut self, board: &Board, ply: usize) {
        let node = &mut self.nodes[ply];
        node.state = State::Entered;
        node.snapshot.take(board);
    }

    /// Enters the node after a null move at this ply. Another one must not follow.
    #[inline(always)]
    pub fn pass(&mut self, ply: usize) {
        debug_assert!(self.nodes[ply - 1].state != State::Passed);
        self.nodes[ply].state = State::Passed;
    }

    /// Returns the ply of the node itself, or of the one above it if that has the same pieces.
    #[inline(always)]
    fn with_pieces(&self, ply: usize) -> usize {
        ply - usize::from(self.nodes[ply].state == State::Passed)
    }

    /// Returns the accumulators of the node at this ply, that of the side to move first.
    pub fn of_node(
        &mut self,
        network: &Network,
        kernel: Kernel,
        board: &Board,
        ply: usize,
    ) -> [&[Block]; 2] {
        let ply = self.with_pieces(ply);
        if self.nodes[ply].state != State::Current {
            self.update(network, kernel, ply);
        }
        let us = board.side_to_move();
        let of = |side: Color| &self.values[self.place(ply, side)..][..self.blocks];
        [of(us), of(!us)]
    }

    /// Computes the accumulators of both sides at this ply.
    fn update(&mut self, network: &Network, kernel: Kernel, ply: usize) {
        if let Some(parent) = ply.checked_sub(1) {
            let parent = self.with_pieces(parent);
            match self.nodes[parent].state {
                State::Entered => self.nodes[parent].state = State::Missed,
                State::Missed => self.update(network, kernel, parent),
                State::Current | State::Passed => {}
            }
        }
        let node = &mut self.nodes[ply];
        node.state = State::Current;
        node.snapshot.find_relations(network.relations());
        let king = |side| node.snapshot.king(side);
        node.perspectives =
            Color::ALL.map(|side| Perspective::new(side, king(side), network.king_buckets()));
        let Node {
            snapshot,
            perspectives,
            ..
        } = &self.nodes[ply];
        let above = (ply.saturating_sub(REACH)..ply).rev();
        let above = above
            .into_iter()
            .find(|&ply| self.nodes[ply].state == State::Current);
        let parents = Color::ALL.map(|side| {
            above.filter(|&above| {
                self.nodes[above].perspectives[side.index()] == perspectives[side.index()]
            })
        });
        let mut since_above = Changes::default();
        if let Some(above) = above.filter(|_| parents != [None; 2]) {
            snapshot.changes(&self.nodes[above].snapshot, &mut since_above);
        }
        for side in Color::ALL.map(Color::index) {
            let perspective = perspectives[side];
            let rows = network.rows(perspective);
            let (upper, lower) = self.values.split_at_mut((2 * ply + side) * self.blocks);
            let to = &mut lower[..self.blocks];
            if let Some(above) = parents[side] {
                let from = &upper[(2 * above + side) * self.blocks..][..self.blocks];
                kernel.update(rows, to, from, &since_above);
            } else {
                let entry = &mut self.refresh_table[side][perspective.number()];
                let mut since_entry = Changes::default();
                snapshot.changes(&entry.snapshot, &mut since_entry);
                kernel.update(rows, to, &entry.values, &since_entry);
                entry.values.copy_from_slice(to);
                entry.snapshot = *snapshot;
            }
        }
    }

    const fn place(&self, ply: usize, side: Color) -> usize {
        (2 * ply + side.index()) * self.blocks
    }
}

impl fmt::Debug for Accumulators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Accumulators")
            .field("blocks", &self.blocks)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::{Architecture, LANES, QA, Weights};
    use crate::eval::{Evaluator, features, relations, win_rate::WinRate};
    use crate::types::Rng;
    use std::sync::Arc;

    /// Returns a network with large weights, so that an error in an accumulator changes the score.
    fn network(rng: &mut Rng, king_buckets: usize, relations: usize) -> Arc<Network> {
        let architecture = Architecture {
            king_buckets,
            relations,
            hidden: 2 * LANES,
        };
        let hidden = architecture.hidden;
        let mut numbers = |count: usize, bound: usize| {
            let number = |_| rng.below(2 * bound + 1) as i16 - bound as i16;
            (0..count).map(number).collect::<Vec<_>>()
        };
        let weights = Weights {
            architecture,
            feature_weights: numbers(architecture.piece_inputs() * hidden, 120),
            relation_weights: numbers(architecture.relation_inputs() * hidden, 127)
                .into_iter()
                .map(|x| x as i8)
                .collect(),
            feature_biases: numbers(hidden, 200),
            output_weights: numbers(features::OUTPUT_BUCKETS * 2 * hidden, 2000),
            output_biases: vec![5; features::OUTPUT_BUCKETS],
            scale: 400,
            win_rate: WinRate::DEFAULT,
        };
        Arc::new(Network::new(&weights).expect("the test's weights do not make a network"))
    }

    /// Returns the score by definition, without kernels and incremental updates.
    fn by_definition(network: &Network, board: &Board) -> i32 {
        let bucket = features::output_bucket(board.occupied().count());
        let (weights, bias) = network.output(bucket);
        let mut sum = *bias;
        let us = board.side_to_move();
        let halves = weights.chunks_exact(network.blocks());
        for (side, weights) in [us, !us].into_iter().zip(halves) {
            let perspective = Perspective::new(side, board.king(side), network.king_buckets());
            let rows = network.rows(perspective);
            let features = Snapshot::new(board, network.relations()).features();
            for (block, weights) in weights.iter().enumerate() {
                for lane in 0..LANES {
                    let mut x = network.feature_biases()[block].0[lane];
                    for &feature in &features.pieces {
                        x += rows.piece(feature)[block].0[lane];
                    }
                    for &feature in &features.relations {
                        x += i16::from(rows.relation(feature)[block].0[lane]);
                    }
                    let x = i32::from(x).clamp(0, QA);
                    sum += x * x / 64 * i32::from(weights.0[lane]);
                }
            }
        }
        network.score(sum.into())
    }

    #[test]
    fn carried_along_is_the_same_as_made_afresh() {
        let mut rng = Rng::new(3);
        let networks = features::KingBuckets::counts()
            .flat_map(|count| relations::COUNTS.map(|relations| (count, relations)))
            .map(|(count, relations)| network(&mut rng, count, relations));
        let networks: Vec<_> = networks.collect();
        let starts = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1",
            "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
            "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
        ];
        for (network, kernel) in networks
            .iter()
            .flat_map(|network| Kernel::all().map(move |kernel| (network, kernel)))
        {
            let (mut castlings, mut crossings) = (0, 0);
            let mut evaluator = Evaluator::new(Arc::clone(network), kernel);
            for game in 0..80 {
                let mut board = Board::from_fen(starts[game % starts.len()])
                    .expect("the test's FEN is invalid");
                evaluator.enter(&board, 0);
                let mut passed = false;
                for ply in 0..80 {
                    // Not every node is evaluated, and sometimes another move is tried first.
                    if rng.chance(0.4) {
                        let found = evaluator.infer(&board, ply);
                        assert_eq!(found, by_definition(network, &board), "{kernel:?}");
                    }
                    let moves = board.legal_moves();
                    for last in [false, true] {
                        let Some(mv) = rng.choose(&moves) else { break };
                        if !last && rng.chance(0.7) {
                            continue;
                        }
                        let mut child = board;
                        let passes = !passed && rng.chance(0.1) && !board.in_check();
                        if passes {
                            child.make_null();
                            evaluator.pass(ply + 1);
                        } else {
                            child.make(mv);
                            castlings += usize::from(mv.is_castle());
                            let side = board.side_to_move();
                            let perspective = |board: &Board| {
                                Perspective::new(side, board.king(side), network.king_buckets())
                            };
                            crossings += usize::from(perspective(&board) != perspective(&child));
                            evaluator.enter(&child, ply + 1);
                        }
                        if last {
                            (board, passed) = (child, passes);
                        } else if rng.chance(0.5) {
                            let found = evaluator.infer(&child, ply + 1);
                            assert_eq!(found, by_definition(network, &child));
                        }
                    }
                    if moves.is_empty() {
                        break;
                    }
                }
            }
            assert!(castlings > 10 && crossings > 20, "{castlings} {crossings}");
        }
    }
}
