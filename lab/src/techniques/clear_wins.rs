//! Captures of a piece that is worth at least the attacker skip SEE, because they cannot lose
//! material.

use super::experiment::{Experiment, Variant, good_captures};
use rejoinder::board::see_value;
use rejoinder::ordering::Context;
use rejoinder::types::{Move, PieceType};

pub const ENTRY: Experiment = Experiment {
    name: "clear-wins",
    what: "SEE is skipped if the victim is worth at least the attacker. With the piece values of \
           SEE, this only saves time and leaves the tree unchanged. If bishop and knight have the \
           same value, exchanging a bishop for a knight becomes a good capture.",
    source: "https://www.chessprogramming.org/MVV-LVA",
    in_default: false,
    variants: &[
        Variant::new("by-value", || {
            good_captures(|p, ctx, capture| clear_win(ctx, capture, |kind| see_value(p, kind)))
        }),
        Variant::new("minors-alike", || {
            good_captures(|p, ctx, capture| {
                clear_win(ctx, capture, |kind| match kind {
                    PieceType::Bishop => see_value(p, PieceType::Knight),
                    kind => see_value(p, kind),
                })
            })
        }),
    ],
};

/// Returns that a capture is good if by these values its victim is worth at least its attacker.
fn clear_win(ctx: &Context, capture: Move, value: impl Fn(PieceType) -> i32) -> Option<bool> {
    let played = ctx.board.describe(capture);
    let victim = played.captured.filter(|_| !capture.is_promotion())?;
    (value(victim) >= value(played.piece.kind())).then_some(true)
}
