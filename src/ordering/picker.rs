//! The staged move picker: moves are generated only when all better ones have been tried.

use super::killers::KILLERS;
use super::mass::Mass;
use super::policy::PolicyNode;
use super::scoring::{CaptureScorer, QuietScorer, REFUTATIONS, ScoredList, ScoredMove};
use super::{Context, Histories, LbrVariant, OrderingHook, captures, small_net};
use crate::board::MoveBuffer;
use crate::params::Params;
use crate::types::{Move, Piece};

/// The place of a picked move in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The move of the transposition table.
    TtMove,
    /// A capture or promotion to a queen that holds by SEE.
    GoodCapture,
    /// A killer, ordered among the quiet moves.
    Killer,
    /// The countermove, ordered among the quiet moves.
    Countermove,
    /// Any other quiet move.
    Quiet,
    /// A capture or promotion that loses material by SEE, or an underpromotion.
    BadCapture,
}

impl Stage {
    /// All stages, in order.
    pub const ALL: [Self; 6] = [
        Self::TtMove,
        Self::GoodCapture,
        Self::Killer,
        Self::Countermove,
        Self::Quiet,
        Self::BadCapture,
    ];
}

/// The next action of the picker.
#[derive(Clone, Copy, Debug)]
enum NextAction {
    PickTtMove,
    ScoreCaptures,
    PickGoodCapture,
    ScoreQuiets,
    PickQuiet,
    PickBadCapture,
    Finish,
}

/// Hands out the legal moves of a node, most promising first, each of them once.
///
/// The list begins with the bad captures found so far. The moves still to be picked follow.
#[derive(Debug)]
pub struct Picker {
    list: ScoredList,
    /// Index of the next move in the list.
    cursor: usize,
    /// Number of bad captures that are kept for the end.
    bad_captures: usize,
    next_action: NextAction,
    /// The stage of the move handed out last.
    stage: Stage,
    tt_move: Move,
    /// The killers, then the countermove.
    refutations: [Move; REFUTATIONS],
    lbr_reply: Move,
    /// The most that a capture of quiescence search may lose by SEE, in centipawns; `None` in the
    /// main search.
    quiescence_loss: Option<i32>,
    quiets_skipped: bool,
    /// Depth of the node, in plies.
    depth: i32,
    /// The probabilities of the quiet moves.
    mass: Mass,
}

impl Picker {
    /// Creates a picker for the main search, and for evasions in quiescence search: TT move, good
    /// captures, quiet moves, bad captures. Killers, countermove and LBR reply are quiet moves with a
    /// bonus. `tt_move` may be any 16 bits, and `depth` is the depth of the node in plies.
    #[inline(always)]
    pub fn new(tt_move: Move, depth: i32) -> Self {
        Self {
            list: ScoredList::new_const(),
            cursor: 0,
            bad_captures: 0,
            next_action: NextAction::PickTtMove,
            stage: Stage::TtMove,
            tt_move,
            refutations: [Move::NULL; REFUTATIONS],
            lbr_reply: Move::NULL,
            quiescence_loss: None,
            quiets_skipped: false,
            depth,
            mass: Mass::UNKNOWN,
        }
    }

    /// Creates a picker for quiescence search, never in check: captures and promotions to a queen
    /// that lose at most `loss` centipawns by SEE. The TT move comes first if it is one of them.
    /// Killers and LBR are not used.
    #[inline(always)]
    pub(crate) fn quiescence(tt_move: Move, loss: i32) -> Self {
        Self {
            quiescence_loss: Some(loss),
            ..Self::new(tt_move, 0)
        }
    }

