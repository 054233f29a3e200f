//! Late move reductions: moves far down the order are first searched to a reduced depth.
// Source: https://www.chessprogramming.org/Late_Move_Reductions

use super::Search;
use super::move_info::MoveInfo;
use super::node::{Node, NodeState};
use crate::ordering::Stage;
use crate::params::Params;
use crate::types::MAX_PLY;

/// One ply, in the unit of reductions.
pub const PLY: i32 = 1024;

/// Size of the table of logarithms. Greater depths and move numbers use its last entry.
const LOGARITHMS: usize = 256;
static LN: [i32; LOGARITHMS] = natural_logarithms();

/// Number of children that failed high from which the remaining moves are reduced more.
const MANY_CUTOFFS: i32 = 3;
/// The largest rise or fall of the static evaluation that counts, in centipawns.
const MAX_IMPROVEMENT: i32 = 128;

impl Search<'_> {
    /// Plans the depths to which a move is searched. The extension is in plies.
    #[inline(always)]
    pub(super) fn plan_depths<N: Node>(
        &self,
        node: &NodeState,
        info: &mut MoveInfo,
        extension: i32,
    ) {
        info.depth = (node.depth - 1 + extension).clamp(0, MAX_PLY as i32);
        info.reduced_depth = info.depth;
        if info.number > self.p.lmr_first_move() - i32::from(!N::PV) {
            // Source: Stockfish searches the late moves of PV nodes a ply deeper.
            info.reduced_depth = reduced_depth(info.depth, info.reduction) + i32::from(N::PV);
            info.reduction -= PLY * i32::from(N::PV);
        } else {
            info.reduction = 0;
        }
    }

    /// Returns the reduction of a late move, in 1/1024 plies. It is not inlined, because most moves
    /// are the first of their node.
    #[inline(never)]
    pub(super) fn late_move_reduction(&self, node: &NodeState, info: &MoveInfo) -> i32 {
        let child_cutoffs = self.stack.child(node.ply).cutoffs;
        reduction(self.p, node, info, child_cutoffs) + noise(self.p, self.id, self.nodes)
    }
}

/// Returns a random part of a reduction in 1/1024 plies, so that no two workers search the same
/// tree. It is 0 for worker 0, and centered on 0 for the others, so that their entries are on
/// average as deep as they claim.
#[inline(always)]
fn noise(p: &Params, worker: usize, nodes: u64) -> i32 {
    let spread = p.lmr_noise();
    if worker == 0 || spread == 0 {
        return 0;
    }
    let draw = (nodes.wrapping_mul(2 * worker as u64 + 1) >> 2) % spread as u64;
    draw as i32 - spread / 2
}

