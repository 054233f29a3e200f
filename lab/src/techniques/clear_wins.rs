//! SEE only where it can say no: who takes a piece worth at least his own loses nothing, whatever follows.

use super::{Experiment, Variant};
use rejoinder::board::see_value;
use rejoinder::ordering::{Context, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Move, PieceType};

pub const ENTRY: Experiment = Experiment {
    name: "clear-wins",
    what: "SEE is not asked where the victim is worth at least the attacker. By SEE's own values the tree is the same and only time may be saved; with bishop and knight alike an even exchange of the two is a good capture.",
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
