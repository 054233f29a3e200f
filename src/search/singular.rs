//! Singular extensions: a TT move that is better than all others by far is searched deeper.
//!
//! Source: T. Anantharaman, M. Campbell, F. Hsu, "Singular Extensions: Adding Selectivity to Brute-Force Searching", ICCA Journal
//! 11(4), 1988; <https://www.chessprogramming.org/Singular_Extensions>

use super::Search;
use super::node::{NodeState, NonPv};
use crate::board::Board;
use crate::params::Params;
use crate::tt::Bound;
use crate::types::{Move, Score, score};

/// What a search without the TT move found.
pub(super) enum Verdict {
    /// Search the TT move so many plies deeper.
    Extend(i32),
    /// Several moves beat beta: the node has this score.
    MultiCut(Score),
}

impl Search<'_> {
    /// How much deeper the TT move is to be searched: up to three plies if all other moves stay far below what the table
    /// says of it; less deep, or not at all, if others beat beta as well.
    pub(super) fn singular(&mut self, board: &Board, node: &NodeState, pv: bool) -> Verdict {
        let &NodeState {
            depth, ply, beta, ..
        } = node;
        let Some(tt_entry) = node.tt_entry.filter(|tt_entry| {
            depth >= self.p.singular_depth()
                && tt_entry.depth >= depth - self.p.singular_entry_depth()
                && tt_entry.bound != Bound::Upper
                && !score::is_decisive(tt_entry.score)
                && ply < 2 * self.depth as usize
        }) else {
            return Verdict::Extend(0);
        };
        let tt_pv = node.tt_pv && !pv;
        let goal = singular_goal(&self.p, tt_entry.score, depth, tt_pv);
        self.stack.at(ply).excluded = node.tt_move;
        let best = self.node::<NonPv>(board, goal - 1, goal, (depth - 1) / 2, ply, node.cut_node);
        self.stack.at(ply).excluded = Move::NULL;
        if self.aborted {
            return Verdict::Extend(0);
        }
        if best < goal {
            let by = singular_extension(&self.p, goal - best, pv, node.tt_move.is_quiet());
            let before = self.stack.parent(ply).double_extensions;
            let granted = if before < self.p.double_limit() {
                by
            } else {
                1
            };
            return Verdict::Extend(granted);
        }
        // Multi-cut: what beats beta even without the best move, beats it.
        // Source: Y. Björnsson, T. Marsland, "Multi-Cut Pruning in Alpha-Beta Search", 1998; https://www.chessprogramming.org/Multi-Cut
        if goal >= beta && !pv && !score::is_decisive(goal) {
            return Verdict::MultiCut(goal);
        }
        Verdict::Extend(if tt_entry.score >= beta {
            -self.p.negative_extension()
        } else if node.cut_node {
            -self.p.negative_cut_node()
        } else {
            0
        })
    }
}

/// What the other moves must stay below for the TT move to be singular. `tt_pv`: of a node that is in no PV now.
#[inline(always)]
fn singular_goal(p: &Params, entry: Score, depth: i32, tt_pv: bool) -> Score {
    let margin = p.singular_margin() + if tt_pv { p.singular_pv() } else { 0 };
    entry - margin * depth / 1024
}

/// Plies that a singular move is extended by, 1 to 3: how far the others stay behind their goal decides.
#[inline(always)]
fn singular_extension(p: &Params, behind: Score, pv: bool, quiet: bool) -> i32 {
    let least = p.double_margin() + if pv { p.double_pv_margin() } else { 0 };
    let double = behind > least;
    let triple = double && quiet && behind > least + p.triple_margin();
    1 + i32::from(double) + i32::from(triple)
}
