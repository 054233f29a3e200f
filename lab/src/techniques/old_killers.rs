//! Killers of two plies before: what cut where the same side was to move last may cut here.

use super::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Move, Piece};

pub const ENTRY: Experiment = Experiment {
    name: "old-killers",
    what: "The killers of two plies nearer the root get half the bonus of the second killer, or all of it.",
    source: "D. Slate, L. Atkin, \"Chess 4.5\", 1977; https://www.chessprogramming.org/Killer_Heuristic",
    in_default: false,
    variants: &[
        Variant::new("half", || Box::new(OldKillers { part: 512 })),
        Variant::new("whole", || Box::new(OldKillers { part: 1024 })),
    ],
};

/// Part of the second killer's bonus, /1024.
#[derive(Debug)]
struct OldKillers {
    part: i32,
}

impl OrderingHook for OldKillers {
    fn quiet_points(
        &self,
        p: &Params,
        histories: &Histories,
        ctx: &Context,
        _: Piece,
        mv: Move,
    ) -> i32 {
        let known = |ply: usize| histories.killers.at(ply).contains(&mv);
        if ctx.ply >= 2 && known(ctx.ply - 2) && !known(ctx.ply) {
            p.second_killer_bonus() * self.part / 1024
        } else {
            0
        }
    }
}