    /// Returns the next legal move, or `None` when all have been handed out. Every call for one
    /// picker needs the same node.
    pub fn next(&mut self, p: &Params, ctx: &Context, histories: &Histories) -> Option<Move> {
        loop {
            match self.next_action {
                NextAction::PickTtMove => {
                    if self.begin(p, ctx, histories) {
                        return Some(self.hand_out(self.tt_move, Stage::TtMove));
                    }
                }
                NextAction::ScoreCaptures => {
                    self.score_captures(p, ctx, histories);
                    self.next_action = NextAction::PickGoodCapture;
                }
                NextAction::PickGoodCapture => {
                    while let Some(best) = self.select() {
                        ctx.prefetch(best.mv());
                        if self.is_good_capture(p, ctx, histories, best) {
                            return Some(self.hand_out(best.mv(), Stage::GoodCapture));
                        }
                        self.list[self.bad_captures] = best;
                        self.bad_captures += 1;
                    }
                    self.leave_good_captures();
                }
                NextAction::ScoreQuiets => {
                    self.cursor = self.bad_captures;
                    if !self.quiets_skipped {
                        self.score_quiets(p, ctx, histories);
                        self.bring_next_quiet(ctx);
                    }
                    self.next_action = NextAction::PickQuiet;
                }
                NextAction::PickQuiet => {
                    if !self.quiets_skipped
                        && let Some(&best) = self.list.get(self.cursor)
                    {
                        self.cursor += 1;
                        self.bring_next_quiet(ctx);
                        self.mass.hand_out(best.score());
                        let stage = self.stage_of_quiet(best.mv());
                        return Some(self.hand_out(best.mv(), stage));
                    }
                    self.cursor = 0;
                    self.next_action = NextAction::PickBadCapture;
                }
                NextAction::PickBadCapture => {
                    // They were selected by score, so they are sorted.
                    if self.cursor < self.bad_captures {
                        let mv = self.list[self.cursor].mv();
                        self.cursor += 1;
                        return Some(self.hand_out(mv, Stage::BadCapture));
                    }
                    self.next_action = NextAction::Finish;
                }
                NextAction::Finish => return None,
            }
        }
    }

    /// Sets the picker up as if it had just handed out this root move. Root moves have an order of
    /// their own, and [`Self::stage`] then says to which stage the move would belong elsewhere.
    #[cold]
    pub(crate) fn take_root_move(
        &mut self,
        p: &Params,
        ctx: &Context,
        histories: &Histories,
        mv: Move,
    ) {
        self.lbr_reply = histories.lbr.reply(LbrVariant::of(p), ctx);
        self.load_killers_and_countermove(ctx, histories);
        self.stage = if mv == self.tt_move {
            Stage::TtMove
        } else if mv.is_quiet() {
            self.stage_of_quiet(mv)
        } else {
            let score = self.capture_scorer(p, ctx, histories).points(mv);
            if self.is_good_capture(p, ctx, histories, ScoredMove::new(mv, score)) {
                Stage::GoodCapture
            } else {
                Stage::BadCapture
            }
        };
    }

    fn load_killers_and_countermove(&mut self, ctx: &Context, histories: &Histories) {
        let [first, second] = histories.killers.at(ctx.ply);
        self.refutations = [first, second, histories.countermoves.reply(ctx.prior[0])];
    }

    /// Leaves out all quiet moves that are still to come, as late move pruning and futility pruning
    /// ask for.
    #[inline]
    pub fn skip_quiets(&mut self) {
        self.quiets_skipped = true;
    }

    /// Prefetches the TT entry after the move handed out last, which is searched next, if it is a
    /// bad capture: the others were prefetched earlier. Bad captures wait until here because most
    /// of them are pruned, and a prefetch costs time.
    #[inline(always)]
    pub(crate) fn prefetch_late(&self, ctx: &Context, mv: Move) {
        if self.stage == Stage::BadCapture {
            ctx.prefetch(mv);
        }
    }

    /// Returns the stage of the move handed out last.
    #[inline]
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Returns how likely the best quiet move is the one handed out last or one behind it, in
    /// 1/1024, as their scores say.
    #[inline]
    pub(crate) fn remaining_mass_1024(&self) -> i32 {
        self.mass.remaining_1024()
    }

    /// Returns whether the move is the last best reply stored for this node. The reply is known
    /// from the first call of [`Self::next`] on. A picker made by [`Self::quiescence`] has none.
    #[inline]
    pub(crate) fn is_lbr_reply(&self, mv: Move) -> bool {
        mv == self.lbr_reply && !mv.is_null()
    }

    #[inline(always)]
    fn hand_out(&mut self, mv: Move, stage: Stage) -> Move {
        self.stage = stage;
        mv
    }

    /// Looks up the LBR reply and lets the hook replace the TT move. Returns whether there is a TT
    /// move to hand out.
    #[inline(never)]
    fn begin(&mut self, p: &Params, ctx: &Context, histories: &Histories) -> bool {
        self.next_action = NextAction::ScoreCaptures;
        if self.quiescence_loss.is_none() {
            self.lbr_reply = histories.lbr.reply(LbrVariant::of(p), ctx);
            self.tt_move = (histories.hook).first_move(p, histories, ctx, self.tt_move);
        }
        self.is_tt_move_usable(p, ctx)
    }

    /// Returns whether the TT move is legal, and in quiescence search also a capture or promotion
    /// that holds.
    #[inline(always)]
    fn is_tt_move_usable(&self, p: &Params, ctx: &Context) -> bool {
        let mv = self.tt_move;
        if mv.is_null() || self.quiescence_loss.is_some() && mv.is_quiet() {
            return false;
        }
        ctx.board.is_legal(mv) && (self.quiescence_loss).is_none_or(|loss| holds(p, ctx, mv, loss))
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
        self.list.truncate(self.bad_captures);
        self.next_action = if self.quiescence_loss.is_some() {
            NextAction::Finish
        } else {
            NextAction::ScoreQuiets
        };
    }

