//! All the tables from which one worker orders its moves, and what they learn from a node.

use super::captures::CaptureHistory;
use super::continuation::Continuation;
use super::countermove::Countermoves;
use super::history::History;
use super::hook::{Hook, OrderingHook};
use super::low_ply::LowPlyHistory;
use super::pawn_history::PawnHistory;
use super::quiet_tables::QuietTables;
use super::{Context, Killers, Lbr, LbrVariant, NodeOutcome, SearchedMoves, gravity};
use crate::board::Board;
use crate::memory::Arena;
use crate::params::Params;
use crate::types::{Bitboard, Move, Played};

/// Everything one worker learns about the order of moves.
#[derive(Debug)]
pub struct Histories {
    /// Quiet moves that failed high, by ply.
    pub killers: Killers,
    /// Quiet moves by side, from square and to square.
    pub history: History,
    /// Quiet moves near the root by ply, from square and to square.
    pub(crate) low_ply: LowPlyHistory,
    /// Captures and promotions by piece, to square and captured piece.
    pub(crate) captures: CaptureHistory,
    /// Quiet replies by piece and to square of the prior move.
    pub(crate) countermoves: Countermoves,
    /// Quiet moves by piece and to square, after each of three prior moves.
    pub(crate) continuation: Continuation,
    /// Quiet moves by piece and to square, for each pawn structure.
    pub(crate) pawn_history: PawnHistory,
    /// Replies of all kinds by ply and prior move.
    pub(crate) lbr: Lbr,
    /// The experiment with the order of moves; it does nothing in builds without the feature
    /// `hook`.
    pub hook: Hook,
}

impl Histories {
    /// Creates empty histories with this hook.
    pub fn new(hook: Hook) -> Box<Self> {
        let memory = &mut Arena::new(Continuation::BYTES + PawnHistory::BYTES + Lbr::BYTES);
        Box::new(Self {
            killers: Killers::default(),
            history: History::default(),
            low_ply: LowPlyHistory::default(),
            captures: CaptureHistory::default(),
            countermoves: Countermoves::default(),
            continuation: Continuation::new(memory),
            pawn_history: PawnHistory::new(memory),
            lbr: Lbr::new(memory),
            hook,
        })
    }

    /// Forgets everything, for a new game.
    pub(crate) fn clear(&mut self) {
        self.killers.clear();
        self.history.clear();
        self.low_ply.clear();
        self.captures.clear();
        self.countermoves.clear();
        self.continuation.clear();
        self.pawn_history.clear();
        self.lbr.clear();
    }

    /// Prepares for the next search of the same game, `plies_played` plies after the last one. The
    /// histories stay, but the butterfly history fades, the low-ply history begins anew, and other
    /// tables by ply are shifted. Where the game has not had the last position searched, `plies_played`
    /// is `usize::MAX`.
    pub(crate) fn new_search(&mut self, p: &Params, plies_played: usize) {
        self.killers.shift(plies_played);
        self.history.fade(p.history_keep());
        self.low_ply.clear();
        self.lbr.new_search(LbrVariant::of(p), plies_played);
        self.hook.new_search(plies_played);
    }

    /// Stores the last best reply to the prior move, if the best move of the node raised alpha or
    /// failed high. What a failure teaches beyond that is learned separately.
    pub fn learn(&mut self, p: &Params, ctx: &Context, outcome: &NodeOutcome) {
        self.hook.learn(ctx, outcome);
        if !outcome.best.is_null() {
            self.lbr.store(LbrVariant::of(p), ctx, outcome.best);
        }
    }

    /// Returns the last best reply to the prior move, [`Move::NULL`] if none is stored; `None` if the
    /// node does not have the prior moves that it depends on.
    pub fn reply(&self, p: &Params, ctx: &Context) -> Option<Move> {
        let variant = LbrVariant::of(p);
        Lbr::has_key(variant, ctx).then(|| self.lbr.reply(variant, ctx))
    }

