//! The socket for experiments in move ordering: the only place where code from outside the engine can change the order of moves.
//!
//! The experiments live in the package `rejoinder-lab`, which builds the engine with the cargo feature `hook`. Without that feature
//! only [`NoHook`] exists, every call below is compiled away, and `make lab-cost` shows that nothing is left in the program.

use std::fmt::Debug;

use super::root::{self, RootMove};
use super::{Context, Histories, NodeKind};
use crate::params::Params;
use crate::types::{Move, Piece, Played, Score};

/// A node whose moves are about to be searched.
#[derive(Clone, Copy, Debug)]
pub struct NodeInfo {
    /// What it is expected to be.
    pub kind: NodeKind,
    /// Remaining depth, plies.
    pub depth: i32,
    /// Alpha and beta, centipawns.
    pub window: (Score, Score),
}

/// A move that was searched.
#[derive(Clone, Copy, Debug)]
pub struct SearchedMove {
    /// The move.
    pub mv: Move,
    /// Its unreduced depth, plies; 0 is quiescence.
    pub depth: i32,
    /// Its score, exact or a bound, centipawns.
    pub score: Score,
    /// Whether the score is the best of its node so far.
    pub best: bool,
    /// Size of its subtree, nodes.
    pub nodes: u64,
}

/// The result of a node.
#[derive(Clone, Copy, Debug)]
pub struct NodeOutcome<'a> {
    /// The move that raised alpha or failed high; [`Move::NULL`] if none did.
    pub best: Move,
    /// The score, centipawns.
    pub score: Score,
    /// Whether the score reached beta.
    pub fails_high: bool,
    /// Depth of the node, plies.
    pub depth: i32,
    /// Quiet moves searched; the best may be among them.
    pub quiets: &'a [Move],
}

/// An experiment that deviates from the default order. What it does not override stays as it is.
///
/// Each worker has a hook of its own, and asks it in its main search, not in quiescence unless a method says so. Points are in the
/// unit of the scores they are added to.
pub trait OrderingHook: Debug {
    /// Forgets everything, for a new game.
    fn clear(&mut self) {}

    /// Prepares for the next search of the same game, `plies_played` plies after the last one.
    fn new_search(&mut self, _plies_played: usize) {}

    /// Called before the moves of a node are searched.
    fn enter(&mut self, _ctx: &Context, _node: NodeInfo) {}

    /// Called after each move of a node.
    fn searched(&mut self, _ctx: &Context, _searched: SearchedMove) {}

    /// Called after the last move of a node.
    fn learn(&mut self, _ctx: &Context, _outcome: NodeOutcome) {}

    /// The move to try before any is generated, which need not be legal; `tt_move` is the one of the transposition table.
    fn first_move(&self, _ctx: &Context, tt_move: Move) -> Move {
        tt_move
    }

    /// Points added to the score of a capture or promotion; also asked in quiescence.
    fn capture_points(&self, _p: &Params, _ctx: &Context, _capture: Played) -> i32 {
        0
    }

    /// Whether a capture or promotion is tried before the quiet moves; `None` leaves it to SEE.
    fn is_good_capture(&self, _p: &Params, _ctx: &Context, _capture: Move) -> Option<bool> {
        None
    }

    /// Points added to the score of a quiet move.
    fn quiet_points(
        &self,
        _p: &Params,
        _histories: &Histories,
        _ctx: &Context,
        _piece: Piece,
        _mv: Move,
    ) -> i32 {
        0
    }

    /// Sorts the root moves behind the best lines after an iteration.
    fn order_root(&mut self, _best: &[RootMove], rest: &mut [RootMove]) {
        root::by_subtree(rest);
    }
}

/// The default order.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHook;

impl OrderingHook for NoHook {}

/// The hook of a worker.
#[cfg(feature = "hook")]
pub type Hook = Box<dyn OrderingHook + Send>;
/// The hook of a worker: none, in this build.
#[cfg(not(feature = "hook"))]
pub type Hook = NoHook;

/// The hook that changes nothing.
#[cfg_attr(not(feature = "hook"), allow(clippy::unnecessary_box_returns))]
pub fn no_hook() -> Hook {
    #[cfg(feature = "hook")]
    return Box::new(NoHook);
    #[cfg(not(feature = "hook"))]
    NoHook
}