    #[inline(never)]
    fn score_captures(&mut self, p: &Params, ctx: &Context, histories: &Histories) {
        let mut moves = MoveBuffer::new_const();
        ctx.board.generate_captures(&mut moves);
        self.capture_scorer(p, ctx, histories)
            .score(&moves, &mut self.list);
    }

    #[inline(always)]
    fn capture_scorer<'a>(
        &self,
        p: &'a Params,
        ctx: &'a Context,
        histories: &'a Histories,
    ) -> CaptureScorer<'a> {
        CaptureScorer {
            p,
            ctx,
            histories,
            tt_move: self.tt_move,
            lbr_reply: self.lbr_reply,
        }
    }

    #[inline(never)]
    fn score_quiets(&mut self, p: &Params, ctx: &Context, histories: &Histories) {
        self.load_killers_and_countermove(ctx, histories);
        let start = self.list.len();
        let tables = histories.quiet_tables(p, ctx);
        tables.prefetch(ctx.board);
        let mut moves = MoveBuffer::new_const();
        (ctx.board).generate_quiets_knowing(Some(&ctx.threats), &mut moves);
        let scorer = QuietScorer {
            p,
            ctx,
            tables,
            histories,
            tt_move: self.tt_move,
            refutations: self.refutations,
            lbr_reply: self.lbr_reply,
        };
        scorer.score(&moves, &mut self.list);
        if self.depth >= p.policy_depth() {
            self.add_policy_scores(p, ctx, start);
            self.mass = Mass::of(self.list[start..].iter().map(|scored| scored.score()));
        }
    }

    /// Adds the outputs of the policy network to the scores of the quiet moves from `start` on.
    #[inline(never)]
    fn add_policy_scores(&mut self, p: &Params, ctx: &Context, start: usize) {
        let mut policy = PolicyNode::new(ctx);
        let moves = &mut self.list[start..];
        for scored in moves.iter_mut() {
            let mv = scored.mv();
            let piece = ctx.board.piece_on(mv.from()).unwrap_or(Piece::WhitePawn);
            let points = small_net::points(policy.logit(piece, mv), p.policy_weight());
            *scored = ScoredMove::new(mv, scored.score() + points);
        }
    }

    /// Returns whether a capture or promotion is tried before the quiet moves.
    #[inline(always)]
    fn is_good_capture(
        &self,
        p: &Params,
        ctx: &Context,
        histories: &Histories,
        scored: ScoredMove,
    ) -> bool {
        let mv = scored.mv();
        if let Some(loss) = self.quiescence_loss {
            return holds(p, ctx, mv, loss);
        }
        let by_hook = histories.hook.is_good_capture(p, ctx, mv);
        by_hook.unwrap_or_else(|| {
            let loss = scored.score() * p.good_capture_loss() / 1024 - p.good_capture_offset();
            holds(p, ctx, mv, loss)
        })
    }

    /// Moves the best quiet move that is left to the cursor, and prefetches the TT entry of the
    /// position after it. It is the next one to be handed out, so the entry arrives while the move
    /// before it is searched.
    #[inline(always)]
    fn bring_next_quiet(&mut self, ctx: &Context) {
        if let Some(next) = self.bring_best(ScoredMove::highest_of_many) {
            ctx.prefetch(next.mv());
        }
    }

    /// Selects the best remaining move of the list, which is short. Sorting one move at a time is
    /// enough, because most nodes need only the first few.
    #[inline(always)]
    fn select(&mut self) -> Option<ScoredMove> {
        let best = self.bring_best(ScoredMove::highest)?;
        self.cursor += 1;
        Some(best)
    }

    /// Moves the best remaining move of the list, as `highest` finds it, to the cursor, and returns
    /// it.
    #[inline(always)]
    fn bring_best(&mut self, highest: fn(&[ScoredMove]) -> Option<usize>) -> Option<ScoredMove> {
        let rest = &mut self.list[self.cursor..];
        let at = highest(rest)?;
        rest.swap(0, at);
        Some(rest[0])
    }
}

/// Returns whether a capture or promotion loses at most `loss` centipawns by SEE and is not an
/// underpromotion.
#[inline(always)]
pub fn holds(p: &Params, ctx: &Context, mv: Move, loss: i32) -> bool {
    !captures::is_underpromotion(mv) && ctx.board.see_ge(p, mv, -loss)
}

#[cfg(test)]
mod tests;
