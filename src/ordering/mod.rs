//! Which move first: one file for each heuristic, all of them private to one worker.

mod captures;
mod continuation;
mod countermove;
mod gravity;
mod history;
mod killers;
mod lbr;
mod picker;
mod root;
mod scoring;

pub use captures::CaptureHistory;
pub use continuation::Continuation;
pub use countermove::Countermoves;
pub use history::History;
pub use killers::Killers;
pub use lbr::{Form, Lbr};
pub use picker::{Picker, Stage};
pub use root::{RootMove, RootMoves};

use scoring::QuietTables;

use crate::board::Board;
use crate::params::Params;
use crate::types::{MAX_PLY, Move, Played};

/// Plies the stores keep apart: a power of two, so that finding one needs no bounds check.
const PLIES: usize = (MAX_PLY + 1).next_power_of_two();

/// Where a node stands: what the stores keyed by position, ply and prior moves need to know.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The position.
    pub board: &'a Board,
    /// Plies from the root.
    pub ply: usize,
    /// The move that led here and the one before it; [`Played::NONE`] for a null move or none. At the root
    /// these are the last moves of the game.
    pub prior: [Played; 2],
}

/// All that one worker learns about the order of moves.
#[derive(Debug, Default)]
pub struct Stores {
    /// Quiet moves that cut, by ply.
    pub killers: Killers,
    /// Quiet moves by side, from and to.
    pub history: History,
    /// Captures and promotions by man, to and victim.
    pub captures: CaptureHistory,
    /// Quiet replies by the prior move's man and square.
    pub countermoves: Countermoves,
    /// Quiet moves by man and to, after each of the two prior moves.
    pub continuation: Continuation,
    /// Replies of all kinds by ply and the whole prior move, or another [`Form`] of it.
    pub lbr: Lbr,
}

impl Stores {
    /// Nothing learnt.
    pub fn new() -> Box<Self> {
        Box::default()
    }

    /// Forgets everything: a new game.
    pub fn clear(&mut self) {
        self.killers.clear();
        self.history.clear();
        self.captures.clear();
        self.countermoves.clear();
        self.continuation.clear();
        self.lbr.clear();
    }

