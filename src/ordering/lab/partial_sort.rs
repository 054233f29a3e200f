//! Partial sorting: where all moves will be searched anyway, their order is not worth the work.

use super::{Entry, Lab, Variant};
use crate::ordering::technique::{NodeKind, Scene};
use crate::ordering::{Context, PLIES, Technique};

pub const ENTRY: Entry = Entry {
    name: "partial-sort",
    what: "At expected all-nodes only the best few quiet moves are sorted out, or as many as the depth has plies, or none; the others follow as generated. Late moves are reduced by their number, so the order matters even there.",
    source: "https://www.chessprogramming.org/Move_Ordering; https://www.chessprogramming.org/Node_Types#ALL",
    in_default: false,
    variants: &[
        Variant::new("four", || Lab::new(PartialSort::new(|_| 4))),
        Variant::new("by-depth", || {
            Lab::new(PartialSort::new(|depth| depth.max(0) as usize))
        }),
        Variant::new("none", || Lab::new(PartialSort::new(|_| 0))),
    ],
};

#[derive(Debug)]
struct PartialSort {
    /// How many are sorted at the node of each ply.
    sorted: [usize; PLIES],
    /// How many at a depth, plies.
    limit: fn(i32) -> usize,
}

impl PartialSort {
    fn new(limit: fn(i32) -> usize) -> Self {
        Self {
            sorted: [usize::MAX; PLIES],
            limit,
        }
    }
}

impl Technique for PartialSort {
    fn clear(&mut self) {
        self.sorted.fill(usize::MAX);
    }

    fn enter(&mut self, ctx: &Context, scene: Scene) {
        self.sorted[ctx.ply] = match scene.kind {
            NodeKind::All => (self.limit)(scene.depth),
            NodeKind::Pv | NodeKind::Cut => usize::MAX,
        };
    }

    fn sorted(&self, ply: usize) -> usize {
        self.sorted[ply]
    }
}
