//! What a search counts of itself: a few numbers always, and how well its moves were ordered when asked to.

use super::node::{Node, NodeState};
use super::pvs::{MoveSearch, Step};
use crate::ordering::NodeKind;
use crate::ordering::{Context, Form, Histories, Lbr, Picker, Stage};
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

    /// A node of this kind is about to search its moves.
    #[inline(always)]
    pub fn node(
        &mut self,
        p: &Params,
        ctx: &Context,
        histories: &Histories,
        kind: NodeKind,
        tt_move: Move,
    ) {
        if let Some(ordering) = &mut self.ordering {
            ordering.node(p, ctx, histories);
            ordering.kind(kind, !tt_move.is_null());
        }
    }

    /// A search of a move is about to begin, at a PV node or another.
    #[inline(always)]
    pub fn step(&mut self, pv: bool, plan: &MoveSearch, step: Step) {
        if let Some(ordering) = &mut self.ordering {
            ordering.step(pv, plan, step);
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
    /// What the node is expected to be.
    pub kind: NodeKind,
    /// Whether the node has a TT move.
    pub tt_move: bool,
    /// Whether it is the last best reply.
    pub reply: bool,
}

impl Trial {
    /// The move handed out last, as number `index` of those searched.
    #[inline(always)]
    pub(super) fn new<N: Node>(picker: &Picker, node: &NodeState, mv: Move, index: i32) -> Self {
        Self {
            stage: picker.stage(),
            index,
            depth: node.depth,
            kind: NodeKind::of(N::PV, node.cut_node),
            tt_move: !node.tt_move.is_null(),
            reply: picker.is_lbr_reply(mv),
        }
    }
}

/// How the moves of some kind fared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Share of the cuts that the first move made, 0 to 1.
    pub fn first_move_share(&self) -> f64 {
        share(self.first, self.cuts)
    }

    /// Mean number, from 1, of the moves that cut.
    pub fn mean_index(&self) -> f64 {
        share(self.index_sum, self.cuts)
    }

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

/// What was counted at the nodes of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OfKind {
    /// Nodes that searched their moves.
    pub nodes: u64,
    /// Those with a TT move.
    pub tt_moves: u64,
    /// Their moves.
    pub moves: Tally,
}

impl OfKind {
    /// Share of the nodes with a TT move, 0 to 1.
    pub fn tt_move_rate(&self) -> f64 {
        share(self.tt_moves, self.nodes)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            nodes: self.nodes + other.nodes,
            tt_moves: self.tt_moves + other.tt_moves,
            moves: self.moves.plus(other.moves),
        }
    }
}

/// How often each step of the re-search scheme was taken, for moves that were reduced. The second is passed over where a
/// shallower re-search would be the first search again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Step 1: moves searched to a reduced depth.
    pub reduced: u64,
    /// Step 2: those searched again, to full depth with the null window.
    pub again: u64,
    /// Step 3: those searched with the full window; only at PV nodes.
    pub whole: u64,
}

impl Steps {
    /// Share of the reduced moves that took step 2, 0 to 1.
    pub fn again_rate(&self) -> f64 {
        share(self.again, self.reduced)
    }

    /// Share of the reduced moves that took step 3, 0 to 1.
    pub fn whole_rate(&self) -> f64 {
        share(self.whole, self.reduced)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            reduced: self.reduced + other.reduced,
            again: self.again + other.again,
            whole: self.whole + other.whole,
        }
    }
}

/// 0 of none.
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The depths that are told apart, each from this one up to the next, plies.
pub const BANDS: [i32; 5] = [1, 2, 3, 4, 7];

