//! Equal captures after winning captures: a capture that wins nothing by SEE waits until all
//! winning captures have been tried.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, OrderingHook, holds};
use rejoinder::params::Params;
use rejoinder::types::{Move, Played};

/// More than the points of any capture.
const STEP: i32 = 1 << 20;

pub const ENTRY: Experiment = Experiment {
    name: "equal-captures",
    what: "Captures that win nothing and lose nothing by SEE come after all captures that win. The \
           default does not separate the two.",
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
    holds(p, ctx, mv, 0) && !ctx.board.see_ge(p, mv, 1)
}
