//! The picker hands out each legal move once, in the order of the stages, whatever the histories
//! hold.

use super::*;
use crate::board::Board;
use crate::ordering::PRIOR;
use crate::ordering::hook::no_hook;
use crate::types::{MAX_PLY, Played, Rng};
use proptest::prelude::*;

/// The positions from which random games start. The last two have many promotions.
const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/1P4P1/8/2pP4/4pP2/8/1p4p1/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
];

/// Returns the parameters of every LBR variant that this build can use.
fn variants() -> Vec<Params> {
    #[cfg(not(feature = "tune"))]
    return vec![Params::default()];
    #[cfg(feature = "tune")]
    (0..LbrVariant::ALL.len() as i32)
        .map(|variant| {
            let mut p = Params::default();
            p.set("lbr_variant", variant).expect("a variant");
            p
        })
        .collect()
}

/// A source of random moves, some of which are illegal.
struct Random(Rng);

impl Random {
    /// Returns one of these moves, or any 16 bits.
    fn mv(&mut self, moves: &[Move]) -> Move {
        if moves.is_empty() || self.0.below(3) == 0 {
            Move::from_bits(self.0.next() as u16)
        } else {
            moves[self.0.below(moves.len())]
        }
    }

    /// Returns one of these moves or any 16 bits, made quiet.
    fn quiet(&mut self, moves: &[Move]) -> Move {
        Move::from_bits(self.mv(moves).bits() & 0x3FFF)
    }
}

/// Returns a position reached by random moves, and the moves before it.
fn playout(start: usize, choices: &[u16]) -> (Board, [Played; PRIOR]) {
    let mut board = Board::from_fen(STARTS[start]).expect("a valid FEN");
    let mut prior = [Played::NONE; PRIOR];
    for &choice in choices {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[choice as usize % moves.len()];
        prior.rotate_right(1);
        prior[0] = board.describe(mv);
        board.make(mv);
    }
    (board, prior)
}

/// Histories filled by [`fill`].
fn random_histories(random: &mut Random, ctx: &Context, p: &Params) -> Box<Histories> {
    let mut histories = Histories::new(no_hook());
    fill(&mut histories, random, ctx, p);
    histories
}

/// Teaches the histories random moves, legal and illegal ones.
fn fill(histories: &mut Histories, random: &mut Random, ctx: &Context, p: &Params) {
    let legal = ctx.board.legal_moves();
    for &mv in &legal {
        let depth = random.0.below(20) as i32;
        if random.0.below(2) == 0 {
            let searched = legal_quiets(ctx).into_iter().chain(ctx.board.captures());
            histories.learn_cutoff(p, ctx, mv, &searched.collect(), depth);
        }
    }
    for _ in 0..3 {
        histories.killers.store(ctx.ply, random.quiet(&legal));
    }
    histories
        .countermoves
        .store(ctx.prior[0], random.quiet(&legal));
    histories
        .lbr
        .store(LbrVariant::of(p), ctx, random.mv(&legal));
}

fn legal_quiets(ctx: &Context) -> Vec<Move> {
    ctx.board.quiets().to_vec()
}

fn drain(
    mut picker: Picker,
    p: &Params,
    ctx: &Context,
    histories: &Histories,
) -> Vec<(Move, Stage)> {
    let mut picked = Vec::new();
    while let Some(mv) = picker.next(p, ctx, histories) {
        picked.push((mv, picker.stage()));
    }
    assert_eq!(picker.next(p, ctx, histories), None);
    picked
}

fn sorted(mut moves: Vec<Move>) -> Vec<u16> {
    moves.sort_unstable_by_key(|mv| mv.bits());
    moves.into_iter().map(Move::bits).collect()
}

/// Returns the order of the stages. Killers and countermove are quiet moves with a bonus, so they
/// may come anywhere among the quiet moves.
fn rank(stage: Stage) -> u8 {
    match stage {
        Stage::TtMove => 0,
        Stage::GoodCapture => 1,
        Stage::Killer | Stage::Countermove | Stage::Quiet => 2,
        Stage::BadCapture => 3,
    }
}

/// Number of positions in [`walk`].
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

