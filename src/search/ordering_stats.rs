//! The quality of the move ordering: how early the moves came that failed high, how often the TT,
//! the last best reply and re-searches came into play.

use super::move_info::MoveInfo;
use super::node::NodeState;
use crate::ordering::{Context, Histories, Lbr, LbrVariant, NodeKind, Stage};
use crate::params::Params;

/// The results of a group of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of moves searched.
    pub tried: u64,
    /// Number of moves that failed high.
    pub cuts: u64,
    /// Number of moves that failed high as the first of their node.
    pub first: u64,
    /// Sum of the move numbers, from 1, of the moves that failed high.
    pub index_sum: u64,
}

impl Tally {
    /// Returns the share of the fail highs that the first move caused, 0 to 1.
    pub fn first_move_share(&self) -> f64 {
        share(self.first, self.cuts)
    }

    /// Returns the mean number, from 1, of the moves that failed high.
    pub fn mean_index(&self) -> f64 {
        share(self.index_sum, self.cuts)
    }

    fn count_cutoff(&mut self, number: i32) {
        self.cuts += 1;
        self.first += u64::from(number == 1);
        self.index_sum += number as u64;
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

/// The counters of the nodes of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindStats {
    /// Number of nodes that searched their moves.
    pub nodes: u64,
    /// Number of nodes with a TT move.
    pub tt_moves: u64,
    /// The results of the moves of these nodes.
    pub moves: Tally,
}

impl KindStats {
    /// Returns the share of the nodes with a TT move, 0 to 1.
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

/// The numbers of searches and re-searches of reduced moves. The second search is left out where it
/// would be as shallow as the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Researches {
    /// Number of moves searched to a reduced depth.
    pub reduced: u64,
    /// Number of reduced moves searched again to full depth with the zero window.
    pub full_depth: u64,
    /// Number of moves searched with the full window, which happens only at PV nodes.
    pub full_window: u64,
}

impl Researches {
    /// Returns the share of the reduced moves that were searched again to full depth, 0 to 1.
    pub fn full_depth_rate(&self) -> f64 {
        share(self.full_depth, self.reduced)
    }

    /// Returns the share of the reduced moves that were searched with the full window, 0 to 1.
    pub fn full_window_rate(&self) -> f64 {
        share(self.full_window, self.reduced)
    }

    fn plus(self, other: Self) -> Self {
        Self {
            reduced: self.reduced + other.reduced,
            full_depth: self.full_depth + other.full_depth,
            full_window: self.full_window + other.full_window,
        }
    }
}

/// Returns the share of a part in a total, or 0 if the total is 0.
fn share(part: u64, total: u64) -> f64 {
    part as f64 / total.max(1) as f64
}

/// The first depth of each band of depths that is counted separately, in plies. The last band is
/// open.
pub(crate) const BANDS: [i32; 5] = [1, 2, 3, 4, 7];

/// The quality of the move ordering.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderingStats {
    /// The results of the moves: `[node has a TT move][band of depth][stage]`.
    tallies: [[[Tally; Stage::ALL.len()]; BANDS.len()]; 2],
    /// The results of last best replies, by stage.
    lbr_replies: [Tally; Stage::ALL.len()],
    /// Number of nodes with the prior moves that the last best reply uses.
    pub asked: u64,
    /// Number of first matches: a reply was stored.
    pub first_matches: u64,
    /// Number of second matches: the stored reply was legal.
    pub second_matches: u64,
    /// The counters of the nodes by kind, as in [`NodeKind::ALL`].
    kinds: [KindStats; NodeKind::ALL.len()],
    /// The re-searches at non-PV nodes, then those at PV nodes.
    researches: [Researches; 2],
}

