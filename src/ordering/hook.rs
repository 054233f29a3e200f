//! The hook for experiments with move ordering: the only place where code from outside the engine
//! can change the order of moves.
//!
//! The experiments belong to the package `rejoinder-lab`, which builds the engine with the cargo
//! feature `hook`. Without that feature only [`NoHook`] exists and every call is compiled away;
//! `make lab-cost` checks that the program contains no function of this module.

use std::fmt::Debug;

use super::root_move::{self, RootMove};
use super::{Context, Histories, NodeKind};
use crate::params::Params;
use crate::types::{Move, Piece, Played, Score};

/// The result of searching one move.
#[derive(Clone, Copy, Debug)]
pub struct SearchedMove {
    /// The move.
    pub mv: Move,
    /// Depth without a reduction, in plies; 0 is quiescence search.
    pub depth: i32,
    /// The score in centipawns, which is exact or a bound.
    pub score: Score,
    /// True if the score is the best one of the node so far.
    pub best: bool,
    /// Size of the subtree, in nodes.
    pub nodes: u64,
}

/// The result of a node.
#[derive(Clone, Copy, Debug)]
pub struct NodeOutcome<'a> {
    /// The last move that raised alpha or failed high; [`Move::NULL`] if the node failed low.
    pub best: Move,
    /// The score, in centipawns.
    pub score: Score,
    /// True if the node failed high.
    pub fails_high: bool,
    /// Depth of the node, in plies.
    pub depth: i32,
    /// The quiet moves that were searched; the best move may be among them.
    pub quiets: &'a [Move],
}

/// An experiment that changes the default order of moves. Each default method leaves its part of
/// the order unchanged.
///
/// Each worker has a hook of its own. [`Self::enter`], [`Self::searched`] and [`Self::learn`] are
/// called in its main search only, the methods that choose or score moves also in quiescence search:
/// [`Self::capture_points`] at every node, the others where the side to move is in check. What
/// [`Self::enter`] has noted there is that of an earlier node. Points have the unit of the scores to
/// which they are added.
pub trait OrderingHook: Debug {
    /// Forgets everything, for a new game.
    fn clear(&mut self) {}

    /// Prepares for the next search of the same game, `plies_played` plies after the last one, or
    /// `usize::MAX` where the game has not had the last position searched.
    fn new_search(&mut self, _plies_played: usize) {}

    /// Called at a node of this expected type before its moves are searched.
    fn enter(&mut self, _ctx: &Context, _kind: NodeKind) {}

    /// Called after each move of a node was searched.
    fn searched(&mut self, _ctx: &Context, _searched: SearchedMove) {}

    /// Called after the last move of a node was searched.
    fn learn(&mut self, _ctx: &Context, _outcome: NodeOutcome) {}

    /// Returns the move to try before any is generated, in place of the TT move. It need not be
    /// legal.
    fn first_move(&self, _ctx: &Context, tt_move: Move) -> Move {
        tt_move
    }

    /// Returns the points added to the score of a capture or promotion.
    fn capture_points(&self, _p: &Params, _ctx: &Context, _capture: Played) -> i32 {
        0
    }

    /// Returns whether a capture or promotion is tried before the quiet moves; `None` leaves the
    /// decision to SEE.
    fn is_good_capture(&self, _p: &Params, _ctx: &Context, _capture: Move) -> Option<bool> {
        None
    }

    /// Returns the points added to the score of a quiet move.
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

    /// Sorts the root moves behind the best lines (`best`) after an iteration.
    fn order_root(&mut self, _best: &[RootMove], rest: &mut [RootMove]) {
        root_move::by_subtree(rest);
    }
}

/// The hook that leaves the default order unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHook;

impl OrderingHook for NoHook {}

/// The hook of a worker.
#[cfg(feature = "hook")]
pub type Hook = Box<dyn OrderingHook + Send>;
/// The hook of a worker, which does nothing in this build.
#[cfg(not(feature = "hook"))]
pub type Hook = NoHook;

/// Creates a hook that leaves the default order unchanged.
#[cfg_attr(not(feature = "hook"), allow(clippy::unnecessary_box_returns))]
pub fn no_hook() -> Hook {
    #[cfg(feature = "hook")]
    return Box::new(NoHook);
    #[cfg(not(feature = "hook"))]
    NoHook
}
