//! The quality of the move ordering: how early the moves came that failed high, and how often the
//! TT move, the last best reply and re-searches came into play.

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

    fn add(&mut self, other: Self) {
        self.tried += other.tried;
        self.cuts += other.cuts;
        self.first += other.first;
        self.index_sum += other.index_sum;
    }
}

/// The counters of the nodes of one kind, or of all kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindStats {
    /// Number of nodes that searched their moves.
    pub nodes: u64,
    /// Number of nodes with a TT move.
    pub tt_moves: u64,
    /// The results of the moves, by stage as in [`Stage::ALL`].
    pub stages: [Tally; Stage::ALL.len()],
    /// The results of the last best replies that were not the TT move.
    pub lbr_replies: Tally,
    /// Number of moves searched to a reduced depth.
    pub reduced: u64,
    /// Number of reduced moves searched again to full depth with the zero window. It is left out
    /// where it would be as shallow as the reduced search.
    pub full_depth: u64,
    /// Number of reduced moves searched with the full window, which happens only at PV nodes.
    pub full_window: u64,
}

impl KindStats {
    /// Returns the results of all moves.
    pub fn moves(&self) -> Tally {
        let mut sum = Tally::default();
        for stage in self.stages {
            sum.add(stage);
        }
        sum
    }

    /// Returns the share of the nodes with a TT move, 0 to 1.
    pub fn tt_move_rate(&self) -> f64 {
        share(self.tt_moves, self.nodes)
    }

    /// Returns the share of the reduced moves that were searched again to full depth, 0 to 1.
    pub fn full_depth_rate(&self) -> f64 {
        share(self.full_depth, self.reduced)
    }

    /// Returns the share of the reduced moves that were searched with the full window, 0 to 1.
    pub fn full_window_rate(&self) -> f64 {
        share(self.full_window, self.reduced)
    }

    fn add(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.tt_moves += other.tt_moves;
        for (stage, &other) in self.stages.iter_mut().zip(&other.stages) {
            stage.add(other);
        }
        self.lbr_replies.add(other.lbr_replies);
        self.reduced += other.reduced;
        self.full_depth += other.full_depth;
        self.full_window += other.full_window;
    }
}

/// Returns the share of a part in a total, or 0 if the total is 0.
fn share(part: u64, total: u64) -> f64 {
    part as f64 / total.max(1) as f64
}

/// The quality of the move ordering.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderingStats {
    /// The counters of the nodes by kind, as in [`NodeKind::ALL`].
    kinds: [KindStats; NodeKind::ALL.len()],
    /// Number of nodes with the prior moves that the last best reply uses.
    pub asked: u64,
    /// Number of first matches: a reply was stored.
    pub first_matches: u64,
    /// Number of second matches: the stored reply was legal.
    pub second_matches: u64,
}

impl OrderingStats {
    /// Returns the counters of the nodes of these kinds together.
    pub fn of(&self, kinds: &[NodeKind]) -> KindStats {
        let mut sum = KindStats::default();
        for &kind in kinds {
            sum.add(&self.kinds[kind as usize]);
        }
        sum
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
        for (kind, other) in self.kinds.iter_mut().zip(&other.kinds) {
            kind.add(other);
        }
        self.asked += other.asked;
        self.first_matches += other.first_matches;
        self.second_matches += other.second_matches;
    }

    #[cold]
    pub(super) fn count_node(
        &mut self,
        p: &Params,
        ctx: &Context,
        histories: &Histories,
        node: &NodeState,
        kind: NodeKind,
    ) {
        let stats = &mut self.kinds[kind as usize];
        stats.nodes += 1;
        stats.tt_moves += u64::from(!node.tt_move.is_null());
        let variant = LbrVariant::of(p);
        self.asked += u64::from(Lbr::has_key(variant, ctx));
        let reply = histories.lbr.reply(variant, ctx);
        if !reply.is_null() {
            self.first_matches += 1;
            self.second_matches += u64::from(ctx.board.is_legal(reply));
        }
    }

    #[cold]
    pub(super) fn count_searched(&mut self, kind: NodeKind, info: &MoveInfo) {
        self.update(kind, info, |tally| tally.tried += 1);
    }

    #[cold]
    pub(super) fn count_cutoff(&mut self, kind: NodeKind, info: &MoveInfo) {
        self.update(kind, info, |tally| tally.count_cutoff(info.number));
    }

    /// Changes the groups to which a move belongs.
    fn update(&mut self, kind: NodeKind, info: &MoveInfo, change: impl Fn(&mut Tally)) {
        let stats = &mut self.kinds[kind as usize];
        change(&mut stats.stages[info.stage as usize]);
        if info.lbr_reply && info.stage != Stage::TtMove {
            change(&mut stats.lbr_replies);
        }
    }

