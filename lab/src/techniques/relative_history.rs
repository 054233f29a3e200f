//! Relative history: the number of cutoffs of a quiet move divided by the number of its trials.
//! Unlike plain counts, it does not favor moves that are merely frequent.

use super::butterfly_boards::butterfly_points;
use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, NodeOutcome, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Color, Move, Piece, Square};

/// Points of a move that caused a cutoff in every trial.
const ALWAYS: u32 = 16384;
/// Number of trials after which both counts are halved.
const MOST: u32 = 1 << 16;

pub const ENTRY: Experiment = Experiment {
    name: "relative-history",
    what: "The ratio of a quiet move's cutoffs to its trials is added to the butterfly history, or \
           replaces it.",
    source: "M. Winands, E. van der Werf, J. van den Herik, J. Uiterwijk, \"The Relative History Heuristic\", Computers and Games 2004",
    in_default: false,
    variants: &[
        Variant::new("beside", || Box::new(RelativeHistory::new(false))),
        Variant::new("instead", || Box::new(RelativeHistory::new(true))),
    ],
};

/// Number of cutoffs and trials of a move, weighted by depth.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    cuts: u32,
    trials: u32,
}

#[derive(Debug)]
struct RelativeHistory {
    /// `[side][from][to]`.
    counts: Box<[[[Counts; Square::COUNT]; Square::COUNT]]>,
    /// The ratio replaces the butterfly history.
    instead: bool,
}

impl RelativeHistory {
    fn new(instead: bool) -> Self {
        let board = [[Counts::default(); Square::COUNT]; Square::COUNT];
        Self {
            counts: vec![board; Color::ALL.len()].into_boxed_slice(),
            instead,
        }
    }
}

impl OrderingHook for RelativeHistory {
    fn new_search(&mut self, plies_played: usize) {
        if plies_played == usize::MAX {
            let counts = self.counts.as_flattened_mut().as_flattened_mut();
            counts.fill(Counts::default());
        }
    }

    fn learn(&mut self, ctx: &Context, outcome: &NodeOutcome) {
        let board = &mut self.counts[ctx.board.side_to_move().index()];
        let weight = outcome.depth.max(1) as u32;
        let mut count = |mv: Move, cuts| {
            let counts = &mut board[mv.from().index()][mv.to().index()];
            counts.cuts += cuts;
            counts.trials += weight;
            if counts.trials > MOST {
                counts.cuts /= 2;
                counts.trials /= 2;
            }
        };
        for &mv in outcome
            .searched
            .quiets
            .iter()
            .filter(|&&mv| mv != outcome.best)
        {
            count(mv, 0);
        }
        if outcome.fails_high && outcome.best.is_quiet() {
            count(outcome.best, weight);
        }
    }

    fn quiet_points(
        &self,
        p: &Params,
        histories: &Histories,
        ctx: &Context,
        _: Piece,
        mv: Move,
    ) -> i32 {
        let board = &self.counts[ctx.board.side_to_move().index()];
        let Counts { cuts, trials } = board[mv.from().index()][mv.to().index()];
        let share = u64::from(cuts) * u64::from(ALWAYS) / u64::from(trials.max(1));
        let replaced = if self.instead {
            butterfly_points(p, histories, ctx, mv)
        } else {
            0
        };
        share as i32 - replaced
    }
}