/// How well moves were ordered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// By what the node was expected to be, as [`NodeKind::ALL`].
    kinds: [OfKind; NodeKind::ALL.len()],
    /// Of the other nodes, then of the PV nodes.
    steps: [Steps; 2],
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

    /// What was counted at the nodes of this kind.
    pub fn of_kind(&self, kind: NodeKind) -> OfKind {
        self.kinds[kind as usize]
    }

    /// What was counted at the nodes of all kinds.
    pub fn of_all_kinds(&self) -> OfKind {
        self.kinds.into_iter().fold(OfKind::default(), OfKind::plus)
    }

    /// The re-searches at PV nodes (the triple scheme), or at the others (the double scheme).
    pub fn steps(&self, pv: bool) -> Steps {
        self.steps[usize::from(pv)]
    }

    /// Share of the nodes that asked for the last best reply for which one was stored, 0 to 1.
    pub fn first_match_rate(&self) -> f64 {
        share(self.first_matches, self.asked)
    }

    /// Share of the stored replies that were legal, 0 to 1.
    pub fn second_match_rate(&self) -> f64 {
        share(self.second_matches, self.first_matches)
    }

    /// Adds what another worker counted.
    pub fn add(&mut self, other: &Self) {
        let cells = self.cells.as_flattened_mut().as_flattened_mut();
        let others = other.cells.as_flattened().as_flattened();
        for (cell, other) in cells.iter_mut().zip(others) {
            *cell = cell.plus(*other);
        }
        for (reply, other) in self.replies.iter_mut().zip(other.replies) {
            *reply = reply.plus(other);
        }
        for (kind, other) in self.kinds.iter_mut().zip(other.kinds) {
            *kind = kind.plus(other);
        }
        for (steps, other) in self.steps.iter_mut().zip(other.steps) {
            *steps = steps.plus(other);
        }
        self.asked += other.asked;
        self.first_matches += other.first_matches;
        self.second_matches += other.second_matches;
    }

    #[cold]
    fn kind(&mut self, kind: NodeKind, tt_move: bool) {
        let counted = &mut self.kinds[kind as usize];
        counted.nodes += 1;
        counted.tt_moves += u64::from(tt_move);
    }

    #[cold]
    fn step(&mut self, pv: bool, plan: &MoveSearch, step: Step) {
        // The first move of a PV node has the full window at once, whatever its plan says.
        if plan.reduced >= plan.full || (pv && plan.first) {
            return;
        }
        let steps = &mut self.steps[usize::from(pv)];
        match step {
            Step::ZeroWindow { depth, .. } if depth == plan.reduced => steps.reduced += 1,
            Step::ZeroWindow { .. } => steps.again += 1,
            Step::FullWindow { .. } => steps.whole += 1,
        }
    }

    #[cold]
    fn node(&mut self, p: &Params, ctx: &Context, histories: &Histories) {
        let form = Form::of(p);
        self.asked += u64::from(Lbr::has_key(form, ctx));
        let reply = histories.lbr.reply(form, ctx);
        if !reply.is_null() {
            self.first_matches += 1;
            self.second_matches += u64::from(ctx.board.is_legal(reply));
        }
    }

    #[cold]
    fn tried(&mut self, trial: &Trial) {
        self.cell(trial).tried += 1;
        self.kinds[trial.kind as usize].moves.tried += 1;
        if trial.reply {
            self.replies[trial.stage as usize].tried += 1;
        }
    }

    #[cold]
    fn cut(&mut self, trial: &Trial) {
        self.cell(trial).cut(trial.index);
        self.kinds[trial.kind as usize].moves.cut(trial.index);
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
    use crate::search::lmr::{NodeContext, PLY};
    use crate::search::pvs;

    #[test]
    fn trials_are_told_apart() {
        let mut ordering = Ordering::default();
        let trial = Trial {
            stage: Stage::Killer,
            index: 3,
            depth: 6,
            kind: NodeKind::Cut,
            tt_move: false,
            reply: true,
        };
        let other = Trial {
            stage: Stage::TtMove,
            index: 1,
            depth: 99,
            kind: NodeKind::Pv,
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
        let moves = NodeKind::ALL.map(|kind| ordering.of_kind(kind).moves);
        assert_eq!(moves.map(|moves| moves.tried), [1, 2, 0]);
        assert_eq!(moves.map(|moves| moves.index_sum), [1, 3, 0]);
        assert_eq!(ordering.of_all_kinds().moves, all);
    }

    #[test]
    fn tt_moves_are_counted_by_kind() {
        let mut ordering = Ordering::default();
        for (kind, tt_move) in [
            (NodeKind::Pv, true),
            (NodeKind::All, true),
            (NodeKind::All, false),
        ] {
            ordering.kind(kind, tt_move);
        }
        let counts = NodeKind::ALL.map(|kind| {
            let counted = ordering.of_kind(kind);
            (counted.nodes, counted.tt_moves)
        });
        assert_eq!(counts, [(1, 1), (0, 0), (2, 1)]);
        assert!((ordering.of_all_kinds().tt_move_rate() - 2.0 / 3.0).abs() < 1e-9);
    }

    /// Sends a move through the scheme, with a child that answers from a script.
    fn search_move(ordering: &mut Ordering, pv: bool, plan: MoveSearch, script: &[i32]) {
        let node = NodeContext {
            pv,
            ..NodeContext::default()
        };
        let mut script = script.iter();
        pvs::search_move(node, plan, |step| {
            ordering.step(pv, &plan, step);
            *script.next().expect("an answer")
        });
        assert_eq!(script.next(), None);
    }

    #[test]
    fn steps_of_reduced_moves_are_counted() {
        let mut ordering = Ordering::default();
        let plan = MoveSearch {
            first: false,
            window: (100, 200),
            full: 8,
            reduced: 5,
            reduction: 3 * PLY,
            deeper: 50,
            shallower: 5,
        };
        let whole = MoveSearch { reduced: 8, ..plan };
        let first = MoveSearch {
            first: true,
            ..plan
        };
        for script in [&[90][..], &[120, 90], &[151, 130], &[103, 90]] {
            search_move(&mut ordering, false, plan, script);
        }
        search_move(&mut ordering, false, whole, &[120]);
        for script in [&[90][..], &[110, 100], &[110, 120, 150], &[110, 200]] {
            search_move(&mut ordering, true, plan, script);
        }
        search_move(&mut ordering, true, whole, &[120, 130]);
        search_move(&mut ordering, true, first, &[120]);
        let [reduced, again] = [4, 3];
        assert_eq!(
            ordering.steps(false),
            Steps {
                reduced,
                again,
                whole: 0
            }
        );
        assert_eq!(
            ordering.steps(true),
            Steps {
                reduced,
                again,
                whole: 1
            }
        );
        // Where the shallower second search would be the first again, only the third is made.
        search_move(
            &mut ordering,
            true,
            MoveSearch { reduced: 7, ..plan },
            &[103, 120],
        );
        assert_eq!(ordering.steps(true).again, 3);
        assert_eq!(ordering.steps(true).whole, 2);
        let once = ordering.clone();
        ordering.add(&once);
        assert_eq!(ordering.steps(true).whole, 4);
    }
}
