//! Killers of two plies nearer the root: a move that caused a cutoff there may cause one here.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Move, Piece};

pub const ENTRY: Experiment = Experiment {
    name: "old-killers",
    what: "The killers of the node two plies nearer the root get a bonus: half that of the second \
           killer, or the same.",
    source: "D. Slate, L. Atkin, \"Chess 4.5\", 1977; https://www.chessprogramming.org/Killer_Heuristic",
    in_default: false,
    variants: &[
        Variant::new("half", || Box::new(OldKillers { part: 512 })),
        Variant::new("whole", || Box::new(OldKillers { part: 1024 })),
    ],
};

#[derive(Debug)]
struct OldKillers {
    /// Share of the second killer's bonus, in units of 1/1024.
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
