//! Singular extensions: a TT move that is much better than all other moves is searched deeper.
//!
//! Source: T. Anantharaman, M. Campbell, F. Hsu, "Singular Extensions: Adding Selectivity to
//! Brute-Force Searching", ICCA Journal 11(4), 1988;
//! <https://www.chessprogramming.org/Singular_Extensions>

use super::Search;
use super::node::{Node, NodeState, NonPv};
use super::window::Window;
use crate::board::Board;
use crate::params::Params;
use crate::tt::Bound;
use crate::types::{Move, Score, score};

/// The consequence of a search without the TT move.
pub(super) enum Extension {
    /// The TT move is searched deeper by this number of plies, or less deep if it is negative.
    Plies(i32),
    /// The node ends with this score: by multi-cut, because several moves beat beta, or because the
    /// search is aborted.
    NodeEnds(Score),
}

impl Search<'_> {
    /// Returns the extension of the TT move: up to three plies if a singular search shows that all
    /// other moves stay far below its TT score. If another move comes close, the extension is
    /// negative where the TT score reaches beta or the node is expected to fail high, else 0. Where
    /// no singular search is made, it is one ply for a move that [stands
    /// alone](Self::stands_alone).
    pub(super) fn singular_extension<N: Node>(
        &mut self,
        board: &Board,
        node: &NodeState,
    ) -> Extension {
        let &NodeState { depth, ply, .. } = node;
        let beta = node.window.beta;
        let Some(tt_entry) = node.tt_entry.filter(|tt_entry| {
            depth >= self.p.singular_depth()
                && tt_entry.depth >= depth - self.p.singular_entry_depth()
                && tt_entry.bound != Bound::Upper
                && !score::is_decisive(tt_entry.score)
                && ply < 2 * self.depth as usize
        }) else {
            return Extension::Plies(i32::from(self.stands_alone(node)));
        };
        let singular_beta = singular_beta(self.p, tt_entry.score, depth, node.tt_pv && !N::PV);
        self.stack.at(ply).excluded = node.tt_move;
        let best_score = self.node::<NonPv>(
            board,
            Window::zero_below(singular_beta),
            (depth - 1) / 2,
            ply,
            node.cut_node,
        );
        self.stack.at(ply).excluded = Move::NULL;
        if self.aborted {
            return Extension::NodeEnds(score::DRAW);
        }
        if best_score < singular_beta {
            let by = singular_beta - best_score;
            let plies = extension_plies(self.p, by, N::PV, node.tt_move.is_quiet());
            let before = self.stack.parent(ply).double_extensions;
            let may_double = before < self.p.double_limit();
            return Extension::Plies(if may_double { plies } else { 1 });
        }
        // Multi-cut: if the other moves beat beta without the best one, the node fails high.
        // Source: Y. Björnsson, T. Marsland, "Multi-Cut Pruning in Alpha-Beta Search", 1998;
        // https://www.chessprogramming.org/Multi-Cut
        if singular_beta >= beta && !N::PV && !score::is_decisive(singular_beta) {
            return Extension::NodeEnds(singular_beta);
        }
        Extension::Plies(if tt_entry.score >= beta {
            -self.p.negative_extension()
        } else if node.cut_node {
            -self.p.negative_cut_node()
        } else {
            0
        })
    }

    /// Returns whether the TT move of a shallow node is extended without a singular search: it
    /// failed high before although the static evaluation is below alpha, so that other moves are
    /// not expected to do the same.
    // Source: low-depth singular extensions of Stockfish and Reckless
    fn stands_alone(&self, node: &NodeState) -> bool {
        node.depth <= self.p.low_singular_depth()
            && node.cut_node
            && node.static_eval != score::NONE
            && node.static_eval + self.p.low_singular_margin() <= node.window.alpha
            && (node.tt_entry).is_some_and(|tt_entry| tt_entry.bound == Bound::Lower)
    }
}

/// Returns the score, in centipawns, below which all other moves must stay for the TT move to be
/// singular. `was_pv` says whether a non-PV node was a PV node when its TT entry was stored.
#[inline(always)]
fn singular_beta(p: &Params, tt_score: Score, depth: i32, was_pv: bool) -> Score {
    let margin = p.singular_margin() + if was_pv { p.singular_pv() } else { 0 };
    tt_score - margin * depth / 1024
}

/// Returns the extension of a singular move, 1 to 3 plies. `below` is the distance in centipawns by
/// which the other moves stay below the singular beta.
#[inline(always)]
fn extension_plies(p: &Params, below: Score, pv: bool, quiet: bool) -> i32 {
    let double_margin = p.double_margin() + if pv { p.double_pv_margin() } else { 0 }
        - if quiet { p.double_quiet() } else { 0 };
    let double = below > double_margin;
    let triple = double && quiet && below > double_margin + p.triple_margin();
    1 + i32::from(double) + i32::from(triple)
}
