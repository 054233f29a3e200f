//! Which move first: one file for each heuristic, all of them private to one worker.

pub mod captures;
mod continuation;
mod countermove;
pub mod gravity;
pub mod history;
pub mod hook;
mod killers;
mod lbr;
mod node_kind;
mod pawn_history;
mod picker;
pub mod policy;
mod root;
mod scoring;
pub mod small_net;

pub use captures::CaptureHistory;
pub use continuation::Continuation;
pub use countermove::Countermoves;
pub use history::History;
pub use hook::{Hook, OrderingHook};
pub use killers::Killers;
pub use lbr::{Form, Lbr};
pub use node_kind::NodeKind;
pub use pawn_history::PawnHistory;
pub use picker::{Picker, Stage, holds};
pub use root::{RootMove, RootMoves, by_subtree};

use scoring::QuietTables;

use crate::board::{Board, CheckInfo, Threats};
use crate::memory::Arena;
use crate::params::Params;
use crate::tt::TranspositionTable;
use crate::types::{MAX_PLY, Move, Played};

/// Plies the stores keep apart: a power of two, so that finding one needs no bounds check.
pub const PLIES: usize = (MAX_PLY + 1).next_power_of_two();

/// How many moves before a node the histories look at.
pub const PRIOR: usize = 6;

/// Where a node stands: what the histories keyed by position, ply and prior moves need to know.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The position.
    pub board: &'a Board,
    /// Plies from the root.
    pub ply: usize,
    /// The move that led here and those before it, the last first; [`Played::NONE`] for a null move or none. At the
    /// root these are the last moves of the game.
    pub prior: [Played; PRIOR],
    /// Squares that the opponent attacks.
    pub threats: Threats,
    /// From where the side to move gives check.
    pub checks: CheckInfo,
    /// Where the positions after the moves will be looked up: the picker has those of captures fetched before it thinks
    /// about them.
    pub tt: Option<&'a TranspositionTable>,
}

impl<'a> Context<'a> {
    /// A node where all moves are of interest.
    #[inline(always)]
    pub fn new(board: &'a Board, ply: usize, prior: [Played; PRIOR]) -> Self {
        Self {
            board,
            ply,
            prior,
            threats: board.threats(),
            checks: board.check_info(),
            tt: None,
        }
    }

    /// A node where only captures and promotions are of interest: threats and checks are left out.
    #[inline(always)]
    pub fn captures_only(board: &'a Board, ply: usize, prior: [Played; PRIOR]) -> Self {
        Self {
            board,
            ply,
            prior,
            threats: Threats::default(),
            checks: CheckInfo::NONE,
            tt: None,
        }
    }

    /// The same node, whose moves will be searched with this table.
    #[inline(always)]
    pub fn with_tt(self, tt: &'a TranspositionTable) -> Self {
        Self {
            tt: Some(tt),
            ..self
        }
    }

    /// This move is likely to be searched: starts to fetch the table's entry.
    #[inline(always)]
    pub fn prefetch(&self, mv: Move) {
        if let Some(table) = self.tt {
            table.prefetch(self.board.key_hint(mv));
        }
    }
}

impl Context<'_> {
    /// Whether the exchange that a legal quiet move starts loses no more than `loss` centipawns: [`Board::see`] with
    /// the threshold `-loss`. Not in a node of captures only.
    #[inline]
    pub fn quiet_holds(&self, p: &Params, mv: Move, loss: i32) -> bool {
        debug_assert!(mv.is_quiet() && loss >= 0 && self.threats == self.board.threats());
        // Nobody takes there. Only a slider that attacks the piece now might do so once it has left, along the line behind it.
        let safe = !self.threats.has(mv.to()) && !self.threats.has(mv.from());
        debug_assert!(!safe || self.board.see(p, mv, -loss));
        safe || self.board.see(p, mv, -loss)
    }
}

/// Why the move before a node that fails low deserves more than usual.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surprise {
    /// It came late in its node.
    pub late: bool,
    /// The node's score stays far below its static evaluation.
    pub below_eval: bool,
    /// The score is far better for the mover than its own static evaluation before.
    pub above_parent_eval: bool,
}

/// All that one worker learns about the order of moves.
#[derive(Debug)]
pub struct Histories {
    /// Quiet moves that cut, by ply.
    pub killers: Killers,
    /// Quiet moves by side, from and to.
    pub history: History,
    /// Captures and promotions by piece, to and victim.
    pub captures: CaptureHistory,
    /// Quiet replies by the prior move's piece and square.
    pub countermoves: Countermoves,
    /// Quiet moves by piece and to, after each of three prior moves.
    pub continuation: Continuation,
    /// Quiet moves by piece and to, for each pawn structure.
    pub pawn_history: PawnHistory,
    /// Replies of all kinds by ply and the whole prior move, or another [`Form`] of it.
    pub lbr: Lbr,
    /// An experiment, in builds that have any.
    pub hook: Hook,
}

