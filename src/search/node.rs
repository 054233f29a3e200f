//! The alpha-beta node: its phases in order.

use super::draws::far_from_fifty;
use super::lmr::{self, Plan, Probe, Surroundings};
use super::singular::Verdict;
use super::static_eval::{Evaluated, refined};
use super::stats::Trial;
use super::tried::Tried;
use super::{Search, pruning};
use crate::board::{Board, see_value};
use crate::ordering::technique::{Lesson, NodeKind, Outcome, Scene, Searched};
use crate::ordering::{Context, Picker, Stage};
use crate::tt::{Bound, Hit};
use crate::types::{Move, PieceType, Played, Score, Square, score};

/// What a node is, known when the program is compiled.
pub(super) trait Node {
    /// Its window may be wide, and its line is of interest.
    const PV: bool;
    /// It is where the search began.
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

/// What is known of a node before its first move.
pub(super) struct Facts {
    pub alpha: Score,
    pub beta: Score,
    pub depth: i32,
    pub ply: usize,
    /// It is expected to fail high.
    pub cut_node: bool,
    /// The move that a singular search leaves out.
    pub excluded: Move,
    /// What the table knows of it.
    pub hit: Option<Hit>,
    pub tt_move: Move,
    /// It is, or once was, in a principal variation.
    pub once_pv: bool,
    /// The network's evaluation; [`score::NONE`] in check, as the next two.
    pub raw_eval: Score,
    /// Static evaluation, corrected.
    pub static_eval: Score,
    /// The same, refined by the table's score.
    pub eval: Score,
    /// What the corrections changed.
    pub correction: Score,
    pub improving: bool,
    /// Of a PV node in the endgame tables: it is worth this at least, or at most.
    pub floor: Score,
    pub ceiling: Score,
    /// Where the reply to a null move takes a man.
    pub threatened: Option<Square>,
}

impl Search<'_> {
    /// The value of a position to `depth` plies: exact inside the window, else a bound of it.
    /// `cut_node`: the node is expected to fail high. Of an aborted search the value means nothing.
    pub(super) fn node<N: Node>(
        &mut self,
        board: &Board,
        alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.quiescence::<N>(board, alpha, beta, ply);
        }
        self.pv.clear(ply);
        if self.enter(ply) {
            return score::DRAW;
        }
        let excluded = self.stack.at(ply).excluded;
        let singular = !excluded.is_null();
        let mut node = Facts {
            alpha,
            beta,
            depth,
            ply,
            cut_node,
            excluded,
            hit: None,
            tt_move: Move::NULL,
            once_pv: N::PV,
            raw_eval: score::NONE,
            static_eval: score::NONE,
            eval: score::NONE,
            correction: 0,
            improving: false,
            floor: -score::INFINITE,
            ceiling: score::INFINITE,
            threatened: None,
        };
        if !N::ROOT
            && !singular
            && let Some(score) = self.known_without_search(board, &mut node)
        {
            return score;
        }

        node.hit = self.table.probe(board.key(), ply);
        if let Some(hit) = &node.hit {
            if !N::PV
                && !singular
                && hit.depth >= depth
                && hit.decides(node.alpha, node.beta)
                && far_from_fifty(board)
            {
                return hit.score;
            }
            // Unless the node is left before, that is the first child.
            self.table.prefetch(board.key_hint(hit.mv));
            node.tt_move = hit.mv;
            node.once_pv |= hit.pv;
        }
        if !N::ROOT
            && !singular
            && board.occupied().count() <= self.table_men
            && let Some(score) = self.look_up::<N>(board, &mut node)
        {
            return score;
        }
        if N::ROOT {
            node.tt_move = self.roots[self.line].mv;
        }
        self.evaluate_node(board, &mut node);

