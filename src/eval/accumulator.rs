//! The hidden layer of every node on the current line, updated only where an evaluation needs it.
//!
//! A node remembers what its move changed. When it is evaluated, each side's sums are updated from
//! the nearest node above that has them. If the side's view of the board has changed in between,
//! because its king moved, every input has changed: then the sums come from a cache of the last
//! board seen with that view.
// Source: efficiently updatable networks, Y. Nasu (2018); the refresh cache is known as "Finny
// tables".

use std::fmt;
use std::mem;

use arrayvec::ArrayVec;

use crate::board::{Board, MoveDelta};
use crate::memory::{Arena, Mapped};
use crate::types::{Bitboard, Color, MAX_PLY, Piece, PieceType};

use super::features::{KingBuckets, View};
use super::kernels::Kernel;
use super::network::{Block, Network};

/// The maximum number of pieces on a board.
const MAX_PIECES: usize = 32;

/// The sums of all nodes on the current line for both sides.
pub struct Accumulators {
    blocks: usize,
    /// `[ply][side][blocks]`
    sums: Mapped<Block>,
    nodes: Box<[Node]>,
    /// `[side][view]`
    cache: [Box<[Seen]>; 2],
}

/// A node on the current line.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The change that led to the node; `None` at the root and after a null move.
    change: Option<MoveDelta>,
    /// True if the sums of each side are up to date.
    fresh: [bool; 2],
}

/// The last board that a side has seen with some view, and its sums.
#[derive(Clone)]
struct Seen {
    pieces: [Bitboard; Piece::COUNT],
    sums: Box<[Block]>,
}

impl Accumulators {
    /// Allocates the sums of a line for a network of this size. Call [`reset`](Self::reset) before
    /// using them.
    pub fn new(network: &Network) -> Self {
        let blocks = network.blocks();
        let seen = Seen {
            pieces: [Bitboard::EMPTY; Piece::COUNT],
            sums: network.feature_biases().into(),
        };
        let node = Node {
            change: None,
            fresh: [false; 2],
        };
        let sums = (MAX_PLY + 1) * 2 * blocks;
        let views = vec![seen; 2 * network.king_buckets().count].into_boxed_slice();
        Self {
            blocks,
            sums: Arena::new(sums * size_of::<Block>()).take(sums),
            nodes: vec![node; MAX_PLY + 1].into_boxed_slice(),
            cache: [views.clone(), views],
        }
    }

    /// Begins a line at another root.
    pub fn reset(&mut self) {
        self.nodes[0] = Node {
            change: None,
            fresh: [false; 2],
        };
    }

    /// Enters the node at this ply, from 1, after a move that made this change; `None` stands for a
    /// null move.
    #[inline(always)]
    pub fn enter(&mut self, ply: usize, change: Option<MoveDelta>) {
        self.nodes[ply] = Node {
            change,
            fresh: [false; 2],
        };
    }

    /// Returns the sums of the node at this ply, those of the side to move first.
    pub fn sums(
        &mut self,
        network: &Network,
        kernel: Kernel,
        board: &Board,
        ply: usize,
    ) -> [&[Block]; 2] {
        for side in Color::ALL {
            self.bring_up_to_date(network, kernel, board, ply, side);
        }
        let us = board.side_to_move();
        let of = |side: Color| &self.sums[self.place(ply, side)..][..self.blocks];
        [of(us), of(!us)]
    }

    fn bring_up_to_date(
        &mut self,
        network: &Network,
        kernel: Kernel,
        board: &Board,
        ply: usize,
        side: Color,
    ) {
        let buckets = network.king_buckets();
        let mut from = ply;
        while !self.nodes[from].fresh[side.index()] {
            let turns =
                (self.nodes[from].change).is_some_and(|change| changes_view(change, side, buckets));
            if from == 0 || turns {
                return self.refresh(network, kernel, board, ply, side);
            }
            from -= 1;
        }
        let view = View::new(side, board.king(side), buckets);
        for ply in from + 1..=ply {
            self.carry(network, kernel, ply, view);
            self.nodes[ply].fresh[side.index()] = true;
        }
    }

    /// Updates the sums of the node at this ply from those of the node above.
    fn carry(&mut self, network: &Network, kernel: Kernel, ply: usize, view: View) {
        let place = self.place(ply, view.side());
        let (above, here) = self.sums.split_at_mut(place);
        let from = &above[place - 2 * self.blocks..][..self.blocks];
        let to = &mut here[..self.blocks];
        let row = |piece, square| network.feature(view.input(piece, square));
        let Some(change) = self.nodes[ply].change else {
            to.copy_from_slice(from);
            return;
        };
        let add = row(change.placed, change.to);
        let sub = row(change.moved, change.from);
        if let Some((piece, square)) = change.taken {
            kernel.capture(to, from, add, [sub, row(piece, square)]);
        } else if let Some((start, end)) = change.rook {
            let rook = Piece::new(change.moved.color(), PieceType::Rook);
            let [rook_add, rook_sub] = [end, start].map(|square| row(rook, square));
            kernel.castle(to, from, [add, rook_add], [sub, rook_sub]);
        } else {
            kernel.quiet(to, from, add, sub);
        }
    }

