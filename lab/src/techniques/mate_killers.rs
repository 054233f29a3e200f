//! Mate killers: a quiet move that led to mate in a sibling node comes before all other quiet
//! moves, or before all captures.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, NodeOutcome, OrderingHook, PLIES};
use rejoinder::params::Params;
use rejoinder::types::{Move, Piece, score};

/// More than the points of any other quiet move.
const FIRST: i32 = 1 << 20;

pub const ENTRY: Experiment = Experiment {
    name: "mate-killers",
    what: "The quiet move that last led to mate at the same ply comes before all other quiet \
           moves, or, at nodes without a TT move, before the captures.",
    source: "https://www.chessprogramming.org/Killer_Heuristic#MateKillers",
    in_default: false,
    variants: &[
        Variant::new("before-quiets", || Box::new(MateKillers::new(false))),
        Variant::new("before-captures", || Box::new(MateKillers::new(true))),
    ],
};

#[derive(Debug)]
struct MateKillers {
    /// The mate killer of each ply.
    slots: [Move; PLIES],
    before_captures: bool,
}

impl MateKillers {
    fn new(before_captures: bool) -> Self {
        Self {
            slots: [Move::NULL; PLIES],
            before_captures,
        }
    }
}

impl OrderingHook for MateKillers {
    fn new_search(&mut self, _: usize) {
        self.slots.fill(Move::NULL);
    }

    fn learn(&mut self, ctx: &Context, outcome: &NodeOutcome) {
        if outcome.fails_high && outcome.best.is_quiet() && score::is_mate(outcome.score) {
            self.slots[ctx.ply] = outcome.best;
        }
    }

    fn first_move(&self, _: &Params, _: &Histories, ctx: &Context, tt_move: Move) -> Move {
        if self.before_captures && tt_move.is_null() {
            self.slots[ctx.ply]
        } else {
            tt_move
        }
    }

    fn quiet_points(&self, _: &Params, _: &Histories, ctx: &Context, _: Piece, mv: Move) -> i32 {
        if mv == self.slots[ctx.ply] { FIRST } else { 0 }
    }
}
