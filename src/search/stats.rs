//! The counters of a search: a few numbers always, and on request how well its moves were ordered.

use super::ordering_stats::{OrderingStats, PickedMove};
use super::pvs::{ChildSearch, MoveSearch};
use crate::ordering::{Context, Histories, NodeKind};
use crate::params::Params;
use crate::types::Move;

/// The counters of one search.
///
/// The root and singular searches are left out, except in the nodes.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Number of nodes.
    pub nodes: u64,
    /// Number of nodes of the main search that failed high in their move loop.
    pub cuts: u64,
    /// Number of nodes of the main search whose first move failed high.
    pub first_move_cuts: u64,
    /// Number of nodes of each finished iteration, from depth 1 on.
    pub iterations: Vec<u64>,
    /// The quality of the move ordering in all searches since [`Worker::count_ordering`] was
    /// called; `None` if it was not.
    ///
    /// [`Worker::count_ordering`]: super::Worker::count_ordering
    pub ordering: Option<Box<OrderingStats>>,
}

impl Stats {
    /// Resets the counters for the next search, except those of the move ordering.
    pub(super) fn start_search(&mut self) {
        *self = Self {
            ordering: self.ordering.take(),
            ..Self::default()
        };
    }

    /// Counts a node whose moves are about to be searched.
    #[inline(always)]
    pub(super) fn count_node(
        &mut self,
        p: &Params,
        ctx: &Context,
        histories: &Histories,
        kind: NodeKind,
        tt_move: Move,
    ) {
        if let Some(ordering) = &mut self.ordering {
            ordering.count_lbr_matches(p, ctx, histories);
            ordering.count_node(kind, !tt_move.is_null());
        }
    }

    /// Counts one search of a move, at a PV node or another.
    #[inline(always)]
    pub(super) fn count_child_search(&mut self, pv: bool, plan: &MoveSearch, search: ChildSearch) {
        if let Some(ordering) = &mut self.ordering {
            ordering.count_child_search(pv, plan, search);
        }
    }

    /// Counts a move that is about to be searched.
    #[inline(always)]
    pub(super) fn count_searched(&mut self, picked: &PickedMove) {
        if let Some(ordering) = &mut self.ordering {
            ordering.count_searched(picked);
        }
    }

    /// Counts a searched move that failed high.
    #[inline(always)]
    pub(super) fn count_cutoff(&mut self, picked: &PickedMove) {
        self.cuts += 1;
        self.first_move_cuts += u64::from(picked.number == 1);
        if let Some(ordering) = &mut self.ordering {
            ordering.count_cutoff(picked);
        }
    }
}