/// Returns the logarithmic part of the reduction of a move, in 1/1024 plies: it grows with the
/// depth in plies and with the number of the move, from 1.
#[inline(always)]
fn base(p: &Params, quiet: bool, depth: i32, number: i32) -> i32 {
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
pub(super) fn node_reduction<N: Node>(p: &Params, node: &NodeState) -> i32 {
    let tt_below_alpha = (node.tt_entry.as_ref())
        .is_some_and(|tt_entry| tt_entry.has_score() && tt_entry.score <= node.window.alpha);
    let tt_capture = !node.tt_move.is_null() && !node.tt_move.is_quiet();
    let less = [(N::PV, p.lmr_pv()), (node.tt_pv, p.lmr_tt_pv())];
    let more = [
        (node.cut_node, p.lmr_cut_node()),
        (node.cut_node && node.tt_move.is_null(), p.lmr_no_tt_move()),
        (!node.improving(), p.lmr_not_improving()),
        (tt_capture, p.lmr_tt_capture()),
        (tt_below_alpha, p.lmr_tt_low()),
    ];
    let improvement = node.improvement.clamp(-MAX_IMPROVEMENT, MAX_IMPROVEMENT);
    sum(&more)
        - sum(&less)
        - node.correction.abs() * p.lmr_correction()
        - improvement * p.lmr_improvement()
}

/// Returns the full reduction of a move in 1/1024 plies, which includes that of its node. It may be
/// negative. `child_cutoffs` is the number of nodes at the next ply that failed high lately.
#[inline(always)]
fn reduction(p: &Params, node: &NodeState, info: &MoveInfo, child_cutoffs: i32) -> i32 {
    let less = [
        (info.check, p.lmr_check()),
        (info.stage == Stage::Killer, p.lmr_killer()),
        (info.stage == Stage::Countermove, p.lmr_countermove()),
        (info.stage == Stage::GoodCapture, p.lmr_good_capture()),
        (info.lbr_reply, p.lmr_reply()),
    ];
    let more = [(child_cutoffs >= MANY_CUTOFFS, p.lmr_cutoffs())];
    let history_divisor = if info.is_quiet() {
        p.lmr_history()
    } else {
        p.lmr_capture_history()
    };
    base(p, info.is_quiet(), node.depth, info.number) + node.reduction
        - info.history * PLY / history_divisor
        + sum(&more)
        - sum(&less)
}

/// Returns the sum of the terms that apply.
#[inline(always)]
pub(super) fn sum(terms: &[(bool, i32)]) -> i32 {
    (terms.iter())
        .map(|&(applies, amount)| if applies { amount } else { 0 })
        .sum()
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
    use std::collections::HashSet;

    use super::*;
    use crate::search::node::{NonPv, Pv};
    use crate::search::window::Window;
    use crate::types::{Move, MoveKind, Square};

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
    fn no_two_workers_have_the_same_noise() {
        let p = &Params::default();
        let drawn = |worker| {
            let draw = move |nodes| noise(p, worker, nodes);
            (0..10_000).map(draw).collect::<Vec<i32>>()
        };
        let workers: HashSet<Vec<i32>> = (0..64).map(drawn).collect();
        assert_eq!(workers.len(), 64);
        assert!(drawn(0).iter().all(|&draw| draw == 0));
        for worker in 1..64 {
            let sum: i32 = drawn(worker).iter().sum();
            assert!((sum / 10_000).abs() <= 1, "{worker}: {sum}");
        }
    }

    #[test]
    fn good_signs_reduce_less_and_bad_ones_more() {
        let p = &Params::default();
        let plain = MoveInfo {
            mv: Move::new(Square::new(8), Square::new(16), MoveKind::Quiet),
            number: 10,
            ..MoveInfo::PLAIN
        };
        let node = || {
            let mut node = NodeState::new(Window::zero_below(1), 10, 3, false);
            node.improvement = 1;
            node
        };
        let of_move = |info: &MoveInfo| reduction(p, &node(), info, 0);
        let signs: [fn(&mut MoveInfo); 6] = [
            |info| info.check = true,
            |info| info.stage = Stage::Killer,
            |info| info.stage = Stage::Countermove,
            |info| info.lbr_reply = true,
            |info| info.stage = Stage::GoodCapture,
            |info| info.history = 8000,
        ];
        for sign in signs {
            let mut better = plain;
            sign(&mut better);
            assert!(of_move(&better) < of_move(&plain), "{better:?}");
        }
        let of_node = |change: fn(&mut NodeState)| {
            let mut node = node();
            change(&mut node);
            node_reduction::<NonPv>(p, &node)
        };
        let plain = of_node(|_| ());
        let worse: [fn(&mut NodeState); 3] = [
            |node| node.cut_node = true,
            |node| node.improvement = 0,
            |node| node.tt_move = Move::new(Square::new(8), Square::new(17), MoveKind::Capture),
        ];
        assert!(worse.into_iter().all(|change| of_node(change) > plain));
        let better: [fn(&mut NodeState); 2] =
            [|node| node.tt_pv = true, |node| node.correction = -99];
        assert!(better.into_iter().all(|change| of_node(change) < plain));
        assert!(node_reduction::<Pv>(p, &node()) < plain);
    }

    #[test]
    fn the_reduced_depth_stays_between_one_and_the_full_depth() {
        assert_eq!(reduced_depth(9, 3 * PLY + 1023), 6);
        assert_eq!(reduced_depth(9, 99 * PLY), 1);
        assert_eq!(reduced_depth(9, -PLY), 9);
        assert_eq!(reduced_depth(0, PLY), 0);
    }
}
