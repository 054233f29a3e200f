//! Equal captures after winning captures: a capture that wins nothing by SEE waits until all
//! winning captures have been tried.

use super::experiment::{Experiment, Variant, captures};
use rejoinder::ordering::holds;

/// More than the points of any capture.
const STEP: i32 = 1 << 20;

pub const ENTRY: Experiment = Experiment {
    name: "equal-captures",
    what: "Captures that win nothing and lose nothing by SEE come after all captures that win. The \
           default does not separate the two.",
    source: "https://www.chessprogramming.org/Move_Ordering#Typical_move_ordering",
    in_default: false,
    variants: &[Variant::new("after-winning", || {
        captures(|p, ctx, capture| {
            let is_equal = holds(p, ctx, capture.mv, 0) && !ctx.board.see_ge(p, capture.mv, 1);
            if is_equal { -STEP } else { 0 }
        })
    })],
};
