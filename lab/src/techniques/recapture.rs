//! Recaptures: captures of the piece that moved last come before other captures, those by the least
//! valuable attacker first.

use super::experiment::{Experiment, Variant, captures};
use rejoinder::ordering::Context;
use rejoinder::types::Played;

/// More than the points of any victim, so that recaptures come first.
const FIRST: i32 = 1 << 20;
/// About the points of a minor piece.
const RAISED: i32 = 300;

pub const ENTRY: Experiment = Experiment {
    name: "recapture",
    what: "Captures of the piece that moved last come before all other captures, or gain about the \
           points of a minor piece.",
    source: "https://www.chessprogramming.org/Move_Ordering#Captures",
    in_default: false,
    variants: &[
        Variant::new("first", || {
            captures(|_, ctx, capture| FIRST * retakes(ctx, capture))
        }),
        Variant::new("raised", || {
            captures(|_, ctx, capture| RAISED * retakes(ctx, capture))
        }),
    ],
};

/// Returns 1 if the capture takes the piece that moved last, else 0.
fn retakes(ctx: &Context, capture: Played) -> i32 {
    let [last, ..] = ctx.prior;
    i32::from(!last.is_none() && capture.mv.is_capture() && capture.mv.to() == last.mv.to())
}