impl OrderingStats {
    /// Returns the sum over the groups of moves that `wanted` accepts. It is called with whether
    /// the node has a TT move, the band of depth and the stage.
    pub(crate) fn sum(&self, wanted: impl Fn(bool, usize, Stage) -> bool) -> Tally {
        let mut sum = Tally::default();
        for (tt_move, bands) in self.tallies.iter().enumerate() {
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

    /// Returns the sum over the last best replies in the stages that `wanted` accepts.
    pub(crate) fn lbr_replies(&self, wanted: impl Fn(Stage) -> bool) -> Tally {
        let stages = Stage::ALL.into_iter().zip(self.lbr_replies);
        stages
            .filter(|&(stage, _)| wanted(stage))
            .fold(Tally::default(), |sum, (_, tally)| sum.plus(tally))
    }

    /// Returns the counters of the nodes of this kind.
    pub fn of_kind(&self, kind: NodeKind) -> KindStats {
        self.kinds[kind as usize]
    }

    /// Returns the sum of the counters of all kinds of nodes.
    pub fn of_all_kinds(&self) -> KindStats {
        self.kinds
            .into_iter()
            .fold(KindStats::default(), KindStats::plus)
    }

    /// Returns the re-searches at PV nodes (the triple scheme) or at non-PV nodes (the double
    /// scheme).
    pub fn researches(&self, pv: bool) -> Researches {
        self.researches[usize::from(pv)]
    }

    /// Returns the share of the nodes with the needed prior moves for which a reply was stored, 0
    /// to 1.
    pub fn first_match_rate(&self) -> f64 {
        share(self.first_matches, self.asked)
    }

    /// Returns the share of the first matches whose reply was legal, 0 to 1.
    pub fn second_match_rate(&self) -> f64 {
        share(self.second_matches, self.first_matches)
    }

    /// Adds the counters of another worker.
    pub fn add(&mut self, other: &Self) {
        let tallies = self.tallies.as_flattened_mut().as_flattened_mut();
        let others = other.tallies.as_flattened().as_flattened();
        for (tally, other) in tallies.iter_mut().zip(others) {
            *tally = tally.plus(*other);
        }
        for (reply, other) in self.lbr_replies.iter_mut().zip(other.lbr_replies) {
            *reply = reply.plus(other);
        }
        for (kind, other) in self.kinds.iter_mut().zip(other.kinds) {
            *kind = kind.plus(other);
        }
        for (researches, other) in self.researches.iter_mut().zip(other.researches) {
            *researches = researches.plus(other);
        }
        self.asked += other.asked;
        self.first_matches += other.first_matches;
        self.second_matches += other.second_matches;
    }

    #[cold]
    pub(super) fn count_node(&mut self, kind: NodeKind, has_tt_move: bool) {
        let stats = &mut self.kinds[kind as usize];
        stats.nodes += 1;
        stats.tt_moves += u64::from(has_tt_move);
    }

    #[cold]
    pub(super) fn count_child_search(
        &mut self,
        pv: bool,
        info: &MoveInfo,
        child: NodeKind,
        depth: i32,
    ) {
        // The first move of a PV node is searched with the full window at once, whatever its plan
        // says.
        if info.reduced_depth >= info.depth || (pv && info.number == 1) {
            return;
        }
        let researches = &mut self.researches[usize::from(pv)];
        *match child {
            NodeKind::Pv => &mut researches.full_window,
            _ if depth == info.reduced_depth => &mut researches.reduced,
            _ => &mut researches.full_depth,
        } += 1;
    }

    #[cold]
    pub(super) fn count_lbr_matches(&mut self, p: &Params, ctx: &Context, histories: &Histories) {
        let variant = LbrVariant::of(p);
        self.asked += u64::from(Lbr::has_key(variant, ctx));
        let reply = histories.lbr.reply(variant, ctx);
        if !reply.is_null() {
            self.first_matches += 1;
            self.second_matches += u64::from(ctx.board.is_legal(reply));
        }
    }

    #[cold]
    pub(super) fn count_searched(&mut self, kind: NodeKind, node: &NodeState, info: &MoveInfo) {
        self.tally(node, info).tried += 1;
        self.kinds[kind as usize].moves.tried += 1;
        if info.lbr_reply {
            self.lbr_replies[info.stage as usize].tried += 1;
        }
    }

    #[cold]
    pub(super) fn count_cutoff(&mut self, kind: NodeKind, node: &NodeState, info: &MoveInfo) {
        let number = info.number;
        self.tally(node, info).count_cutoff(number);
        self.kinds[kind as usize].moves.count_cutoff(number);
        if info.lbr_reply {
            self.lbr_replies[info.stage as usize].count_cutoff(number);
        }
    }

    /// Returns the group of moves to which a move belongs.
    fn tally(&mut self, node: &NodeState, info: &MoveInfo) -> &mut Tally {
        let band = BANDS.iter().rposition(|&from| from <= node.depth);
        let bands = &mut self.tallies[usize::from(!node.tt_move.is_null())];
        &mut bands[band.unwrap_or(0)][info.stage as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::{Node, NonPv, Pv};
    use crate::search::pvs;
    use crate::search::window::Window;
    use crate::types::{Move, MoveKind, Square};

    const MOVE: MoveInfo = MoveInfo {
        mv: Move::NULL,
        number: 2,
        stage: Stage::Quiet,
        lbr_reply: false,
        check: false,
        history: 0,
        depth: 8,
        reduced_depth: 5,
        reduction: 0,
    };

    #[test]
    fn moves_are_counted_in_their_groups() {
        let mut ordering = OrderingStats::default();
        let cut_node = NodeState::new(Window::zero_below(1), 6, 3, true);
        let mut pv_node = NodeState::new(Window::FULL, 99, 3, false);
        pv_node.tt_move = Move::new(Square::new(8), Square::new(16), MoveKind::Quiet);
        let killer = MoveInfo {
            stage: Stage::Killer,
            number: 3,
            lbr_reply: true,
            ..MOVE
        };
        let tt_move = MoveInfo {
            stage: Stage::TtMove,
            number: 1,
            ..MOVE
        };
        ordering.count_searched(NodeKind::Cut, &cut_node, &killer);
        ordering.count_searched(NodeKind::Pv, &pv_node, &tt_move);
        ordering.count_searched(NodeKind::Cut, &cut_node, &killer);
        ordering.count_cutoff(NodeKind::Cut, &cut_node, &killer);
        ordering.count_cutoff(NodeKind::Pv, &pv_node, &tt_move);
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
        assert_eq!(ordering.lbr_replies(|_| true).tried, 2);
        assert_eq!(
            ordering.lbr_replies(|stage| stage == Stage::TtMove).tried,
            0
        );
        let moves = NodeKind::ALL.map(|kind| ordering.of_kind(kind).moves);
        assert_eq!(moves.map(|moves| moves.tried), [1, 2, 0]);
        assert_eq!(moves.map(|moves| moves.index_sum), [1, 3, 0]);
        assert_eq!(ordering.of_all_kinds().moves, all);
    }

    #[test]
    fn tt_moves_are_counted_by_kind() {
        let mut ordering = OrderingStats::default();
        for (kind, tt_move) in [
            (NodeKind::Pv, true),
            (NodeKind::All, true),
            (NodeKind::All, false),
        ] {
            ordering.count_node(kind, tt_move);
        }
        let counts = NodeKind::ALL.map(|kind| {
            let counted = ordering.of_kind(kind);
            (counted.nodes, counted.tt_moves)
        });
        assert_eq!(counts, [(1, 1), (0, 0), (2, 1)]);
        assert!((ordering.of_all_kinds().tt_move_rate() - 2.0 / 3.0).abs() < 1e-9);
    }

    /// Searches a move with alpha 100 and a child whose scores come from a script.
    fn search_move<N: Node>(ordering: &mut OrderingStats, info: &MoveInfo, script: &[i32]) {
        let beta = if N::PV { 1000 } else { 101 };
        let node = NodeState::new(Window { alpha: 100, beta }, 9, 3, !N::PV);
        let mut script = script.iter();
        pvs::search_move::<N>(&Params::default(), &node, info, |kind, depth| {
            ordering.count_child_search(N::PV, info, kind, depth);
            *script.next().expect("a further score")
        });
        assert_eq!(script.next(), None);
    }

    #[test]
    fn researches_of_reduced_moves_are_counted() {
        let p = Params::default();
        let mut ordering = OrderingStats::default();
        let unreduced = MoveInfo {
            reduced_depth: MOVE.depth,
            ..MOVE
        };
        let first = MoveInfo { number: 1, ..MOVE };
        let hardly_above = 100 + p.lmr_shallower();
        let (same, far_above) = (hardly_above + 1, 100 + p.lmr_deeper() + 1);
        for script in [
            &[90][..],
            &[same, 90],
            &[far_above, 130],
            &[hardly_above, 90],
        ] {
            search_move::<NonPv>(&mut ordering, &MOVE, script);
        }
        search_move::<NonPv>(&mut ordering, &unreduced, &[120]);
        for script in [&[90][..], &[same, 100], &[same, 120, 150], &[same, 1000]] {
            search_move::<Pv>(&mut ordering, &MOVE, script);
        }
        search_move::<Pv>(&mut ordering, &unreduced, &[120, 130]);
        search_move::<Pv>(&mut ordering, &first, &[120]);
        let [reduced, full_depth] = [4, 3];
        let counted = |full_window| Researches {
            reduced,
            full_depth,
            full_window,
        };
        assert_eq!(ordering.researches(false), counted(0));
        assert_eq!(ordering.researches(true), counted(1));
        // There is no second search if it would be as shallow as the reduced one.
        let little = MoveInfo {
            reduced_depth: 7,
            ..MOVE
        };
        search_move::<Pv>(&mut ordering, &little, &[hardly_above, 120]);
        assert_eq!(ordering.researches(true).full_depth, 3);
        assert_eq!(ordering.researches(true).full_window, 2);
        let once = ordering.clone();
        ordering.add(&once);
        assert_eq!(ordering.researches(true).full_window, 4);
    }
}
