//! The move loop of a node, and the search of a single move.

use super::Search;
use super::lmr::{self, MoveContext, NodeContext};
use super::node::{Node, NodeState, NonPv, Pv};
use super::ordering_stats::PickedMove;
use super::pruning::LateMove;
use super::pvs::{self, ChildSearch, MoveSearch, ReducedDepth, Window};
use super::searched_moves::SearchedMoves;
use super::singular::Extension;
use crate::board::Board;
use crate::ordering::hook::{NodeInfo, SearchedMove};
use crate::ordering::{Context, NodeKind, OrderingHook, Picker, Stage};
use crate::tt::Bound;
use crate::types::{MAX_PLY, Move, Score, score};

/// The state of the move loop, which each searched move may change.
struct LoopState {
    /// The lower end of the window: that of the node, or the best score above it.
    alpha: Score,
    /// The best score so far; `-INFINITE` before the first move.
    best_score: Score,
    /// The last move that raised alpha or failed high; [`Move::NULL`] if none did.
    best_move: Move,
    /// Depth of the node for the next move, in plies.
    depth: i32,
    /// Number of moves that raised alpha.
    alpha_raises: i32,
}

impl LoopState {
    const fn new(node: &NodeState) -> Self {
        Self {
            alpha: node.alpha,
            best_score: -score::INFINITE,
            best_move: Move::NULL,
            depth: node.depth,
            alpha_raises: 0,
        }
    }
}

