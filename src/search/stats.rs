//! The counters of a search.

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
}

impl Stats {
    /// Counts a move that failed high; `number` is that among the moves of its node, from 1.
    #[inline(always)]
    pub(super) fn count_cutoff(&mut self, number: i32) {
        self.cuts += 1;
        self.first_move_cuts += u64::from(number == 1);
    }
}
