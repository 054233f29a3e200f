//! The alpha-beta node: its phases in order. The moves themselves are searched in `moves`.

use super::Search;
use super::draws::far_from_fifty;
use super::static_eval::{Evaluated, refined};
use crate::board::{Board, repetition};
use crate::params::Params;
use crate::tt::TtEntry;
use crate::types::{MAX_PLY, Move, Score, score};

/// The type of a node, which is known at compile time.
pub(super) trait Node {
    /// Whether the node is on the principal variation: its window may be wide, and its line is kept.
    const PV: bool;
    /// Whether the search begins at this node.
    const ROOT: bool;
}

pub(super) struct Root;
pub(super) struct Pv;
pub(super) struct NonPv;

#[rustfmt::skip]
impl Node for Root { const PV: bool = true; const ROOT: bool = true; }
#[rustfmt::skip]
impl Node for Pv { const PV: bool = true; const ROOT: bool = false; }
#[rustfmt::skip]
impl Node for NonPv { const PV: bool = false; const ROOT: bool = false; }

/// What is known of a node before its first move is searched. Scores are in centipawns, depths in plies.
pub(super) struct NodeState {
    /// The lower end of the window.
    pub alpha: Score,
    /// The upper end of the window.
    pub beta: Score,
    /// Remaining depth.
    pub depth: i32,
    /// Plies from the root.
    pub ply: usize,
    /// Whether the node is expected to fail high.
    pub cut_node: bool,
    /// The move that a singular search leaves out; [`Move::NULL`] in any other search.
    pub excluded: Move,
    /// The entry of the transposition table.
    pub tt_entry: Option<TtEntry>,
    /// Its move; at the root the best move so far.
    pub tt_move: Move,
    /// Whether the node is, or once was, on a principal variation.
    pub tt_pv: bool,
    /// The network's evaluation; [`score::NONE`] in check.
    pub raw_eval: Score,
    /// The evaluation with all corrections; [`score::NONE`] in check.
    pub static_eval: Score,
    /// The static evaluation, or the table's score where that is closer to the truth; [`score::NONE`] in check.
    pub eval: Score,
    /// What the correction histories added to the evaluation.
    pub correction: Score,
    /// Whether the static evaluation has risen since the side's last move.
    pub improving: bool,
    /// By how much it has risen.
    pub improvement: Score,
    /// The least score of a PV node by the tablebases.
    pub floor: Score,
    /// The greatest score of a PV node by the tablebases.
    pub ceiling: Score,
}

