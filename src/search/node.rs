//! The alpha-beta node: its phases in order. The move loop is in `moves`.

use super::Search;
use super::draws::halfmove_clock_is_low;
use super::static_eval::tt_adjusted_eval;
use super::window::Window;
use crate::board::Board;
use crate::ordering::NodeKind;
use crate::params::Params;
use crate::tt::{Bound, TtEntry};
use crate::types::{MAX_PLY, Move, Score, score};

/// The type of a node, which is known at compile time.
pub(super) trait Node {
    /// True if the node is on a principal variation: its window may be full, and its line is kept.
    const PV: bool;
    /// True if the node is the root.
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

/// Everything that is known of a node. Scores and evaluations are in centipawns, depths in plies.
pub(super) struct NodeState {
    /// The window. Moves that are better than alpha raise it.
    pub window: Window,
    /// Remaining depth.
    pub depth: i32,
    /// Distance from the root, in plies.
    pub ply: usize,
    /// True if the node is expected to fail high.
    pub cut_node: bool,
    /// The move that a singular search leaves out; [`Move::NULL`] in any other search.
    pub excluded: Move,
    /// The entry of the transposition table.
    pub tt_entry: Option<TtEntry>,
    /// The move of the TT entry; at the root the best move so far.
    pub tt_move: Move,
    /// True if the node is on a principal variation now, or was when its TT entry was stored.
    pub tt_pv: bool,
    /// The evaluation by the network; [`score::NONE`] in check.
    pub raw_eval: Score,
    /// The static evaluation, with all corrections; [`score::NONE`] in check.
    pub static_eval: Score,
    /// The static evaluation, or the TT score if its bound makes it the better estimate; not to be
    /// used in check.
    pub eval: Score,
    /// The part of the static evaluation that the correction histories added.
    pub correction: Score,
    /// The rise of the static evaluation since the last move of the side to move; negative if it
    /// fell.
    pub improvement: Score,
    /// The lower bound that tablebases set to the score of a PV node.
    pub tb_floor: Score,
    /// The upper bound that tablebases set to the score of a PV node.
    pub tb_ceiling: Score,
    /// The part of the reduction that all moves of the node share, in 1/1024 plies.
    pub reduction: i32,
    /// The best score so far; `-INFINITE` before the first move.
    pub best_score: Score,
    /// The last move that raised alpha or failed high; [`Move::NULL`] if none did.
    pub best_move: Move,
}

impl NodeState {
    pub const fn new(window: Window, depth: i32, ply: usize, cut_node: bool) -> Self {
        Self {
            window,
            depth,
            ply,
            cut_node,
            excluded: Move::NULL,
            tt_entry: None,
            tt_move: Move::NULL,
            tt_pv: false,
            raw_eval: score::NONE,
            static_eval: score::NONE,
            eval: score::NONE,
            correction: 0,
            improvement: 0,
            tb_floor: -score::INFINITE,
            tb_ceiling: score::INFINITE,
            reduction: 0,
            best_score: -score::INFINITE,
            best_move: Move::NULL,
        }
    }

    /// Returns whether this is a singular search, which leaves out the TT move.
    #[inline(always)]
    pub const fn is_singular_search(&self) -> bool {
        !self.excluded.is_null()
    }

    /// Returns whether the statistics count the node. The root has an order of its own, and a
    /// singular search leaves out the best move, so they say nothing about the order of moves.
    #[inline(always)]
    pub const fn is_counted(&self) -> bool {
        self.ply > 0 && !self.is_singular_search()
    }

    /// Returns the expected type of the node.
    #[inline(always)]
    pub const fn kind<N: Node>(&self) -> NodeKind {
        NodeKind::of(N::PV, self.cut_node)
    }

    /// Returns whether the static evaluation has risen since the last move of the side to move.
    #[inline(always)]
    pub const fn improving(&self) -> bool {
        self.improvement > 0
    }

