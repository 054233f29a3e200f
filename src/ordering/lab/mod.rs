//! The ordering laboratory: techniques that did not earn a place in the default order, one file for each, behind the
//! interface [`Technique`]. Only built with the cargo feature `lab`; `rejoinder ordering` measures them.

mod butterfly_boards;
mod cheapest_refutation;
pub mod chessmaps;
mod clear_wins;
mod equal_captures;
mod generate_all;
mod guard;
mod internal_deepening;
mod losing_captures;
mod mate_killers;
#[cfg(test)]
mod mirrored;
mod more_replies;
mod near_root;
mod old_killers;
mod partial_sort;
mod piece_square;
mod quiet_see;
mod recapture;
mod reductions;
mod refutation_table;
mod relative_history;
mod root_noise;
mod root_order;
mod threat_move;
mod transposition_cutoff;
mod without;

use std::ops::{Deref, DerefMut};

use super::technique::{Plain, Technique};
use super::{Context, Stores, history};
use crate::params::Params;
use crate::types::Move;

/// What of the laboratory a worker plays with.
#[derive(Debug)]
pub struct Lab(Box<dyn Technique + Send>);

impl Lab {
    /// With this technique.
    pub fn new(technique: impl Technique + Send + 'static) -> Self {
        Self(Box::new(technique))
    }
}

impl Default for Lab {
    fn default() -> Self {
        Self::new(Plain)
    }
}

impl Deref for Lab {
    type Target = dyn Technique + Send;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for Lab {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

/// A technique as a reader meets it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, in words joined by hyphens.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub what: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Whether the default has it: each variant then does without, or otherwise.
    pub in_default: bool,
    /// The forms that are measured against the default.
    pub variants: &'static [Variant],
}

/// One form of a technique.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its name among the others; empty if there is no other.
    pub name: &'static str,
    /// Numbers of `params.rs` that are not the default.
    pub params: &'static [(&'static str, i32)],
    /// What of the laboratory it needs.
    pub lab: fn() -> Lab,
}

impl Variant {
    /// A form that needs a technique of the laboratory, but no other numbers.
    const fn new(name: &'static str, lab: fn() -> Lab) -> Self {
        Self {
            name,
            params: &[],
            lab,
        }
    }

    /// A form that differs from the default by its numbers alone.
    const fn of_params(name: &'static str, params: &'static [(&'static str, i32)]) -> Self {
        Self {
            name,
            params,
            lab: Lab::default,
        }
    }
}

/// Those of the root and of the search, then those that the default does without, in the order in which the table shows them.
const OTHERS: [Entry; 25] = [
    root_order::ENTRY,
    internal_deepening::ENTRY,
    reductions::SCHEMES,
    reductions::SIGNS,
    recapture::ENTRY,
    equal_captures::ENTRY,
    clear_wins::ENTRY,
    losing_captures::ENTRY,
    mate_killers::ENTRY,
    old_killers::ENTRY,
    relative_history::ENTRY,
    butterfly_boards::ENTRY,
    near_root::ENTRY,
    piece_square::ENTRY,
    guard::ENTRY,
    quiet_see::ENTRY,
    threat_move::ENTRY,
    more_replies::ENTRY,
    transposition_cutoff::ENTRY,
    refutation_table::ENTRY,
    generate_all::ENTRY,
    cheapest_refutation::ENTRY,
    partial_sort::ENTRY,
    chessmaps::ENTRY,
    root_noise::ENTRY,
];

/// All techniques: those of the default, then the others.
pub fn catalogue() -> impl Iterator<Item = &'static Entry> {
    without::ENTRIES.iter().chain(&OTHERS)
}

/// What the butterfly history of the default counts in a quiet move's score: for techniques that take its place.
fn butterfly_points(p: &Params, stores: &Stores, ctx: &Context, mv: Move) -> i32 {
    let boards = stores.history.of(ctx.board.side_to_move());
    let value = boards[history::kind(&ctx.threats, mv)][mv.from().index()][mv.to().index()];
    i32::from(value) * p.quiet_butterfly() / 1024
}
