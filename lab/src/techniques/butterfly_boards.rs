//! Butterfly boards as the history heuristic first had them: every cut adds depth squared to the move's counter, and nothing
//! is ever taken off; or the same by piece and target square.

use super::{Experiment, Variant, butterfly_points};
use rejoinder::ordering::hook::NodeOutcome;
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Color, Move, Piece, Square};

/// Points of the move with the highest counter.
const HIGHEST: u64 = 16384;

pub const ENTRY: Experiment = Experiment {
    name: "butterfly-boards",
    what: "The first form of the history heuristic in place of the butterfly history: depth squared for each cut, no malus, no bound, halved from search to search; by from and to, or by piece and to.",
    source: "J. Schaeffer, \"The History Heuristic\", ICCA Journal 6(3), 1983; https://www.chessprogramming.org/Butterfly_Boards",
    in_default: false,
    variants: &[
        Variant::new("from-to", || {
            Box::new(Boards::new(|_, mv| mv.from().index()))
        }),
        Variant::new("piece-to", || {
            Box::new(Boards::new(|piece, _| piece.index()))
        }),
    ],
};

#[derive(Debug)]
struct Boards {
    /// `[side][row][to]`.
    counters: Box<[[[u64; Square::COUNT]; Square::COUNT]]>,
    /// The highest counter, at least 1.
    highest: u64,
    row: fn(Piece, Move) -> usize,
}

impl Boards {
    fn new(row: fn(Piece, Move) -> usize) -> Self {
        let board = [[0; Square::COUNT]; Square::COUNT];
        Self {
            counters: vec![board; Color::ALL.len()].into_boxed_slice(),
            highest: 1,
            row,
        }
    }
}

impl OrderingHook for Boards {
    fn clear(&mut self) {
        self.counters.as_flattened_mut().as_flattened_mut().fill(0);
        self.highest = 1;
    }

    fn new_search(&mut self, _: usize) {
        for counter in self.counters.as_flattened_mut().as_flattened_mut() {
            *counter /= 2;
        }
        self.highest = (self.highest / 2).max(1);
    }

    fn learn(&mut self, ctx: &Context, outcome: NodeOutcome) {
        let best = outcome.best;
        if outcome.fails_high && best.is_quiet() {
            let row = (self.row)(ctx.board.describe(best).piece, best);
            let side = ctx.board.side_to_move().index();
            let counter = &mut self.counters[side][row][best.to().index()];
            *counter += u64::from(outcome.depth.unsigned_abs()).pow(2);
            self.highest = self.highest.max(*counter);
        }
    }

    fn quiet_points(
        &self,
        p: &Params,
        histories: &Histories,
        ctx: &Context,
        piece: Piece,
        mv: Move,
    ) -> i32 {
        let board = &self.counters[ctx.board.side_to_move().index()];
        let counter = board[(self.row)(piece, mv)][mv.to().index()];
        (counter * HIGHEST / self.highest) as i32 - butterfly_points(p, histories, ctx, mv)
    }
}
