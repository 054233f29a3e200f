//! Losing captures before the end: a sacrifice may be better than the twentieth quiet move.

use super::{Entry, Lab, Variant};
use crate::ordering::picker::holds;
use crate::ordering::{Context, Technique, captures};
use crate::params::Params;
use crate::types::Move;

/// Above every quiet move.
const FIRST: i32 = 1 << 20;

pub const ENTRY: Entry = Entry {
    name: "losing-captures",
    what: "Captures that lose by SEE come right behind the killers, before all quiet moves, or where the histories of quiet moves turn bad; in the default they come last.",
    source: "https://www.chessprogramming.org/Move_Ordering#Typical_move_ordering",
    in_default: false,
    variants: &[
        Variant::new("after-killers", || {
            Lab::new(Losing(Params::second_killer_bonus))
        }),
        Variant::new("before-quiets", || Lab::new(Losing(|_| FIRST))),
        Variant::new("among-quiets", || Lab::new(Losing(|_| 0))),
    ],
};

/// Their score among the quiet moves.
#[derive(Debug)]
struct Losing(fn(&Params) -> i32);

impl Technique for Losing {
    fn among_quiets(&self, p: &Params, ctx: &Context, capture: Move) -> Option<i32> {
        let losing = !captures::is_underpromotion(capture) && !holds(p, ctx, capture);
        losing.then(|| self.0(p))
    }
}
