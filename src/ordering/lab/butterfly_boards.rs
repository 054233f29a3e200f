//! Butterfly boards as the history heuristic first had them: every cut adds depth squared to the move's counter, and nothing
//! is ever taken off; or the same by man and target square.

use super::{Entry, Lab, Variant, butterfly_points};
use crate::ordering::technique::Outcome;
use crate::ordering::{Context, Stores, Technique};
use crate::params::Params;
use crate::types::{Color, Move, Piece, Square};

/// Points of the move with the highest counter.
const HIGHEST: u64 = 16384;

pub const ENTRY: Entry = Entry {
    name: "butterfly-boards",
    what: "The first form of the history heuristic in place of the butterfly history: depth squared for each cut, no malus, no bound, halved from search to search; by from and to, or by man and to.",
    source: "J. Schaeffer, \"The History Heuristic\", ICCA Journal 6(3), 1983; https://www.chessprogramming.org/Butterfly_Boards",
    in_default: false,
    variants: &[
        Variant::new("from-to", || {
            Lab::new(Boards::new(|_, mv| mv.from().index()))
        }),
        Variant::new("man-to", || Lab::new(Boards::new(|piece, _| piece.index()))),
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

impl Technique for Boards {
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

    fn learn(&mut self, ctx: &Context, outcome: Outcome) {
        let best = outcome.best;
        if outcome.cut && best.is_quiet() {
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
        stores: &Stores,
        ctx: &Context,
        piece: Piece,
        mv: Move,
    ) -> i32 {
        let board = &self.counters[ctx.board.side_to_move().index()];
        let counter = board[(self.row)(piece, mv)][mv.to().index()];
        (counter * HIGHEST / self.highest) as i32 - butterfly_points(p, stores, ctx, mv)
    }
}
