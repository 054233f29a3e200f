//! The move loop of a node, and the search of a single move.

use super::Search;
use super::lmr;
use super::move_info::MoveInfo;
use super::node::{Node, NodeState, NonPv, Pv};
use super::pvs;
use super::singular::Extension;
use super::window::Window;
use crate::board::Board;
use crate::ordering::{Context, NodeKind, Picker, SearchedMoves};
use crate::tt::Bound;
use crate::types::{Move, Score, score};

impl Search<'_> {
    /// Searches the moves of a node, learns from their scores, and stores the result in the
    /// transposition table. Returns the best score.
    ///
    /// It is not inlined, because most nodes return before and need no room on the stack for it.
    #[inline(never)]
    pub(super) fn search_moves<N: Node>(&mut self, board: &Board, node: &mut NodeState) -> Score {
        let ply = node.ply;
        let ctx = Context::new(board, ply, self.stack.prior(ply)).with_tt(self.tt);
        let alpha = node.window.alpha;
        node.reduction = lmr::node_reduction::<N>(self.p, node);
        let mut searched = SearchedMoves::default();
        let mut picker = Picker::new(node.tt_move, node.depth);
        let mut root_index = self.line;
        self.stack.at(ply).attacked = ctx.threats.all;
        self.stack.at(ply + 2).cutoffs = 0;
        if N::ROOT {
            self.stack.at(ply + 1).cutoffs = 0;
        }

        while let Some(mv) = self.next_move::<N>(&ctx, &mut picker, root_index) {
            if mv == node.excluded {
                continue;
            }
            let mut info = self.move_info(&ctx, node, &picker, mv, searched.count + 1);
            if self.may_prune::<N>(board, node.best_score)
                && self.prune_move(&ctx, node, &mut picker, &info)
            {
                continue;
            }
            picker.prefetch_late(&ctx, mv);
            searched.count += 1;
            if N::ROOT {
                self.reporter.current_move(self.depth, mv, root_index + 1);
            }

            let extension = match self.extension::<N>(board, node, &info) {
                Extension::Plies(plies) => plies,
                Extension::NodeEnds(score) => return score,
            };
            self.plan_depths::<N>(node, &mut info, extension);
            let nodes_before = self.nodes;
            self.stack.at(ply).move_number = searched.count;
            let score = self.search_child::<N>(&ctx, node, &info);
            if self.aborted {
                return score::DRAW;
            }
            if N::ROOT {
                self.roots.add_nodes(root_index, self.nodes - nodes_before);
                self.finish_root_move(root_index, node.window, score);
                root_index += 1;
            }
            if self.update_best::<N>(node, mv, score) {
                if node.is_counted() {
                    self.stats.count_cutoff(searched.count);
                }
                break;
            }
            searched.add(mv);
        }

        if searched.count == 0 {
            return score_without_moves(board, node);
        }
        node.best_score = node.best_score.clamp(node.tb_floor, node.tb_ceiling);
        if !node.is_singular_search() && (!N::ROOT || self.knows_best_move(board)) {
            let bound = Bound::of(node.best_score, alpha, node.window.beta);
            self.learn(&ctx, node, node.kind::<N>(), bound, &searched);
            let entry = node.new_tt_entry(node.best_move, node.best_score, node.depth, bound);
            self.tt.store(board.key(), ply, entry);
        }
        node.best_score
    }

    /// Returns the move to search next: at the root the next candidate of the line, at other nodes
    /// the next move of the picker.
    #[inline(always)]
    fn next_move<N: Node>(
        &mut self,
        ctx: &Context,
        picker: &mut Picker,
        root_index: usize,
    ) -> Option<Move> {
        if !N::ROOT {
            return picker.next(self.p, ctx, self.histories);
        }
        let mv = self.roots.candidate(self.line, root_index)?;
        picker.take_root_move(self.p, ctx, self.histories, mv);
        Some(mv)
    }

    /// Updates the node with the score of a move. Returns whether the node fails high.
    #[inline(always)]
    fn update_best<N: Node>(&mut self, node: &mut NodeState, mv: Move, score: Score) -> bool {
        if score <= node.best_score {
            return false;
        }
        node.best_score = score;
        if score <= node.window.alpha {
            return false;
        }
        node.best_move = mv;
        if N::PV {
            self.pv.update(node.ply, mv);
        }
        if score >= node.window.beta {
            self.stack.at(node.ply).cutoffs += 1;
            return true;
        }
        node.window.alpha = score;
        false
    }

    /// Returns the extension of a move. Only the TT move can be extended, if it is singular.
    fn extension<N: Node>(
        &mut self,
        board: &Board,
        node: &NodeState,
        info: &MoveInfo,
    ) -> Extension {
        let double_extensions = self.stack.parent(node.ply).double_extensions;
        let is_tt_move = info.number == 1 && info.mv == node.tt_move;
        let extension = if !N::ROOT && is_tt_move && !node.is_singular_search() {
            self.singular_extension::<N>(board, node)
        } else {
            Extension::Plies(0)
        };
        let double = matches!(extension, Extension::Plies(plies) if plies > 1);
        self.stack.at(node.ply).double_extensions = double_extensions + i32::from(double);
        extension
    }

    /// Makes a move and searches the position after it, with the re-searches of PVS.
    fn search_child<N: Node>(&mut self, ctx: &Context, node: &NodeState, info: &MoveInfo) -> Score {
        let &Context { board, ply, .. } = ctx;
        let mut child = *board;
        self.make(board, &mut child, info.mv, ply);
        let window = node.window.negated();
        let zero_window = node.window.zero().negated();
        let mut searches = 0;
        let score = pvs::search_move::<N>(self.p, node, info, |kind, depth| {
            searches += 1;
            if kind == NodeKind::Pv {
                self.stack.at(ply).reduction = 0;
                return -self.node::<Pv>(&child, window, depth, ply + 1, false);
            }
            let by_depth = lmr::PLY * (info.depth - depth);
            self.stack.at(ply).reduction = if depth == info.reduced_depth {
                info.reduction.max(by_depth)
            } else {
                by_depth
            };
            let cut_node = kind == NodeKind::Cut;
            -self.node::<NonPv>(&child, zero_window, depth, ply + 1, cut_node)
        });
        self.keys.pop();
        let researched = searches > 1 && info.reduced_depth < info.depth;
        if researched && info.is_quiet() && !node.is_singular_search() && !self.aborted {
            let succeeded = score > node.window.alpha;
            self.histories
                .learn_from_research(self.p, ctx, info.mv, info.depth, succeeded);
        }
        score
    }

    /// Makes a move on `child`, which the caller has copied from `board` into its final place, and
    /// updates evaluator, stack and keys for its search. The caller prefetches the TT entry, and
    /// pops the key after the search.
    pub(super) fn make(&mut self, board: &Board, child: &mut Board, mv: Move, ply: usize) {
        // Each move made counts as one node, as in other engines.
        self.nodes += 1;
        let played = child.make(mv);
        debug_assert_eq!(played, board.describe(mv));
        let before = self.stack.parent(ply).played;
        self.corrections.prefetch(child, [played, before]);
        self.evaluator.enter(child, ply + 1);
        let frame = self.stack.at(ply);
        frame.played = played;
        frame.reduction = 0;
        self.keys.push(board.key());
    }

    /// Returns whether the best move found at the root is that of the position, and not only that of
    /// a further MultiPV line or of `searchmoves`.
    fn knows_best_move(&self, board: &Board) -> bool {
        let chosen = &self.request.limits.search_moves;
        let is_whole = || (board.legal_moves().into_iter()).all(|mv| chosen.contains(&mv));
        self.line == 0 && (chosen.is_empty() || is_whole())
    }

    /// Records the result of the root move at this index. A new best move is published at once,
    /// but not before the end of depth 1, where it may be no more than the first one generated.
    fn finish_root_move(&mut self, index: usize, window: Window, score: Score) {
        let is_answer = self.line == 0 && self.depth > 1;
        if score > window.alpha && index > 0 && self.line == 0 {
            self.best_changes += 1;
        }
        if score <= window.alpha {
            self.roots.reject(index);
        } else if score >= window.beta {
            self.roots.fail_high(index, score);
            if is_answer {
                self.publish_bound(index, window.beta);
            }
        } else {
            let (depth, seldepth) = (self.depth, self.seldepth);
            self.roots
                .settle(index, depth, seldepth, score, self.pv.line(1));
            if is_answer {
                self.publish(index);
            }
        }
    }
}

/// Returns the score of a node where no move was searched. The first move is never pruned, so there
/// is no legal move, or in a singular search none but the excluded one.
fn score_without_moves(board: &Board, node: &NodeState) -> Score {
    if node.is_singular_search() {
        node.window.alpha
    } else if board.in_check() {
        score::mated_in(node.ply)
    } else {
        score::DRAW
    }
}