impl Histories {
    /// Nothing learnt.
    pub fn new(hook: Hook) -> Box<Self> {
        let memory = &mut Arena::new(Continuation::BYTES + PawnHistory::BYTES + Lbr::BYTES);
        Box::new(Self {
            killers: Killers::default(),
            history: History::default(),
            captures: CaptureHistory::default(),
            countermoves: Countermoves::default(),
            continuation: Continuation::new(memory),
            pawn_history: PawnHistory::new(memory),
            lbr: Lbr::new(memory),
            hook,
        })
    }

    /// Forgets everything: a new game.
    pub fn clear(&mut self) {
        self.killers.clear();
        self.history.clear();
        self.captures.clear();
        self.countermoves.clear();
        self.continuation.clear();
        self.pawn_history.clear();
        self.lbr.clear();
        self.hook.clear();
    }

    /// Gets ready for the next search of the same game, `plies_played` after the last one. The histories
    /// stay; what is known by ply moves along. For an unrelated position pass `usize::MAX`.
    pub fn new_search(&mut self, p: &Params, plies_played: usize) {
        self.killers.shift(plies_played);
        self.lbr.new_search(Form::of(p), plies_played);
        self.hook.new_search(plies_played);
    }

    /// Learns the reply to the prior move: for every node whose best move raised alpha or cut.
    pub fn learn_reply(&mut self, p: &Params, ctx: &Context, best: Move) {
        self.lbr.store(Form::of(p), ctx, best);
    }

    /// Learns from a node that was cut, beside [`Self::learn_reply`]: a bonus for the best move, a malus for the
    /// others that were tried in vain. The best move may be among the tried ones. `depth` is in plies.
    pub fn learn_cutoff(
        &mut self,
        p: &Params,
        ctx: &Context,
        best: Move,
        quiets_tried: &[Move],
        captures_tried: &[Move],
        depth: i32,
    ) {
        let amounts = Amounts::at(p, depth);
        if best.is_quiet() {
            self.killers.store(ctx.ply, best);
            self.countermoves.store(ctx.prior[0], best);
            self.learn_quiet(p, ctx, best, amounts.bonus, amounts.continuation_bonus);
            for (place, &mv) in quiets_tried.iter().filter(|&&mv| mv != best).enumerate() {
                let faded = |malus: i32| malus * 1024 / (1024 + p.malus_fade() * place as i32);
                let (malus, continuation) = (amounts.malus, amounts.continuation_malus);
                self.learn_quiet(p, ctx, mv, -faded(malus), -faded(continuation));
            }
        } else {
            self.learn_capture(p, ctx, best, amounts.capture_bonus);
        }
        for &mv in captures_tried.iter().filter(|&&mv| mv != best) {
            self.learn_capture(p, ctx, mv, -amounts.capture_malus);
        }
    }

    /// Learns what a quiet move that led to `board` was worth, from what it did to the evaluation. `threats` is what
    /// it met.
    pub fn learn_evaluated(
        &mut self,
        p: &Params,
        board: &Board,
        played: Played,
        threats: &Threats,
        amount: i32,
    ) {
        if !played.is_none() && played.mv.is_quiet() {
            let side = !board.side_to_move();
            self.history
                .update(side, threats, played.mv, amount, p.history_limit());
        }
    }

    /// Learns from a node where no move was good enough: the move before it, which met `threats`, was good.
    pub fn learn_refuted(
        &mut self,
        p: &Params,
        ctx: &Context,
        threats: &Threats,
        depth: i32,
        surprise: Surprise,
    ) {
        let played = ctx.prior[0];
        if played.is_none() {
            return;
        }
        let amounts = Amounts::at(p, depth);
        if !played.mv.is_quiet() {
            let bonus = amounts.capture_bonus * p.prior_capture_fail_low() / 1024;
            self.captures.update(played, bonus, p.history_limit());
            return;
        }
        let share = p.prior_fail_low()
            + i32::from(surprise.late) * p.prior_fail_low_late()
            + i32::from(surprise.below_eval) * p.prior_fail_low_eval()
            + i32::from(surprise.above_parent_eval) * p.prior_fail_low_parent();
        self.learn_prior(
            p,
            ctx,
            threats,
            (amounts.bonus, amounts.continuation_bonus),
            share,
        );
    }

    /// Learns from a node that was cut: the quiet move before it, which was tried early and met `threats`, was bad.
    // Source: Stockfish
    pub fn learn_early_refuted(
        &mut self,
        p: &Params,
        ctx: &Context,
        threats: &Threats,
        depth: i32,
    ) {
        if ctx.prior[0].mv.is_quiet() && !ctx.prior[0].is_none() && p.refuted_malus() > 0 {
            let amounts = Amounts::at(p, depth);
            let maluses = (-amounts.malus, -amounts.continuation_malus);
            self.learn_prior(p, ctx, threats, maluses, p.refuted_malus());
        }
    }

