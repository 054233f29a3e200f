//! Butterfly boards in the first form of the history heuristic: every cutoff adds depth squared to
//! the counter of the move, by its origin and target square or by its piece and target square.
//! There is no malus.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, NodeOutcome, OrderingHook, history};
use rejoinder::params::Params;
use rejoinder::types::{Color, Move, Piece, Square};

/// Points of the quiet move with the highest counter.
const HIGHEST: u64 = 16384;

pub const ENTRY: Experiment = Experiment {
    name: "butterfly-boards",
    what: "The first form of the history heuristic replaces the butterfly history. Each cutoff \
           adds depth squared, there is no malus and no bound, and the counters are halved before \
           each search. The index is origin and target square, or piece and target square.",
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
    /// The highest counter, or 1 if all are 0.
    highest: u64,
    /// Row of a move in `counters`: its origin square or its piece.
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
    fn new_search(&mut self, plies_played: usize) {
        let part = if plies_played == usize::MAX {
            u64::MAX
        } else {
            2
        };
        for counter in self.counters.as_flattened_mut().as_flattened_mut() {
            *counter /= part;
        }
        self.highest = (self.highest / part).max(1);
    }

    fn learn(&mut self, ctx: &Context, outcome: &NodeOutcome) {
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

/// Returns the points that the butterfly history of the default adds to a quiet move's score, for
/// techniques that replace it.
pub fn butterfly_points(p: &Params, histories: &Histories, ctx: &Context, mv: Move) -> i32 {
    let boards = histories.history.of(ctx.board.side_to_move());
    let value = boards[history::kind(ctx.threats.all, mv)][mv.from().index()][mv.to().index()];
    i32::from(value) * p.quiet_butterfly() / 1024
}
