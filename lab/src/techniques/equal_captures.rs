//! Winning and equal captures as steps of their own: an exchange that wins nothing waits until all that win were tried.

use super::{Experiment, Variant};
use rejoinder::ordering::{Context, OrderingHook, holds};
use rejoinder::params::Params;
use rejoinder::types::{Move, Played};

/// Below every capture that wins.
const STEP: i32 = 1 << 20;

pub const ENTRY: Experiment = Experiment {
    name: "equal-captures",
    what: "Captures that hold but win nothing by SEE are a step of their own, behind those that win; in the default both are one step.",
    source: "https://www.chessprogramming.org/Move_Ordering#Typical_move_ordering",
    in_default: false,
    variants: &[Variant::new("after-winning", || Box::new(AfterWinning))],
};

#[derive(Debug)]
struct AfterWinning;

impl OrderingHook for AfterWinning {
    fn capture_points(&self, p: &Params, ctx: &Context, capture: Played) -> i32 {
        if is_equal(p, ctx, capture.mv) {
            -STEP
        } else {
            0
        }
    }
}

fn is_equal(p: &Params, ctx: &Context, mv: Move) -> bool {
    holds(p, ctx, mv) && !ctx.board.see(p, mv, 1)
}
