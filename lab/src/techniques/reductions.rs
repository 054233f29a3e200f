//! Late move reductions, where the order tells most: other schemes for the base, and the default without each sign that reduces a
//! move less or more.

use super::{Experiment, Variant};

/// The signs, left out one by one.
pub const SIGNS: Experiment = Experiment {
    name: "reduction-signs",
    what: "What reduces a move less (giving check, killer, countermove, last best reply, PV node, good SEE) or more (expected cut node, not improving, a capture as TT move, children that are often cut), its history, and the ply more or less of the second search: left out one by one.",
    source: "https://www.chessprogramming.org/Late_Move_Reductions#Uncommon_Conditions",
    in_default: true,
    variants: &[
        Variant::of_params("no-check", &[("lmr_check", 0)]),
        Variant::of_params("no-killer", &[("lmr_killer", 0)]),
        Variant::of_params("no-countermove", &[("lmr_countermove", 0)]),
        Variant::of_params("no-reply", &[("lmr_reply", 0)]),
        Variant::of_params("no-pv", &[("lmr_pv", 0), ("lmr_tt_pv", 0)]),
        Variant::of_params("no-see", &[("lmr_good_capture", 0)]),
        Variant::of_params("no-cut-node", &[("lmr_cut_node", 0)]),
        Variant::of_params("no-improving", &[("lmr_not_improving", 0)]),
        Variant::of_params("no-tt-capture", &[("lmr_tt_capture", 0)]),
        Variant::of_params("no-cutoffs", &[("lmr_cutoffs", 0)]),
        Variant::of_params(
            "hardly-history",
            &[("lmr_history", 65536), ("lmr_capture_history", 65536)],
        ),
        Variant::of_params(
            "one-second-depth",
            &[("lmr_deeper", 300), ("lmr_shallower", 0)],
        ),
    ],
};