/// Checks that each legal move is handed out once, that each capture and promotion still is when
/// quiet moves are skipped from some move on, and that quiescence search gets no move twice and no
/// illegal one.
fn assert_each_once(random: &mut Random, p: &Params, ctx: &Context, histories: &Histories) {
    let legal = ctx.board.legal_moves();
    let tt_move = random.mv(&legal);
    let moves = |picker| {
        let picked = drain(picker, p, ctx, histories);
        sorted(picked.into_iter().map(|(mv, _)| mv).collect())
    };
    assert_eq!(
        moves(Picker::new(tt_move, 1)),
        sorted(legal.to_vec()),
        "{histories:?}"
    );
    let after = random.0.below(40);
    let mut picker = Picker::new(tt_move, 1);
    let mut noisy = Vec::new();
    for number in 0.. {
        if number == after {
            picker.skip_quiets();
        }
        let Some(mv) = picker.next(p, ctx, histories) else {
            break;
        };
        noisy.extend((!mv.is_quiet()).then_some(mv));
    }
    let captures = legal.iter().copied().filter(|mv| !mv.is_quiet());
    assert_eq!(sorted(noisy), sorted(captures.collect()), "{histories:?}");
    let noisy = moves(Picker::quiescence(tt_move, 30));
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
    let mut histories = Histories::new(no_hook());
    walk(&mut random, |random, ctx| {
        fill(&mut histories, random, &ctx, &p);
        assert_each_once(random, &p, &ctx, &histories);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_legal_move_exactly_once(
        start in 0..STARTS.len(),
        choices in prop::collection::vec(any::<u16>(), 0..80),
        ply in 0..=MAX_PLY,
        seed in any::<u64>(),
        p in prop::sample::select(variants()),
    ) {
        let (board, prior) = playout(start, &choices);
        let ctx = Context::new(&board, ply, prior);
        let mut random = Random(Rng::new(seed));
        let histories = random_histories(&mut random, &ctx, &p);
        let legal = board.legal_moves();
        let tt_move = random.mv(&legal);
        let picked = drain(Picker::new(tt_move, 1), &p, &ctx, &histories);
        prop_assert_eq!(
            sorted(picked.iter().map(|&(mv, _)| mv).collect()),
            sorted(legal.to_vec())
        );
        // The stages come in order, and each holds the moves that its name promises.
        prop_assert!(picked.is_sorted_by_key(|&(_, stage)| rank(stage)));
        for &(mv, stage) in &picked {
            // The SEE threshold of a capture depends on its score, which includes its history.
            let holds = |history: i32| {
                let score = captures::mvv_lva(&p, board.describe(mv)) + history;
                let least = p.good_capture_offset() - score * p.good_capture_loss() / 1024;
                !captures::is_underpromotion(mv) && board.see_ge(&p, mv, least)
            };
            let most = p.history_limit() + p.lbr_capture_bonus();
            prop_assert!(match stage {
                Stage::TtMove => mv == tt_move,
                Stage::GoodCapture => !mv.is_quiet() && holds(most),
                Stage::Killer => histories.killers.at(ply).contains(&mv),
                Stage::Countermove => histories.countermoves.reply(prior[0]) == mv,
                Stage::Quiet => mv.is_quiet(),
                Stage::BadCapture => !mv.is_quiet() && !holds(-p.history_limit()),
            }, "{:?} as {:?}", mv, stage);
        }
    }

    #[test]
    fn skipping_drops_quiet_moves_alone(
        start in 0..STARTS.len(),
        choices in prop::collection::vec(any::<u16>(), 0..80),
        after in 0..40_usize,
        seed in any::<u64>(),
        p in prop::sample::select(variants()),
    ) {
        let (board, prior) = playout(start, &choices);
        let ctx = Context::new(&board, 1, prior);
        let mut random = Random(Rng::new(seed));
        let histories = random_histories(&mut random, &ctx, &p);
        let tt_move = random.mv(&board.legal_moves());
        let all = drain(Picker::new(tt_move, 1), &p, &ctx, &histories);
        let expected: Vec<_> = all
            .iter()
            .enumerate()
            .filter(|&(index, &(mv, _))| index < after || !mv.is_quiet() || index == 0 && mv == tt_move)
            .map(|(_, &picked)| picked)
            .collect();
        let mut picker = Picker::new(tt_move, 1);
        let mut picked = Vec::new();
        loop {
            if picked.len() == after {
                picker.skip_quiets();
            }
            let Some(mv) = picker.next(&p, &ctx, &histories) else { break };
            picked.push((mv, picker.stage()));
        }
        prop_assert_eq!(picked, expected);
    }

    #[test]
    fn quiescence_gets_the_captures_that_hold(
        loss in 0..400,
        start in 0..STARTS.len(),
        choices in prop::collection::vec(any::<u16>(), 0..80),
        seed in any::<u64>(),
    ) {
        let p = Params::default();
        let (board, prior) = playout(start, &choices);
        let ctx = Context::new(&board, 9, prior);
        let mut random = Random(Rng::new(seed));
        let histories = random_histories(&mut random, &ctx, &p);
        let tt_move = random.mv(&board.legal_moves());
        let picked = drain(Picker::quiescence(tt_move, loss), &p, &ctx, &histories);
        let expected = board
            .captures()
            .into_iter()
            .filter(|&mv| !captures::is_underpromotion(mv) && board.see_ge(&p, mv, -loss));
        prop_assert_eq!(
            sorted(picked.iter().map(|&(mv, _)| mv).collect()),
            sorted(expected.collect())
        );
    }
}

#[test]
fn the_lbr_reply_rises_wherever_it_stands() {
    for p in variants() {
        assert_rises(&p);
    }
}

/// Checks that a stored reply moves up in its stage.
fn assert_rises(p: &Params) {
    let (board, prior) = playout(1, &[7, 11]);
    let ctx = Context::new(&board, 2, prior);
    let mut histories = Histories::new(no_hook());
    let plain = drain(Picker::new(Move::NULL, 1), p, &ctx, &histories);
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
        histories.lbr.store(LbrVariant::of(p), &ctx, reply);
        let helped = drain(Picker::new(Move::NULL, 1), p, &ctx, &histories);
        let mut picker = Picker::new(Move::NULL, 1);
        picker.next(p, &ctx, &histories);
        let unwanted = LbrVariant::of(p) == LbrVariant::QuietReplies && !reply.is_quiet();
        if LbrVariant::of(p) == LbrVariant::Off || unwanted {
            assert_eq!(helped, plain);
            assert!(!picker.is_lbr_reply(reply));
            continue;
        }
        let place = |picked: &[(Move, Stage)]| picked.iter().position(|&(mv, _)| mv == reply);
        assert!(place(&helped) < place(&plain), "{reply:?}");
        assert!(picker.is_lbr_reply(reply) && !picker.is_lbr_reply(Move::NULL));
    }
}
