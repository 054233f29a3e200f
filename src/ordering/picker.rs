//! The staged move picker: a move is generated only when all better ones have been tried.

use super::killers::KILLERS;

use super::policy::Judge;
use super::scoring::{CaptureScorer, QuietScorer, REFUTATIONS, Scored, ScoredList};
use super::{Context, Form, Histories, OrderingHook, captures, small_net};
use crate::params::Params;
use crate::types::{Move, Piece};

/// Where in the order a picked move stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The move of the transposition table.
    TtMove,
    /// A capture or promotion to a queen that does not lose material by SEE.
    GoodCapture,
    /// A killer.
    Killer,
    /// The countermove.
    Countermove,
    /// Any other quiet move.
    Quiet,
    /// A capture or promotion that loses material, or an underpromotion.
    BadCapture,
}

impl Stage {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [
        Self::TtMove,
        Self::GoodCapture,
        Self::Killer,
        Self::Countermove,
        Self::Quiet,
        Self::BadCapture,
    ];
}

/// What the picker does next.
#[derive(Clone, Copy, Debug)]
enum Step {
    TtMove,
    ScoreCaptures,
    GoodCaptures,
    ScoreQuiets,
    Quiets,
    BadCaptures,
    Done,
}

/// Hands out the legal moves of one node, best first by what is known, each once.
///
/// In the list stand first the losing captures that were met, then what is still to be picked.
#[derive(Debug)]
pub struct Picker {
    list: ScoredList,
    /// The next move of the list.
    cursor: usize,
    /// How many losing captures were kept for the end.
    losers: usize,
    step: Step,
    stage: Stage,
    tt_move: Move,
    /// Killers, then the countermove.
    refutations: [Move; REFUTATIONS],
    lbr_reply: Move,
    quiescence: bool,
    quiets_skipped: bool,
    /// Plies searched below the node.
    depth: i32,
}

impl Picker {
    /// For the main search: TT move, good captures, quiets, bad captures. Killers, countermove and last best reply are
    /// quiets with a bonus. `tt_move` may be any 16 bits; `depth` is how many plies are searched below the node.
    #[inline(always)]
    pub fn new(tt_move: Move, depth: i32) -> Self {
        Self {
            list: ScoredList::new_const(),
            cursor: 0,
            losers: 0,
            step: Step::TtMove,
            stage: Stage::TtMove,
            tt_move,
            refutations: [Move::NULL; REFUTATIONS],
            lbr_reply: Move::NULL,
            quiescence: false,
            quiets_skipped: false,
            depth,
        }
    }

    /// For quiescence, never in check: captures and promotions to a queen that do not lose material by SEE,
    /// the TT move first if it is one. Neither killers nor LBR are looked at.
    #[inline(always)]
    pub fn quiescence(tt_move: Move) -> Self {
        Self {
            quiescence: true,
            ..Self::new(tt_move, 0)
        }
    }

    /// The next legal move, `None` when all were handed out. Each call needs the same node.
    pub fn next(&mut self, p: &Params, ctx: &Context, histories: &Histories) -> Option<Move> {
        loop {
            match self.step {
                Step::TtMove => {
                    if self.begin(p, ctx, histories) {
                        return Some(self.hand_out(self.tt_move, Stage::TtMove));
                    }
                }
                Step::ScoreCaptures => {
                    self.score_captures(p, ctx, histories);
                    self.step = Step::GoodCaptures;
                }
                Step::GoodCaptures => {
                    while let Some(best) = self.select() {
                        ctx.prefetch(best.mv());
                        if self.is_good(p, ctx, histories, best) {
                            return Some(self.hand_out(best.mv(), Stage::GoodCapture));
                        }
                        self.list[self.losers] = best;
                        self.losers += 1;
                    }
                    self.leave_good_captures();
                }
                Step::ScoreQuiets => {
                    self.cursor = self.losers;
                    if !self.quiets_skipped {
                        self.score_quiets(p, ctx, histories);
                    }
                    self.step = Step::Quiets;
                }
                Step::Quiets => {
                    if !self.quiets_skipped
                        && let Some(best) = self.select()
                    {
                        let stage = self.stage_of_quiet(best.mv());
                        return Some(self.hand_out(best.mv(), stage));
                    }
                    self.cursor = 0;
                    self.step = Step::BadCaptures;
                }
                Step::BadCaptures => {
                    // They were met in order.
                    if self.cursor < self.losers {
                        let mv = self.list[self.cursor].mv();
                        self.cursor += 1;
                        return Some(self.hand_out(mv, Stage::BadCapture));
                    }
                    self.step = Step::Done;
                }
                Step::Done => return None,
            }
        }
    }

    /// Takes note of a move of the root, which has an order of its own: [`Self::stage`] says where it would have stood.
    #[cold]
    pub fn take_root_move(&mut self, p: &Params, ctx: &Context, histories: &Histories, mv: Move) {
        self.lbr_reply = histories.lbr.reply(Form::of(p), ctx);
        self.look_up_refutations(ctx, histories);
        self.stage = if mv == self.tt_move {
            Stage::TtMove
        } else if mv.is_quiet() {
            self.stage_of_quiet(mv)
        } else if holds(p, ctx, mv) {
            Stage::GoodCapture
        } else {
            Stage::BadCapture
        };
    }

    fn look_up_refutations(&mut self, ctx: &Context, histories: &Histories) {
        let [first, second] = histories.killers.at(ctx.ply);
        self.refutations = [first, second, histories.countermoves.reply(ctx.prior[0])];
    }