    /// Gets ready for the next search of the same game, `plies_played` after the last one. The histories
    /// stay; what is known by ply moves along. For an unrelated position pass `usize::MAX`.
    pub fn new_search(&mut self, p: &Params, plies_played: usize) {
        self.killers.shift(plies_played);
        self.lbr.new_search(Form::of(p), plies_played);
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
            for &mv in quiets_tried.iter().filter(|&&mv| mv != best) {
                self.learn_quiet(p, ctx, mv, -amounts.malus, -amounts.continuation_malus);
            }
        } else {
            self.learn_capture(p, ctx, best, amounts.capture_bonus);
        }
        for &mv in captures_tried.iter().filter(|&&mv| mv != best) {
            self.learn_capture(p, ctx, mv, -amounts.capture_malus);
        }
    }

    /// What is known of a quiet move here: butterfly history and both continuation histories, in
    /// `-3 * history_limit..=3 * history_limit`. For reductions and pruning.
    #[inline]
    pub fn quiet_history(&self, ctx: &Context, mv: Move) -> i32 {
        self.quiet_tables(ctx)
            .score(ctx.board.describe(mv).piece, mv)
    }

    /// What is known of a capture or promotion here, in `-history_limit..=history_limit`.
    #[inline]
    pub fn capture_history(&self, ctx: &Context, mv: Move) -> i32 {
        self.captures.get(ctx.board.describe(mv))
    }

    #[inline(always)]
    fn quiet_tables(&self, ctx: &Context) -> QuietTables<'_> {
        let side = ctx.board.side_to_move();
        QuietTables::new(&self.history, &self.continuation, side, ctx.prior)
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
        self.history.update(side, mv, butterfly, limit);
        let played = ctx.board.describe(mv);
        for prior in ctx.prior {
            self.continuation.update(prior, played, continuation, limit);
        }
    }

    fn learn_capture(&mut self, p: &Params, ctx: &Context, mv: Move, amount: i32) {
        let played = ctx.board.describe(mv);
        self.captures.update(played, amount, p.history_limit());
    }
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
        let ramp = |slope, offset, max| gravity::ramp(depth, slope, offset, max);
        Self {
            bonus: ramp(p.history_bonus_slope(), p.history_bonus_offset(), p.history_bonus_max()),
            malus: ramp(p.history_malus_slope(), p.history_malus_offset(), p.history_malus_max()),
            continuation_bonus: ramp(
                p.continuation_bonus_slope(), p.continuation_bonus_offset(), p.continuation_bonus_max(),
            ),
            continuation_malus: ramp(
                p.continuation_malus_slope(), p.continuation_malus_offset(), p.continuation_malus_max(),
            ),
            capture_bonus: ramp(p.capture_bonus_slope(), p.capture_bonus_offset(), p.capture_bonus_max()),
            capture_malus: ramp(p.capture_malus_slope(), p.capture_malus_offset(), p.capture_malus_max()),
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
    fn node() -> (Board, [Played; 2]) {
        let mut board = Board::startpos();
        let mut prior = [Played::NONE; 2];
        for name in ["e2e4", "d7d5"] {
            let mv = mv(name, MoveKind::DoublePush);
            prior = [board.describe(mv), prior[0]];
            board.make(mv);
        }
        (board, prior)
    }

    #[test]
    fn a_quiet_cut_rewards_the_move_and_blames_the_others() {
        let (board, prior) = node();
        let ctx = Context {
            board: &board,
            ply: 2,
            prior,
        };
        let (best, other) = (mv("g1f3", MoveKind::Quiet), mv("b1c3", MoveKind::Quiet));
        let capture = mv("e4d5", MoveKind::Capture);
        let mut stores = Stores::new();
        stores.learn_cutoff(
            &Params::default(),
            &ctx,
            best,
            &[other, best],
            &[capture],
            DEPTH,
        );
        assert!(stores.quiet_history(&ctx, best) > 0);
        assert!(stores.quiet_history(&ctx, other) < 0);
        assert!(stores.capture_history(&ctx, capture) < 0);
        assert_eq!(stores.killers.at(2)[0], best);
        assert_eq!(stores.countermoves.reply(prior[0]), best);
        // Each table has its part: fewer prior moves, less is known.
        let known = [
            stores.quiet_history(&ctx, best),
            stores.quiet_history(
                &Context {
                    prior: [prior[0], Played::NONE],
                    ..ctx
                },
                best,
            ),
            stores.quiet_history(
                &Context {
                    prior: [Played::NONE; 2],
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
        let ctx = Context {
            board: &board,
            ply: 2,
            prior,
        };
        let (best, quiet) = (mv("e4d5", MoveKind::Capture), mv("g1f3", MoveKind::Quiet));
        let mut stores = Stores::new();
        stores.learn_cutoff(&Params::default(), &ctx, best, &[quiet], &[best], DEPTH);
        assert!(stores.capture_history(&ctx, best) > 0);
        assert_eq!(stores.quiet_history(&ctx, quiet), 0);
        assert!(stores.killers.at(2)[0].is_null());
        assert!(stores.countermoves.reply(prior[0]).is_null());
    }

    #[test]
    fn histories_stay_between_searches_and_go_with_the_game() {
        let (board, prior) = node();
        let ctx = Context {
            board: &board,
            ply: 2,
            prior,
        };
        let best = mv("g1f3", MoveKind::Quiet);
        let p = Params::default();
        let mut stores = Stores::new();
        stores.learn_cutoff(&p, &ctx, best, &[], &[], DEPTH);
        stores.learn_reply(&p, &ctx, best);
        let known = stores.quiet_history(&ctx, best);
        stores.new_search(&p, 2);
        assert_eq!(stores.quiet_history(&ctx, best), known);
        assert_eq!(stores.killers.at(0)[0], best);
        let root = Context { ply: 0, ..ctx };
        assert_eq!(stores.lbr.reply(Form::of(&p), &root), best);
        stores.clear();
        assert_eq!(stores.quiet_history(&ctx, best), 0);
        assert!(stores.killers.at(0)[0].is_null());
        assert!(stores.lbr.reply(Form::of(&p), &root).is_null());
        assert!(stores.countermoves.reply(prior[0]).is_null());
    }
}