    /// Learns from a node of `depth` plies that failed high: a bonus for the best move, and a malus
    /// for the other moves that were searched. They may contain the best
    /// one. [`Self::learn`] is called separately.
    pub fn learn_cutoff(
        &mut self,
        p: &Params,
        ctx: &Context,
        best: Move,
        searched: &SearchedMoves,
        depth: i32,
    ) {
        let bonuses = Bonuses::at_depth(p, depth);
        if best.is_quiet() {
            self.killers.store(ctx.ply, best);
            self.countermoves.store(ctx.prior[0], best);
            self.learn_quiet(p, ctx, best, bonuses.quiet_bonus());
            for (index, &mv) in searched.quiets.iter().filter(|&&mv| mv != best).enumerate() {
                let faded = |malus: i32| malus * 1024 / (1024 + p.malus_fade() * index as i32);
                self.learn_quiet(p, ctx, mv, bonuses.quiet_malus().map(faded));
            }
        } else {
            self.learn_capture(p, ctx, best, bonuses.capture_bonus);
        }
        for &mv in searched.captures.iter().filter(|&&mv| mv != best) {
            self.learn_capture(p, ctx, mv, -bonuses.capture_malus);
        }
    }

    /// Gives the quiet move that led to `board` a bonus, or a malus if negative, for the change of
    /// the static evaluation that it caused. `attacked` are the squares that were attacked when it
    /// was made.
    pub(crate) fn learn_from_eval_change(
        &mut self,
        p: &Params,
        board: &Board,
        played: Played,
        attacked: Bitboard,
        bonus: i32,
    ) {
        if !played.is_none() && played.mv.is_quiet() {
            let side = !board.side_to_move();
            self.history
                .update(side, attacked, played.mv, bonus, p.history_limit());
        }
    }

    /// Learns from a node of `depth` plies that failed low: a bonus for the quiet move before it.
    /// `attacked` are the squares that were attacked when that move was made.
    // Source: Stockfish
    pub(crate) fn learn_from_fail_low(
        &mut self,
        p: &Params,
        ctx: &Context,
        attacked: Bitboard,
        depth: i32,
    ) {
        let bonus = Bonuses::at_depth(p, depth).quiet_bonus();
        self.learn_prior_quiet(p, ctx, attacked, bonus.share(p.prior_fail_low()));
    }

    /// Learns from a node of `depth` plies that failed high: a malus for the quiet move before it,
    /// which was searched early in its node. `attacked` are the squares that were attacked when that
    /// move was made.
    // Source: Stockfish
    pub(crate) fn learn_early_move_refuted(
        &mut self,
        p: &Params,
        ctx: &Context,
        attacked: Bitboard,
        depth: i32,
    ) {
        let malus = Bonuses::at_depth(p, depth).quiet_malus();
        self.learn_prior_quiet(p, ctx, attacked, malus.share(p.refuted_malus()));
    }

    /// Learns from a quiet move whose TT entry alone made a node of `depth` plies fail high. The
    /// bonus is a share, in 1/1024, of the one after a search.
    // Source: Stockfish
    pub(crate) fn learn_from_tt_cutoff(
        &mut self,
        p: &Params,
        ctx: &Context,
        mv: Move,
        depth: i32,
        share_1024: i32,
    ) {
        let bonus = Bonuses::at_depth(p, depth).quiet_bonus();
        self.learn_quiet(p, ctx, mv, bonus.share(share_1024));
    }

    /// Learns from a quiet move whose reduced search beat alpha: a bonus if the re-search to
    /// `depth` plies did so too (`beats_alpha`), and a malus if it did not.
    // Source: Stockfish
    pub(crate) fn learn_from_research(
        &mut self,
        p: &Params,
        ctx: &Context,
        mv: Move,
        depth: i32,
        beats_alpha: bool,
    ) {
        let bonuses = Bonuses::at_depth(p, depth);
        let bonus = if beats_alpha {
            bonuses.continuation_bonus * p.research_bonus() / 1024
        } else {
            -bonuses.continuation_malus * p.research_malus() / 1024
        };
        if bonus != 0 {
            self.learn_continuation(p, ctx, ctx.board.describe(mv), bonus);
        }
    }

    /// Returns the weighted sum of all histories of a quiet move, in points.
    #[inline]
    pub(crate) fn quiet_history(&self, p: &Params, ctx: &Context, mv: Move) -> i32 {
        self.quiet_tables(p, ctx)
            .score(ctx.board.describe(mv).piece, mv)
    }

