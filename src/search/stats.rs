//! What a search counts of itself: a few numbers always, and how well its moves were ordered when asked to.

use super::node::Facts;
use crate::ordering::{Context, Form, Lbr, Picker, Stage, Stores};
use crate::params::Params;
use crate::types::Move;

/// What one search counted.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Positions visited.
    pub nodes: u64,
    /// Cuts in the move loop of main-search nodes; the root and singular searches are left out here and below.
    pub cuts: u64,
    /// Those by the first move tried.
    pub first_move_cuts: u64,
    /// Nodes of each finished iteration, from depth 1 on.
    pub iterations: Vec<u64>,
    /// How well moves were ordered, in all searches since it was asked for; `None` if it was not.
    pub ordering: Option<Box<Ordering>>,
}

impl Stats {
    /// Starts to count anew for the next search.
    pub fn start_search(&mut self) {
        *self = Self {
            ordering: self.ordering.take(),
            ..Self::default()
        };
    }

    /// A node is about to search its moves.
    #[inline(always)]
    pub fn node(&mut self, p: &Params, ctx: &Context, stores: &Stores) {
        if let Some(ordering) = &mut self.ordering {
            ordering.node(p, ctx, stores);
        }
    }

    /// A move is about to be searched.
    #[inline(always)]
    pub fn tried(&mut self, trial: &Trial) {
        if let Some(ordering) = &mut self.ordering {
            ordering.tried(trial);
        }
    }

    /// A move that was tried cut.
    #[inline(always)]
    pub fn cut(&mut self, trial: &Trial) {
        self.cuts += 1;
        self.first_move_cuts += u64::from(trial.index == 1);
        if let Some(ordering) = &mut self.ordering {
            ordering.cut(trial);
        }
    }
}

/// A move that is tried, and where.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Where in the order it stood.
    pub stage: Stage,
    /// Its number among the moves searched, from 1.
    pub index: i32,
    /// Depth of the node, plies.
    pub depth: i32,
    /// Whether the node has a TT move.
    pub tt_move: bool,
    /// Whether it is the last best reply.
    pub reply: bool,
}

impl Trial {
    /// The move handed out last, as number `index` of those searched.
    #[inline(always)]
    pub(super) fn new(picker: &Picker, node: &Facts, mv: Move, index: i32) -> Self {
        Self {
            stage: picker.stage(),
            index,
            depth: node.depth,
            tt_move: !node.tt_move.is_null(),
            reply: picker.is_lbr_reply(mv),
        }
    }
}

/// How the moves of some kind fared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Moves searched.
    pub tried: u64,
    /// Those that cut.
    pub cuts: u64,
    /// Those that cut as the first move of their node.
    pub first: u64,
    /// Sum of the numbers, from 1, of those that cut.
    pub index_sum: u64,
}

impl Tally {
    fn cut(&mut self, index: i32) {
        self.cuts += 1;
        self.first += u64::from(index == 1);
        self.index_sum += index as u64;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            tried: self.tried + other.tried,
            cuts: self.cuts + other.cuts,
            first: self.first + other.first,
            index_sum: self.index_sum + other.index_sum,
        }
    }
}

/// The depths that are told apart, each from this one up to the next, plies.
pub const BANDS: [i32; 5] = [1, 2, 3, 4, 7];

/// How well moves were ordered.
#[derive(Clone, Debug, Default)]
pub struct Ordering {
    /// `[node has a TT move][band of depth][stage]`.
    cells: [[[Tally; Stage::ALL.len()]; BANDS.len()]; 2],
    /// The same of last best replies alone, by stage.
    replies: [Tally; Stage::ALL.len()],
    /// Nodes that asked for the last best reply: those with the prior moves it takes.
    pub asked: u64,
    /// First matches: those for which one was stored.
    pub first_matches: u64,
    /// Second matches: those where it was a legal move.
    pub second_matches: u64,
}

impl Ordering {
    /// The sum over all cells that are wanted, by whether the node has a TT move, band of depth and stage.
    pub fn sum(&self, wanted: impl Fn(bool, usize, Stage) -> bool) -> Tally {
        let mut sum = Tally::default();
        for (tt_move, bands) in self.cells.iter().enumerate() {
            for (band, stages) in bands.iter().enumerate() {
                for (stage, &tally) in Stage::ALL.into_iter().zip(stages) {
                    if wanted(tt_move == 1, band, stage) {
                        sum = sum.plus(tally);
                    }
                }
            }
        }
        sum
    }

    /// The sum over the last best replies that were tried in the stages that are wanted.
    pub fn replies(&self, wanted: impl Fn(Stage) -> bool) -> Tally {
        let stages = Stage::ALL.into_iter().zip(self.replies);
        stages
            .filter(|&(stage, _)| wanted(stage))
            .fold(Tally::default(), |sum, (_, tally)| sum.plus(tally))
    }

    #[cold]
    fn node(&mut self, p: &Params, ctx: &Context, stores: &Stores) {
        let form = Form::of(p);
        self.asked += u64::from(Lbr::has_key(form, ctx));
        let reply = stores.lbr.reply(form, ctx);
        if !reply.is_null() {
            self.first_matches += 1;
            self.second_matches += u64::from(ctx.board.is_legal(reply));
        }
    }

    #[cold]
    fn tried(&mut self, trial: &Trial) {
        self.cell(trial).tried += 1;
        if trial.reply {
            self.replies[trial.stage as usize].tried += 1;
        }
    }

    #[cold]
    fn cut(&mut self, trial: &Trial) {
        self.cell(trial).cut(trial.index);
        if trial.reply {
            self.replies[trial.stage as usize].cut(trial.index);
        }
    }

    fn cell(&mut self, trial: &Trial) -> &mut Tally {
        let band = BANDS.iter().rposition(|&from| from <= trial.depth);
        let bands = &mut self.cells[usize::from(trial.tt_move)];
        &mut bands[band.unwrap_or(0)][trial.stage as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_told_apart() {
        let mut ordering = Ordering::default();
        let trial = Trial {
            stage: Stage::Killer,
            index: 3,
            depth: 6,
            tt_move: false,
            reply: true,
        };
        let other = Trial {
            stage: Stage::TtMove,
            index: 1,
            depth: 99,
            tt_move: true,
            reply: false,
        };
        for trial in [&trial, &other, &trial] {
            ordering.tried(trial);
        }
        ordering.cut(&trial);
        ordering.cut(&other);
        let all = ordering.sum(|_, _, _| true);
        assert_eq!(
            (all.tried, all.cuts, all.first, all.index_sum),
            (3, 2, 1, 4)
        );
        assert_eq!(ordering.sum(|tt_move, _, _| tt_move).tried, 1);
        assert_eq!(ordering.sum(|_, band, _| BANDS[band] == 4).tried, 2);
        assert_eq!(ordering.sum(|_, band, _| BANDS[band] == 7).first, 1);
        assert_eq!(
            ordering.sum(|_, _, stage| stage == Stage::Killer).index_sum,
            3
        );
        assert_eq!(ordering.replies(|_| true).tried, 2);
        assert_eq!(ordering.replies(|stage| stage == Stage::TtMove).tried, 0);
    }
}