        if !singular && !board.in_check() {
            self.learn_from_evaluation(board, &node);
            if !N::PV
                && !self.proves_mate
                && let Some(score) = self.prune_node(board, &mut node)
            {
                return score;
            }
        }
        if !singular && node.tt_move.is_null() {
            self.deepen_internally::<N>(board, &mut node);
        }
        // Source: E. Schröder, internal iterative reductions; https://www.chessprogramming.org/Internal_Iterative_Reductions
        if !singular
            && node.tt_move.is_null()
            && node.depth >= self.p.iir_depth()
            && (N::PV || cut_node)
        {
            node.depth -= 1;
        }
        self.search_moves::<N>(board, &node)
    }

    /// Looks for a move to begin with by a shallower search, where the laboratory wants that.
    fn deepen_internally<N: Node>(&mut self, board: &Board, node: &mut Facts) {
        let kind = NodeKind::of(N::PV, node.cut_node);
        let Some(depth) = self.stores.lab.deepens(kind, node.depth) else {
            return;
        };
        let &mut Facts {
            alpha,
            beta,
            ply,
            cut_node,
            ..
        } = node;
        if N::PV {
            self.node::<Pv>(board, alpha, beta, depth, ply, cut_node);
        } else {
            self.node::<NonPv>(board, alpha, beta, depth, ply, cut_node);
        }
        if let Some(hit) = self.table.probe(board.key(), ply) {
            node.tt_move = hit.mv;
        }
    }

    /// Evaluates the node, from the table where it can, and leaves the value for the nodes below.
    fn evaluate_node(&mut self, board: &Board, node: &mut Facts) {
        let evaluated = if board.in_check() {
            Evaluated::NONE
        } else {
            self.static_eval(board, node.ply, node.hit.as_ref())
        };
        node.raw_eval = evaluated.raw;
        node.static_eval = evaluated.corrected;
        node.correction = evaluated.correction;
        node.eval = refined(node.static_eval, node.hit.as_ref(), board);
        self.stack.at(node.ply).static_eval = node.static_eval;
        node.improving = self.stack.is_improving(node.ply);
    }

    /// The move before was good if it left both sides' evaluations of themselves low, and bad if high.
    // Source: https://www.chessprogramming.org/History_Heuristic
    fn learn_from_evaluation(&mut self, board: &Board, node: &Facts) {
        let parent = self.stack.parent(node.ply);
        if parent.static_eval == score::NONE || self.stack.prior(node.ply)[0].is_none() {
            return;
        }
        let amount = pruning::evaluation_lesson(&self.p, parent.static_eval + node.static_eval);
        let threats = parent.threats;
        let prior = self.stack.prior(node.ply);
        self.stores
            .learn_evaluated(&self.p, board, prior[0], &threats, amount);
    }

    /// The node's score where no move, or only a few, need be searched for it. May change the depth.
    #[inline(always)]
    fn prune_node(&mut self, board: &Board, node: &mut Facts) -> Option<Score> {
        let parent = self.stack.parent(node.ply);
        let (reduction, before) = (parent.reduction, parent.static_eval);
        let change = pruning::hindsight(&self.p, reduction, before, node.static_eval);
        node.depth = (node.depth + change).max(1);
        if let Some(score) = self.razoring(board, node) {
            return Some(score);
        }
        if let Some(score) = self.reverse_futility(node) {
            return Some(score);
        }
        if let Some(score) = self.null_move(board, node) {
            return Some(score);
        }
        if self.aborted {
            return Some(score::DRAW);
        }
        self.probcut(board, node)
    }

    /// Searches the moves, learns from what they did, and stores the outcome.
    ///
    /// Most nodes end before: they are not to pay for its stack.
    #[inline(never)]
    fn search_moves<N: Node>(&mut self, board: &Board, node: &Facts) -> Score {
        let &Facts { beta, ply, .. } = node;
        let mut depth = node.depth;
        let ctx = Context::new(board, ply, self.stack.prior(ply)).with_table(self.table);
        let around = self.surroundings::<N>(&ctx, node);
        let mut alpha = node.alpha;
        let (mut best_score, mut best_move) = (-score::INFINITE, Move::NULL);
        let mut tried = Tried::default();
        let mut picker = Picker::new(node.tt_move);
        let mut root_index = self.line;
        let whole = node.excluded.is_null();
        let counted = !N::ROOT && whole;
        if let Some(score) = self.begin_moves::<N>(&ctx, node) {
            return score;
        }

        loop {
            let next = if N::ROOT {
                self.roots.rival(self.line, root_index)
            } else {
                picker.next(&self.p, &ctx, self.stores)
            };
            let Some(mv) = next else { break };
            if mv == node.excluded {
                continue;
            }
            let check = ctx.checks.gives_check(board, mv);
            let prunes = self.may_prune::<N>(board, best_score);
            if prunes && self.prune_move(&ctx, node, &mut picker, mv, (alpha, check), tried.count) {
                continue;
            }
            picker.announce_late(&ctx, mv);
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
            let place = (depth, tried.count);
            let full = (depth - 1 + extension).max(0);
            let reduced = if tried.count <= self.p.lmr_first_move() - i32::from(!N::PV) {
                full
            } else {
                self.late_move_depth(&ctx, node, &picker, (mv, check), place, full, around)
            };
            let nodes_before = self.nodes;
            let first = tried.count == 1;
            let plan = Plan::new(&self.p, first, (alpha, beta), full, reduced);
            let score = self.search_child(&ctx, mv, around, plan, counted);
            if self.aborted {
                return score::DRAW;
            }
            let searched = Searched {
                mv,
                depth: full,
                score,
                best: score > best_score,
                nodes: self.nodes - nodes_before,
            };
            if N::ROOT {
                self.finish_root_move(root_index, (alpha, beta), searched);
                root_index += 1;
            }
            if whole {
                self.stores.lab.searched(&ctx, searched);
            }

            if score > best_score {
                best_score = score;
                tried.nearest = mv;
                if score > alpha {
                    best_move = mv;
                    if N::PV {
                        self.pv.update(ply, mv);
                    }
                    if score >= beta {
                        if counted {
                            self.stats.cut(&trial);
                        }
                        self.stack.at(ply).cutoffs += 1;
                        break;
                    }
                    alpha = score;
                    depth = pruning::after_raised_alpha(&self.p, depth);
                }
            }
            tried.add(mv);
        }

        if tried.count == 0 {
            return without_a_move(board, node);
        }
        let best_score = best_score.clamp(node.floor, node.ceiling);
        if whole {
            self.learn(&ctx, node, (best_score, best_move), &tried);
            self.store::<N>(node, board.key(), best_score, best_move);
        }
        best_score
    }

    /// Tells those who count and those who learn of a node whose moves are about to be searched. Its score, if the table
    /// has it by way of the laboratory.
    ///
    /// A singular search leaves out the best move on purpose: it says nothing of the order.
    fn begin_moves<N: Node>(&mut self, ctx: &Context, node: &Facts) -> Option<Score> {
        if !node.excluded.is_null() {
            return None;
        }
        let kind = NodeKind::of(N::PV, node.cut_node);
        if !N::ROOT {
            let tt_move = node.tt_move;
            self.stats.node(&self.p, ctx, self.stores, kind, tt_move);
        }
        let scene = Scene {
            kind,
            depth: node.depth,
            window: (node.alpha, node.beta),
        };
        self.stores.lab.enter(ctx, scene);
        if N::PV {
            return None;
        }
        let (mv, score) = self.stores.lab.transposed(self.table, ctx, scene)?;
        self.store::<N>(node, ctx.board.key(), score, mv);
        Some(score)
    }

    /// What all moves of the node have in common when they are reduced. Leaves in the stack what the nodes below ask for.
    fn surroundings<N: Node>(&mut self, ctx: &Context, node: &Facts) -> Surroundings {
        let ply = ctx.ply;
        let line = self.stack.parent(ply).double_extensions;
        let frame = self.stack.at(ply);
        frame.threats = ctx.threats;
        frame.double_extensions = line;
        self.stack.at(ply + 2).cutoffs = 0;
        Surroundings {
            pv: N::PV,
            once_pv: node.once_pv,
            cut_node: node.cut_node,
            improving: node.improving,
            tt_capture: !node.tt_move.is_null() && !node.tt_move.is_quiet(),
            cutoffs: 0,
            correction: node.correction.abs(),
            noise: self.reduction_noise(),
        }
    }

    /// How much deeper than the others a move is searched: the TT move, if it is singular.
    fn extension<N: Node>(
        &mut self,
        board: &Board,
        node: &Facts,
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

    /// The depth of the first search of a move, which may give check, at this place (depth of the node, number of the
    /// move), at most `full`.
    #[inline(never)]
    fn late_move_depth(
        &self,
        ctx: &Context,
        node: &Facts,
        picker: &Picker,
        (mv, check): (Move, bool),
        place: (i32, i32),
        full: i32,
        around: Surroundings,
    ) -> i32 {
        let candidate = self.candidate(ctx, node, picker, mv, check);
        let cutoffs = self.stack.child(ctx.ply).cutoffs;
        let around = Surroundings { cutoffs, ..around };
        lmr::reduced_depth(full, lmr::reduction(&self.p, place, candidate, around))
    }

    /// Makes a move and searches what it leads to by the re-search scheme.
    fn search_child(
        &mut self,
        ctx: &Context,
        mv: Move,
        around: Surroundings,
        plan: Plan,
        counted: bool,
    ) -> Score {
        let &Context { board, ply, .. } = ctx;
        let mut child = *board;
        self.make(board, &mut child, mv, ply);
        let bonus = if ply == 0 {
            self.stores.lab.root_bonus(mv)
        } else {
            0
        };
        let (alpha, beta) = plan.window;
        let (alpha, beta) = (score::plus(alpha, -bonus), score::plus(beta, -bonus));
        let window = (alpha, beta);
        let plan = Plan { window, ..plan };
        let score = lmr::search_move(around, plan, |probe| {
            if counted {
                self.stats.probe(around.pv, &plan, probe);
            }
            match probe {
                Probe::Null { depth, cut_node } => {
                    self.stack.at(ply).reduction = plan.full - depth;
                    -self.node::<NonPv>(&child, -alpha - 1, -alpha, depth, ply + 1, cut_node)
                }
                Probe::Full { depth } => {
                    self.stack.at(ply).reduction = 0;
                    -self.node::<Pv>(&child, -beta, -alpha, depth, ply + 1, false)
                }
            }
        });
        self.keys.pop();
        score::plus(score, bonus)
    }

    /// Makes a move on `child`, which the caller has copied from `board` into its place, for a search of what it leads
    /// to. The caller has asked for the table's entry, and takes the key back when the search is done.
    pub(super) fn make(&mut self, board: &Board, child: &mut Board, mv: Move, ply: usize) {
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

    /// Whether moves of the node may be left out: not before one was found that does not lose by force.
    #[inline(always)]
    fn may_prune<N: Node>(&self, board: &Board, best_score: Score) -> bool {
        !N::ROOT
            && !self.proves_mate
            && best_score > -score::DECISIVE
            && board.has_pieces(board.side_to_move())
    }

    /// Whether a move is not worth a search at this depth. May tell the picker to leave out all quiet moves.
    fn prune_move(
        &self,
        ctx: &Context,
        node: &Facts,
        picker: &mut Picker,
        mv: Move,
        (alpha, check): (Score, bool),
        tried: i32,
    ) -> bool {
        let depth = node.depth;
        let quiet = mv.is_quiet();
        let reduction = lmr::base(&self.p, quiet, depth, tried + 1);
        let reduced = (depth - reduction / lmr::PLY).max(0);
        let calm = !check && !ctx.board.in_check() && pruning::is_ordinary(alpha);
        if quiet {
            if tried >= pruning::late_move_limit(&self.p, depth, node.improving) {
                picker.skip_quiets();
                if !check {
                    return true;
                }
            }
            if calm
                && pruning::futility_margin(&self.p, reduced)
                    .is_some_and(|margin| node.static_eval + margin <= alpha)
            {
                picker.skip_quiets();
                return true;
            }
            if picker.stage() == Stage::Quiet
                && pruning::history_threshold(&self.p, depth)
                    .is_some_and(|least| self.stores.quiet_history(&self.p, ctx, mv) < least)
            {
                return true;
            }
        } else if calm && picker.stage() != Stage::TtMove {
            let history = self.stores.capture_history(ctx, mv);
            let victim = ctx.board.describe(mv).captured;
            let gain = victim.map_or(0, |kind: PieceType| see_value(&self.p, kind));
            if mv.promotion().is_none()
                && pruning::capture_futility_margin(&self.p, reduced, history)
                    .is_some_and(|margin| node.static_eval + gain + margin <= alpha)
            {
                return true;
            }
        }
        // The picker has already seen that these win or hold.
        picker.stage() != Stage::GoodCapture
            && pruning::see_margin(&self.p, depth, quiet).is_some_and(|margin| {
                if quiet {
                    !ctx.quiet_holds(&self.p, mv, -margin)
                } else {
                    !ctx.board.see(&self.p, mv, margin)
                }
            })
    }

    /// A little more or less of every reduction, so that no two workers search the same tree; none for the first.
    fn reduction_noise(&self) -> i32 {
        let spread = self.p.lmr_noise();
        if self.id == 0 || spread == 0 {
            return 0;
        }
        (self.nodes.wrapping_mul(self.id as u64 | 1) >> 2) as i32 % spread
    }

    /// Notes what came of a root move; a new best one is published at once.
    fn finish_root_move(
        &mut self,
        index: usize,
        (alpha, beta): (Score, Score),
        Searched { score, nodes, .. }: Searched,
    ) {
        self.roots.add_nodes(index, nodes);
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

    /// Teaches the stores what came of the node.
    fn learn(&mut self, ctx: &Context, node: &Facts, (score, best): (Score, Move), tried: &Tried) {
        let &Facts { alpha, beta, .. } = node;
        let outcome = Outcome {
            best,
            score,
            cut: score >= beta,
            depth: node.depth,
            quiets: &tried.quiets,
        };
        self.stores.lab.learn(ctx, outcome);
        if best.is_null() {
            let threats = self.stack.parent(node.ply).threats;
            self.stores
                .learn_refuted(&self.p, ctx, &threats, node.depth);
            if self.stores.lab.allows(Lesson::FailLowReply) {
                self.stores.learn_reply(&self.p, ctx, tried.nearest);
            }
        } else {
            self.stores.learn_reply(&self.p, ctx, best);
            if score >= beta {
                let surprise = score > beta + self.p.bonus_margin();
                let depth = node.depth + i32::from(surprise);
                self.stores
                    .learn_cutoff(&self.p, ctx, best, &tried.quiets, &tried.captures, depth);
            }
        }
        let bound = Bound::of(score, alpha, beta);
        let learnable = !ctx.board.in_check()
            && (best.is_null() || best.is_quiet())
            && pruning::is_ordinary(score)
            && !(bound == Bound::Lower && score <= node.static_eval)
            && !(bound == Bound::Upper && score >= node.static_eval);
        if learnable {
            let [last, before, ..] = ctx.prior;
            let error = score - node.static_eval;
            self.corrections
                .learn(&self.p, ctx.board, [last, before], node.depth, error);
        }
    }

    fn store<N: Node>(&self, node: &Facts, key: u64, best_score: Score, best_move: Move) {
        // The best move of a second line is not the best move of the position.
        if N::ROOT && self.line > 0 {
            return;
        }
        let entry = Hit {
            mv: best_move,
            score: best_score,
            eval: node.raw_eval,
            depth: node.depth,
            bound: Bound::of(best_score, node.alpha, node.beta),
            pv: node.once_pv,
        };
        self.table.store(key, node.ply, entry);
    }
}

/// The score of a node without a move to search: none is ever pruned before the first, so there was none, or none but
/// the excluded one.
fn without_a_move(board: &Board, node: &Facts) -> Score {
    if !node.excluded.is_null() {
        node.alpha
    } else if board.in_check() {
        score::mated_in(node.ply)
    } else {
        score::DRAW
    }
}
