//! The cheapest refutation: at an expected cut node any refutation is good enough, so the one with
//! the smallest tree is best.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::hook::SearchedMove;
use rejoinder::ordering::{Context, Histories, NodeKind, OrderingHook, PLIES};
use rejoinder::params::Params;
use rejoinder::types::{Move, Piece, Square};

/// Number of depths with a mean of their own; greater depths share the last one.
const DEPTHS: usize = 32;
/// A new size moves a mean by the inverse of this number of the difference.
const INERTIA: i32 = 64;

pub const ENTRY: Experiment = Experiment {
    name: "cheapest-refutation",
    what: "At expected cut nodes, a quiet move loses points if the trees below moves of its piece \
           to its target square were larger on average than other trees of the same depth.",
    source: "https://www.chessprogramming.org/Move_Ordering; A. Plaat, \"Research Re: search & Re-search\", 1996",
    in_default: false,
    variants: &[
        Variant::new("small", || Box::new(Cheapest::new(512))),
        Variant::new("large", || Box::new(Cheapest::new(4096))),
    ],
};

#[derive(Debug)]
struct Cheapest {
    /// Mean binary logarithm of the tree size by depth, in units of 1/1024.
    by_depth: [i32; DEPTHS],
    /// `[piece][to]`: mean difference of a move's trees from `by_depth`, in units of 1/1024.
    by_move: [[i32; Square::COUNT]; Piece::COUNT],
    /// Kind of the current node at each ply.
    kinds: [NodeKind; PLIES],
    /// Points for a tree of half the mean size.
    weight: i32,
}

impl Cheapest {
    fn new(weight: i32) -> Self {
        Self {
            by_depth: [0; DEPTHS],
            by_move: [[0; Square::COUNT]; Piece::COUNT],
            kinds: [NodeKind::All; PLIES],
            weight,
        }
    }
}

impl OrderingHook for Cheapest {
    fn clear(&mut self) {
        *self = Self::new(self.weight);
    }

    fn enter(&mut self, ctx: &Context, kind: NodeKind) {
        self.kinds[ctx.ply] = kind;
    }

    fn searched(&mut self, ctx: &Context, searched: SearchedMove) {
        let SearchedMove {
            mv, depth, nodes, ..
        } = searched;
        if !mv.is_quiet() || depth <= 0 {
            return;
        }
        let size = logarithm(nodes);
        let mean = &mut self.by_depth[(depth as usize).min(DEPTHS - 1)];
        *mean += (size - *mean) / INERTIA;
        let piece = ctx.board.describe(mv).piece;
        let own = &mut self.by_move[piece.index()][mv.to().index()];
        *own += (size - *mean - *own) / INERTIA;
    }

    fn quiet_points(
        &self,
        _: &Params,
        _: &Histories,
        ctx: &Context,
        piece: Piece,
        mv: Move,
    ) -> i32 {
        if self.kinds[ctx.ply] == NodeKind::Cut {
            -self.by_move[piece.index()][mv.to().index()] * self.weight / 1024
        } else {
            0
        }
    }
}

/// Returns the binary logarithm times 1024, interpolated linearly between powers of two; 0 for 0
/// nodes.
fn logarithm(nodes: u64) -> i32 {
    let nodes = nodes.max(1);
    let whole = nodes.ilog2();
    let rest = (nodes << 10 >> whole) as i32 - 1024;
    whole as i32 * 1024 + rest
}
