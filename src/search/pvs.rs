//! Principal variation search: the windows and depths with which a move is searched and
//! re-searched.
// Source: https://www.chessprogramming.org/Principal_Variation_Search,
// https://www.chessprogramming.org/Late_Move_Reductions

use super::lmr::NodeContext;
use crate::params::Params;
use crate::types::Score;

/// The window of a node, in centipawns.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    pub alpha: Score,
    pub beta: Score,
}

/// One search of the child. The windows are meant from the parent's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildSearch {
    /// A search with the zero window at alpha, which tells whether the move beats alpha.
    ZeroWindow {
        /// Depth of the child, in plies.
        depth: i32,
        /// True if the child is expected to fail high.
        cut_node: bool,
    },
    /// A search of the child as a PV node with the full window, which finds the exact score.
    FullWindow {
        /// Depth of the child, in plies.
        depth: i32,
    },
}

/// The depth of the first search of a move.
#[derive(Clone, Copy, Debug)]
pub struct ReducedDepth {
    /// Depth of the child, in plies.
    pub depth: i32,
    /// The reduction that led to it, in 1/1024 plies.
    pub reduction: i32,
}

/// The plan by which a move is searched. Depths are those of the child, in plies.
#[derive(Clone, Copy, Debug)]
pub struct MoveSearch {
    /// True if the move is the first one of its node.
    pub first: bool,
    /// The window of the node.
    pub window: Window,
    /// Depth without a reduction.
    pub full: i32,
    /// Depth of the first search; equal to `full` without a reduction.
    pub reduced: i32,
    /// The reduction that led to it, in 1/1024 plies.
    pub reduction: i32,
    /// A reduced search that beats alpha by more than this margin, in centipawns, is repeated a ply
    /// deeper than `full`.
    pub deeper: Score,
    /// A reduced search that beats alpha by at most this margin, in centipawns, is repeated a ply
    /// less deep than `full`.
    pub shallower: Score,
}

impl MoveSearch {
    /// Creates a plan with the margins of the parameters.
    #[inline(always)]
    pub const fn new(
        p: &Params,
        first: bool,
        window: Window,
        full: i32,
        reduced: ReducedDepth,
    ) -> Self {
        Self {
            first,
            window,
            full,
            reduced: reduced.depth,
            reduction: reduced.reduction,
            deeper: p.lmr_deeper(),
            shallower: p.lmr_shallower(),
        }
    }
}

