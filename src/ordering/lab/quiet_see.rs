//! SEE of quiet moves: one that hangs its man comes late, whatever its history says.

use super::{Entry, Lab, Variant};
use crate::ordering::{Context, Stores, Technique};
use crate::params::Params;
use crate::types::{Move, Piece};

pub const ENTRY: Entry = Entry {
    name: "quiet-see",
    what: "Quiet moves that lose material by SEE lose points. The default knows only those to squares that a lesser man attacks.",
    source: "https://www.chessprogramming.org/Static_Exchange_Evaluation",
    in_default: false,
    variants: &[
        Variant::new("small", || Lab::new(QuietSee { points: 3000 })),
        Variant::new("large", || Lab::new(QuietSee { points: 12000 })),
    ],
};

#[derive(Debug)]
struct QuietSee {
    points: i32,
}

impl Technique for QuietSee {
    fn quiet_points(&self, p: &Params, _: &Stores, ctx: &Context, _: Piece, mv: Move) -> i32 {
        if ctx.threats.has(mv.to()) && !ctx.board.see(p, mv, 0) {
            -self.points
        } else {
            0
        }
    }
}
