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
use crate::ordering::{Context, Picker, Stage, Surprise, small_net};
use crate::tt::{Bound, Hit};
use crate::types::{Move, PieceType, Played, Score, Square, score};

/// From the number after this on the move before a node came late, so that it is a surprise if it was good.
const LATE_MOVE: i32 = 8;
/// Up to this number it came early, so that it is one if it was bad.
const EARLY_MOVE: i32 = 2;
/// A score so far below the static evaluation is a surprise, centipawns.
const BELOW_EVAL: Score = 80;
/// A score so far above what the mover thought of its own position is one, centipawns.
const ABOVE_PARENT_EVAL: Score = 50;

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
    pub tt_pv: bool,
    /// The network's evaluation; [`score::NONE`] in check, as the next two.
    pub raw_eval: Score,
    /// Static evaluation, corrected.
    pub static_eval: Score,
    /// The same, refined by the table's score.
    pub eval: Score,
    /// What the corrections changed.
    pub correction: Score,
    pub improving: bool,
    /// By how much the evaluation has risen since the side's last move.
    pub improvement: Score,
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
            tt_pv: N::PV,
            raw_eval: score::NONE,
            static_eval: score::NONE,
            eval: score::NONE,
            correction: 0,
            improving: false,
            improvement: 0,
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
            if !N::PV && !singular && self.cuts_from_table(hit, &node) && far_from_fifty(board) {
                let score = hit.score;
                self.learn_from_table(board, &node, score);
                return score;
            }
            // Unless the node is left before, that is the first child.
            self.table.prefetch(board.key_hint(hit.mv));
            node.tt_move = hit.mv;
            node.tt_pv |= hit.pv;
        }
        if singular {
            node.tt_pv = self.stack.at(ply).tt_pv;
        } else {
            self.stack.at(ply).tt_pv = node.tt_pv;
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
            || !singular
                && cut_node
                && node.depth >= self.p.iir_depth()
                && node
                    .hit
                    .is_some_and(|hit| hit.depth + self.p.iir_entry_depth() < node.depth)
        {
            node.depth -= 1;
        }
        self.search_moves::<N>(board, &node)
    }

    /// Whether the table's score of a node ends it: it is deep enough and lies outside the window. One that contradicts
    /// what the node is expected to be is believed deep down only.
    // Source: Stockfish and Reckless ask for the same.
    #[inline(always)]
    fn cuts_from_table(&self, hit: &Hit, node: &Facts) -> bool {
        let high = hit.score >= node.beta;
        hit.depth >= node.depth + i32::from(high) * self.p.tt_cut_strict()
            && hit.decides(node.alpha, node.beta)
            && (node.cut_node == high || node.depth > self.p.tt_cut_depth())
    }

    /// The table's move has cut the node again, if its score is above beta: a lesson like that of a search.
    fn learn_from_table(&mut self, board: &Board, node: &Facts, score: Score) {
        let mv = node.hit.map_or(Move::NULL, |hit| hit.mv);
        if score < node.beta || !mv.is_quiet() || self.p.tt_cut_bonus() == 0 || !board.is_legal(mv)
        {
            return;
        }
        let ctx = Context::new(board, node.ply, self.stack.prior(node.ply));
        let part = self.p.tt_cut_bonus();
        self.stores.learn_again(&self.p, &ctx, mv, node.depth, part);
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
        if node.hit.is_none() && node.raw_eval != score::NONE && self.p.tt_evaluation() != 0 {
            self.table
                .store_evaluation(board.key(), node.raw_eval, node.tt_pv);
        }
        self.stack.at(node.ply).static_eval = node.static_eval;
        node.improvement = self.stack.improvement(node.ply);
        node.improving = node.improvement > 0
            || self.p.improving_above_beta() != 0
                && node.static_eval != score::NONE
                && node.static_eval >= node.beta;
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
        let shared = lmr::node_reduction(&self.p, around);
        let mut alpha = node.alpha;
        let (mut best_score, mut best_move) = (-score::INFINITE, Move::NULL);
        let mut tried = Tried::default();
        let mut picker = Picker::new(node.tt_move, depth);
        let mut root_index = self.line;
        let mut raises = 0;
        let whole = node.excluded.is_null();
        let counted = !N::ROOT && whole;
        if let Some(score) = self.begin_moves::<N>(&ctx, node) {
            return score;
        }

        loop {
            let next = if N::ROOT {
                let rival = self.roots.rival(self.line, root_index);
                if let Some(mv) = rival {
                    picker.take_root_move(&self.p, &ctx, self.stores, mv);
                }
                rival
            } else {
                picker.next(&self.p, &ctx, self.stores)
            };
            let Some(mv) = next else { break };
            if mv == node.excluded {
                continue;
            }
            let check = ctx.checks.gives_check(board, mv);
            // The first move is neither pruned nor reduced.
            let history = if tried.count == 0 {
                0
            } else if mv.is_quiet() {
                self.stores.quiet_history(&self.p, &ctx, mv)
            } else {
                self.stores.capture_history(&ctx, mv)
            };
            let odds = if tried.count > 0 && mv.is_quiet() {
                picker.odds(&self.p, &ctx, mv)
            } else {
                0
            };
            let kept = history + small_net::points(odds, self.p.policy_pruning());
            let history = history + small_net::points(odds, self.p.policy_reduction());
            if self.may_prune::<N>(board, best_score)
                && let Some(reach) = self.prune_move(
                    &ctx,
                    node,
                    &mut picker,
                    (mv, kept),
                    (alpha, check),
                    tried.count,
                )
            {
                best_score = best_score.max(reach);
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
            if extension > 0 && depth < self.p.singular_node_depth() {
                depth += 1;
            }
            let full = (depth - 1 + extension).max(0);
            let reduced = if tried.count <= self.p.lmr_first_move() - i32::from(!N::PV) {
                (full, 0)
            } else {
                let place = (depth, tried.count, raises);
                let late = (mv, check, history);
                self.late_move_depth::<N>(&ctx, node, &picker, late, place, full, shared)
            };
            let nodes_before = self.nodes;
            let first = tried.count == 1;
            let plan = Plan::new(&self.p, first, (alpha, beta), full, reduced);
            self.stack.at(ply).move_number = tried.count;
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
                    raises += 1;
                    depth = pruning::after_raised_alpha(&self.p, depth);
                    // It is better than all before it: what comes of the node will not blame it.
                    if self.p.learn_exact() != 0 {
                        continue;
                    }
                }
            }
            tried.add(mv);
        }

        if tried.count == 0 {
            return without_a_move(board, node);
        }
        if best_score >= beta && self.p.fail_middle() != 0 && !N::ROOT {
            best_score = pruning::fail_middle(best_score, beta, depth);
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
            tt_pv: node.tt_pv,
            cut_node: node.cut_node,
            improving: node.improving,
            tt_capture: !node.tt_move.is_null() && !node.tt_move.is_quiet(),
            tt_move: !node.tt_move.is_null(),
            tt_above_alpha: node
                .hit
                .is_some_and(|hit| hit.has_score() && hit.score > node.alpha),
            tt_below_alpha: node
                .hit
                .is_some_and(|hit| hit.has_score() && hit.score <= node.alpha),
            tt_deep: node.hit.is_some_and(|hit| hit.depth >= node.depth),
            improvement: node.improvement,
            widths: (node.beta - node.alpha, self.root_width),
            correction: node.correction.abs(),
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

    /// The depth of the first search of a move, which may give check and has a history, at this place (depth of the node,
    /// number of the move, how many raised alpha before it), and the reduction that led to it, 1/1024 ply. `shared` is what all
    /// moves of the node are reduced by.
    #[inline(never)]
    fn late_move_depth<N: Node>(
        &self,
        ctx: &Context,
        node: &Facts,
        picker: &Picker,
        (mv, check, history): (Move, bool, i32),
        (depth, number, raises): (i32, i32, i32),
        full: i32,
        shared: i32,
    ) -> (i32, i32) {
        let candidate = self.candidate(ctx, node, picker, (mv, check, history));
        let counts = (self.stack.child(ctx.ply).cutoffs, raises);
        let all_node = !N::PV && !node.cut_node;
        let place = (depth, number);
        let shared = shared + self.reduction_noise();
        let reduction = lmr::reduction(&self.p, place, candidate, shared, counts, all_node);
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
        let mut probes = 0;
        let score = lmr::search_move(around, plan, |probe| {
            probes += 1;
            if counted {
                self.stats.probe(around.pv, &plan, probe);
            }
            match probe {
                Probe::Null { depth, cut_node } => {
                    let first = depth == plan.reduced;
                    let less = lmr::PLY * (plan.full - depth);
                    self.stack.at(ply).reduction = if first {
                        plan.reduction.max(less)
                    } else {
                        less
                    };
                    -self.node::<NonPv>(&child, -alpha - 1, -alpha, depth, ply + 1, cut_node)
                }
                Probe::Full { depth } => {
                    self.stack.at(ply).reduction = 0;
                    -self.node::<Pv>(&child, -beta, -alpha, depth, ply + 1, false)
                }
            }
        });
        self.keys.pop();
        if probes > 1 && plan.reduced < plan.full && mv.is_quiet() && !self.aborted {
            let good = score > plan.window.0;
            self.stores
                .learn_research(&self.p, ctx, mv, plan.full, good);
        }
        score::plus(score, bonus)
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

    /// Whether moves of the node may be left out: not before one was found that does not lose by force.
    #[inline(always)]
    fn may_prune<N: Node>(&self, board: &Board, best_score: Score) -> bool {
        !N::ROOT
            && !self.proves_mate
            && best_score > -score::DECISIVE
            && board.has_pieces(board.side_to_move())
    }

    /// Whether a move with this history is not worth a search at this depth: what it might have reached at best, if that is
    /// known, else nothing. May tell the picker to leave out all quiet moves.
    fn prune_move(
        &self,
        ctx: &Context,
        node: &Facts,
        picker: &mut Picker,
        (mv, history): (Move, i32),
        (alpha, check): (Score, bool),
        tried: i32,
    ) -> Option<Score> {
        /// Pruned: nobody knows what it might have reached.
        const UNKNOWN: Option<Score> = Some(-score::INFINITE);
        let depth = node.depth;
        let quiet = mv.is_quiet();
        let reduction = lmr::base(&self.p, quiet, depth, tried + 1);
        let reduction = pruning::with_history(&self.p, quiet, reduction, history);
        let reduced = (depth - reduction / lmr::PLY).max(0);
        let calm = !check && !ctx.board.in_check() && pruning::is_ordinary(alpha);
        if quiet {
            if tried >= pruning::late_move_limit(&self.p, depth, node.improving) {
                picker.skip_quiets();
                if !check {
                    return UNKNOWN;
                }
            }
            if calm
                && let Some(margin) = pruning::futility_margin(&self.p, reduced, history)
                && node.static_eval + margin <= alpha
            {
                picker.skip_quiets();
                let reach = node.static_eval + margin;
                let raises = self.p.futility_raises() != 0 && pruning::is_ordinary(reach);
                return if raises { Some(reach) } else { UNKNOWN };
            }
            if picker.stage() == Stage::Quiet
                && pruning::history_threshold(&self.p, depth).is_some_and(|least| history < least)
            {
                return UNKNOWN;
            }
        } else if calm && picker.stage() != Stage::TtMove {
            let victim = ctx.board.describe(mv).captured;
            let gain = victim.map_or(0, |kind: PieceType| see_value(&self.p, kind));
            if mv.promotion().is_none()
                && pruning::capture_futility_margin(&self.p, reduced, history)
                    .is_some_and(|margin| node.static_eval + gain + margin <= alpha)
            {
                return UNKNOWN;
            }
        }
        // The picker has already seen that these win or hold.
        let loses = picker.stage() != Stage::GoodCapture
            && pruning::see_margin(&self.p, (depth, reduced), quiet, history).is_some_and(
                |margin| {
                    if quiet {
                        !ctx.quiet_holds(&self.p, mv, -margin)
                    } else {
                        !ctx.board.see(&self.p, mv, margin)
                    }
                },
            );
        if loses { UNKNOWN } else { None }
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
        Searched { score, nodes, .. }: Searched,
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
            let parent = *self.stack.parent(node.ply);
            let far_below = |eval: Score, by: Score| eval != score::NONE && score <= eval - by;
            let surprise = Surprise {
                late: parent.move_number > LATE_MOVE,
                below_eval: far_below(node.static_eval, BELOW_EVAL),
                above_parent_eval: parent.static_eval != score::NONE
                    && far_below(-parent.static_eval, ABOVE_PARENT_EVAL),
            };
            self.stores
                .learn_refuted(&self.p, ctx, &parent.threats, node.depth, surprise);
            if self.stores.lab.allows(Lesson::FailLowReply) {
                self.stores.learn_reply(&self.p, ctx, tried.nearest);
            }
        } else {
            self.stores.learn_reply(&self.p, ctx, best);
            if score >= beta || self.p.learn_exact() != 0 {
                let surprise = score > beta + self.p.bonus_margin();
                let depth = node.depth + i32::from(surprise);
                self.stores
                    .learn_cutoff(&self.p, ctx, best, &tried.quiets, &tried.captures, depth);
                if score >= beta && self.stack.parent(node.ply).move_number <= EARLY_MOVE {
                    let threats = self.stack.parent(node.ply).threats;
                    self.stores
                        .learn_early_refuted(&self.p, ctx, &threats, depth);
                }
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
            pv: node.tt_pv
                || self.p.tt_pv_inherit() != 0
                    && best_score <= node.alpha
                    && !N::ROOT
                    && self.stack.parent(node.ply).tt_pv,
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
