//! The threat move: what refuted the null move is what the opponent is up to.

use super::{Entry, Lab, Variant};
use crate::ordering::technique::Outcome;
use crate::ordering::{Context, PLIES, Stores, Technique};
use crate::params::Params;
use crate::types::{Move, Piece};

/// Points of a move that knows the threat.
const POINTS: i32 = 6000;

pub const ENTRY: Entry = Entry {
    name: "threat-move",
    what: "The refutation of a null move raises the escape of the man it would take, or is itself raised among the opponent's replies.",
    source: "https://www.chessprogramming.org/Null_Move#ThreatMove",
    in_default: false,
    variants: &[
        Variant::new("escape", || Lab::new(ThreatMove::new(Use::Escape))),
        Variant::new("reply", || Lab::new(ThreatMove::new(Use::Reply))),
    ],
};

#[derive(Debug)]
enum Use {
    /// The threatened man goes first.
    Escape,
    /// The threat is the opponent's first quiet reply.
    Reply,
}

#[derive(Debug)]
struct ThreatMove {
    /// What refuted the null move at the node of each ply; [`Move::NULL`] where none was.
    threats: [Move; PLIES],
    used: Use,
}

impl ThreatMove {
    fn new(used: Use) -> Self {
        Self {
            threats: [Move::NULL; PLIES],
            used,
        }
    }
}

impl Technique for ThreatMove {
    fn new_search(&mut self, _: usize) {
        self.threats.fill(Move::NULL);
    }

    fn pass_refuted(&mut self, ply: usize, refutation: Move) {
        self.threats[ply] = refutation;
    }

    fn learn(&mut self, ctx: &Context, _: Outcome) {
        self.threats[ctx.ply] = Move::NULL;
    }

    fn quiet_points(&self, _: &Params, _: &Stores, ctx: &Context, _: Piece, mv: Move) -> i32 {
        let helps = match self.used {
            Use::Escape => {
                let threat = self.threats[ctx.ply];
                threat.is_capture() && threat.to() == mv.from()
            }
            Use::Reply => ctx.ply > 0 && self.threats[ctx.ply - 1] == mv,
        };
        if helps { POINTS } else { 0 }
    }
}
