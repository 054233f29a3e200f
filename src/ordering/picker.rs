//! The staged move picker: a move is generated only when all better ones have been tried.

use super::killers::KILLERS;
use arrayvec::ArrayVec;

use super::scoring::{CaptureScorer, QuietScorer, REFUTATIONS, Scored, ScoredList};
use super::{Context, Form, Stores, captures};
use crate::params::Params;
use crate::types::Move;

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

/// Whether the laboratory is built.
const LAB: bool = cfg!(feature = "lab");
/// Room for what it takes out of the usual order.
const ASIDE: usize = if LAB { 256 } else { 0 };

/// Hands out the legal moves of one node, best first by what is known, each once.
///
/// In the list stand first the losing captures that were met, then what is still to be picked.
#[derive(Debug)]
pub struct Picker {
    list: ScoredList,
    /// Captures that stand among the quiet moves.
    aside: ArrayVec<Scored, ASIDE>,
    /// Quiet moves that were scored with the captures.
    early: ArrayVec<Scored, ASIDE>,
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
}

impl Picker {
    /// For the main search: TT move, good captures, quiets, bad captures. Killers, countermove and last best reply are
    /// quiets with a bonus. `tt_move` may be any 16 bits.
    #[inline(always)]
    pub fn new(tt_move: Move) -> Self {
        Self {
            list: ScoredList::new_const(),
            aside: ArrayVec::new_const(),
            early: ArrayVec::new_const(),
            cursor: 0,
            losers: 0,
            step: Step::TtMove,
            stage: Stage::TtMove,
            tt_move,
            refutations: [Move::NULL; REFUTATIONS],
            lbr_reply: Move::NULL,
            quiescence: false,
            quiets_skipped: false,
        }
    }

    /// For quiescence, never in check: captures and promotions to a queen that do not lose material by SEE,
    /// the TT move first if it is one. Neither killers nor LBR are looked at.
    #[inline(always)]
    pub fn quiescence(tt_move: Move) -> Self {
        Self {
            quiescence: true,
            ..Self::new(tt_move)
        }
    }

