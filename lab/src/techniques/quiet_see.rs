//! SEE of quiet moves: a quiet move that loses its piece comes late, whatever its history.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Move, Piece};

pub const ENTRY: Experiment = Experiment {
    name: "quiet-see",
    what: "Quiet moves that lose material by SEE lose points. In the default, only quiet moves to \
           squares that a less valuable piece attacks do.",
    source: "https://www.chessprogramming.org/Static_Exchange_Evaluation",
    in_default: false,
    variants: &[
        Variant::new("small", || Box::new(QuietSee { points: 3000 })),
        Variant::new("large", || Box::new(QuietSee { points: 12000 })),
    ],
};

#[derive(Debug)]
struct QuietSee {
    /// Points that a losing move loses.
    points: i32,
}

impl OrderingHook for QuietSee {
    fn quiet_points(&self, p: &Params, _: &Histories, ctx: &Context, _: Piece, mv: Move) -> i32 {
        if ctx.threats.has(mv.to()) && !ctx.board.see_ge(p, mv, 0) {
            -self.points
        } else {
            0
        }
    }
}