    /// Counts one search of a move: that of a child of this kind to this depth, in plies.
    #[cold]
    pub(super) fn count_child_search(
        &mut self,
        kind: NodeKind,
        info: &MoveInfo,
        child: NodeKind,
        depth: i32,
    ) {
        // The first move of a PV node is searched with the full window at once, whatever its plan
        // says.
        if info.reduced_depth >= info.depth || (kind == NodeKind::Pv && info.number == 1) {
            return;
        }
        let stats = &mut self.kinds[kind as usize];
        *match child {
            NodeKind::Pv => &mut stats.full_window,
            _ if depth == info.reduced_depth => &mut stats.reduced,
            _ => &mut stats.full_depth,
        } += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::board::coordinates::parse_move;
    use crate::ordering::{PRIOR, hook};
    use crate::search::node::{Node, NonPv, Pv};
    use crate::search::pvs;
    use crate::search::window::Window;
    use crate::types::{Move, Played};

    const MOVE: MoveInfo = MoveInfo {
        reduced_depth: 5,
        ..MoveInfo::PLAIN
    };

    #[test]
    fn moves_are_counted_in_their_groups() {
        let mut ordering = OrderingStats::default();
        let killer = MoveInfo {
            stage: Stage::Killer,
            number: 3,
            lbr_reply: true,
            ..MOVE
        };
        let tt_move = MoveInfo {
            stage: Stage::TtMove,
            number: 1,
            lbr_reply: true,
            ..MOVE
        };
        for (kind, info) in [
            (NodeKind::Cut, &killer),
            (NodeKind::Pv, &tt_move),
            (NodeKind::Cut, &killer),
        ] {
            ordering.count_searched(kind, info);
        }
        ordering.count_cutoff(NodeKind::Cut, &killer);
        ordering.count_cutoff(NodeKind::Pv, &tt_move);
        let all = ordering.of(&NodeKind::ALL);
        let moves = all.moves();
        assert_eq!(
            (moves.tried, moves.cuts, moves.first, moves.index_sum),
            (3, 2, 1, 4)
        );
        assert_eq!(all.stages[Stage::Killer as usize].index_sum, 3);
        assert_eq!(all.stages[Stage::TtMove as usize].first, 1);
        assert_eq!((all.lbr_replies.tried, all.lbr_replies.cuts), (2, 1));
        let by_kind = NodeKind::ALL.map(|kind| ordering.of(&[kind]).moves());
        assert_eq!(by_kind.map(|moves| moves.tried), [1, 2, 0]);
        assert_eq!(by_kind.map(|moves| moves.index_sum), [1, 3, 0]);
    }

    #[test]
    fn nodes_and_their_tt_moves_are_counted_by_kind() {
        let mut ordering = OrderingStats::default();
        let board = Board::startpos();
        let ctx = Context::new(&board, 0, [Played::NONE; PRIOR]);
        let histories = Histories::new(hook::no_hook());
        for (kind, tt_move) in [
            (NodeKind::Pv, "e2e4"),
            (NodeKind::All, "d2d4"),
            (NodeKind::All, ""),
        ] {
            let mut node = NodeState::new(Window::zero_below(1), 6, 3, false);
            node.tt_move = parse_move(&board, tt_move).unwrap_or(Move::NULL);
            ordering.count_node(&Params::default(), &ctx, &histories, &node, kind);
        }
        let counts = NodeKind::ALL.map(|kind| {
            let counted = ordering.of(&[kind]);
            (counted.nodes, counted.tt_moves)
        });
        assert_eq!(counts, [(1, 1), (0, 0), (2, 1)]);
        assert!((ordering.of(&NodeKind::ALL).tt_move_rate() - 2.0 / 3.0).abs() < 1e-9);
    }

    /// Searches a move with alpha 100 and a child whose scores come from a script.
    fn search_move<N: Node>(ordering: &mut OrderingStats, info: &MoveInfo, script: &[i32]) {
        let beta = if N::PV { 1000 } else { 101 };
        let mut node = NodeState::new(Window { alpha: 100, beta }, 9, 3, !N::PV);
        node.best_score = 100;
        let mut script = script.iter();
        pvs::search_move::<N>(&Params::default(), &node, info, |kind, depth| {
            ordering.count_child_search(node.kind::<N>(), info, kind, depth);
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
        let counted = |ordering: &OrderingStats| {
            [NodeKind::Cut, NodeKind::Pv].map(|kind| {
                let stats = ordering.of(&[kind]);
                (stats.reduced, stats.full_depth, stats.full_window)
            })
        };
        assert_eq!(counted(&ordering), [(4, 3, 0), (4, 3, 1)]);
        // There is no second search if it would be as shallow as the reduced one.
        let little = MoveInfo {
            reduced_depth: 7,
            ..MOVE
        };
        search_move::<Pv>(&mut ordering, &little, &[hardly_above, 120]);
        assert_eq!(counted(&ordering)[1], (5, 3, 2));
        let once = ordering.clone();
        ordering.add(&once);
        assert_eq!(counted(&ordering)[1], (10, 6, 4));
    }
}