/// Searches one move of a node, with re-searches as long as the score cannot be trusted.
///
/// In a non-PV node there are at most two searches (the double scheme): reduced, then to full
/// depth. In a PV node there are up to three (the triple scheme): reduced, then to full depth, then
/// with the full window. The first move of a PV node is searched with the full window at once. A
/// reduced search that beats alpha by far is repeated a ply deeper, one that hardly does a ply less
/// deep.
// Source: https://www.chessprogramming.org/Late_Move_Reductions,
// https://www.chessprogramming.org/Principal_Variation_Search
pub fn search_move(
    node: NodeContext,
    plan: MoveSearch,
    mut child: impl FnMut(ChildSearch) -> Score,
) -> Score {
    let MoveSearch {
        first,
        window: Window { alpha, beta },
        mut full,
        reduced,
        reduction: _,
        deeper,
        shallower,
    } = plan;
    debug_assert!(alpha < beta && (node.pv || beta == alpha + 1));
    debug_assert!(!(node.pv && node.cut_node) && full >= 0 && reduced >= 0);
    if node.pv && first {
        return child(ChildSearch::FullWindow { depth: full });
    }
    let mut score = None;
    if reduced != full {
        let reduced_score = child(ChildSearch::ZeroWindow {
            depth: reduced,
            cut_node: true,
        });
        if reduced_score <= alpha {
            return reduced_score;
        }
        full += i32::from(reduced_score > alpha + deeper);
        full -= i32::from(reduced_score <= alpha + shallower);
        score = (full <= reduced).then_some(reduced_score);
    }
    let score = score.unwrap_or_else(|| {
        child(ChildSearch::ZeroWindow {
            depth: full,
            cut_node: !node.cut_node,
        })
    });
    if node.pv && alpha < score && score < beta {
        return child(ChildSearch::FullWindow { depth: full });
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::lmr::PLY;

    const PV: NodeContext = NodeContext {
        pv: true,
        tt_pv: true,
        cut_node: false,
        improving: false,
        tt_capture: false,
        tt_move: false,
        tt_above_alpha: false,
        tt_below_alpha: false,
        tt_deep: false,
        improvement: 0,
        width: 1,
        root_width: 1,
        correction: 0,
    };
    const CUT: NodeContext = NodeContext {
        pv: false,
        cut_node: true,
        ..PV
    };
    const FULL: i32 = 8;
    const FIRST: bool = true;
    const LATER: bool = false;

    /// Searches a move with alpha 100 and, in PV nodes, beta 200. The child's scores come from a
    /// script. Returns the score and the searches that were made. A score above 150 makes the
    /// second search deeper, one up to 105 makes it shallower.
    fn run(
        node: NodeContext,
        first: bool,
        reduced: i32,
        script: &[Score],
    ) -> (Score, Vec<ChildSearch>) {
        let mut asked = Vec::new();
        let plan = MoveSearch {
            first,
            window: Window {
                alpha: 100,
                beta: if node.pv { 200 } else { 101 },
            },
            full: FULL,
            reduced,
            reduction: (FULL - reduced) * PLY,
            deeper: 50,
            shallower: 5,
        };
        let score = search_move(node, plan, |search| {
            asked.push(search);
            script[asked.len() - 1]
        });
        assert_eq!(asked.len(), script.len(), "{asked:?}");
        (score, asked)
    }

    const fn zero(depth: i32, cut_node: bool) -> ChildSearch {
        ChildSearch::ZeroWindow { depth, cut_node }
    }

    #[test]
    fn the_double_scheme_of_non_pv_nodes() {
        let (reduced, full) = (zero(5, true), zero(8, false));
        assert_eq!(run(CUT, LATER, 5, &[100]), (100, vec![reduced]));
        assert_eq!(run(CUT, LATER, 5, &[120, 90]), (90, vec![reduced, full]));
        assert_eq!(run(CUT, LATER, 5, &[120, 130]), (130, vec![reduced, full]));
        assert_eq!(run(CUT, LATER, 8, &[250]), (250, vec![full]));
        assert_eq!(run(CUT, FIRST, 8, &[30]), (30, vec![full]));
    }

    #[test]
    fn the_triple_scheme_of_pv_nodes() {
        let (reduced, again) = (zero(5, true), zero(8, true));
        let full_window = ChildSearch::FullWindow { depth: FULL };
        assert_eq!(run(PV, FIRST, 8, &[40]), (40, vec![full_window]));
        assert_eq!(run(PV, LATER, 5, &[100]), (100, vec![reduced]));
        assert_eq!(run(PV, LATER, 5, &[110, 100]), (100, vec![reduced, again]));
        assert_eq!(
            run(PV, LATER, 5, &[110, 120, 150]),
            (150, vec![reduced, again, full_window])
        );
        assert_eq!(run(PV, LATER, 5, &[110, 200]), (200, vec![reduced, again]));
        assert_eq!(
            run(PV, LATER, 8, &[110, 130]),
            (130, vec![again, full_window])
        );
    }

    #[test]
    fn the_second_search_depends_on_the_score_of_the_first() {
        let reduced = zero(5, true);
        let (deeper, shallower) = (zero(9, false), zero(7, false));
        assert_eq!(
            run(CUT, LATER, 5, &[151, 140]),
            (140, vec![reduced, deeper])
        );
        assert_eq!(
            run(CUT, LATER, 5, &[105, 103]),
            (103, vec![reduced, shallower])
        );
        // There is no second search if it would be as shallow as the reduced one.
        assert_eq!(run(CUT, LATER, 7, &[105]), (105, vec![zero(7, true)]));
        let full_window = ChildSearch::FullWindow { depth: 7 };
        assert_eq!(
            run(PV, LATER, 7, &[105, 110]),
            (110, vec![zero(7, true), full_window])
        );
        let deep = [reduced, zero(9, true), ChildSearch::FullWindow { depth: 9 }];
        assert_eq!(run(PV, LATER, 5, &[160, 170, 180]), (180, deep.to_vec()));
    }
}