    /// The next legal move, `None` when all were handed out. Each call needs the same node.
    pub fn next(&mut self, p: &Params, ctx: &Context, stores: &Stores) -> Option<Move> {
        loop {
            match self.step {
                Step::TtMove => {
                    self.step = Step::ScoreCaptures;
                    if !self.quiescence {
                        self.lbr_reply = stores.lbr.reply(Form::of(p), ctx);
                        self.tt_move = stores.lab.first_move(ctx, self.tt_move);
                    }
                    if self.tt_move_fits(p, ctx) {
                        return Some(self.hand_out(self.tt_move, Stage::TtMove));
                    }
                }
                Step::ScoreCaptures => {
                    if !self.quiescence && stores.lab.generates_all() {
                        self.score_quiets(p, ctx, stores);
                        self.early.extend(self.list.drain(..));
                    }
                    self.score_captures(p, ctx, stores);
                    self.step = Step::GoodCaptures;
                }
                Step::GoodCaptures => {
                    while let Some(best) = self.select() {
                        if self.puts_aside(p, ctx, stores, best.mv()) {
                            continue;
                        }
                        if self.is_good(p, ctx, stores, best.mv()) {
                            return Some(self.hand_out(best.mv(), Stage::GoodCapture));
                        }
                        self.list[self.losers] = best;
                        self.losers += 1;
                    }
                    self.leave_good_captures();
                }
                Step::ScoreQuiets => {
                    self.cursor = self.losers;
                    if LAB && !self.early.is_empty() {
                        self.list.extend(self.early.drain(..));
                    } else if !self.quiets_skipped {
                        self.score_quiets(p, ctx, stores);
                    }
                    self.step = Step::Quiets;
                }
                Step::Quiets => {
                    if let Some(mv) = self.next_aside() {
                        let good = self.is_good(p, ctx, stores, mv);
                        let stage = if good {
                            Stage::GoodCapture
                        } else {
                            Stage::BadCapture
                        };
                        return Some(self.hand_out(mv, stage));
                    }
                    if !self.quiets_skipped
                        && let Some(best) = self.select_quiet(ctx, stores)
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

    /// No more quiet moves: after the good captures come the bad ones. For late move pruning.
    #[inline]
    pub fn skip_quiets(&mut self) {
        self.quiets_skipped = true;
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

    fn score_captures(&mut self, p: &Params, ctx: &Context, stores: &Stores) {
        ctx.board.generate_captures(&mut CaptureScorer {
            list: &mut self.list,
            p,
            ctx,
            stores,
            tt_move: self.tt_move,
            lbr_reply: self.lbr_reply,
        });
    }

    fn score_quiets(&mut self, p: &Params, ctx: &Context, stores: &Stores) {
        let [first, second] = stores.killers.at(ctx.ply);
        self.refutations = [first, second, stores.countermoves.reply(ctx.prior[0])];
        ctx.board.generate_quiets(&mut QuietScorer {
            list: &mut self.list,
            p,
            ctx,
            tables: stores.quiet_tables(p, ctx),
            stores,
            tt_move: self.tt_move,
            refutations: self.refutations,
            lbr_reply: self.lbr_reply,
        });
    }

    /// Whether a capture or promotion is tried before the quiet moves.
    #[inline(always)]
    fn is_good(&self, p: &Params, ctx: &Context, stores: &Stores, mv: Move) -> bool {
        let asked = if self.quiescence {
            None
        } else {
            stores.lab.is_good_capture(p, ctx, mv)
        };
        asked.unwrap_or_else(|| holds(p, ctx, mv))
    }

    /// Keeps a capture for a place among the quiet moves, if it is to have one.
    #[inline(always)]
    fn puts_aside(&mut self, p: &Params, ctx: &Context, stores: &Stores, mv: Move) -> bool {
        if !LAB || self.quiescence {
            return false;
        }
        let points = stores.lab.among_quiets(p, ctx, mv);
        self.aside
            .extend(points.map(|points| Scored::new(mv, points)));
        points.is_some()
    }

    /// The next capture that was put aside, if no quiet move is left that stands above it.
    #[inline(always)]
    fn next_aside(&mut self) -> Option<Move> {
        if !LAB {
            return None;
        }
        let at = Scored::highest(&self.aside)?;
        let score = |at: usize| self.list[self.cursor + at].score();
        let quiet = Scored::highest(&self.list[self.cursor..]).map(score);
        let waits =
            !self.quiets_skipped && quiet.is_some_and(|quiet| quiet > self.aside[at].score());
        (!waits).then(|| self.aside.swap_remove(at).mv())
    }

    /// The best of the quiet moves left, or the next as generated where the laboratory sorts no more.
    #[inline(always)]
    fn select_quiet(&mut self, ctx: &Context, stores: &Stores) -> Option<Scored> {
        if self.cursor - self.losers < stores.lab.sorted(ctx.ply) {
            return self.select();
        }
        let next = self.list.get(self.cursor).copied();
        self.cursor += usize::from(next.is_some());
        next
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
pub(super) fn holds(p: &Params, ctx: &Context, mv: Move) -> bool {
    !captures::is_underpromotion(mv) && ctx.board.see(p, mv, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::ordering::{Lab, PRIOR};
    #[cfg(feature = "lab")]
    use crate::types::score;
    use crate::types::{MAX_PLY, Played, Rng};
    use proptest::prelude::*;

    /// Where random play starts; the last two are full of promotions.
    const STARTS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/1P4P1/8/2pP4/4pP2/8/1p4p1/R3K2R w KQkq - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    ];

    /// The forms of the last best reply that this build can play.
    fn forms() -> Vec<Params> {
        #[cfg(not(feature = "tune"))]
        return vec![Params::default()];
        #[cfg(feature = "tune")]
        (0..Form::ALL.len() as i32)
            .map(|variant| {
                let mut p = Params::default();
                p.set("lbr_variant", variant).expect("a variant");
                p
            })
            .collect()
    }

    /// Random moves, some of them nonsense.
    struct Random(Rng);

    impl Random {
        /// One of these, or any 16 bits at all.
        fn mv(&mut self, moves: &[Move]) -> Move {
            if moves.is_empty() || self.0.below(3) == 0 {
                Move::from_bits(self.0.next() as u16)
            } else {
                moves[self.0.below(moves.len())]
            }
        }

        /// The same, but quiet.
        fn quiet(&mut self, moves: &[Move]) -> Move {
            Move::from_bits(self.mv(moves).bits() & 0x3FFF)
        }
    }

    /// A position reached by random moves, and the two moves before it.
    fn playout(start: usize, choices: &[u16]) -> (Board, [Played; PRIOR]) {
        let mut board = Board::from_fen(STARTS[start]).expect("a position");
        let mut prior = [Played::NONE; PRIOR];
        for &choice in choices {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[choice as usize % moves.len()];
            prior = [board.describe(mv), prior[0], prior[1], prior[2]];
            board.make(mv);
        }
        (board, prior)
    }

    /// Stores full of what may be true and what cannot be.
    fn random_stores(random: &mut Random, ctx: &Context, p: &Params) -> Box<Stores> {
        let mut stores = Stores::new(Lab::default());
        fill(&mut stores, random, ctx, p);
        stores
    }

    /// Adds some of that to the stores.
    fn fill(stores: &mut Stores, random: &mut Random, ctx: &Context, p: &Params) {
        let legal = ctx.board.legal_moves();
        for &mv in &legal {
            let depth = random.0.below(20) as i32;
            if random.0.below(2) == 0 {
                stores.learn_cutoff(p, ctx, mv, &legal_quiets(ctx), &ctx.board.captures(), depth);
            }
        }
        for _ in 0..3 {
            stores.killers.store(ctx.ply, random.quiet(&legal));
        }
        stores
            .countermoves
            .store(ctx.prior[0], random.quiet(&legal));
        stores.learn_reply(p, ctx, random.mv(&legal));
    }

    fn legal_quiets(ctx: &Context) -> Vec<Move> {
        ctx.board.quiets().to_vec()
    }

    fn drain(mut picker: Picker, p: &Params, ctx: &Context, stores: &Stores) -> Vec<(Move, Stage)> {
        let mut picked = Vec::new();
        while let Some(mv) = picker.next(p, ctx, stores) {
            picked.push((mv, picker.stage()));
        }
        assert_eq!(picker.next(p, ctx, stores), None);
        picked
    }

    fn sorted(mut moves: Vec<Move>) -> Vec<u16> {
        moves.sort_unstable_by_key(|mv| mv.bits());
        moves.into_iter().map(Move::bits).collect()
    }

    /// Killers and countermove are quiet moves with a bonus, wherever that puts them.
    fn rank(stage: Stage) -> u8 {
        match stage {
            Stage::TtMove => 0,
            Stage::GoodCapture => 1,
            Stage::Killer | Stage::Countermove | Stage::Quiet => 2,
            Stage::BadCapture => 3,
        }
    }

    /// Positions that every order is tried on.
    const POSITIONS: usize = 10_000;

    /// Calls `visit` with the positions of random games, the moves before each, and its ply.
    fn walk(random: &mut Random, mut visit: impl FnMut(&mut Random, Context)) {
        let mut choices = Vec::new();
        let mut start = 0;
        for _ in 0..POSITIONS {
            let (board, prior) = playout(start, &choices);
            let ply = choices.len() % (MAX_PLY + 1);
            visit(random, Context::new(&board, ply, prior));
            choices.push(random.0.next() as u16);
            if choices.len() > 60 || board.legal_moves().is_empty() {
                choices.clear();
                start = random.0.below(STARTS.len());
            }
        }
    }

    /// Each legal move is handed out once; without the quiet moves from anywhere on each capture and promotion still is;
    /// quiescence hands out none twice and no illegal one.
    fn assert_each_once(random: &mut Random, p: &Params, ctx: &Context, stores: &Stores) {
        let legal = ctx.board.legal_moves();
        let tt_move = random.mv(&legal);
        let moves = |picker| {
            let picked = drain(picker, p, ctx, stores);
            sorted(picked.into_iter().map(|(mv, _)| mv).collect())
        };
        assert_eq!(
            moves(Picker::new(tt_move)),
            sorted(legal.to_vec()),
            "{stores:?}"
        );
        let after = random.0.below(40);
        let mut picker = Picker::new(tt_move);
        let mut noisy = Vec::new();
        for number in 0.. {
            if number == after {
                picker.skip_quiets();
            }
            let Some(mv) = picker.next(p, ctx, stores) else {
                break;
            };
            noisy.extend((!mv.is_quiet()).then_some(mv));
        }
        let captures = legal.iter().copied().filter(|mv| !mv.is_quiet());
        assert_eq!(sorted(noisy), sorted(captures.collect()), "{stores:?}");
        let noisy = moves(Picker::quiescence(tt_move));
        let unique = noisy.is_sorted_by(|a, b| a < b);
        assert!(
            unique
                && noisy
                    .iter()
                    .all(|&bits| legal.contains(&Move::from_bits(bits)))
        );
    }

    #[test]
    fn each_move_once_on_ten_thousand_positions() {
        let mut random = Random(Rng::new(6));
        let p = Params::default();
        let mut stores = Stores::new(Lab::default());
        walk(&mut random, |random, ctx| {
            fill(&mut stores, random, &ctx, &p);
            assert_each_once(random, &p, &ctx, &stores);
        });
    }

    /// The same for every technique of the laboratory, which hears of nodes that never were.
    #[cfg(feature = "lab")]
    #[test]
    fn each_move_once_with_every_technique() {
        use crate::ordering::lab;
        use crate::ordering::technique::{NodeKind, Outcome, Scene, Searched};

        let mut variants = 0;
        for variant in lab::catalogue().flat_map(|entry| entry.variants) {
            variants += 1;
            let mut random = Random(Rng::new(variants));
            let mut p = Params::default();
            for (name, value) in variant.params {
                p.set(name, *value).expect("a number of params.rs");
            }
            let mut stores = Stores::new((variant.lab)());
            walk(&mut random, |random, ctx| {
                fill(&mut stores, random, &ctx, &p);
                let legal = ctx.board.legal_moves();
                let depth = random.0.below(20) as i32;
                let kind = NodeKind::ALL[random.0.below(3)];
                let window = (0, 1);
                let scene = Scene {
                    kind,
                    depth,
                    window,
                };
                stores.lab.pass_refuted(ctx.ply, random.mv(&legal));
                stores.lab.enter(&ctx, scene);
                if let Some(mv) = random.0.choose(&legal) {
                    let outcome = Outcome {
                        best: mv,
                        score: [1, score::mate_in(ctx.ply + 3)][random.0.below(2)],
                        cut: true,
                        depth,
                        quiets: &legal_quiets(&ctx),
                    };
                    stores.lab.learn(&ctx, outcome);
                    let searched = Searched {
                        mv,
                        depth,
                        score: 1,
                        best: true,
                        nodes: random.0.next() >> 40,
                    };
                    stores.lab.searched(&ctx, searched);
                }
                assert_each_once(random, &p, &ctx, &stores);
            });
        }
        assert!(variants > 40, "only {variants} variants");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn every_legal_move_exactly_once(
            start in 0..STARTS.len(),
            choices in prop::collection::vec(any::<u16>(), 0..80),
            ply in 0..=MAX_PLY,
            seed in any::<u64>(),
            p in prop::sample::select(forms()),
        ) {
            let (board, prior) = playout(start, &choices);
            let ctx = Context::new(&board, ply, prior);
            let mut random = Random(Rng::new(seed));
            let stores = random_stores(&mut random, &ctx, &p);
            let legal = board.legal_moves();
            let tt_move = random.mv(&legal);
            let picked = drain(Picker::new(tt_move), &p, &ctx, &stores);
            prop_assert_eq!(
                sorted(picked.iter().map(|&(mv, _)| mv).collect()),
                sorted(legal.to_vec())
            );
            // The stages follow each other, and each holds what its name says.
            prop_assert!(picked.is_sorted_by_key(|&(_, stage)| rank(stage)));
            for &(mv, stage) in &picked {
                let holds = !captures::is_underpromotion(mv) && board.see(&p, mv, 0);
                prop_assert!(match stage {
                    Stage::TtMove => mv == tt_move,
                    Stage::GoodCapture => !mv.is_quiet() && holds,
                    Stage::Killer => stores.killers.at(ply).contains(&mv),
                    Stage::Countermove => stores.countermoves.reply(prior[0]) == mv,
                    Stage::Quiet => mv.is_quiet(),
                    Stage::BadCapture => !mv.is_quiet() && !holds,
                }, "{:?} as {:?}", mv, stage);
            }
        }

        #[test]
        fn skipping_drops_quiet_moves_alone(
            start in 0..STARTS.len(),
            choices in prop::collection::vec(any::<u16>(), 0..80),
            after in 0..40_usize,
            seed in any::<u64>(),
            p in prop::sample::select(forms()),
        ) {
            let (board, prior) = playout(start, &choices);
            let ctx = Context::new(&board, 1, prior);
            let mut random = Random(Rng::new(seed));
            let stores = random_stores(&mut random, &ctx, &p);
            let tt_move = random.mv(&board.legal_moves());
            let all = drain(Picker::new(tt_move), &p, &ctx, &stores);
            let expected: Vec<_> = all
                .iter()
                .enumerate()
                .filter(|&(index, &(mv, _))| index < after || !mv.is_quiet() || index == 0 && mv == tt_move)
                .map(|(_, &picked)| picked)
                .collect();
            let mut picker = Picker::new(tt_move);
            let mut picked = Vec::new();
            loop {
                if picked.len() == after {
                    picker.skip_quiets();
                }
                let Some(mv) = picker.next(&p, &ctx, &stores) else { break };
                picked.push((mv, picker.stage()));
            }
            prop_assert_eq!(picked, expected);
        }

        #[test]
        fn quiescence_sees_what_does_not_lose(
            start in 0..STARTS.len(),
            choices in prop::collection::vec(any::<u16>(), 0..80),
            seed in any::<u64>(),
        ) {
            let p = Params::default();
            let (board, prior) = playout(start, &choices);
            let ctx = Context::new(&board, 9, prior);
            let mut random = Random(Rng::new(seed));
            let stores = random_stores(&mut random, &ctx, &p);
            let tt_move = random.mv(&board.legal_moves());
            let picked = drain(Picker::quiescence(tt_move), &p, &ctx, &stores);
            let expected = board
                .captures()
                .into_iter()
                .filter(|&mv| !captures::is_underpromotion(mv) && board.see(&p, mv, 0));
            prop_assert_eq!(
                sorted(picked.iter().map(|&(mv, _)| mv).collect()),
                sorted(expected.collect())
            );
        }
    }

    #[test]
    fn the_lbr_reply_rises_wherever_it_stands() {
        for p in forms() {
            rises(&p);
        }
    }

    /// What is stored, and which moves are helped, in this form.
    fn rises(p: &Params) {
        let (board, prior) = playout(1, &[7, 11]);
        let ctx = Context::new(&board, 2, prior);
        let mut stores = Stores::new(Lab::default());
        let plain = drain(Picker::new(Move::NULL), p, &ctx, &stores);
        let last = |stage| {
            plain
                .iter()
                .rev()
                .find(|&&(_, other)| other == stage)
                .expect("such a move")
                .0
        };
        for stage in [Stage::GoodCapture, Stage::Quiet] {
            let reply = last(stage);
            stores.learn_reply(p, &ctx, reply);
            let helped = drain(Picker::new(Move::NULL), p, &ctx, &stores);
            let mut picker = Picker::new(Move::NULL);
            picker.next(p, &ctx, &stores);
            let unwanted = Form::of(p) == Form::QuietReplies && !reply.is_quiet();
            if Form::of(p) == Form::Off || unwanted {
                assert_eq!(helped, plain);
                assert!(!picker.is_lbr_reply(reply));
                continue;
            }
            let place = |picked: &[(Move, Stage)]| picked.iter().position(|&(mv, _)| mv == reply);
            assert!(place(&helped) < place(&plain), "{reply:?}");
            assert!(picker.is_lbr_reply(reply) && !picker.is_lbr_reply(Move::NULL));
        }
    }
}
