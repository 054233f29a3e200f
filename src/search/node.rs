//! The alpha-beta node: its phases in order.

use arrayvec::ArrayVec;

use super::lmr::{self, Candidate, Probe, Surroundings};
use super::stats::Trial;
use super::{Search, pruning};
use crate::board::{Board, repetition};
use crate::ordering::{Context, Picker, Stage};
use crate::tt::{Bound, Hit};
use crate::types::{MAX_PLY, Move, Played, Score, score};

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

/// Halfmove clock from which the table's scores are no longer believed, plies.
const FIFTY_MOVES_NEAR: u32 = 90;

/// What is known of a node before its first move.
struct Facts {
    alpha: Score,
    beta: Score,
    depth: i32,
    ply: usize,
    cut_node: bool,
    tt_move: Move,
    /// Static evaluation; [`score::NONE`] in check.
    static_eval: Score,
    /// The same, refined by the table's score.
    eval: Score,
    improving: bool,
}

/// The moves a node has searched, so that the stores may learn from it.
#[derive(Default)]
struct Tried {
    count: i32,
    quiets: ArrayVec<Move, 64>,
    captures: ArrayVec<Move, 32>,
}

impl Tried {
    fn add(&mut self, mv: Move) {
        // What does not fit any more was too late to matter.
        let _ = if mv.is_quiet() {
            self.quiets.try_push(mv)
        } else {
            self.captures.try_push(mv)
        };
    }
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
        // Nobody enters quiescence in check.
        let depth = if board.in_check() {
            depth.max(1)
        } else {
            depth
        };
        if depth <= 0 {
            return self.quiescence::<N>(board, alpha, beta, ply);
        }
        self.pv.clear(ply);
        if self.enter(ply) {
            return score::DRAW;
        }
        let mut node = Facts {
            alpha,
            beta,
            depth,
            ply,
            cut_node,
            tt_move: Move::NULL,
            static_eval: score::NONE,
            eval: score::NONE,
            improving: false,
        };
        if !N::ROOT
            && let Some(score) = self.known_without_search(board, &mut node)
        {
            return score;
        }

        let hit = self.table.probe(board.key(), ply);
        if let Some(hit) = &hit {
            if !N::PV
                && hit.depth >= depth
                && is_cut_by(hit, node.alpha, node.beta)
                && far_from_fifty(board)
            {
                return hit.score;
            }
            node.tt_move = hit.mv;
        }
        if N::ROOT {
            node.tt_move = self.roots[self.line].mv;
        }
        self.evaluate_node(board, hit.as_ref(), &mut node);

