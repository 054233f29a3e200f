//! Late move reductions: moves far down the order are first searched to a reduced depth.
// Source: https://www.chessprogramming.org/Late_Move_Reductions

use crate::params::Params;

/// One ply, in the unit of reductions.
pub const PLY: i32 = 1024;

/// Size of the table of logarithms. Greater depths and move numbers use its last entry.
const LOGARITHMS: usize = 256;
static LN: [i32; LOGARITHMS] = natural_logarithms();

/// Number of children that failed high from which the remaining moves are reduced more.
const MANY_CUTOFFS: i32 = 3;
/// The largest rise or fall of the static evaluation that counts, in centipawns.
const MAX_IMPROVEMENT: i32 = 128;

/// The move whose reduction is computed, and its place in the node.
#[derive(Clone, Copy, Debug, Default)]
pub struct MoveContext {
    /// Depth of the node, in plies.
    pub depth: i32,
    /// Number of the move among those searched, from 1.
    pub number: i32,
    /// True if the move is neither a capture nor a promotion.
    pub quiet: bool,
    /// True if the move gives check.
    pub check: bool,
    /// True if the move is a killer of its ply.
    pub killer: bool,
    /// True if the move is the countermove.
    pub countermove: bool,
    /// True if the move is the last best reply.
    pub lbr_reply: bool,
    /// True if the move is a capture or promotion that holds by SEE.
    pub good_capture: bool,
    /// History of the move, in points.
    pub history: i32,
    /// Number of moves of the node that have raised alpha so far.
    pub alpha_raises: i32,
    /// Number of nodes at the next ply that have failed high lately.
    pub child_cutoffs: i32,
    /// True if the node is an all node: neither a PV node nor a cut node.
    pub all_node: bool,
}

/// The node whose moves are reduced.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeContext {
    /// True if the node is a PV node.
    pub pv: bool,
    /// True if the node is a PV node, or was one when its TT entry was stored.
    pub tt_pv: bool,
    /// True if the node is expected to fail high.
    pub cut_node: bool,
    /// True if the static evaluation has risen since the last move of the side to move.
    pub improving: bool,
    /// True if the TT move is a capture or promotion.
    pub tt_capture: bool,
    /// True if the node has a TT move.
    pub tt_move: bool,
    /// True if the TT score is above alpha.
    pub tt_above_alpha: bool,
    /// True if the TT score is at most alpha.
    pub tt_below_alpha: bool,
    /// True if the TT entry is at least as deep as the node.
    pub tt_deep: bool,
    /// Rise of the static evaluation since the last move of the side to move, in centipawns.
    pub improvement: i32,
    /// Width of the window, in centipawns.
    pub width: i32,
    /// Width of the root's window, in centipawns.
    pub root_width: i32,
    /// Size of the correction of the static evaluation, in centipawns.
    pub correction: i32,
}

/// Returns the logarithmic part of the reduction of a move, in 1/1024 plies: it grows with the
/// depth in plies and with the number of the move, from 1.
#[inline(always)]
pub fn base(p: &Params, quiet: bool, depth: i32, number: i32) -> i32 {
    let (base, divisor) = if quiet {
        (p.lmr_quiet_base(), p.lmr_quiet_divisor())
    } else {
        (p.lmr_capture_base(), p.lmr_capture_divisor())
    };
    let ln = |n: i32| LN[n.clamp(1, LOGARITHMS as i32 - 1) as usize];
    base + ln(depth) * ln(number) / divisor
}

/// Returns the part of the reduction that all moves of a node share, in 1/1024 plies; it may be
/// negative.
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
    let sum = |terms: &[(bool, i32)]| -> i32 {
        terms
            .iter()
            .map(|&(applies, amount)| i32::from(applies) * amount)
            .sum()
    };
    let improvement = node.improvement.clamp(-MAX_IMPROVEMENT, MAX_IMPROVEMENT);
    sum(&more)
        - sum(&less)
        - node.correction * p.lmr_correction()
        - improvement * p.lmr_improvement()
        - node.width.min(node.root_width) * p.lmr_window() / node.root_width.max(1)
}

