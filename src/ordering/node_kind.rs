//! PV nodes, cut nodes and all nodes.

/// The expected type of a node.
///
/// Source: <https://www.chessprogramming.org/Node_Types>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A node on a principal variation, which is searched with the full window.
    Pv,
    /// A node that is expected to fail high.
    Cut,
    /// A node that is expected to fail low after all its moves have been searched.
    All,
}

impl NodeKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Pv, Self::Cut, Self::All];

    /// Returns the kind of a node. `cut_node` says whether a non-PV node is expected to fail high.
    #[inline(always)]
    pub const fn of(pv: bool, cut_node: bool) -> Self {
        match (pv, cut_node) {
            (true, _) => Self::Pv,
            (false, true) => Self::Cut,
            (false, false) => Self::All,
        }
    }
}
