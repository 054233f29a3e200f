//! The hook for experiments with move ordering: the only place where code from outside the engine
//! can change the order of moves.
//!
//! The experiments belong to the package `rejoinder-lab`, which builds the engine with the cargo
//! feature `hook`. Without that feature only [`NoHook`] exists and every call is compiled away;
//! `make lab-cost` checks that the program contains no function of this module.

use std::fmt::Debug;

use super::{Context, Histories, NodeOutcome};
use crate::params::Params;
use crate::types::{Move, Piece, Played};

/// An experiment that changes the default order of moves. Each default method leaves its part of
/// the order unchanged.
///
/// Each worker has a hook of its own. [`Self::learn`] and [`Self::first_move`] are called in the main
/// search only, the other methods also in quiescence search: [`Self::capture_points`] at every node,
/// the others where the side to move is in check. Points have the unit of the scores to which they
/// are added.
pub trait OrderingHook: Debug {
    /// Prepares for the next search of the same game, `plies_played` plies after the last one. If it
    /// is `usize::MAX`, the last search was in another game, and everything is to be forgotten.
    fn new_search(&mut self, _plies_played: usize) {}

    /// Called after the last move of a node was searched.
    fn learn(&mut self, _ctx: &Context, _outcome: &NodeOutcome) {}

    /// Returns the move to try before any is generated, in place of the TT move. It need not be
    /// legal.
    fn first_move(
        &self,
        _p: &Params,
        _histories: &Histories,
        _ctx: &Context,
        tt_move: Move,
    ) -> Move {
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
