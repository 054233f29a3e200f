//! Late move reductions, which depend most on the order: the default without each of the conditions
//! that reduce a move less or more.

use super::experiment::{Experiment, Variant};

pub const SIGNS: Experiment = Experiment {
    name: "reduction-signs",
    what: "The conditions that reduce a move less (check, killer, countermove, last best reply, PV \
           node, winning capture by SEE) or more (expected cut node, not improving, capture as TT \
           move, children that often cut) are left out one by one. Two more variants weaken the \
           histories in the reduction, and replace the adjusted depth of the re-search by a fixed \
           one.",
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