/// Returns the full reduction of a move in 1/1024 plies, given that of its node by
/// [`node_reduction`]. It may be negative.
#[inline(always)]
pub fn reduction(p: &Params, mv: MoveContext, node_reduction: i32) -> i32 {
    let less = [
        (mv.check, p.lmr_check()),
        (mv.killer, p.lmr_killer()),
        (mv.countermove, p.lmr_countermove()),
        (mv.lbr_reply, p.lmr_reply()),
        (mv.good_capture, p.lmr_good_capture()),
    ];
    let history_divisor = if mv.quiet {
        p.lmr_history()
    } else {
        p.lmr_capture_history()
    };
    let mut sum = base(p, mv.quiet, mv.depth, mv.number);
    sum += node_reduction - mv.history * PLY / history_divisor
        + mv.alpha_raises * p.lmr_alpha_raises();
    for (applies, amount) in less {
        sum -= if applies { amount } else { 0 };
    }
    if mv.child_cutoffs >= MANY_CUTOFFS {
        sum += p.lmr_cutoffs();
    }
    if mv.all_node {
        sum += sum * p.lmr_all_node() / 1024 / (mv.depth + 1);
    }
    sum
}

/// Returns the depth of the first search of a move in plies: `full` less the whole plies of the
/// reduction, but at least 1. A negative reduction leaves it at `full`.
#[inline(always)]
pub fn reduced_depth(full: i32, reduction: i32) -> i32 {
    (full - (reduction >> 10)).clamp(full.min(1), full)
}

/// Returns the values 1024 ln(n), rounded down. They are computed with integers, because floating
/// point may differ between machines.
const fn natural_logarithms() -> [i32; LOGARITHMS] {
    /// 2^32 ln 2.
    const LN_2: u128 = 2_977_044_471;
    let mut table = [0; LOGARITHMS];
    let mut n = 1;
    while n < LOGARITHMS {
        // log2 in 32.32 fixed point: the highest bit gives the integer part, and squaring gives
        // each further bit.
        let integer = (n as u64).ilog2();
        let mut x = (n as u128) << (62 - integer);
        let mut log2 = (integer as u128) << 32;
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
            depth: 10,
            number: 10,
            quiet: true,
            ..Default::default()
        };
        let plain_node = NodeContext {
            improving: true,
            ..Default::default()
        };
        let of = |mv, node| reduction(p, mv, node_reduction(p, node));
        let signs: [fn(&mut MoveContext); 6] = [
            |mv| mv.check = true,
            |mv| mv.killer = true,
            |mv| mv.countermove = true,
            |mv| mv.lbr_reply = true,
            |mv| mv.good_capture = true,
            |mv| mv.history = 8000,
        ];
        for sign in signs {
            let mut better = plain;
            sign(&mut better);
            assert!(of(better, plain_node) < of(plain, plain_node), "{better:?}");
        }
        for worse in [
            NodeContext {
                cut_node: true,
                ..plain_node
            },
            NodeContext {
                improving: false,
                ..plain_node
            },
            NodeContext {
                tt_capture: true,
                ..plain_node
            },
        ] {
            assert!(of(plain, worse) > of(plain, plain_node), "{worse:?}");
        }
        for better in [
            NodeContext {
                pv: true,
                ..plain_node
            },
            NodeContext {
                tt_pv: true,
                ..plain_node
            },
            NodeContext {
                correction: 99,
                ..plain_node
            },
        ] {
            assert!(of(plain, better) < of(plain, plain_node), "{better:?}");
        }
    }

    #[test]
    fn the_reduced_depth_stays_between_one_and_the_full_depth() {
        assert_eq!(reduced_depth(9, 3 * PLY + 1023), 6);
        assert_eq!(reduced_depth(9, 99 * PLY), 1);
        assert_eq!(reduced_depth(9, -PLY), 9);
        assert_eq!(reduced_depth(0, PLY), 0);
    }
}
