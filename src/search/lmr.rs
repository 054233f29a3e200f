//! Late move reductions: moves far down the order are searched shallower first.
// Source: https://www.chessprogramming.org/Late_Move_Reductions

use crate::params::Params;

/// One ply, in the unit of reductions.
pub const PLY: i32 = 1024;

/// Depths and move numbers the logarithms reach to; what lies beyond counts as the last.
const LOGARITHMS: usize = 256;
static LN: [i32; LOGARITHMS] = natural_logarithms();

/// Cut children from which a node's other moves are expected to be cut as well.
const MANY_CUTOFFS: i32 = 3;
/// A rise of the evaluation counts up to this, centipawns.
const FURTHEST_RISE: i32 = 128;
/// A tunable relief of this size means: not reduced at all.
const UNREDUCED: i32 = 4096;

/// What is known of a move when its reduction is decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveContext {
    /// Neither takes nor promotes.
    pub quiet: bool,
    /// Gives check.
    pub check: bool,
    /// A killer of the ply.
    pub killer: bool,
    /// The countermove.
    pub countermove: bool,
    /// The last best reply.
    pub reply: bool,
    /// Holds by SEE, for a capture.
    pub good_capture: bool,
    /// Its history, points.
    pub history: i32,
}

/// What is known of the node.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeContext {
    /// A PV node.
    pub pv: bool,
    /// Was once a PV node, or is one.
    pub tt_pv: bool,
    /// Expected to be cut.
    pub cut_node: bool,
    /// The evaluation rises.
    pub improving: bool,
    /// The TT move takes or promotes.
    pub tt_capture: bool,
    /// It has a TT move.
    pub tt_move: bool,
    /// The table's score is above alpha.
    pub tt_above_alpha: bool,
    /// The table's score does not reach alpha.
    pub tt_below_alpha: bool,
    /// The table's entry is as deep as the node.
    pub tt_deep: bool,
    /// How far the static evaluation has risen since the side's last move, centipawns.
    pub improvement: i32,
    /// Width of its window, and of the root's, centipawns.
    pub widths: (i32, i32),
    /// How far the static evaluation was corrected, centipawns.
    pub correction: i32,
}

/// The logarithmic part, 1/1024 ply: with depth and with the number of the move, counted from 1.
#[inline(always)]
pub fn base(p: &Params, quiet: bool, depth: i32, number: i32) -> i32 {
    let (base, divisor) = if quiet {
        (p.lmr_quiet_base(), p.lmr_quiet_divisor())
    } else {
        (p.lmr_capture_base(), p.lmr_capture_divisor())
    };
    logarithmic(base, divisor, depth, number)
}

/// A straight line in ln(depth) ln(number), 1/1024 ply; so is `base`, and `divisor` in 1/1024.
#[inline(always)]
fn logarithmic(base: i32, divisor: i32, depth: i32, number: i32) -> i32 {
    let ln = |n: i32| LN[n.clamp(1, LOGARITHMS as i32 - 1) as usize];
    base + ln(depth) * ln(number) / divisor
}

/// What all moves of a node are reduced by alike, 1/1024 ply; may be negative.
pub fn node_reduction(p: &Params, node: NodeContext) -> i32 {
    let less = [
        (node.pv, p.lmr_pv()),
        (node.tt_pv, p.lmr_tt_pv()),
        (node.tt_pv && node.tt_above_alpha, p.lmr_tt_pv_score()),
        (node.tt_pv && node.tt_deep, p.lmr_tt_pv_depth()),
        (node.tt_pv && node.cut_node, p.lmr_tt_pv_cut_node()),
    ];
    let more = [
        (node.cut_node, p.lmr_cut_node()),
        (node.cut_node && !node.tt_move, p.lmr_no_tt_move()),
        (!node.improving, p.lmr_not_improving()),
        (node.tt_capture, p.lmr_tt_capture()),
        (node.tt_below_alpha, p.lmr_tt_low()),
    ];
    let sum = |signs: &[(bool, i32)]| -> i32 {
        signs
            .iter()
            .map(|&(applies, amount)| i32::from(applies) * amount)
            .sum()
    };
    let (width, widest) = node.widths;
    let rise = node.improvement.clamp(-FURTHEST_RISE, FURTHEST_RISE);
    sum(&more)
        - sum(&less)
        - node.correction * p.lmr_correction()
        - rise * p.lmr_improvement()
        - width.min(widest) * p.lmr_window() / widest.max(1)
}

