//! The counters of a search: a few numbers always, and on request how well its moves were ordered.

use super::move_info::MoveInfo;
use super::node::{Node, NodeState};
use super::ordering_stats::OrderingStats;
use crate::ordering::{Context, Histories, NodeKind};
use crate::params::Params;

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
    pub(super) fn count_node<N: Node>(
        &mut self,
        p: &Params,
        ctx: &Context,
        histories: &Histories,
        node: &NodeState,
    ) {
        if let Some(ordering) = &mut self.ordering
            && node.is_counted()
        {
            ordering.count_node(p, ctx, histories, node, node.kind::<N>());
        }
    }

    /// Counts one search of a move: that of a child of this kind to this depth, in plies.
    #[inline(always)]
    pub(super) fn count_child_search<N: Node>(
        &mut self,
        node: &NodeState,
        info: &MoveInfo,
        child: NodeKind,
        depth: i32,
    ) {
        if let Some(ordering) = &mut self.ordering
            && node.is_counted()
        {
            ordering.count_child_search(node.kind::<N>(), info, child, depth);
        }
    }

    /// Counts a move that is about to be searched.
    #[inline(always)]
    pub(super) fn count_searched<N: Node>(&mut self, node: &NodeState, info: &MoveInfo) {
        if let Some(ordering) = &mut self.ordering
            && node.is_counted()
        {
            ordering.count_searched(node.kind::<N>(), info);
        }
    }

    /// Counts a searched move that failed high.
    #[inline(always)]
    pub(super) fn count_cutoff<N: Node>(&mut self, node: &NodeState, info: &MoveInfo) {
        if !node.is_counted() {
            return;
        }
        self.cuts += 1;
        self.first_move_cuts += u64::from(info.number == 1);
        if let Some(ordering) = &mut self.ordering {
            ordering.count_cutoff(node.kind::<N>(), info);
        }
    }
}
