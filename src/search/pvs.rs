//! Principal variation search: the windows and depths with which a move is searched and
//! re-searched.
// Source: https://www.chessprogramming.org/Principal_Variation_Search,
// https://www.chessprogramming.org/Late_Move_Reductions

use super::move_info::MoveInfo;
use super::node::{Node, NodeState};
use super::window::Window;
use crate::ordering::NodeKind;
use crate::params::Params;
use crate::types::Score;

/// A best score counts as at most this many centipawns below alpha.
const MAX_BELOW_ALPHA: Score = 100;

/// Searches one move of a node, with re-searches as long as the score cannot be trusted.
///
/// In a non-PV node there are at most two searches (the double scheme): reduced, then to full
/// depth. In a PV node there are up to three (the triple scheme): reduced, then to full depth, then
/// with the full window. The first move of a PV node is searched with the full window at once. A
/// reduced search that beats alpha, and the best score so far by much, is repeated a ply deeper;
/// one that hardly beats the best score is repeated a ply less deep.
// Source: https://www.chessprogramming.org/Late_Move_Reductions,
// https://www.chessprogramming.org/Principal_Variation_Search; the best score instead of alpha:
// Stockfish
///
/// `child` searches the position after the move as a node of this kind, to this depth in plies, and
/// returns the score from the parent's side: a PV node with the full window of the parent, other
/// nodes with the zero window at its alpha.
pub(super) fn search_move<N: Node>(
    p: &Params,
    node: &NodeState,
    info: &MoveInfo,
    mut child: impl FnMut(NodeKind, i32) -> Score,
) -> Score {
    let Window { alpha, beta } = node.window;
    let (mut depth, reduced_depth) = (info.depth, info.reduced_depth);
    debug_assert!(alpha < beta && (N::PV || node.window.width() == 1));
    debug_assert!(!(N::PV && node.cut_node) && depth >= 0 && reduced_depth >= 0);
    if N::PV && info.number == 1 {
        return child(NodeKind::Pv, depth);
    }
    let mut score = None;
    if reduced_depth != depth {
        let reduced_score = child(NodeKind::Cut, reduced_depth);
        if reduced_score <= alpha {
            return reduced_score;
        }
        let best_score = node.best_score.clamp(alpha - MAX_BELOW_ALPHA, alpha);
        depth += i32::from(reduced_score > best_score + p.lmr_deeper());
        depth -= i32::from(reduced_score <= best_score + p.lmr_shallower());
        score = (depth <= reduced_depth).then_some(reduced_score);
    }
    let score = score.unwrap_or_else(|| child(NodeKind::of(false, !node.cut_node), depth));
    if N::PV && alpha < score && score < beta {
        return child(NodeKind::Pv, depth);
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::{NonPv, Pv};
    use crate::types::score;
    use NodeKind::{All, Cut};

    const DEPTH: i32 = 8;
    const FIRST: i32 = 1;
    const LATER: i32 = 2;

    /// Searches a move of a PV node or of a cut node with alpha 100, which is also the best score
    /// so far. The child's scores come from a script. Returns the score and the searches that were
    /// made.
    fn run<N: Node>(number: i32, reduced_depth: i32, script: &[Score]) -> (Score, Searches) {
        run_above::<N>(100, number, reduced_depth, script)
    }

    /// The same with another best score.
    fn run_above<N: Node>(
        best_score: Score,
        number: i32,
        reduced_depth: i32,
        script: &[Score],
    ) -> (Score, Searches) {
        let beta = if N::PV { 1000 } else { 101 };
        let window = Window { alpha: 100, beta };
        let mut node = NodeState::new(window, DEPTH + 1, 3, !N::PV);
        node.best_score = best_score;
        let info = MoveInfo {
            number,
            depth: DEPTH,
            reduced_depth,
            ..MoveInfo::PLAIN
        };
        let mut asked = Vec::new();
        let score = search_move::<N>(&Params::default(), &node, &info, |kind, depth| {
            asked.push((kind, depth));
            script[asked.len() - 1]
        });
        assert_eq!(asked.len(), script.len(), "{asked:?}");
        (score, asked)
    }

    type Searches = Vec<(NodeKind, i32)>;

    /// Returns a score that repeats the search to full depth, one that repeats it a ply deeper, and
    /// one that repeats it a ply less deep.
    fn scores() -> [Score; 3] {
        let p = &Params::default();
        let same = 100 + p.lmr_shallower() + 1;
        assert!(p.lmr_shallower() >= 1 && same <= 100 + p.lmr_deeper());
        [same, 100 + p.lmr_deeper() + 1, 100 + p.lmr_shallower()]
    }

    #[test]
    fn the_double_scheme_of_non_pv_nodes() {
        let [same, ..] = scores();
        let (reduced, full) = ((Cut, 5), (All, 8));
        assert_eq!(run::<NonPv>(LATER, 5, &[100]), (100, vec![reduced]));
        for last in [90, 130] {
            let expected = (last, vec![reduced, full]);
            assert_eq!(run::<NonPv>(LATER, 5, &[same, last]), expected);
        }
        assert_eq!(run::<NonPv>(LATER, 8, &[250]), (250, vec![full]));
        assert_eq!(run::<NonPv>(FIRST, 8, &[30]), (30, vec![full]));
    }

    #[test]
    fn the_triple_scheme_of_pv_nodes() {
        let [same, ..] = scores();
        let (reduced, again, full_window) = ((Cut, 5), (Cut, 8), (NodeKind::Pv, 8));
        assert_eq!(run::<Pv>(FIRST, 8, &[40]), (40, vec![full_window]));
        assert_eq!(run::<Pv>(LATER, 5, &[100]), (100, vec![reduced]));
        let failing = run::<Pv>(LATER, 5, &[same, 100]);
        assert_eq!(failing, (100, vec![reduced, again]));
        let exact = run::<Pv>(LATER, 5, &[same, 120, 150]);
        assert_eq!(exact, (150, vec![reduced, again, full_window]));
        let failing_high = run::<Pv>(LATER, 5, &[same, 1000]);
        assert_eq!(failing_high, (1000, vec![reduced, again]));
        let unreduced = run::<Pv>(LATER, 8, &[110, 130]);
        assert_eq!(unreduced, (130, vec![again, full_window]));
    }

    #[test]
    fn the_second_search_depends_on_the_score_of_the_first() {
        let [_, far_above, hardly_above] = scores();
        let deeper = run::<NonPv>(LATER, 5, &[far_above, 140]);
        assert_eq!(deeper, (140, vec![(Cut, 5), (All, 9)]));
        let shallower = run::<NonPv>(LATER, 5, &[hardly_above, 103]);
        assert_eq!(shallower, (103, vec![(Cut, 5), (All, 7)]));
        // There is no second search if it would be as shallow as the reduced one.
        let once = run::<NonPv>(LATER, 7, &[hardly_above]);
        assert_eq!(once, (hardly_above, vec![(Cut, 7)]));
        let full_window = run::<Pv>(LATER, 7, &[hardly_above, 110]);
        assert_eq!(full_window, (110, vec![(Cut, 7), (NodeKind::Pv, 7)]));
        let deep = run::<Pv>(LATER, 5, &[far_above, 170, 180]);
        assert_eq!(deep.1, [(Cut, 5), (Cut, 9), (NodeKind::Pv, 9)]);
    }

    #[test]
    fn the_second_search_is_deeper_if_the_other_moves_are_far_worse() {
        for best_score in [0, -score::INFINITE] {
            let deeper = run_above::<NonPv>(best_score, LATER, 5, &[101, 140]);
            assert_eq!(deeper.1, [(Cut, 5), (All, 9)]);
        }
    }
}
