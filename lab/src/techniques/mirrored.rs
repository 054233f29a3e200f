//! A test that an experiment treats both colors alike.

use rejoinder::board::Board;
use rejoinder::ordering::PRIOR;
use rejoinder::ordering::hook::no_hook;
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Move, Played};

/// Pairs of a position and the same position with the colors exchanged.
pub const POSITIONS: [[&str; 2]; 2] = [
    [
        "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
        "r3kb1r/pppq2pp/2n1bp2/3np3/8/2NP1NP1/PP2PPBP/R1BQ1RK1 b kq - 3 9",
    ],
    [
        "8/5pk1/4p1p1/3pP2p/1r1P1P1P/4K1P1/R7/8 w - - 0 40",
        "8/r7/4k1p1/1R1p1p1p/3Pp2P/4P1P1/5PK1/8 b - - 0 40",
    ],
];

/// Asserts that quiet moves have the same points for both colors, and that not all moves have the
/// same points.
pub fn assert_alike(hook: &dyn OrderingHook) {
    for [one, other] in POSITIONS {
        let points = points(hook, one);
        assert_eq!(points, self::points(hook, other));
        let each = || points.iter().map(|&(_, _, points)| points);
        assert!(each().min() < each().max(), "{points:?}");
    }
}

/// Returns the points of all quiet moves, by their squares as the mover sees them.
fn points(hook: &dyn OrderingHook, fen: &str) -> Vec<(usize, usize, i32)> {
    let board = Board::from_fen(fen).expect("a position");
    let ctx = Context::new(&board, 0, [Played::NONE; PRIOR]);
    let (histories, us) = (Histories::new(no_hook()), board.side_to_move());
    let points = |mv: Move| {
        let piece = board.describe(mv).piece;
        let points = hook.quiet_points(&Params::default(), &histories, &ctx, piece, mv);
        let [from, to] = [mv.from(), mv.to()].map(|square| square.relative(us).index());
        (from, to, points)
    };
    let mut all: Vec<_> = board.quiets().into_iter().map(points).collect();
    all.sort_unstable();
    all
}