impl Search<'_> {
    /// Searches the moves of a node, learns from their scores, and stores the result in the
    /// transposition table. Returns the best score.
    ///
    /// It is not inlined, because most nodes return before and need no room on the stack for it.
    #[inline(never)]
    pub(super) fn search_moves<N: Node>(&mut self, board: &Board, node: &NodeState) -> Score {
        let ply = node.ply;
        let ctx = Context::new(board, ply, self.stack.prior(ply)).with_tt(self.tt);
        let node_context = self.node_context::<N>(&ctx, node);
        let node_reduction = lmr::node_reduction(&self.p, node_context);
        let mut state = LoopState::new(node);
        let mut searched = SearchedMoves::default();
        let mut picker = Picker::new(node.tt_move, node.depth);
        let mut root_index = self.line;
        let singular_search = node.is_singular_search();
        let counts_stats = !N::ROOT && !singular_search;
        self.begin_moves::<N>(&ctx, node);

        while let Some(mv) = self.next_move::<N>(&ctx, &mut picker, root_index) {
            if mv == node.excluded {
                continue;
            }
            let late = self.late_move(&ctx, mv, searched.count);
            if self.may_prune::<N>(board, state.best_score)
                && self.prune_move(&ctx, node, state.alpha, &mut picker, late)
            {
                continue;
            }
            picker.prefetch_late(&ctx, mv);
            searched.count += 1;
            let picked = PickedMove::new::<N>(&picker, node, mv, searched.count);
            if counts_stats {
                self.stats.count_searched(&picked);
            }
            if N::ROOT {
                self.reporter.current_move(self.depth, mv, root_index + 1);
            }

            let extension = match self.extension::<N>(board, node, mv, searched.count) {
                Extension::Plies(plies) => plies,
                Extension::MultiCut(score) => return score,
            };
            let plan =
                self.plan_move::<N>(&ctx, node, &picker, late, &state, extension, node_reduction);
            let nodes_before = self.nodes;
            self.stack.at(ply).move_number = searched.count;
            let score = self.search_child(&ctx, mv, node_context, plan, counts_stats);
            if self.aborted {
                return score::DRAW;
            }
            let result = SearchedMove {
                mv,
                depth: plan.full,
                score,
                best: score > state.best_score,
                nodes: self.nodes - nodes_before,
            };
            if N::ROOT {
                self.finish_root_move(root_index, plan.window, result);
                root_index += 1;
            }
            if !singular_search {
                self.histories.hook.searched(&ctx, result);
            }
            if self.update_best::<N>(node, &mut state, mv, score) {
                if counts_stats {
                    self.stats.count_cutoff(&picked);
                }
                break;
            }
            searched.add(mv);
        }

        if searched.count == 0 {
            return score_without_moves(board, node);
        }
        let best_score = state.best_score.clamp(node.tb_floor, node.tb_ceiling);
        if !singular_search {
            self.learn(&ctx, node, best_score, state.best_move, &searched);
            if !N::ROOT || self.knows_best_move(board) {
                let bound = Bound::of(best_score, node.alpha, node.beta);
                let entry = node.new_tt_entry(state.best_move, best_score, node.depth, bound);
                self.tt.store(board.key(), ply, entry);
            }
        }
        best_score
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
            return picker.next(&self.p, ctx, self.histories);
        }
        let mv = self.roots.candidate(self.line, root_index)?;
        picker.take_root_move(&self.p, ctx, self.histories, mv);
        Some(mv)
    }

    /// Returns the properties of a move that pruning and reductions use. `searched` is the number
    /// of moves searched before it.
    #[inline(always)]
    fn late_move(&self, ctx: &Context, mv: Move, searched: i32) -> LateMove {
        // The first move is neither pruned nor reduced.
        let history = if searched == 0 {
            0
        } else if mv.is_quiet() {
            self.histories.quiet_history(&self.p, ctx, mv)
        } else {
            self.histories.capture_history(ctx, mv)
        };
        LateMove {
            mv,
            check: ctx.checks.gives_check(ctx.board, mv),
            history,
            searched,
        }
    }

    /// Returns the depths and the window with which a move is searched. The extension is in plies,
    /// and `node_reduction`, the part of the reduction that all moves of the node share, in 1/1024
    /// plies.
    #[inline(always)]
    fn plan_move<N: Node>(
        &self,
        ctx: &Context,
        node: &NodeState,
        picker: &Picker,
        late: LateMove,
        state: &LoopState,
        extension: i32,
        node_reduction: i32,
    ) -> MoveSearch {
        let number = late.searched + 1;
        let full = (state.depth - 1 + extension).clamp(0, MAX_PLY as i32);
        let reduced = if number <= self.p.lmr_first_move() - i32::from(!N::PV) {
            ReducedDepth {
                depth: full,
                reduction: 0,
            }
        } else {
            self.late_move_depth::<N>(ctx, node, picker, late, state, full, node_reduction)
        };
        let window = Window {
            alpha: state.alpha,
            beta: node.beta,
        };
        MoveSearch::new(&self.p, number == 1, window, full, reduced)
    }

    /// Updates the state of the move loop with the score of a move. Returns whether the node fails
    /// high.
    #[inline(always)]
    fn update_best<N: Node>(
        &mut self,
        node: &NodeState,
        state: &mut LoopState,
        mv: Move,
        score: Score,
    ) -> bool {
        if score <= state.best_score {
            return false;
        }
        state.best_score = score;
        if score <= state.alpha {
            return false;
        }
        state.best_move = mv;
        if N::PV {
            self.pv.update(node.ply, mv);
        }
        if score >= node.beta {
            self.stack.at(node.ply).cutoffs += 1;
            return true;
        }
        state.alpha = score;
        state.alpha_raises += 1;
        false
    }

    /// Tells the statistics and the hook about a node whose moves are about to be searched.
    ///
    /// Singular searches are left out: they exclude the best move, so they say nothing about the
    /// order of moves.
    fn begin_moves<N: Node>(&mut self, ctx: &Context, node: &NodeState) {
        if node.is_singular_search() {
            return;
        }
        let kind = NodeKind::of(N::PV, node.cut_node);
        if !N::ROOT {
            let tt_move = node.tt_move;
            self.stats
                .count_node(&self.p, ctx, self.histories, kind, tt_move);
        }
        let info = NodeInfo {
            kind,
            depth: node.depth,
        };
        self.histories.hook.enter(ctx, info);
    }

    /// Returns the properties of the node that the reductions of its moves use. Also prepares the
    /// stack for the nodes below.
    fn node_context<N: Node>(&mut self, ctx: &Context, node: &NodeState) -> NodeContext {
        let ply = ctx.ply;
        let double_extensions = self.stack.parent(ply).double_extensions;
        let frame = self.stack.at(ply);
        frame.threats = ctx.threats;
        frame.double_extensions = double_extensions;
        self.stack.at(ply + 2).cutoffs = 0;
        NodeContext {
            pv: N::PV,
            tt_pv: node.tt_pv,
            cut_node: node.cut_node,
            improving: node.improving,
            tt_capture: !node.tt_move.is_null() && !node.tt_move.is_quiet(),
            tt_move: !node.tt_move.is_null(),
            tt_above_alpha: node
                .tt_entry
                .is_some_and(|tt_entry| tt_entry.has_score() && tt_entry.score > node.alpha),
            tt_below_alpha: node
                .tt_entry
                .is_some_and(|tt_entry| tt_entry.has_score() && tt_entry.score <= node.alpha),
            tt_deep: node
                .tt_entry
                .is_some_and(|tt_entry| tt_entry.depth >= node.depth),
            improvement: node.improvement,
            width: node.beta - node.alpha,
            root_width: self.root_width,
            correction: node.correction.abs(),
        }
    }

    /// Returns the extension of a move with this number, from 1. Only the TT move can be extended,
    /// if it is singular.
    fn extension<N: Node>(
        &mut self,
        board: &Board,
        node: &NodeState,
        mv: Move,
        number: i32,
    ) -> Extension {
        let double_extensions = self.stack.parent(node.ply).double_extensions;
        let is_tt_move = number == 1 && mv == node.tt_move;
        let extension = if !N::ROOT && is_tt_move && !node.is_singular_search() {
            self.singular_extension(board, node, N::PV)
        } else {
            Extension::Plies(0)
        };
        let double = matches!(extension, Extension::Plies(plies) if plies > 1);
        self.stack.at(node.ply).double_extensions = double_extensions + i32::from(double);
        extension
    }

    /// Returns the depth of the first search of a late move. `full` is the depth of the move without
    /// a reduction, in plies, and `node_reduction` the part of the reduction that all moves of the
    /// node share, in 1/1024 plies.
    #[inline(never)]
    fn late_move_depth<N: Node>(
        &self,
        ctx: &Context,
        node: &NodeState,
        picker: &Picker,
        late: LateMove,
        state: &LoopState,
        full: i32,
        node_reduction: i32,
    ) -> ReducedDepth {
        let mv = MoveContext {
            depth: state.depth,
            number: late.searched + 1,
            quiet: late.mv.is_quiet(),
            check: late.check,
            killer: picker.stage() == Stage::Killer,
            countermove: picker.stage() == Stage::Countermove,
            lbr_reply: picker.is_lbr_reply(late.mv),
            good_capture: picker.stage() == Stage::GoodCapture,
            history: late.history,
            alpha_raises: state.alpha_raises,
            child_cutoffs: self.stack.child(ctx.ply).cutoffs,
            all_node: !N::PV && !node.cut_node,
        };
        let reduction = lmr::reduction(&self.p, mv, node_reduction + self.reduction_noise());
        ReducedDepth {
            depth: lmr::reduced_depth(full, reduction),
            reduction,
        }
    }

    /// Makes a move and searches the position after it, with the re-searches of PVS. `counts_stats`
    /// says whether the searches are counted in the statistics.
    fn search_child(
        &mut self,
        ctx: &Context,
        mv: Move,
        node: NodeContext,
        plan: MoveSearch,
        counts_stats: bool,
    ) -> Score {
        let &Context { board, ply, .. } = ctx;
        let mut child = *board;
        self.make(board, &mut child, mv, ply);
        let Window { alpha, beta } = plan.window;
        let mut searches = 0;
        let score = pvs::search_move(node, plan, |search| {
            searches += 1;
            if counts_stats {
                self.stats.count_child_search(node.pv, &plan, search);
            }
            match search {
                ChildSearch::ZeroWindow { depth, cut_node } => {
                    let is_first = depth == plan.reduced;
                    let by_depth = lmr::PLY * (plan.full - depth);
                    self.stack.at(ply).reduction = if is_first {
                        plan.reduction.max(by_depth)
                    } else {
                        by_depth
                    };
                    -self.node::<NonPv>(&child, -alpha - 1, -alpha, depth, ply + 1, cut_node)
                }
                ChildSearch::FullWindow { depth } => {
                    self.stack.at(ply).reduction = 0;
                    -self.node::<Pv>(&child, -beta, -alpha, depth, ply + 1, false)
                }
            }
        });
        self.keys.pop();
        let researched = searches > 1 && plan.reduced < plan.full;
        if researched && mv.is_quiet() && !self.aborted {
            self.histories
                .learn_from_research(&self.p, ctx, mv, plan.full, score > alpha);
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
        self.evaluator.enter(ply + 1);
        let frame = self.stack.at(ply);
        frame.played = played;
        frame.reduction = 0;
        self.keys.push(board.key());
    }

    /// Returns a random part of the reduction in 1/1024 plies, so that no two workers search the
    /// same tree. It is 0 for worker 0, and centered on 0 for the others, so that their entries are
    /// on average as deep as they claim.
    #[inline(always)]
    fn reduction_noise(&self) -> i32 {
        let spread = self.p.lmr_noise();
        if self.id == 0 || spread == 0 {
            return 0;
        }
        let draw = (self.nodes.wrapping_mul(self.id as u64 | 1) >> 2) % spread as u64;
        draw as i32 - spread / 2
    }

    /// Returns whether the best move found at the root is that of the position, and not only that of
    /// a further MultiPV line or of `searchmoves`.
    fn knows_best_move(&self, board: &Board) -> bool {
        let chosen = &self.job.limits.search_moves;
        let is_whole = || {
            board
                .legal_moves()
                .into_iter()
                .all(|mv| chosen.contains(&mv))
        };
        self.line == 0 && (chosen.is_empty() || is_whole())
    }

    /// Records the result of the root move at this index. A new best move is published at once.
    fn finish_root_move(&mut self, index: usize, window: Window, result: SearchedMove) {
        let SearchedMove { score, nodes, .. } = result;
        self.roots.add_nodes(index, nodes);
        if score > window.alpha && index > 0 && self.line == 0 {
            self.best_changes += 1;
        }
        if score <= window.alpha {
            self.roots.reject(index);
        } else if score >= window.beta {
            self.roots.fail_high(index, score);
            if self.line == 0 {
                self.publish_bound(index, window.beta);
            }
        } else {
            let (depth, seldepth) = (self.depth, self.seldepth);
            self.roots
                .settle(index, depth, seldepth, score, self.pv.line(1));
            if self.line == 0 {
                self.publish(index);
            }
        }
    }
}

/// Returns the score of a node where no move was searched. The first move is never pruned, so there
/// is no legal move, or in a singular search none but the excluded one.
fn score_without_moves(board: &Board, node: &NodeState) -> Score {
    if node.is_singular_search() {
        node.alpha
    } else if board.in_check() {
        score::mated_in(node.ply)
    } else {
        score::DRAW
    }
}
