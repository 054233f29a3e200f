//! Winning and equal captures as steps of their own: an exchange that wins nothing waits until all that win were tried.

use super::{Entry, Lab, Variant};
use crate::ordering::picker::holds;
use crate::ordering::{Context, Technique};
use crate::params::Params;
use crate::types::{Move, Played};

/// Below every capture that wins.
const STEP: i32 = 1 << 20;

pub const ENTRY: Entry = Entry {
    name: "equal-captures",
    what: "Captures that hold but win nothing by SEE are a step of their own, behind those that win or even behind the killers; in the default both are one step.",
    source: "https://www.chessprogramming.org/Move_Ordering#Typical_move_ordering",
    in_default: false,
    variants: &[
        Variant::new("after-winning", || Lab::new(AfterWinning)),
        Variant::new("after-killers", || Lab::new(AfterKillers)),
    ],
};

#[derive(Debug)]
struct AfterWinning;

impl Technique for AfterWinning {
    fn capture_points(&self, p: &Params, ctx: &Context, capture: Played) -> i32 {
        if is_equal(p, ctx, capture.mv) {
            -STEP
        } else {
            0
        }
    }
}

#[derive(Debug)]
struct AfterKillers;

impl Technique for AfterKillers {
    fn among_quiets(&self, p: &Params, ctx: &Context, capture: Move) -> Option<i32> {
        is_equal(p, ctx, capture).then(|| p.second_killer_bonus())
    }
}

fn is_equal(p: &Params, ctx: &Context, mv: Move) -> bool {
    holds(p, ctx, mv) && !ctx.board.see(p, mv, 1)
}