        if !N::PV
            && !board.in_check()
            && let Some(score) = self.prune_node(board, &node)
        {
            return score;
        }
        // Source: E. Schröder, internal iterative reductions; https://www.chessprogramming.org/Internal_Iterative_Reductions
        if node.tt_move.is_null() && node.depth >= self.p.iir_depth() && (N::PV || cut_node) {
            node.depth -= 1;
        }
        self.search_moves::<N>(board, &node)
    }

    /// Draws, the end of the stack, and windows that no mate or repetition leaves open.
    fn known_without_search(&mut self, board: &Board, node: &mut Facts) -> Option<Score> {
        if self.is_drawn(board, node.ply) {
            return Some(self.draw_score());
        }
        if node.ply >= MAX_PLY {
            return Some(if board.in_check() {
                score::DRAW
            } else {
                self.evaluator.evaluate(board, node.ply)
            });
        }
        // Mate distance pruning: the best there can be is mate at the next ply.
        // Source: https://www.chessprogramming.org/Mate_Distance_Pruning
        node.alpha = node.alpha.max(score::mated_in(node.ply));
        node.beta = node.beta.min(score::mate_in(node.ply + 1));
        if node.alpha < score::DRAW && repetition::can_repeat(board, &self.keys, node.ply) {
            node.alpha = score::DRAW;
        }
        (node.alpha >= node.beta).then_some(node.alpha)
    }

    /// A draw, now and then a little better or worse: two draws of one value would hide the way to a third line.
    pub(super) fn draw_score(&self) -> Score {
        score::DRAW + 1 - (self.nodes & 2) as Score
    }

    /// Whether the rules end the game here, other than by mate or stalemate.
    pub(super) fn is_drawn(&self, board: &Board, ply: usize) -> bool {
        board.insufficient_material()
            || repetition::is_repetition(board, &self.keys, ply)
            || board.halfmove_clock() >= 100
                && !(board.in_check() && board.legal_moves().is_empty())
    }

    /// The static evaluation, from the table if it has it. Not in check.
    pub(super) fn static_eval(&mut self, board: &Board, ply: usize, hit: Option<&Hit>) -> Score {
        match hit {
            Some(hit) if hit.eval != score::NONE => hit.eval,
            _ => self.evaluator.evaluate(board, ply),
        }
    }

    /// Evaluates the node, from the table where it can, and leaves the value for the nodes below.
    fn evaluate_node(&mut self, board: &Board, hit: Option<&Hit>, node: &mut Facts) {
        if !board.in_check() {
            node.static_eval = self.static_eval(board, node.ply, hit);
            node.eval = refined(node.static_eval, hit);
        }
        self.stack.at(node.ply).static_eval = node.static_eval;
        node.improving = self.stack.is_improving(node.ply);
    }

    /// Razoring, reverse futility and null move: the node's score where no move need be searched for it.
    fn prune_node(&mut self, board: &Board, node: &Facts) -> Option<Score> {
        let &Facts {
            alpha,
            beta,
            depth,
            ply,
            eval,
            improving,
            ..
        } = node;
        if pruning::razoring_threshold(&self.p, alpha, depth)
            .is_some_and(|threshold| eval < threshold)
        {
            let score = self.quiescence::<NonPv>(board, alpha, alpha + 1, ply);
            if score <= alpha {
                return Some(score);
            }
        }
        if pruning::is_ordinary(beta)
            && pruning::is_ordinary(eval)
            && pruning::reverse_futility_threshold(&self.p, beta, depth, improving)
                .is_some_and(|threshold| eval >= threshold)
        {
            return Some(eval);
        }
        self.null_move(board, node)
    }

    /// If even passing keeps the node above beta, a move will.
    fn null_move(&mut self, board: &Board, node: &Facts) -> Option<Score> {
        let &Facts {
            beta,
            depth,
            ply,
            eval,
            ..
        } = node;
        let worth = depth >= self.p.null_move_depth()
            && eval >= beta
            && node.static_eval >= beta
            && pruning::is_ordinary(beta)
            && !self.stack.prior(ply)[0].is_none()
            && board.has_pieces(board.side_to_move());
        if !worth {
            return None;
        }
        let reduction = pruning::null_move_reduction(&self.p, depth, eval - beta);
        let mut child = *board;
        child.make_null();
        self.evaluator.enter(ply + 1, None);
        self.table.prefetch(child.key());
        self.stack.at(ply).played = Played::NONE;
        self.keys.push(board.key());
        let score = -self.node::<NonPv>(
            &child,
            -beta,
            1 - beta,
            depth - reduction,
            ply + 1,
            !node.cut_node,
        );
        self.keys.pop();
        // A mate after a pass is no proof.
        (score >= beta && !self.aborted).then(|| {
            if score::is_decisive(score) {
                beta
            } else {
                score
            }
        })
    }

    /// Searches the moves, learns from what they did, and stores the outcome.
    fn search_moves<N: Node>(&mut self, board: &Board, node: &Facts) -> Score {
        let &Facts {
            beta, depth, ply, ..
        } = node;
        let ctx = self.context(board, ply);
        let check_info = board.check_info();
        let surroundings = Surroundings {
            pv: N::PV,
            cut_node: node.cut_node,
            improving: node.improving,
            tt_capture: !node.tt_move.is_null() && !node.tt_move.is_quiet(),
        };
        let mut alpha = node.alpha;
        let (mut best_score, mut best_move) = (-score::INFINITE, Move::NULL);
        let mut tried = Tried::default();
        let mut picker = Picker::new(node.tt_move);
        let mut root_index = self.line;
        if !N::ROOT {
            self.stats.node(&self.p, &ctx, self.stores);
        }

        loop {
            let next = if N::ROOT {
                self.roots.iter().nth(root_index).map(|root| root.mv)
            } else {
                picker.next(&self.p, &ctx, self.stores)
            };
            let Some(mv) = next else { break };
            let check = check_info.gives_check(board, mv);
            if !N::ROOT
                && best_score > -score::DECISIVE
                && board.has_pieces(board.side_to_move())
                && self.prune_move(&ctx, node, &mut picker, mv, (alpha, check), tried.count)
            {
                continue;
            }
            tried.count += 1;
            let first = tried.count == 1;
            let trial = Trial {
                stage: picker.stage(),
                index: tried.count,
                depth,
                tt_move: !node.tt_move.is_null(),
                reply: picker.is_lbr_reply(mv),
            };
            if !N::ROOT {
                self.stats.tried(&trial);
            }
            if N::ROOT {
                self.reporter.current_move(self.depth, mv, root_index + 1);
            }

            let reduced = if tried.count > self.p.lmr_first_move() - i32::from(!N::PV) {
                let candidate = self.candidate(&ctx, &picker, mv, check);
                let by = lmr::reduction(&self.p, depth, tried.count, candidate, surroundings);
                lmr::reduced_depth(depth - 1, by)
            } else {
                depth - 1
            };
            let nodes_before = self.nodes;
            let plan = (depth - 1, reduced);
            let score = self.search_child(&ctx, mv, surroundings, first, (alpha, beta), plan);
            if self.aborted {
                return score::DRAW;
            }
            if N::ROOT {
                self.finish_root_move(root_index, score, alpha, self.nodes - nodes_before);
                root_index += 1;
            }

            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = mv;
                    if N::PV {
                        self.pv.update(ply, mv);
                    }
                    if score >= beta {
                        if !N::ROOT {
                            self.stats.cut(&trial);
                        }
                        break;
                    }
                    alpha = score;
                }
            }
            tried.add(mv);
        }

        if tried.count == 0 {
            // Pruning never leaves out the first move, so there was none.
            return if board.in_check() {
                score::mated_in(ply)
            } else {
                score::DRAW
            };
        }
        if !best_move.is_null() {
            self.learn(&ctx, best_move, best_score >= beta, &tried, depth);
        }
        self.store::<N>(node, board.key(), best_score, best_move);
        best_score
    }

    /// Makes a move and searches what it leads to by the re-search scheme, to the `full` depth of the plan or first
    /// to the `reduced` one.
    fn search_child(
        &mut self,
        ctx: &Context,
        mv: Move,
        surroundings: Surroundings,
        first: bool,
        (alpha, beta): (Score, Score),
        (full, reduced): (i32, i32),
    ) -> Score {
        let &Context { board, ply, .. } = ctx;
        let mut child = *board;
        let change = child.make(mv);
        self.table.prefetch(child.key());
        self.evaluator.enter(ply + 1, Some(change));
        self.stack.at(ply).played = board.describe(mv);
        self.keys.push(board.key());
        let window = (alpha, beta);
        let score = lmr::search_move(
            surroundings,
            first,
            window,
            full,
            reduced,
            |probe| match probe {
                Probe::Null { depth, cut_node } => {
                    -self.node::<NonPv>(&child, -alpha - 1, -alpha, depth, ply + 1, cut_node)
                }
                Probe::Full { depth } => {
                    -self.node::<Pv>(&child, -beta, -alpha, depth, ply + 1, false)
                }
            },
        );
        self.keys.pop();
        score
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
        if mv.is_quiet() {
            if tried >= pruning::late_move_limit(&self.p, depth, node.improving) {
                picker.skip_quiets();
                if !check {
                    return true;
                }
            }
            let reduction = lmr::base(&self.p, true, depth, tried + 1);
            let reduced = (depth - reduction / lmr::PLY).max(0);
            if !check
                && !ctx.board.in_check()
                && pruning::is_ordinary(alpha)
                && pruning::futility_margin(&self.p, reduced)
                    .is_some_and(|margin| node.static_eval + margin <= alpha)
            {
                picker.skip_quiets();
                return true;
            }
        }
        // The picker has already seen that these win or hold.
        picker.stage() != Stage::GoodCapture
            && pruning::see_margin(&self.p, depth, mv.is_quiet())
                .is_some_and(|margin| !ctx.board.see(&self.p, mv, margin))
    }

    fn candidate(&self, ctx: &Context, picker: &Picker, mv: Move, check: bool) -> Candidate {
        let quiet = mv.is_quiet();
        let history = if quiet {
            self.stores.quiet_history(ctx, mv)
        } else {
            self.stores.capture_history(ctx, mv)
        };
        Candidate {
            quiet,
            check,
            killer: picker.stage() == Stage::Killer,
            countermove: picker.stage() == Stage::Countermove,
            reply: picker.is_lbr_reply(mv),
            good_capture: picker.stage() == Stage::GoodCapture,
            history,
        }
    }

    /// Notes what came of a root move; a new best one is published at once.
    fn finish_root_move(&mut self, index: usize, score: Score, alpha: Score, nodes: u64) {
        self.roots.add_nodes(index, nodes);
        if score <= alpha {
            self.roots.reject(index);
            return;
        }
        self.roots.settle(index, score, self.pv.line(1));
        if self.line == 0 {
            self.publish(index);
        }
    }

    fn learn(&mut self, ctx: &Context, best: Move, cut: bool, tried: &Tried, depth: i32) {
        self.stores.learn_reply(&self.p, ctx, best);
        if cut {
            self.stores
                .learn_cutoff(&self.p, ctx, best, &tried.quiets, &tried.captures, depth);
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
            eval: node.static_eval,
            depth: node.depth,
            bound: Bound::of(best_score, node.alpha, node.beta),
            pv: N::PV,
        };
        self.table.store(key, node.ply, entry);
    }
}

/// Whether the table's score decides a node with this window.
pub(super) fn is_cut_by(hit: &Hit, alpha: Score, beta: Score) -> bool {
    match hit.bound {
        Bound::Exact => true,
        Bound::Lower => hit.score >= beta,
        Bound::Upper => hit.score <= alpha,
    }
}

/// Whether the table's scores, which know nothing of the halfmove clock, still hold.
pub(super) fn far_from_fifty(board: &Board) -> bool {
    board.halfmove_clock() < FIFTY_MOVES_NEAR
}

/// A static evaluation made better by the table's score, where its bound allows.
pub(super) fn refined(static_eval: Score, hit: Option<&Hit>) -> Score {
    hit.filter(|hit| is_cut_by(hit, static_eval, static_eval))
        .map_or(static_eval, |hit| hit.score)
}
