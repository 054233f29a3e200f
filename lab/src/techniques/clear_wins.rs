//! Captures of a piece that is worth at least the attacker skip SEE, because they cannot lose
//! material.

use super::experiment::{Experiment, Variant};
use rejoinder::board::see_value;
use rejoinder::ordering::{Context, OrderingHook};
use rejoinder::params::Params;
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
            Box::new(ClearWins {
                minors_alike: false,
            })
        }),
        Variant::new("minors-alike", || {
            Box::new(ClearWins { minors_alike: true })
        }),
    ],
};

#[derive(Debug)]
struct ClearWins {
    /// A bishop has the value of a knight.
    minors_alike: bool,
}

impl ClearWins {
    fn value(&self, p: &Params, kind: PieceType) -> i32 {
        match kind {
            PieceType::Bishop if self.minors_alike => see_value(p, PieceType::Knight),
            kind => see_value(p, kind),
        }
    }
}

impl OrderingHook for ClearWins {
    fn is_good_capture(&self, p: &Params, ctx: &Context, capture: Move) -> Option<bool> {
        let played = ctx.board.describe(capture);
        let victim = played.captured.filter(|_| !capture.is_promotion())?;
        let clear = self.value(p, victim) >= self.value(p, played.piece.kind());
        clear.then_some(true)
    }
}