    /// No more quiet moves: after the good captures come the bad ones. For late move pruning.
    #[inline]
    pub fn skip_quiets(&mut self) {
        self.quiets_skipped = true;
    }

    /// Announces the move handed out last, which is searched now: good captures were announced before, and the TT move is
    /// known longer. Most others are pruned first, and a prefetch is not free.
    #[inline(always)]
    pub fn prefetch_late(&self, ctx: &Context, mv: Move) {
        if !matches!(self.stage, Stage::TtMove | Stage::GoodCapture) {
            ctx.prefetch(mv);
        }
    }

    /// Where the move handed out last stood.
    #[inline]
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether the move is the last best reply stored for this node. Known from the first call of
    /// [`Self::next`] on; in quiescence no move is.
    #[inline]
    pub fn is_lbr_reply(&self, mv: Move) -> bool {
        mv == self.lbr_reply && !mv.is_null()
    }

    #[inline(always)]
    fn hand_out(&mut self, mv: Move, stage: Stage) -> Move {
        self.stage = stage;
        mv
    }

    /// Looks up what the first step needs; whether there is a TT move to hand out.
    #[inline(never)]
    fn begin(&mut self, p: &Params, ctx: &Context, histories: &Histories) -> bool {
        self.step = Step::ScoreCaptures;
        if !self.quiescence {
            self.lbr_reply = histories.lbr.reply(Form::of(p), ctx);
            self.tt_move = histories.hook.first_move(ctx, self.tt_move);
        }
        self.tt_move_fits(p, ctx)
    }

    #[inline(always)]
    fn tt_move_fits(&self, p: &Params, ctx: &Context) -> bool {
        let mv = self.tt_move;
        if mv.is_null() || self.quiescence && mv.is_quiet() {
            return false;
        }
        ctx.board.is_legal(mv) && (!self.quiescence || holds(p, ctx, mv))
    }

    fn stage_of_quiet(&self, mv: Move) -> Stage {
        match self
            .refutations
            .iter()
            .position(|&refutation| refutation == mv)
        {
            Some(0..KILLERS) => Stage::Killer,
            Some(_) => Stage::Countermove,
            None => Stage::Quiet,
        }
    }

    fn leave_good_captures(&mut self) {
        self.list.truncate(self.losers);
        self.step = if self.quiescence {
            Step::Done
        } else {
            Step::ScoreQuiets
        };
    }

    #[inline(never)]
    fn score_captures(&mut self, p: &Params, ctx: &Context, histories: &Histories) {
        let start = self.list.len();
        ctx.board.generate_captures(&mut self.list);
        let scorer = CaptureScorer {
            p,
            ctx,
            histories,
            tt_move: self.tt_move,
            lbr_reply: self.lbr_reply,
        };
        scorer.score(&mut self.list, start);
    }

    #[inline(never)]
    fn score_quiets(&mut self, p: &Params, ctx: &Context, histories: &Histories) {
        self.look_up_refutations(ctx, histories);
        let start = self.list.len();
        (ctx.board).generate_quiets_knowing(Some(&ctx.threats), &mut self.list);
        let scorer = QuietScorer {
            p,
            ctx,
            tables: histories.quiet_tables(p, ctx),
            histories,
            tt_move: self.tt_move,
            refutations: self.refutations,
            lbr_reply: self.lbr_reply,
        };
        scorer.score(&mut self.list, start);
        if p.policy_weight() != 0 && self.depth >= p.policy_depth() {
            self.ask_policy(p, ctx, start);
        }
    }

    /// Adds what the policy network says of the quiet moves, from `start` on.
    #[inline(never)]
    fn ask_policy(&mut self, p: &Params, ctx: &Context, start: usize) {
        let mut judge = Judge::new(ctx);
        let moves = &mut self.list[start..];
        for scored in moves.iter_mut() {
            let mv = scored.mv();
            let piece = ctx.board.piece_on(mv.from()).unwrap_or(Piece::WhitePawn);
            let odds = judge.of(piece, mv);
            *scored = Scored::new(
                mv,
                scored.score() + small_net::points(odds, p.policy_weight()),
            );
        }
    }

    /// Whether a capture or promotion is tried before the quiet moves.
    #[inline(always)]
    fn is_good(&self, p: &Params, ctx: &Context, histories: &Histories, scored: Scored) -> bool {
        let mv = scored.mv();
        let asked = if self.quiescence {
            None
        } else {
            histories.hook.is_good_capture(p, ctx, mv)
        };
        asked.unwrap_or_else(|| {
            if captures::is_underpromotion(mv) {
                return false;
            }
            let least = if self.quiescence {
                0
            } else {
                p.good_capture_offset() - scored.score() * p.good_capture_loss() / 1024
            };
            ctx.board.see(p, mv, least)
        })
    }

    /// Selection sort, one move at a time: most nodes need only the first few.
    #[inline(always)]
    fn select(&mut self) -> Option<Scored> {
        let rest = &mut self.list[self.cursor..];
        let at = Scored::highest(rest)?;
        rest.swap(0, at);
        self.cursor += 1;
        Some(rest[0])
    }
}

/// Whether a capture or promotion is to be tried before the quiet moves.
#[inline(always)]
pub fn holds(p: &Params, ctx: &Context, mv: Move) -> bool {
    !captures::is_underpromotion(mv) && ctx.board.see(p, mv, 0)
}

#[cfg(test)]
mod tests;