    /// Learns a share, /1024, of what the quiet move before the node deserves.
    fn learn_prior(
        &mut self,
        p: &Params,
        ctx: &Context,
        threats: &Threats,
        (butterfly, continuation): (i32, i32),
        share: i32,
    ) {
        let [played, before, two_before, ..] = ctx.prior;
        let (side, limit) = (!ctx.board.side_to_move(), p.history_limit());
        let amount = butterfly * share / 1024;
        self.history.update(side, threats, played.mv, amount, limit);
        let amount = continuation * share / 1024;
        for prior in [before, two_before] {
            self.continuation.update(prior, played, amount, limit);
        }
    }

    /// Learns from a quiet move by which the table alone cut a node of this depth, a share of the usual bonus, /1024.
    // Source: Stockfish
    pub fn learn_from_tt_cutoff(
        &mut self,
        p: &Params,
        ctx: &Context,
        mv: Move,
        depth: i32,
        share: i32,
    ) {
        let amounts = Amounts::at(p, depth);
        let part = |bonus: i32| bonus * share / 1024;
        self.learn_quiet(
            p,
            ctx,
            mv,
            part(amounts.bonus),
            part(amounts.continuation_bonus),
        );
    }

    /// Learns from a quiet move whose reduced search beat alpha: whether the one to full depth did as well.
    // Source: Stockfish
    pub fn learn_research(&mut self, p: &Params, ctx: &Context, mv: Move, depth: i32, good: bool) {
        let amounts = Amounts::at(p, depth);
        let amount = if good {
            amounts.continuation_bonus * p.research_bonus() / 1024
        } else {
            -amounts.continuation_malus * p.research_malus() / 1024
        };
        if amount != 0 {
            self.learn_continuation(p, ctx, ctx.board.describe(mv), amount);
        }
    }

    /// What is known of a quiet move here: the sum of the weighted histories. For reductions and pruning.
    #[inline]
    pub fn quiet_history(&self, p: &Params, ctx: &Context, mv: Move) -> i32 {
        self.quiet_tables(p, ctx)
            .score(ctx.board.describe(mv).piece, mv)
    }

    /// What is known of a capture or promotion here, in `-history_limit..=history_limit`.
    #[inline]
    pub fn capture_history(&self, ctx: &Context, mv: Move) -> i32 {
        self.captures.get(ctx.board.describe(mv))
    }

    #[inline(always)]
    fn quiet_tables<'a>(&'a self, p: &'a Params, ctx: &'a Context) -> QuietTables<'a> {
        QuietTables::new(p, self, ctx)
    }

    fn learn_quiet(
        &mut self,
        p: &Params,
        ctx: &Context,
        mv: Move,
        butterfly: i32,
        continuation: i32,
    ) {
        let (side, limit) = (ctx.board.side_to_move(), p.history_limit());
        let played = ctx.board.describe(mv);
        self.history
            .update(side, &ctx.threats, mv, butterfly, limit);
        self.pawn_history
            .update(ctx.board.pawn_key(), played, butterfly, limit);
        self.learn_continuation(p, ctx, played, continuation);
    }

    fn learn_continuation(&mut self, p: &Params, ctx: &Context, played: Played, amount: i32) {
        let limit = p.history_limit();
        let [one, two, four, six] = continuations(ctx);
        for prior in [one, two, four] {
            self.continuation.update(prior, played, amount, limit);
        }
        let part = amount * p.learn_continuation_six() / 1024;
        self.continuation.update(six, played, part, limit);
    }

    fn learn_capture(&mut self, p: &Params, ctx: &Context, mv: Move, amount: i32) {
        let played = ctx.board.describe(mv);
        self.captures.update(played, amount, p.history_limit());
    }
}

/// The prior moves whose continuations are looked at: one, two, four and six plies back.
#[inline(always)]
fn continuations(ctx: &Context) -> [Played; 4] {
    [ctx.prior[0], ctx.prior[1], ctx.prior[3], ctx.prior[5]]
}

/// How much a cut at some depth teaches.
struct Amounts {
    bonus: i32,
    malus: i32,
    continuation_bonus: i32,
    continuation_malus: i32,
    capture_bonus: i32,
    capture_malus: i32,
}

