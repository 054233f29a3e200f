//! What the search expects of a node.

/// What a node is expected to be.
///
/// Source: <https://www.chessprogramming.org/Node_Types>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// On a principal variation: it is searched with a full window.
    Pv,
    /// Expected to fail high: one good move is enough.
    Cut,
    /// Expected to fail low: all moves will be searched, whatever their order.
    All,
}

impl NodeKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Pv, Self::Cut, Self::All];

    /// The kind of a node, given whether it is a PV node, and if not, whether it is expected to fail high.
    #[inline(always)]
    pub const fn of(pv: bool, cut_node: bool) -> Self {
        match (pv, cut_node) {
            (true, _) => Self::Pv,
            (false, true) => Self::Cut,
            (false, false) => Self::All,
        }
    }
}
