//! Principal variation search: by which windows and depths a move is searched, again and again as long as the answer may
//! not be trusted.
// Source: https://www.chessprogramming.org/Principal_Variation_Search, https://www.chessprogramming.org/Late_Move_Reductions

use super::lmr::NodeContext;
use crate::params::Params;
use crate::types::Score;

/// A search of the child that the scheme asks for. Bounds are the parent's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Is the move better than alpha? The window has no width; the child is expected to be cut or not.
    ZeroWindow {
        /// Plies.
        depth: i32,
        /// What the child is expected to be.
        cut_node: bool,
    },
    /// How good is it exactly? The child is a PV node.
    FullWindow {
        /// Plies.
        depth: i32,
    },
}

/// How a move is to be searched.
#[derive(Clone, Copy, Debug)]
pub struct MoveSearch {
    /// The first move of its node.
    pub first: bool,
    /// Alpha and beta of the node.
    pub window: (Score, Score),
    /// Depth without a reduction, plies.
    pub full: i32,
    /// Depth of the first search, plies; `full` without a reduction.
    pub reduced: i32,
    /// The reduction that led to it, 1/1024 ply.
    pub reduction: i32,
    /// The first search must beat alpha by more than this for the second to go a ply deeper, centipawns.
    pub deeper: Score,
    /// If it beats alpha by no more than this, the second goes a ply less deep, centipawns.
    pub shallower: Score,
}

impl MoveSearch {
    /// With the engine's numbers for what the first search says of the second.
    #[inline(always)]
    pub const fn new(
        p: &Params,
        first: bool,
        window: (Score, Score),
        full: i32,
        (reduced, reduction): (i32, i32),
    ) -> Self {
        Self {
            first,
            window,
            full,
            reduced,
            reduction,
            deeper: p.lmr_deeper(),
            shallower: p.lmr_shallower(),
        }
    }
}

/// Searches one move of a node, again and again as long as the answer may not be trusted.
///
/// In a non-PV node twice at most, the double scheme: reduced, then to full depth. In a PV node up to
/// three times, the triple scheme: reduced, then to full depth, then with the whole window. The first move of
/// a PV node has the whole window at once. A reduced search that beats alpha by far is repeated a ply deeper, one that
/// hardly does a ply shallower.
// Source: https://www.chessprogramming.org/Late_Move_Reductions, https://www.chessprogramming.org/Principal_Variation_Search
pub fn search_move(
    node: NodeContext,
    plan: MoveSearch,
    mut child: impl FnMut(Step) -> Score,
) -> Score {
    let MoveSearch {
        first,
        window: (alpha, beta),
        mut full,
        reduced,
        reduction: _,
        deeper,
        shallower,
    } = plan;
    if node.pv && first {
        return child(Step::FullWindow { depth: full });
    }
    let mut score = None;
    if reduced != full {
        let shallow = child(Step::ZeroWindow {
            depth: reduced,
            cut_node: true,
        });
        if shallow <= alpha {
            return shallow;
        }
        full += i32::from(shallow > alpha + deeper);
        full -= i32::from(shallow <= alpha + shallower);
        score = (full <= reduced).then_some(shallow);
    }
    let score = score.unwrap_or_else(|| {
        child(Step::ZeroWindow {
            depth: full,
            cut_node: !node.cut_node,
        })
    });
    if node.pv && alpha < score && score < beta {
        return child(Step::FullWindow { depth: full });
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
        widths: (1, 1),
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

    /// Runs the scheme with the window (100, 200) on a child that answers from a script, and tells which searches
    /// were made. A ply more from above 150, one less up to 105.
    fn run(node: NodeContext, first: bool, reduced: i32, script: &[Score]) -> (Score, Vec<Step>) {
        let mut asked = Vec::new();
        let plan = MoveSearch {
            first,
            window: (100, 200),
            full: FULL,
            reduced,
            reduction: (FULL - reduced) * PLY,
            deeper: 50,
            shallower: 5,
        };
        let score = search_move(node, plan, |probe| {
            asked.push(probe);
            script[asked.len() - 1]
        });
        assert_eq!(asked.len(), script.len(), "{asked:?}");
        (score, asked)
    }

    const fn null(depth: i32, cut_node: bool) -> Step {
        Step::ZeroWindow { depth, cut_node }
    }

    #[test]
    fn the_double_scheme_of_non_pv_nodes() {
        let (reduced, full) = (null(5, true), null(8, false));
        assert_eq!(run(CUT, LATER, 5, &[100]), (100, vec![reduced]));
        assert_eq!(run(CUT, LATER, 5, &[120, 90]), (90, vec![reduced, full]));
        assert_eq!(run(CUT, LATER, 5, &[120, 130]), (130, vec![reduced, full]));
        assert_eq!(run(CUT, LATER, 8, &[250]), (250, vec![full]));
        assert_eq!(run(CUT, FIRST, 8, &[30]), (30, vec![full]));
    }

    #[test]
    fn the_triple_scheme_of_pv_nodes() {
        let (reduced, again) = (null(5, true), null(8, true));
        let whole = Step::FullWindow { depth: FULL };
        assert_eq!(run(PV, FIRST, 8, &[40]), (40, vec![whole]));
        assert_eq!(run(PV, LATER, 5, &[100]), (100, vec![reduced]));
        assert_eq!(run(PV, LATER, 5, &[110, 100]), (100, vec![reduced, again]));
        assert_eq!(
            run(PV, LATER, 5, &[110, 120, 150]),
            (150, vec![reduced, again, whole])
        );
        assert_eq!(run(PV, LATER, 5, &[110, 200]), (200, vec![reduced, again]));
        assert_eq!(run(PV, LATER, 8, &[110, 130]), (130, vec![again, whole]));
    }

    #[test]
    fn a_surprise_is_searched_deeper_and_a_doubt_less_deep() {
        let reduced = null(5, true);
        let (deeper, shallower) = (null(9, false), null(7, false));
        assert_eq!(
            run(CUT, LATER, 5, &[151, 140]),
            (140, vec![reduced, deeper])
        );
        assert_eq!(
            run(CUT, LATER, 5, &[105, 103]),
            (103, vec![reduced, shallower])
        );
        // Nothing is left to search if the shallower search was the reduced one.
        assert_eq!(run(CUT, LATER, 7, &[105]), (105, vec![null(7, true)]));
        let whole = Step::FullWindow { depth: 7 };
        assert_eq!(
            run(PV, LATER, 7, &[105, 110]),
            (110, vec![null(7, true), whole])
        );
        let deep = [reduced, null(9, true), Step::FullWindow { depth: 9 }];
        assert_eq!(run(PV, LATER, 5, &[160, 170, 180]), (180, deep.to_vec()));
    }
}