/// The whole reduction at this depth of the move with this number, 1/1024 ply; may be negative. `shared` is the
/// part of the node, see [`node_reduction`], `cutoffs` how many of its children, or of those of nodes beside it, were cut so
/// far, `raises` how many of its moves raised alpha.
#[inline(always)]
pub fn reduction(
    p: &Params,
    (depth, number): (i32, i32),
    mv: MoveContext,
    shared: i32,
    (cutoffs, raises): (i32, i32),
    all_node: bool,
) -> i32 {
    let less = [
        (mv.check, p.lmr_check()),
        (mv.killer, p.lmr_killer()),
        (mv.countermove, p.lmr_countermove()),
        (mv.reply, p.lmr_reply()),
        (mv.good_capture, p.lmr_good_capture()),
    ];
    let history = if mv.quiet {
        p.lmr_history()
    } else {
        p.lmr_capture_history()
    };
    let mut sum = base(p, mv.quiet, depth, number);
    sum += shared - mv.history * PLY / history + raises * p.lmr_alpha_raises();
    for (applies, amount) in less {
        if applies && amount >= UNREDUCED {
            return 0;
        }
        sum -= if applies { amount } else { 0 };
    }
    if cutoffs >= MANY_CUTOFFS {
        sum += p.lmr_cutoffs();
    }
    if all_node {
        sum += sum * p.lmr_all_node() / 1024 / (depth + 1);
    }
    sum
}

/// The depth of the first search of a move: less by the reduction's whole plies, at least one; by a negative one it is
/// deeper than `full`, by `extend` plies at the most.
#[inline(always)]
pub fn reduced_depth(full: i32, reduction: i32, extend: i32) -> i32 {
    (full - (reduction >> 10)).clamp(full.min(1), full + extend)
}

/// 1024 ln(n), rounded down, by integers alone: floating point may differ between machines.
const fn natural_logarithms() -> [i32; LOGARITHMS] {
    /// 2^32 ln 2.
    const LN_2: u128 = 2_977_044_471;
    let mut table = [0; LOGARITHMS];
    let mut n = 1;
    while n < LOGARITHMS {
        // log2 in 32.32: the whole part by the highest bit, each further bit by squaring.
        let whole = (n as u64).ilog2();
        let mut x = (n as u128) << (62 - whole);
        let mut log2 = (whole as u128) << 32;
        let mut bit = 1u128 << 31;
        while bit > 0 {
            x = (x * x) >> 62;
            if x >> 63 != 0 {
                x >>= 1;
                log2 |= bit;
            }
            bit >>= 1;
        }
        table[n] = ((log2 * LN_2) >> 54) as i32;
        n += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_one_unit() {
        for (n, &ln) in LN.iter().enumerate().skip(1) {
            let exact = (n as f64).ln() * 1024.0;
            assert!(
                (f64::from(ln) - exact).abs() <= 1.0,
                "{n}: {ln} for {exact}"
            );
        }
    }

    #[test]
    fn reductions_grow_with_depth_and_number() {
        let p = &Params::default();
        for quiet in [true, false] {
            for n in 1..60 {
                assert!(base(p, quiet, n + 1, 8) >= base(p, quiet, n, 8));
                assert!(base(p, quiet, 8, n + 1) >= base(p, quiet, 8, n));
            }
            assert!(base(p, quiet, 999, 999) < 16 * PLY);
        }
    }

    #[test]
    fn good_signs_reduce_less_and_bad_ones_more() {
        let p = &Params::default();
        let plain = MoveContext {
            quiet: true,
            ..Default::default()
        };
        let calm = NodeContext {
            improving: true,
            ..Default::default()
        };
        let of = |mv, node| reduction(p, (10, 10), mv, node_reduction(p, node), (0, 0), false);
        let signs: [fn(&mut MoveContext); 6] = [
            |mv| mv.check = true,
            |mv| mv.killer = true,
            |mv| mv.countermove = true,
            |mv| mv.reply = true,
            |mv| mv.good_capture = true,
            |mv| mv.history = 8000,
        ];
        for sign in signs {
            let mut better = plain;
            sign(&mut better);
            assert!(of(better, calm) < of(plain, calm), "{better:?}");
        }
        for worse in [
            NodeContext {
                cut_node: true,
                ..calm
            },
            NodeContext {
                improving: false,
                ..calm
            },
            NodeContext {
                tt_capture: true,
                ..calm
            },
        ] {
            assert!(of(plain, worse) > of(plain, calm), "{worse:?}");
        }
        for better in [
            NodeContext { pv: true, ..calm },
            NodeContext {
                tt_pv: true,
                ..calm
            },
            NodeContext {
                correction: 99,
                ..calm
            },
        ] {
            assert!(of(plain, better) < of(plain, calm), "{better:?}");
        }
    }

    #[test]
    fn the_reduced_depth_stays_between_one_and_what_is_granted() {
        assert_eq!(reduced_depth(9, 3 * PLY + 1023, 2), 6);
        assert_eq!(reduced_depth(9, 99 * PLY, 2), 1);
        assert_eq!(reduced_depth(9, -PLY, 0), 9);
        assert_eq!(reduced_depth(9, -PLY, 2), 10);
        assert_eq!(reduced_depth(9, -9 * PLY, 2), 11);
        assert_eq!(reduced_depth(0, PLY, 0), 0);
    }
}