impl Amounts {
    #[rustfmt::skip]
    fn at(p: &Params, depth: i32) -> Self {
        let amount = |slope, offset, max| gravity::history_bonus(depth, slope, offset, max);
        Self {
            bonus: amount(p.history_bonus_slope(), p.history_bonus_offset(), p.history_bonus_max()),
            malus: amount(p.history_malus_slope(), p.history_malus_offset(), p.history_malus_max()),
            continuation_bonus: amount(
                p.continuation_bonus_slope(), p.continuation_bonus_offset(), p.continuation_bonus_max(),
            ),
            continuation_malus: amount(
                p.continuation_malus_slope(), p.continuation_malus_offset(), p.continuation_malus_max(),
            ),
            capture_bonus: amount(p.capture_bonus_slope(), p.capture_bonus_offset(), p.capture_bonus_max()),
            capture_malus: amount(p.capture_malus_slope(), p.capture_malus_offset(), p.capture_malus_max()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MoveKind, Square};

    const DEPTH: i32 = 6;

    fn mv(name: &str, kind: MoveKind) -> Move {
        let square = |name| Square::parse(name).expect("a square");
        Move::new(square(&name[..2]), square(&name[2..]), kind)
    }

    /// After 1.e4 d5: exd5 is the capture, Nf3 and Nc3 the quiet moves of these tests.
    fn node() -> (Board, [Played; PRIOR]) {
        let mut board = Board::startpos();
        let mut prior = [Played::NONE; PRIOR];
        for name in ["e2e4", "d7d5"] {
            let mv = mv(name, MoveKind::DoublePush);
            prior.rotate_right(1);
            prior[0] = board.describe(mv);
            board.make(mv);
        }
        (board, prior)
    }

    #[test]
    fn a_quiet_cut_rewards_the_move_and_blames_the_others() {
        let (board, prior) = node();
        let ctx = Context::new(&board, 2, prior);
        let (best, other) = (mv("g1f3", MoveKind::Quiet), mv("b1c3", MoveKind::Quiet));
        let capture = mv("e4d5", MoveKind::Capture);
        let (p, mut histories) = (&Params::default(), Histories::new(hook::no_hook()));
        histories.learn_cutoff(p, &ctx, best, &[other, best], &[capture], DEPTH);
        assert!(histories.quiet_history(p, &ctx, best) > 0);
        assert!(histories.quiet_history(p, &ctx, other) < 0);
        assert!(histories.capture_history(&ctx, capture) < 0);
        assert_eq!(histories.killers.at(2)[0], best);
        assert_eq!(histories.countermoves.reply(prior[0]), best);
        // Each table has its part: fewer prior moves, less is known.
        let known = [
            histories.quiet_history(p, &ctx, best),
            histories.quiet_history(
                p,
                &Context {
                    prior: std::array::from_fn(|n| if n == 0 { prior[0] } else { Played::NONE }),
                    ..ctx
                },
                best,
            ),
            histories.quiet_history(
                p,
                &Context {
                    prior: [Played::NONE; PRIOR],
                    ..ctx
                },
                best,
            ),
        ];
        assert!(
            known.is_sorted_by(|a, b| a > b) && known[2] > 0,
            "{known:?}"
        );
    }

    #[test]
    fn a_capture_that_cuts_leaves_the_quiets_alone() {
        let (board, prior) = node();
        let ctx = Context::new(&board, 2, prior);
        let (best, quiet) = (mv("e4d5", MoveKind::Capture), mv("g1f3", MoveKind::Quiet));
        let (p, mut histories) = (&Params::default(), Histories::new(hook::no_hook()));
        histories.learn_cutoff(p, &ctx, best, &[quiet], &[best], DEPTH);
        assert!(histories.capture_history(&ctx, best) > 0);
        assert_eq!(histories.quiet_history(p, &ctx, quiet), 0);
        assert!(histories.killers.at(2)[0].is_null());
        assert!(histories.countermoves.reply(prior[0]).is_null());
    }

    #[test]
    fn histories_stay_between_searches_and_go_with_the_game() {
        let (board, prior) = node();
        let ctx = Context::new(&board, 2, prior);
        let best = mv("g1f3", MoveKind::Quiet);
        let (p, mut histories) = (&Params::default(), Histories::new(hook::no_hook()));
        histories.learn_cutoff(p, &ctx, best, &[], &[], DEPTH);
        histories.learn_reply(p, &ctx, best);
        let known = histories.quiet_history(p, &ctx, best);
        histories.new_search(p, 2);
        assert_eq!(histories.quiet_history(p, &ctx, best), known);
        assert_eq!(histories.killers.at(0)[0], best);
        let root = Context { ply: 0, ..ctx };
        assert_eq!(histories.lbr.reply(Form::of(p), &root), best);
        histories.clear();
        assert_eq!(histories.quiet_history(p, &ctx, best), 0);
        assert!(histories.killers.at(0)[0].is_null());
        assert!(histories.lbr.reply(Form::of(p), &root).is_null());
        assert!(histories.countermoves.reply(prior[0]).is_null());
    }
}