    /// Returns the history of a capture or promotion, in points from `-history_limit` to
    /// `history_limit`.
    #[inline]
    pub(crate) fn capture_history(&self, ctx: &Context, mv: Move) -> i32 {
        self.captures.get(ctx.board.describe(mv))
    }

    /// Returns the rows of the tables that know the quiet moves of this node.
    #[inline(always)]
    pub(super) fn quiet_tables<'a>(&'a self, p: &'a Params, ctx: &'a Context) -> QuietTables<'a> {
        QuietTables {
            p,
            attacked: ctx.threats.all,
            butterfly: self.history.of(ctx.board.side_to_move()),
            pawn: self.pawn_history.with(ctx.board.pawn_key()),
            continuations: ctx
                .continuation_moves()
                .map(|prior| self.continuation.after(prior)),
            low_ply: (self.low_ply.at(ctx.ply))
                .map(|board| (board, p.low_ply_weight() / (1 + ctx.ply as i32))),
        }
    }

    fn learn_quiet(&mut self, p: &Params, ctx: &Context, mv: Move, bonus: QuietBonus) {
        let (side, limit) = (ctx.board.side_to_move(), p.history_limit());
        let played = ctx.board.describe(mv);
        self.history
            .update(side, ctx.threats.all, mv, bonus.butterfly, limit);
        self.pawn_history
            .update(ctx.board.pawn_key(), played, bonus.butterfly, limit);
        self.low_ply.update(ctx.ply, mv, bonus.butterfly, limit);
        self.learn_continuation(p, ctx, played, bonus.continuation);
    }

    fn learn_continuation(&mut self, p: &Params, ctx: &Context, played: Played, bonus: i32) {
        let limit = p.history_limit();
        for prior in ctx.continuation_moves() {
            self.continuation.update(prior, played, bonus, limit);
        }
    }

    fn learn_capture(&mut self, p: &Params, ctx: &Context, mv: Move, bonus: i32) {
        let played = ctx.board.describe(mv);
        self.captures.update(played, bonus, p.history_limit());
    }

    /// Gives the move before the node a bonus if it is quiet. `attacked` are the squares that were
    /// attacked when it was made.
    fn learn_prior_quiet(
        &mut self,
        p: &Params,
        ctx: &Context,
        attacked: Bitboard,
        bonus: QuietBonus,
    ) {
        let [played, before, two_before, ..] = ctx.prior;
        if played.is_none() || !played.mv.is_quiet() {
            return;
        }
        let (side, limit) = (!ctx.board.side_to_move(), p.history_limit());
        self.history
            .update(side, attacked, played.mv, bonus.butterfly, limit);
        for prior in [before, two_before] {
            self.continuation
                .update(prior, played, bonus.continuation, limit);
        }
    }
}

/// The bonus of a quiet move in points, or its malus if negative.
#[derive(Clone, Copy)]
struct QuietBonus {
    /// For butterfly, pawn and low-ply history.
    butterfly: i32,
    /// For continuation history.
    continuation: i32,
}

impl QuietBonus {
    #[inline(always)]
    fn map(self, change: impl Fn(i32) -> i32) -> Self {
        Self {
            butterfly: change(self.butterfly),
            continuation: change(self.continuation),
        }
    }

    #[inline(always)]
    fn share(self, share_1024: i32) -> Self {
        self.map(|bonus| bonus * share_1024 / 1024)
    }
}

/// The bonuses and maluses at a node of some depth, in points. Maluses are stored as positive
/// numbers.
struct Bonuses {
    bonus: i32,
    malus: i32,
    continuation_bonus: i32,
    continuation_malus: i32,
    capture_bonus: i32,
    capture_malus: i32,
}