    /// Returns a TT entry of this node.
    #[inline(always)]
    pub const fn new_tt_entry(&self, mv: Move, score: Score, depth: i32, bound: Bound) -> TtEntry {
        TtEntry {
            mv,
            score,
            eval: self.raw_eval,
            depth,
            bound,
            pv: self.tt_pv,
        }
    }
}

impl Search<'_> {
    /// Searches a node to `depth` plies and returns its score: exact if it is inside the window,
    /// else a bound. `cut_node` says whether the node is expected to fail high. The score of an
    /// aborted search is meaningless.
    pub(super) fn node<N: Node>(
        &mut self,
        board: &Board,
        window: Window,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        debug_assert!(!window.is_empty() && (N::PV || window.width() == 1));
        debug_assert!(!(N::PV && cut_node) && (!N::ROOT || ply == 0) && ply <= MAX_PLY);
        if depth <= 0 {
            return self.quiescence::<N>(board, window, ply);
        }
        self.pv.clear(ply);
        if self.enter(ply) {
            return score::DRAW;
        }
        let mut node = NodeState::new(window, depth, ply, cut_node);
        node.excluded = self.stack.at(ply).excluded;
        node.tt_pv = N::PV;
        let singular_search = node.is_singular_search();
        if !N::ROOT && !singular_search {
            if let Some(score) = self.terminal_score(board, ply) {
                return score;
            }
            mate_distance_pruning(&mut node);
            let alpha = node.window.alpha;
            node.window.alpha = self.alpha_with_upcoming_repetition(board, alpha, ply);
            if node.window.is_empty() {
                return node.window.alpha;
            }
        }

        node.tt_entry = self.probe_tt(board, ply);
        if let Some(score) = self.tt_cutoff::<N>(board, &node) {
            return score;
        }
        if let Some(tt_entry) = &node.tt_entry {
            // The position after the TT move is the first child unless the node is pruned.
            self.tt.prefetch(board.key_hint(tt_entry.mv));
            node.tt_move = tt_entry.mv;
            node.tt_pv |= tt_entry.pv;
        }
        if singular_search {
            node.tt_pv = self.stack.at(ply).tt_pv;
        } else {
            let double_extensions = self.stack.parent(ply).double_extensions;
            let frame = self.stack.at(ply);
            frame.tt_pv = node.tt_pv;
            frame.double_extensions = double_extensions;
        }
        if !N::ROOT
            && !singular_search
            && board.occupied().count() <= self.tb_max_pieces
            && let Some(score) = self.probe_tablebases::<N>(board, &mut node)
        {
            return score;
        }
        if N::ROOT {
            node.tt_move = self.roots[self.line].mv;
        }
        self.prefetch_null_move(board, &node);
        self.evaluate_node(board, &mut node);

        if !singular_search && !board.in_check() {
            self.learn_from_eval_change(board, &node);
            if !N::PV && !self.proves_mate {
                if let Some(sum) = self.stack.evals_of_both_sides(ply) {
                    let reduction = self.stack.parent(ply).reduction;
                    let change = hindsight_reduction(self.p, reduction, sum, node.tt_pv);
                    node.depth = (node.depth + change).max(1);
                }
                if let Some(score) = self.prune_node(board, &mut node) {
                    return score;
                }
            }
        }
        if !singular_search && internal_iterative_reduction::<N>(self.p, &node) {
            node.depth -= 1;
        }
        // The entry may be deep enough for the depth that is left.
        if node.depth < depth
            && let Some(score) = self.tt_cutoff::<N>(board, &node)
        {
            return score;
        }
        self.search_moves::<N>(board, &mut node)
    }

    /// Returns the score of a non-PV node that fails high or low by its TT entry: the entry is deep
    /// enough and its score lies outside the window. An entry that contradicts the expected type of the
    /// node is accepted only at high depth.
    // Source: Stockfish and Reckless ask for the same.
    #[inline(always)]
    fn tt_cutoff<N: Node>(&mut self, board: &Board, node: &NodeState) -> Option<Score> {
        if N::PV || node.is_singular_search() {
            return None;
        }
        let &TtEntry { score, .. } = node.tt_entry.as_ref().filter(|tt_entry| {
            tt_entry.depth >= node.depth && tt_entry.decides(node.window.alpha, node.window.beta)
        })?;
        let fails_high = score >= node.window.beta;
        let is_expected = node.cut_node == fails_high || node.depth > self.p.tt_cut_depth();
        if !is_expected || !halfmove_clock_is_low(board) {
            return None;
        }
        self.learn_from_tt_cutoff(board, node, score);
        Some(score)
    }

    /// Evaluates the node, by its TT entry if possible, and records the static evaluation in the
    /// stack.
    fn evaluate_node(&mut self, board: &Board, node: &mut NodeState) {
        if !board.in_check() {
            node.raw_eval = self.raw_eval(board, node.ply, node.tt_entry.as_ref());
            (node.static_eval, node.correction) =
                self.corrected_eval(board, node.ply, node.raw_eval);
        }
        node.eval = tt_adjusted_eval(node.static_eval, node.tt_entry.as_ref(), board);
        if node.tt_entry.is_none() && node.raw_eval != score::NONE {
            self.tt
                .store_evaluation(board.key(), node.raw_eval, node.tt_pv);
        }
        self.stack.at(node.ply).static_eval = node.static_eval;
        node.improvement = self.stack.improvement(node.ply);
    }
}

/// Mate distance pruning: narrows the window to the scores that are possible at the node's distance
/// from the root, from being mated now to mating with the next move.
// Source: https://www.chessprogramming.org/Mate_Distance_Pruning
#[inline(always)]
fn mate_distance_pruning(node: &mut NodeState) {
    let Window { alpha, beta } = &mut node.window;
    *alpha = (*alpha).max(score::mated_in(node.ply));
    *beta = (*beta).min(score::mate_in(node.ply + 1));
}

/// Hindsight reduction: returns the change of a node's depth in plies, -1 to 1, that follows from
/// the reduction of the move that led to it (in 1/1024 plies) and from the sum of the static
/// evaluations before and after that move (in centipawns, each from its side to move). If both sides
/// dislike their position, the reduction was too large. If both like it, the node can be reduced,
/// unless it was a PV node.
// Source: Stockfish; PV nodes: Reckless
#[inline(always)]
fn hindsight_reduction(p: &Params, reduction: i32, sum: Score, tt_pv: bool) -> i32 {
    if reduction >= p.hindsight_deeper() && sum < 0 {
        1
    } else if reduction >= p.hindsight_shallower() && sum > p.hindsight_margin() && !tt_pv {
        -1
    } else {
        0
    }
}

/// Internal iterative reduction: returns whether a node is searched a ply less deep because it has
/// no TT move, or because it is a cut node whose TT entry is shallow.
// Source: E. Schröder; https://www.chessprogramming.org/Internal_Iterative_Reductions
#[inline(always)]
fn internal_iterative_reduction<N: Node>(p: &Params, node: &NodeState) -> bool {
    let is_shallow = |entry: TtEntry| entry.depth + p.iir_entry_depth() < node.depth;
    node.depth >= p.iir_depth()
        && (node.tt_move.is_null() && (N::PV || node.cut_node)
            || node.cut_node && node.tt_entry.is_some_and(is_shallow))
}
