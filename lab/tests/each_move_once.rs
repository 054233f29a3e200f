//! Whatever an experiment says, the picker hands out each legal move exactly once.

use rejoinder::board::{Board, openings};
use rejoinder::ordering::{
    Context, Histories, NodeKind, NodeOutcome, PRIOR, Picker, SearchedMoves,
};
use rejoinder::params::Params;
use rejoinder::types::{MAX_PLY, Move, Played, Rng, score};
use rejoinder_lab::techniques;

/// Positions for each variant.
const POSITIONS: usize = 500;

/// A legal move, or any 16 bits at all.
fn random_move(rng: &mut Rng, moves: &[Move]) -> Move {
    match rng.choose(moves) {
        Some(mv) if rng.below(3) > 0 => mv,
        _ => Move::from_bits(rng.next() as u16),
    }
}

/// A position reached by random moves, and the moves before it.
fn random_position(rng: &mut Rng) -> (Board, [Played; PRIOR]) {
    let mut board = openings::random(0.5, rng).unwrap_or_else(Board::startpos);
    let mut prior = [Played::NONE; PRIOR];
    for _ in 0..rng.below(80) {
        let Some(mv) = rng.choose(&board.legal_moves()) else {
            break;
        };
        prior.rotate_right(1);
        prior[0] = board.describe(mv);
        board.make(mv);
    }
    (board, prior)
}

/// Tells the hook and the histories of a node that never was.
fn pretend(rng: &mut Rng, p: &Params, ctx: &Context, histories: &mut Histories) {
    let legal = ctx.board.legal_moves();
    let depth = rng.below(20) as i32;
    let Some(mv) = rng.choose(&legal) else {
        return;
    };
    let quiets = ctx.board.quiets().into_iter();
    let searched: SearchedMoves = quiets.chain(ctx.board.captures()).collect();
    histories.learn_cutoff(p, ctx, mv, &searched, depth);
    let outcome = NodeOutcome {
        kind: NodeKind::ALL[rng.below(3)],
        tt_move: Move::NULL,
        best: mv,
        score: [1, score::mate_in(ctx.ply + 3)][rng.below(2)],
        fails_high: true,
        depth,
        searched: &searched,
    };
    histories.learn(p, ctx, &outcome);
    let best = random_move(rng, &legal);
    histories.learn(p, ctx, &NodeOutcome { best, ..outcome });
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
    let mut bits: Vec<u16> = moves.into_iter().map(Move::bits).collect();
    bits.sort_unstable();
    bits
}

#[test]
fn each_legal_move_is_picked_once() {
    let mut variants = 0;
    for variant in techniques::catalogue().flat_map(|experiment| experiment.variants) {
        variants += 1;
        let rng = &mut Rng::new(variants);
        let mut p = Params::default();
        for (name, value) in variant.params {
            p.set(name, *value).expect("a number of params.rs");
        }
        let mut histories = Histories::new((variant.hook)());
        for _ in 0..POSITIONS {
            let (board, prior) = random_position(rng);
            let ctx = Context::new(&board, rng.below(MAX_PLY + 1), prior);
            pretend(rng, &p, &ctx, &mut histories);
            let legal = board.legal_moves();
            let mut picker = Picker::new(random_move(rng, &legal), 1);
            let picked = std::iter::from_fn(|| picker.next(&p, &ctx, &histories));
            assert_eq!(sorted(picked), sorted(legal), "{}", variant.name);
        }
    }
    assert!(variants > 40, "only {variants} variants");
}
