//! Internal iterative deepening: a node without a TT move gets one by a shallower search of itself.

use super::{Entry, Lab, Variant};
use crate::ordering::Technique;
use crate::ordering::technique::NodeKind;

/// Least depth of a node that is worth it, plies.
const DEPTH: i32 = 5;
/// How much shallower the search for the first move is, plies.
const LESS: i32 = 3;

pub const ENTRY: Entry = Entry {
    name: "internal-iterative",
    what: "What to do where a PV or expected cut node has no TT move: the default searches it a ply less deep (reductions). Instead: nothing; or a search three plies shallower that finds a move to begin with (deepening), at PV nodes alone or at both.",
    source: "https://www.chessprogramming.org/Internal_Iterative_Deepening; https://www.chessprogramming.org/Internal_Iterative_Reductions",
    in_default: true,
    variants: &[
        Variant::of_params("off", &[("iir_depth", 12)]),
        Variant {
            name: "deepening-pv",
            params: &[("iir_depth", 12)],
            lab: || Lab::new(Deepening { cut_nodes: false }),
        },
        Variant {
            name: "deepening",
            params: &[("iir_depth", 12)],
            lab: || Lab::new(Deepening { cut_nodes: true }),
        },
    ],
};

#[derive(Debug)]
struct Deepening {
    cut_nodes: bool,
}

impl Technique for Deepening {
    fn deepens(&self, kind: NodeKind, depth: i32) -> Option<i32> {
        let asked = match kind {
            NodeKind::Pv => true,
            NodeKind::Cut => self.cut_nodes,
            NodeKind::All => false,
        };
        (asked && depth >= DEPTH).then_some(depth - LESS)
    }
}
