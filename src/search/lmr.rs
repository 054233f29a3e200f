//! Late move reductions: moves far down the order are searched shallower first.
// Source: https://www.chessprogramming.org/Late_Move_Reductions

use crate::params::Params;
use crate::types::Score;

/// One ply, in the unit of reductions.
pub const PLY: i32 = 1024;

/// Depths and move numbers the logarithms reach to; what lies beyond counts as the last.
const LOGARITHMS: usize = 256;
static LN: [i32; LOGARITHMS] = natural_logarithms();

/// What is known of a move when its reduction is decided.
#[derive(Clone, Copy, Debug, Default)]
pub struct Candidate {
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
pub struct Surroundings {
    /// A PV node.
    pub pv: bool,
    /// Expected to be cut.
    pub cut_node: bool,
    /// The evaluation rises.
    pub improving: bool,
    /// The TT move takes or promotes.
    pub tt_capture: bool,
}

/// The logarithmic part, 1/1024 ply: with depth and with the number of the move, counted from 1.
#[inline(always)]
pub fn base(p: &Params, quiet: bool, depth: i32, number: i32) -> i32 {
    let ln = |n: i32| LN[n.clamp(1, LOGARITHMS as i32 - 1) as usize];
    let (base, divisor) = if quiet {
        (p.lmr_quiet_base(), p.lmr_quiet_divisor())
    } else {
        (p.lmr_capture_base(), p.lmr_capture_divisor())
    };
    base + ln(depth) * ln(number) / divisor
}

/// The whole reduction, 1/1024 ply; may be negative.
pub fn reduction(p: &Params, depth: i32, number: i32, mv: Candidate, node: Surroundings) -> i32 {
    let when = |condition: bool, amount: i32| if condition { amount } else { 0 };
    let history = if mv.quiet {
        p.lmr_history()
    } else {
        p.lmr_capture_history()
    };
    base(p, mv.quiet, depth, number)
        - when(mv.check, p.lmr_check())
        - when(mv.killer, p.lmr_killer())
        - when(mv.countermove, p.lmr_countermove())
        - when(mv.reply, p.lmr_reply())
        - when(mv.good_capture, p.lmr_good_capture())
        - when(node.pv, p.lmr_pv())
        - mv.history * PLY / history
        + when(node.cut_node, p.lmr_cut_node())
        + when(!node.improving, p.lmr_not_improving())
        + when(node.tt_capture, p.lmr_tt_capture())
}

/// The depth of the first search of a move: less by the reduction's whole plies, at least one, at most `full`.
#[inline(always)]
pub fn reduced_depth(full: i32, reduction: i32) -> i32 {
    (full - (reduction >> 10)).clamp(full.min(1), full)
}

/// A search of the child that the scheme asks for. Bounds are the parent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Is the move better than alpha? The window has no width; the child is expected to be cut or not.
    Null {
        /// Plies.
        depth: i32,
        /// What the child is expected to be.
        cut_node: bool,
    },
    /// How good is it exactly? The child is a PV node.
    Full {
        /// Plies.
        depth: i32,
    },
}

/// Searches one move of a node, again and again as long as the answer may not be trusted.
///
/// In a non-PV node twice at most, the double scheme: reduced, then to full depth. In a PV node up to
/// three times, the triple scheme: reduced, then to full depth, then with the whole window. The first move of
/// a PV node has the whole window at once.
// Source: https://www.chessprogramming.org/Late_Move_Reductions, https://www.chessprogramming.org/Principal_Variation_Search
pub fn search_move(
    node: Surroundings,
    first: bool,
    (alpha, beta): (Score, Score),
    full: i32,
    reduced: i32,
    mut child: impl FnMut(Probe) -> Score,
) -> Score {
    if node.pv && first {
        return child(Probe::Full { depth: full });
    }
    if reduced < full {
        let score = child(Probe::Null {
            depth: reduced,
            cut_node: true,
        });
        if score <= alpha {
            return score;
        }
    }
    let score = child(Probe::Null {
        depth: full,
        cut_node: !node.cut_node,
    });
    if node.pv && alpha < score && score < beta {
        return child(Probe::Full { depth: full });
    }
    score
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
        let plain = Candidate {
            quiet: true,
            ..Default::default()
        };
        let calm = Surroundings {
            improving: true,
            ..Default::default()
        };
        let of = |mv, node| reduction(p, 10, 10, mv, node);
        for better in [
            Candidate {
                check: true,
                ..plain
            },
            Candidate {
                killer: true,
                ..plain
            },
            Candidate {
                countermove: true,
                ..plain
            },
            Candidate {
                reply: true,
                ..plain
            },
            Candidate {
                history: 8000,
                ..plain
            },
        ] {
            assert!(of(better, calm) < of(plain, calm), "{better:?}");
        }
        for worse in [
            Surroundings {
                cut_node: true,
                ..calm
            },
            Surroundings {
                improving: false,
                ..calm
            },
            Surroundings {
                tt_capture: true,
                ..calm
            },
        ] {
            assert!(of(plain, worse) > of(plain, calm), "{worse:?}");
        }
        assert!(of(plain, Surroundings { pv: true, ..calm }) < of(plain, calm));
    }

    #[test]
    fn the_reduced_depth_stays_between_one_and_full() {
        assert_eq!(reduced_depth(9, 3 * PLY + 1023), 6);
        assert_eq!(reduced_depth(9, 99 * PLY), 1);
        assert_eq!(reduced_depth(9, -PLY), 9);
        assert_eq!(reduced_depth(0, PLY), 0);
    }

    /// Runs the scheme on a child that answers from a script, and tells which searches were made.
    fn run(node: Surroundings, first: bool, reduced: i32, script: &[Score]) -> (Score, Vec<Probe>) {
        let mut asked = Vec::new();
        let score = search_move(node, first, (10, 20), 8, reduced, |probe| {
            asked.push(probe);
            script[asked.len() - 1]
        });
        assert_eq!(asked.len(), script.len());
        (score, asked)
    }

    #[test]
    fn the_double_scheme_of_non_pv_nodes() {
        let node = Surroundings {
            cut_node: true,
            ..Default::default()
        };
        let reduced = Probe::Null {
            depth: 5,
            cut_node: true,
        };
        let full = Probe::Null {
            depth: 8,
            cut_node: false,
        };
        assert_eq!(run(node, false, 5, &[10]), (10, vec![reduced]));
        assert_eq!(run(node, false, 5, &[11, 9]), (9, vec![reduced, full]));
        assert_eq!(run(node, false, 8, &[25]), (25, vec![full]));
        assert_eq!(run(node, true, 8, &[3]), (3, vec![full]));
    }

    #[test]
    fn the_triple_scheme_of_pv_nodes() {
        let node = Surroundings {
            pv: true,
            ..Default::default()
        };
        let reduced = Probe::Null {
            depth: 5,
            cut_node: true,
        };
        let again = Probe::Null {
            depth: 8,
            cut_node: true,
        };
        let whole = Probe::Full { depth: 8 };
        assert_eq!(run(node, true, 8, &[4]), (4, vec![whole]));
        assert_eq!(run(node, false, 5, &[10]), (10, vec![reduced]));
        assert_eq!(run(node, false, 5, &[11, 10]), (10, vec![reduced, again]));
        assert_eq!(
            run(node, false, 5, &[11, 12, 15]),
            (15, vec![reduced, again, whole])
        );
        assert_eq!(run(node, false, 5, &[11, 20]), (20, vec![reduced, again]));
        assert_eq!(run(node, false, 8, &[11, 13]), (13, vec![again, whole]));
    }
}