impl Search<'_> {
    /// The score of a position searched to `depth` plies: exact if it is inside the window, else a bound. `cut_node` says
    /// that the node is expected to fail high. The score of an aborted search means nothing.
    pub(super) fn node<N: Node>(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        debug_assert!(alpha < beta && (N::PV || beta == alpha + 1));
        debug_assert!(!(N::PV && cut_node) && ply <= MAX_PLY);
        if depth <= 0 {
            return self.quiescence::<N>(board, alpha, beta, ply);
        }
        self.pv.clear(ply);
        if self.enter(ply) {
            return score::DRAW;
        }
        let excluded = self.stack.at(ply).excluded;
        let singular = !excluded.is_null();
        let mut node = NodeState {
            alpha,
            beta,
            depth,
            ply,
            cut_node,
            excluded,
            tt_entry: None,
            tt_move: Move::NULL,
            tt_pv: N::PV,
            raw_eval: score::NONE,
            static_eval: score::NONE,
            eval: score::NONE,
            correction: 0,
            improving: false,
            improvement: 0,
            floor: -score::INFINITE,
            ceiling: score::INFINITE,
        };
        if !N::ROOT
            && !singular
            && let Some(score) = self.score_without_search(board, &mut node)
        {
            return score;
        }

        node.tt_entry = self.tt.probe(board.key(), ply);
        if let Some(tt_entry) = &node.tt_entry {
            if !N::PV && !singular && self.cuts_from_table(tt_entry, &node) && far_from_fifty(board)
            {
                let score = tt_entry.score;
                self.learn_from_table(board, &node, score);
                return score;
            }
            // Unless the node is left before, that is the first child.
            self.tt.prefetch(board.key_hint(tt_entry.mv));
            node.tt_move = tt_entry.mv;
            node.tt_pv |= tt_entry.pv;
        }
        if singular {
            node.tt_pv = self.stack.at(ply).tt_pv;
        } else {
            self.stack.at(ply).tt_pv = node.tt_pv;
        }
        if !N::ROOT
            && !singular
            && board.occupied().count() <= self.tb_max_pieces
            && let Some(score) = self.probe_tablebases::<N>(board, &mut node)
        {
            return score;
        }
        if N::ROOT {
            node.tt_move = self.roots[self.line].mv;
        }
        self.evaluate_node(board, &mut node);

        if !singular && !board.in_check() {
            self.learn_from_evaluation(board, &node);
            if !N::PV && !self.proves_mate {
                let parent = self.stack.parent(ply);
                let change = hindsight(
                    &self.p,
                    parent.reduction,
                    parent.static_eval,
                    node.static_eval,
                );
                node.depth = (node.depth + change).max(1);
                if let Some(score) = self.prune_node(board, &mut node) {
                    return score;
                }
            }
        }
        if !singular && reduces_internally::<N>(&self.p, &node) {
            node.depth -= 1;
        }
        self.search_moves::<N>(board, &node)
    }

    /// The score of a node that need not be searched: a draw, the end of the stack, or a window that closes when the
    /// nearest possible mate and an upcoming repetition are taken into account.
    pub(super) fn score_without_search(
        &mut self,
        board: &Board,
        node: &mut NodeState,
    ) -> Option<Score> {
        if self.is_drawn(board, node.ply) {
            return Some(self.draw_score());
        }
        if node.ply >= MAX_PLY {
            return Some(if board.in_check() {
                score::DRAW
            } else {
                self.static_eval(board, node.ply, None).corrected
            });
        }
        // Mate distance pruning: nothing is better than mate at the next ply.
        // Source: https://www.chessprogramming.org/Mate_Distance_Pruning
        node.alpha = node.alpha.max(score::mated_in(node.ply));
        node.beta = node.beta.min(score::mate_in(node.ply + 1));
        if node.alpha < score::DRAW && repetition::can_repeat(board, &self.keys, node.ply) {
            node.alpha = score::DRAW;
        }
        (node.alpha >= node.beta).then_some(node.alpha)
    }

    /// Whether the table's score of a node ends it: it is deep enough and lies outside the window. One that contradicts
    /// what the node is expected to be is believed deep down only.
    // Source: Stockfish and Reckless ask for the same.
    #[inline(always)]
    fn cuts_from_table(&self, tt_entry: &TtEntry, node: &NodeState) -> bool {
        let high = tt_entry.score >= node.beta;
        tt_entry.depth >= node.depth
            && tt_entry.decides(node.alpha, node.beta)
            && (node.cut_node == high || node.depth > self.p.tt_cut_depth())
    }

    /// Evaluates the node, if possible by the table's entry, and leaves the evaluation in the stack for the nodes below.
    fn evaluate_node(&mut self, board: &Board, node: &mut NodeState) {
        let evaluated = if board.in_check() {
            Evaluated::NONE
        } else {
            self.static_eval(board, node.ply, node.tt_entry.as_ref())
        };
        node.raw_eval = evaluated.raw;
        node.static_eval = evaluated.corrected;
        node.correction = evaluated.correction;
        node.eval = refined(node.static_eval, node.tt_entry.as_ref(), board);
        if node.tt_entry.is_none() && node.raw_eval != score::NONE {
            self.tt
                .store_evaluation(board.key(), node.raw_eval, node.tt_pv);
        }
        self.stack.at(node.ply).static_eval = node.static_eval;
        node.improvement = self.stack.improvement(node.ply);
        node.improving = node.improvement > 0;
    }
}

/// How much deeper or less deep a node is searched in hindsight, in plies, by the reduction that led to it (1/1024 ply) and by
/// the static evaluations of both sides: if neither side likes its position, the reduction hid something; if both do,
/// little is at stake.
// Source: Stockfish
#[inline(always)]
fn hindsight(p: &Params, reduction: i32, before: Score, now: Score) -> i32 {
    if before == score::NONE || now == score::NONE {
        return 0;
    }
    let both = before + now;
    if reduction >= p.hindsight_deeper() && both < 0 {
        1
    } else if reduction >= p.hindsight_shallower() && both > p.hindsight_margin() {
        -1
    } else {
        0
    }
}

/// Internal iterative reduction: whether a node is searched a ply less deep because the table has no move for it, or has
/// only a shallow entry of an expected cut node.
// Source: E. Schröder; https://www.chessprogramming.org/Internal_Iterative_Reductions
#[inline(always)]
fn reduces_internally<N: Node>(p: &Params, node: &NodeState) -> bool {
    let shallow = |entry: TtEntry| entry.depth + p.iir_entry_depth() < node.depth;
    node.depth >= p.iir_depth()
        && (node.tt_move.is_null() && (N::PV || node.cut_node)
            || node.cut_node && node.tt_entry.is_some_and(shallow))
}
