//! The move loop of a node, and the search of a single move.

use super::Search;
use super::lmr::{self, MoveContext, NodeContext};
use super::node::{Node, NodeState, NonPv, Pv};
use super::pruning::LateMove;
use super::pvs::{self, MoveSearch, Step};
use super::singular::Verdict;
use super::stats::Trial;
use super::tried::Tried;
use crate::board::Board;
use crate::ordering::hook::{NodeInfo, SearchedMove};
use crate::ordering::{Context, NodeKind, OrderingHook, Picker, Stage};
use crate::params::Params;
use crate::types::{Move, Played, Score, score};

/// What the moves of a node have shown so far.
struct Found {
    /// The lower end of the window: that of the node, or the best score above it.
    alpha: Score,
    /// The best score.
    score: Score,
    /// The last move that raised alpha or failed high; [`Move::NULL`] if none did.
    best: Move,
    /// Depth for the next move, plies.
    depth: i32,
    /// How many moves raised alpha.
    raises: i32,
}

impl Found {
    const fn new(node: &NodeState) -> Self {
        Self {
            alpha: node.alpha,
            score: -score::INFINITE,
            best: Move::NULL,
            depth: node.depth,
            raises: 0,
        }
    }
}

impl Search<'_> {
    /// Searches the moves, learns from what they did, and stores the outcome.
    ///
    /// Most nodes end before: they are not to pay for its stack.
    #[inline(never)]
    pub(super) fn search_moves<N: Node>(&mut self, board: &Board, node: &NodeState) -> Score {
        let ply = node.ply;
        let ctx = Context::new(board, ply, self.stack.prior(ply)).with_tt(self.tt);
        let around = self.node_context::<N>(&ctx, node);
        let shared = lmr::node_reduction(&self.p, around);
        let mut found = Found::new(node);
        let mut tried = Tried::default();
        let mut picker = Picker::new(node.tt_move, node.depth);
        let mut root_index = self.line;
        let whole = node.excluded.is_null();
        let counted = !N::ROOT && whole;
        self.begin_moves::<N>(&ctx, node);

        while let Some(mv) = self.next_move::<N>(&ctx, &mut picker, root_index) {
            if mv == node.excluded {
                continue;
            }
            let late = self.late_move(&ctx, mv, tried.count);
            if self.may_prune::<N>(board, found.score)
                && self.prune_move(&ctx, node, found.alpha, &mut picker, late)
            {
                continue;
            }
            picker.prefetch_late(&ctx, mv);
            tried.count += 1;
            let trial = Trial::new::<N>(&picker, node, mv, tried.count);
            if counted {
                self.stats.tried(&trial);
            }
            if N::ROOT {
                self.reporter.current_move(self.depth, mv, root_index + 1);
            }

            let extension = match self.extension::<N>(board, node, mv, tried.count) {
                Verdict::Extend(plies) => plies,
                Verdict::MultiCut(score) => return score,
            };
            if extension > 0 && found.depth < self.p.singular_node_depth() {
                found.depth += 1;
            }
            let plan = self.plan_move::<N>(&ctx, node, &picker, late, &found, extension, shared);
            let nodes_before = self.nodes;
            self.stack.at(ply).move_number = tried.count;
            let score = self.search_child(&ctx, mv, around, plan, counted);
            if self.aborted {
                return score::DRAW;
            }
            let searched = SearchedMove {
                mv,
                depth: plan.full,
                score,
                best: score > found.score,
                nodes: self.nodes - nodes_before,
            };
            if N::ROOT {
                self.finish_root_move(root_index, plan.window, searched);
                root_index += 1;
            }
            if whole {
                self.histories.hook.searched(&ctx, searched);
            }
            if self.note_score::<N>(node, &mut found, mv, score) {
                if counted {
                    self.stats.cut(&trial);
                }
                break;
            }
            tried.add(mv);
        }

        if tried.count == 0 {
            return without_a_move(board, node);
        }
        let best_score = found.score.clamp(node.floor, node.ceiling);
        if whole {
            self.learn(&ctx, node, (best_score, found.best), &tried);
            self.store::<N>(node, board.key(), best_score, found.best);
        }
        best_score
    }

    /// The move to search next: at the root the next of the root moves, elsewhere what the picker hands out.
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
        let mv = self.roots.rival(self.line, root_index)?;
        picker.take_root_move(&self.p, ctx, self.histories, mv);
        Some(mv)
    }

    /// What pruning and reductions want to know of a move before which `tried` were searched.
    #[inline(always)]
    fn late_move(&self, ctx: &Context, mv: Move, tried: i32) -> LateMove {
        // The first move is neither pruned nor reduced.
        let history = if tried == 0 {
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
            tried,
        }
    }

    /// By which depths and window a move is searched, the next after those tried before it. `shared` is what all moves of the node are reduced by.
    #[inline(always)]
    fn plan_move<N: Node>(
        &self,
        ctx: &Context,
        node: &NodeState,
        picker: &Picker,
        late: LateMove,
        found: &Found,
        extension: i32,
        shared: i32,
    ) -> MoveSearch {
        let number = late.tried + 1;
        let full = (found.depth - 1 + extension).max(0);
        let reduced = if number <= self.p.lmr_first_move() - i32::from(!N::PV) {
            (full, 0)
        } else {
            let place = (found.depth, number, found.raises);
            self.late_move_depth::<N>(ctx, node, picker, late, place, full, shared)
        };
        let window = (found.alpha, node.beta);
        MoveSearch::new(&self.p, number == 1, window, full, reduced)
    }

    /// Takes note of a move's score. Returns whether the node fails high by it.
    #[inline(always)]
    fn note_score<N: Node>(
        &mut self,
        node: &NodeState,
        found: &mut Found,
        mv: Move,
        score: Score,
    ) -> bool {
        if score <= found.score {
            return false;
        }
        found.score = score;
        if score <= found.alpha {
            return false;
        }
        found.best = mv;
        if N::PV {
            self.pv.update(node.ply, mv);
        }
        if score >= node.beta {
            self.stack.at(node.ply).cutoffs += 1;
            return true;
        }
        found.alpha = score;
        found.raises += 1;
        found.depth = after_raised_alpha(&self.p, found.depth);
        false
    }

    /// Tells the statistics and the hook of a node whose moves are about to be searched.
    ///
    /// A singular search leaves out the best move on purpose: it says nothing about the order.
    fn begin_moves<N: Node>(&mut self, ctx: &Context, node: &NodeState) {
        if !node.excluded.is_null() {
            return;
        }
        let kind = NodeKind::of(N::PV, node.cut_node);
        if !N::ROOT {
            let tt_move = node.tt_move;
            self.stats.node(&self.p, ctx, self.histories, kind, tt_move);
        }
        let info = NodeInfo {
            kind,
            depth: node.depth,
            window: (node.alpha, node.beta),
        };
        self.histories.hook.enter(ctx, info);
    }

    /// What all moves of the node have in common when they are reduced. Leaves in the stack what the nodes below ask for.
    fn node_context<N: Node>(&mut self, ctx: &Context, node: &NodeState) -> NodeContext {
        let ply = ctx.ply;
        let line = self.stack.parent(ply).double_extensions;
        let frame = self.stack.at(ply);
        frame.threats = ctx.threats;
        frame.double_extensions = line;
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
            widths: (node.beta - node.alpha, self.root_width),
            correction: node.correction.abs(),
        }
    }

    /// How much deeper than the others a move is searched: the TT move, if it is singular.
    fn extension<N: Node>(
        &mut self,
        board: &Board,
        node: &NodeState,
        mv: Move,
        number: i32,
    ) -> Verdict {
        let line = self.stack.parent(node.ply).double_extensions;
        let asked = !N::ROOT && number == 1 && mv == node.tt_move && node.excluded.is_null();
        let verdict = if asked {
            self.singular(board, node, N::PV)
        } else {
            Verdict::Extend(0)
        };
        let double = matches!(verdict, Verdict::Extend(plies) if plies > 1);
        self.stack.at(node.ply).double_extensions = line + i32::from(double);
        verdict
    }

    /// The depth of the first search of a move, which may give check and has a history, at this place (depth of the node,
    /// number of the move, how many raised alpha before it), and the reduction that led to it, 1/1024 ply. `shared` is what all
    /// moves of the node are reduced by.
    #[inline(never)]
    fn late_move_depth<N: Node>(
        &self,
        ctx: &Context,
        node: &NodeState,
        picker: &Picker,
        late: LateMove,
        (depth, number, raises): (i32, i32, i32),
        full: i32,
        shared: i32,
    ) -> (i32, i32) {
        let mv = MoveContext {
            quiet: late.mv.is_quiet(),
            check: late.check,
            killer: picker.stage() == Stage::Killer,
            countermove: picker.stage() == Stage::Countermove,
            reply: picker.is_lbr_reply(late.mv),
            good_capture: picker.stage() == Stage::GoodCapture,
            history: late.history,
        };
        let counts = (self.stack.child(ctx.ply).cutoffs, raises);
        let all_node = !N::PV && !node.cut_node;
        let place = (depth, number);
        let shared = shared + self.reduction_noise();
        let reduction = lmr::reduction(&self.p, place, mv, shared, counts, all_node);
        let extend = if N::PV || node.cut_node {
            self.p.lmr_extend()
        } else {
            0
        };
        (lmr::reduced_depth(full, reduction, extend), reduction)
    }

    /// Makes a move and searches what it leads to by the re-search scheme.
    fn search_child(
        &mut self,
        ctx: &Context,
        mv: Move,
        around: NodeContext,
        plan: MoveSearch,
        counted: bool,
    ) -> Score {
        let &Context { board, ply, .. } = ctx;
        let mut child = *board;
        self.make(board, &mut child, mv, ply);
        let (alpha, beta) = plan.window;
        let mut steps = 0;
        let score = pvs::search_move(around, plan, |step| {
            steps += 1;
            if counted {
                self.stats.step(around.pv, &plan, step);
            }
            match step {
                Step::ZeroWindow { depth, cut_node } => {
                    let first = depth == plan.reduced;
                    let less = lmr::PLY * (plan.full - depth);
                    self.stack.at(ply).reduction = if first {
                        plan.reduction.max(less)
                    } else {
                        less
                    };
                    -self.node::<NonPv>(&child, -alpha - 1, -alpha, depth, ply + 1, cut_node)
                }
                Step::FullWindow { depth } => {
                    self.stack.at(ply).reduction = 0;
                    -self.node::<Pv>(&child, -beta, -alpha, depth, ply + 1, false)
                }
            }
        });
        self.keys.pop();
        if steps > 1 && plan.reduced < plan.full && mv.is_quiet() && !self.aborted {
            let good = score > plan.window.0;
            self.histories
                .learn_research(&self.p, ctx, mv, plan.full, good);
        }
        score
    }

    /// Makes a move on `child`, which the caller has copied from `board` into its place, for a search of what it leads
    /// to. The caller has asked for the table's entry, and takes the key back when the search is done.
    pub(super) fn make(&mut self, board: &Board, child: &mut Board, mv: Move, ply: usize) {
        // As the field counts: one node for each move made.
        self.nodes += 1;
        let change = child.make(mv);
        let played = Played {
            mv,
            piece: change.moved,
            captured: change.taken.map(|(taken, _)| taken.kind()),
        };
        debug_assert_eq!(played, board.describe(mv));
        let before = self.stack.parent(ply).played;
        self.corrections.prefetch(child, [played, before]);
        self.evaluator.enter(ply + 1, Some(change));
        let frame = self.stack.at(ply);
        frame.played = played;
        frame.reduction = 0;
        self.keys.push(board.key());
    }

    /// A little more or less of a reduction, so that no two workers search the same tree; none for the first. As often more
    /// as less: a helper's entries are as deep as they say.
    #[inline(always)]
    fn reduction_noise(&self) -> i32 {
        let spread = self.p.lmr_noise();
        if self.id == 0 || spread == 0 {
            return 0;
        }
        let draw = (self.nodes.wrapping_mul(self.id as u64 | 1) >> 2) % spread as u64;
        draw as i32 - spread / 2
    }

    /// Notes what came of a root move; a new best one is published at once.
    fn finish_root_move(
        &mut self,
        index: usize,
        (alpha, beta): (Score, Score),
        SearchedMove { score, nodes, .. }: SearchedMove,
    ) {
        self.roots.add_nodes(index, nodes);
        if score > alpha && index > self.line {
            self.best_changes += 1;
        }
        if score <= alpha {
            self.roots.reject(index);
        } else if score >= beta {
            self.roots.fail_high(index, score);
            if self.line == 0 {
                self.publish_bound(index, beta);
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

/// The depth for the moves after one that raised alpha, in plies.
// Source: Stockfish
#[inline(always)]
fn after_raised_alpha(p: &Params, depth: i32) -> i32 {
    let less = if depth <= p.raised_alpha_depth() {
        p.raised_alpha()
    } else {
        0
    };
    (depth - less).max(1)
}

/// The score of a node without a move to search: none is ever pruned before the first, so there was none, or none but
/// the excluded one.
fn without_a_move(board: &Board, node: &NodeState) -> Score {
    if !node.excluded.is_null() {
        node.alpha
    } else if board.in_check() {
        score::mated_in(node.ply)
    } else {
        score::DRAW
    }
}
