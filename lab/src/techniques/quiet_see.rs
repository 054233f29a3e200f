//! SEE of quiet moves: a quiet move that loses its piece comes late, whatever its history.

use super::experiment::{Experiment, Quiet, Variant, quiets};

pub const ENTRY: Experiment = Experiment {
    name: "quiet-see",
    what: "Quiet moves that lose material by SEE lose points. In the default, only quiet moves to \
           squares that a less valuable piece attacks do.",
    source: "https://www.chessprogramming.org/Static_Exchange_Evaluation",
    in_default: false,
    variants: &[
        Variant::new("small", || quiets(|quiet| -3000 * loses(quiet))),
        Variant::new("large", || quiets(|quiet| -12000 * loses(quiet))),
    ],
};

/// Returns 1 if the move loses material by SEE, else 0.
fn loses(&Quiet { p, ctx, mv, .. }: &Quiet) -> i32 {
    i32::from(ctx.threats.has(mv.to()) && !ctx.board.see_ge(p, mv, 0))
}
