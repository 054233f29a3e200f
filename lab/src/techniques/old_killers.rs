//! Killers of two plies nearer the root: a move that caused a cutoff there may cause one here.

use super::experiment::{Experiment, Quiet, Variant, quiets};

pub const ENTRY: Experiment = Experiment {
    name: "old-killers",
    what: "The killers of the node two plies nearer the root get a bonus: half that of the second \
           killer, or the same.",
    source: "D. Slate, L. Atkin, \"Chess 4.5\", 1977; https://www.chessprogramming.org/Killer_Heuristic",
    in_default: false,
    variants: &[
        Variant::new("half", || quiets(|quiet| bonus(quiet) / 2)),
        Variant::new("whole", || quiets(bonus)),
    ],
};

/// Returns the bonus of the second killer, if the move is a killer only of two plies nearer the root.
fn bonus(quiet: &Quiet) -> i32 {
    let ply = quiet.ctx.ply;
    let known = |ply: usize| quiet.histories.killers.at(ply).contains(&quiet.mv);
    if ply >= 2 && known(ply - 2) && !known(ply) {
        quiet.p.second_killer_bonus()
    } else {
        0
    }
}