impl Bonuses {
    #[rustfmt::skip]
    fn at_depth(p: &Params, depth: i32) -> Self {
        let bonus = |slope, offset, max| gravity::history_bonus(depth, slope, offset, max);
        Self {
            bonus: bonus(p.history_bonus_slope(), p.history_bonus_offset(), p.history_bonus_max()),
            malus: bonus(p.history_malus_slope(), p.history_malus_offset(), p.history_malus_max()),
            continuation_bonus: bonus(
                p.continuation_bonus_slope(), p.continuation_bonus_offset(), p.continuation_bonus_max(),
            ),
            continuation_malus: bonus(
                p.continuation_malus_slope(), p.continuation_malus_offset(), p.continuation_malus_max(),
            ),
            capture_bonus: bonus(p.capture_bonus_slope(), p.capture_bonus_offset(), p.capture_bonus_max()),
            capture_malus: bonus(p.capture_malus_slope(), p.capture_malus_offset(), p.capture_malus_max()),
        }
    }

    const fn quiet_bonus(&self) -> QuietBonus {
        QuietBonus {
            butterfly: self.bonus,
            continuation: self.continuation_bonus,
        }
    }

    /// Returns the malus of a quiet move, as a negative bonus.
    const fn quiet_malus(&self) -> QuietBonus {
        QuietBonus {
            butterfly: -self.malus,
            continuation: -self.continuation_malus,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::{PRIOR, hook};
    use crate::types::{MoveKind, Square};

    const DEPTH: i32 = 6;

    fn mv(name: &str, kind: MoveKind) -> Move {
        let square = |name| Square::parse(name).expect("a square");
        Move::new(square(&name[..2]), square(&name[2..]), kind)
    }

    /// Returns the position after 1.e4 d5. These tests use the capture exd5 and the quiet moves Nf3
    /// and Nc3.
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
        histories.learn_cutoff(
            p,
            &ctx,
            best,
            &SearchedMoves::from_iter([other, best, capture]),
            DEPTH,
        );
        assert!(histories.quiet_history(p, &ctx, best) > 0);
        assert!(histories.quiet_history(p, &ctx, other) < 0);
        assert!(histories.capture_history(&ctx, capture) < 0);
        assert_eq!(histories.killers.at(2)[0], best);
        assert_eq!(histories.countermoves.reply(prior[0]), best);
        // Each table contributes: with fewer prior moves the sum is smaller.
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
        histories.learn_cutoff(
            p,
            &ctx,
            best,
            &SearchedMoves::from_iter([quiet, best]),
            DEPTH,
        );
        assert!(histories.capture_history(&ctx, best) > 0);
        assert_eq!(histories.quiet_history(p, &ctx, quiet), 0);
        assert!(histories.killers.at(2)[0].is_null());
        assert!(histories.countermoves.reply(prior[0]).is_null());
    }

    #[test]
    fn histories_fade_little_between_searches_and_go_with_the_game() {
        let (board, prior) = node();
        let ctx = Context::new(&board, 2, prior);
        let best = mv("g1f3", MoveKind::Quiet);
        let (p, mut histories) = (&Params::default(), Histories::new(hook::no_hook()));
        histories.learn_cutoff(p, &ctx, best, &SearchedMoves::default(), DEPTH);
        histories.lbr.store(LbrVariant::of(p), &ctx, best);
        let known = histories.quiet_history(p, &ctx, best);
        histories.new_search(p, 2);
        // Of all that a quiet move is known by, the butterfly history has faded, and the low-ply
        // history begins anew.
        let mut faded = Histories::new(hook::no_hook());
        faded.learn_cutoff(p, &ctx, best, &SearchedMoves::default(), DEPTH);
        faded.history.fade(p.history_keep());
        faded.low_ply.clear();
        let left = faded.quiet_history(p, &ctx, best);
        assert_eq!(histories.quiet_history(p, &ctx, best), left);
        assert!(known / 2 < left && left < known, "{left} of {known}");
        assert_eq!(histories.killers.at(0)[0], best);
        let root = Context { ply: 0, ..ctx };
        assert_eq!(histories.lbr.reply(LbrVariant::of(p), &root), best);
        histories.clear();
        assert_eq!(histories.quiet_history(p, &ctx, best), 0);
        assert!(histories.killers.at(0)[0].is_null());
        assert!(histories.lbr.reply(LbrVariant::of(p), &root).is_null());
        assert!(histories.countermoves.reply(prior[0]).is_null());
    }
}