    /// Computes the sums from the last board seen with the view that the side has now.
    fn refresh(
        &mut self,
        network: &Network,
        kernel: Kernel,
        board: &Board,
        ply: usize,
        side: Color,
    ) {
        let view = View::new(side, board.king(side), network.king_buckets());
        let place = self.place(ply, side);
        let seen = &mut self.cache[side.index()][view.number()];
        seen.follow(network, kernel, board, view);
        self.sums[place..][..self.blocks].copy_from_slice(&seen.sums);
        self.nodes[ply].fresh[side.index()] = true;
    }

    const fn place(&self, ply: usize, side: Color) -> usize {
        (2 * ply + side.index()) * self.blocks
    }
}

impl Seen {
    /// Updates the cached sums to this board.
    fn follow(&mut self, network: &Network, kernel: Kernel, board: &Board, view: View) {
        let mut added = ArrayVec::<_, MAX_PIECES>::new();
        let mut removed = ArrayVec::<_, MAX_PIECES>::new();
        for (piece, before) in Piece::ALL.into_iter().zip(&mut self.pieces) {
            let now = board.pieces(piece.color(), piece.kind());
            let before = mem::replace(before, now);
            let row = |square| network.feature(view.input(piece, square));
            added.extend((now & !before).into_iter().map(row));
            removed.extend((before & !now).into_iter().map(row));
        }
        kernel.follow(&mut self.sums, &added, &removed);
    }
}

/// Returns whether a side's view of the board is another one after this change.
fn changes_view(change: MoveDelta, side: Color, buckets: &KingBuckets) -> bool {
    let view = |king| View::new(side, king, buckets);
    change.moved == Piece::new(side, PieceType::King) && view(change.from) != view(change.to)
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
    use crate::eval::network::{Architecture, Head, HeadBlocks, HeadWeights, LANES, QA, Weights};
    use crate::eval::{Evaluator, features, win_rate::WinRate};
    use crate::types::Rng;
    use std::sync::Arc;

    /// Returns a network with large weights, so that an error in the sums changes the score.
    fn network(rng: &mut Rng, king_buckets: usize) -> Arc<Network> {
        let architecture = Architecture {
            king_buckets,
            hidden: 2 * LANES,
            head: Head::Direct,
        };
        let hidden = architecture.hidden;
        let mut numbers = |count: usize, bound: usize| {
            let number = |_| rng.below(2 * bound + 1) as i16 - bound as i16;
            (0..count).map(number).collect::<Vec<_>>()
        };
        let weights = Weights {
            architecture,
            feature_weights: numbers(architecture.inputs() * hidden, 120),
            feature_biases: numbers(hidden, 200),
            head: HeadWeights::Direct {
                weights: numbers(features::OUTPUT_BUCKETS * 2 * hidden, 2000),
                biases: vec![5; features::OUTPUT_BUCKETS],
            },
            scale: 400,
            win_rate: WinRate::DEFAULT,
        };
        Arc::new(Network::new(&weights).expect("the test's weights do not make a network"))
    }

    /// Returns the score by definition, without kernels and incremental updates.
    fn by_definition(network: &Network, board: &Board) -> i32 {
        let bucket = features::output_bucket(board.occupied().count());
        let HeadBlocks::Direct(buckets) = network.head() else {
            panic!("another head");
        };
        let (weights, bias) = &buckets[bucket];
        let mut sum = *bias;
        let us = board.side_to_move();
        let halves = weights.chunks_exact(network.blocks());
        for (side, weights) in [us, !us].into_iter().zip(halves) {
            let view = View::new(side, board.king(side), network.king_buckets());
            for (block, weights) in weights.iter().enumerate() {
                for lane in 0..LANES {
                    let mut x = network.feature_biases()[block].0[lane];
                    for square in board.occupied() {
                        let piece = board
                            .piece_on(square)
                            .expect("there is no piece on an occupied square");
                        x += network.feature(view.input(piece, square))[block].0[lane];
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
        let networks = features::KingBuckets::counts().map(|count| network(&mut rng, count));
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
            for game in 0..60 {
                let mut board = Board::from_fen(starts[game % starts.len()])
                    .expect("the test's FEN is invalid");
                evaluator.reset();
                for ply in 0..80 {
                    // Not every node is evaluated, and sometimes another move is tried first.
                    if rng.chance(0.4) {
                        let found = evaluator.evaluate(&board, ply);
                        assert_eq!(found, by_definition(network, &board), "{kernel:?}");
                    }
                    let moves = board.legal_moves();
                    for last in [false, true] {
                        let Some(mv) = rng.choose(&moves) else { break };
                        if !last && rng.chance(0.7) {
                            continue;
                        }
                        let mut child = board;
                        if rng.chance(0.05) && !board.in_check() {
                            child.make_null();
                            evaluator.enter(ply + 1, None);
                        } else {
                            let change = child.make(mv);
                            castlings += usize::from(change.rook.is_some());
                            crossings += usize::from(changes_view(
                                change,
                                board.side_to_move(),
                                network.king_buckets(),
                            ));
                            evaluator.enter(ply + 1, Some(change));
                        }
                        if last {
                            board = child;
                        } else if rng.chance(0.5) {
                            let found = evaluator.evaluate(&child, ply + 1);
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
