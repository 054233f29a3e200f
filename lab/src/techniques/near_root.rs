//! History near the root: each of the first plies has a butterfly history of its own, because few
//! moves matter there and they recur in every iteration.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::gravity;
use rejoinder::ordering::hook::NodeOutcome;
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Move, Piece, Square};

/// Number of plies from the root with a history.
const NEAR: usize = 5;
/// Maximum size of a value in points.
const LIMIT: i32 = 8192;

pub const ENTRY: Experiment = Experiment {
    name: "near-root-history",
    what: "Each of the first five plies has a butterfly history of its own, which is cleared \
           before each search. Its weight falls with the ply.",
    source: "Stockfish (low-ply history)",
    in_default: false,
    variants: &[
        Variant::new("single", || Box::new(NearRoot::new(1))),
        Variant::new("fourfold", || Box::new(NearRoot::new(4))),
    ],
};

#[derive(Debug)]
struct NearRoot {
    /// `[ply][from][to]`.
    boards: Box<[[[i16; Square::COUNT]; Square::COUNT]]>,
    weight: i32,
}

impl NearRoot {
    fn new(weight: i32) -> Self {
        let board = [[0; Square::COUNT]; Square::COUNT];
        Self {
            boards: vec![board; NEAR].into_boxed_slice(),
            weight,
        }
    }
}

impl OrderingHook for NearRoot {
    fn new_search(&mut self, _: usize) {
        self.boards.as_flattened_mut().as_flattened_mut().fill(0);
    }

    fn learn(&mut self, ctx: &Context, outcome: NodeOutcome) {
        let Some(board) = self.boards.get_mut(ctx.ply) else {
            return;
        };
        if !outcome.fails_high || !outcome.best.is_quiet() {
            return;
        }
        let bonus = gravity::history_bonus(outcome.depth, 190, 60, 1500);
        let mut update = |mv: Move, amount| {
            gravity::update(
                &mut board[mv.from().index()][mv.to().index()],
                amount,
                LIMIT,
            );
        };
        update(outcome.best, bonus);
        for &mv in outcome.quiets.iter().filter(|&&mv| mv != outcome.best) {
            update(mv, -bonus);
        }
    }

    fn quiet_points(&self, _: &Params, _: &Histories, ctx: &Context, _: Piece, mv: Move) -> i32 {
        let board = self.boards.get(ctx.ply);
        let value = board.map_or(0, |board| board[mv.from().index()][mv.to().index()]);
        i32::from(value) * self.weight / (1 + ctx.ply as i32)
    }
}
