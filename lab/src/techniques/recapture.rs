//! Recaptures: captures of the piece that moved last come before other captures, those by the least
//! valuable attacker first.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, OrderingHook};
use rejoinder::params::Params;
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
        Variant::new("first", || Box::new(Recapture { points: FIRST })),
        Variant::new("raised", || Box::new(Recapture { points: RAISED })),
    ],
};

#[derive(Debug)]
struct Recapture {
    /// Points that a recapture gains.
    points: i32,
}

impl OrderingHook for Recapture {
    fn capture_points(&self, _: &Params, ctx: &Context, capture: Played) -> i32 {
        let [last, ..] = ctx.prior;
        let retakes = !last.is_none() && capture.mv.is_capture() && capture.mv.to() == last.mv.to();
        if retakes { self.points } else { 0 }
    }
}
