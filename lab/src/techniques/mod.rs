//! The ordering laboratory: techniques that did not earn a place in the default order, one file for each, behind the
//! interface [`OrderingHook`](rejoinder::ordering::OrderingHook). Only built with the cargo feature `lab`; `rejoinder ordering` measures them.

mod butterfly_boards;
mod cheapest_refutation;
pub mod chessmaps;
mod clear_wins;
mod equal_captures;
mod guard;
mod mate_killers;
#[cfg(test)]
mod mirrored;
mod near_root;
mod old_killers;
mod piece_square;
mod quiet_see;
mod recapture;
mod reductions;
mod refutation_table;
mod relative_history;
mod root_order;
mod without;

use rejoinder::ordering::hook::{Hook, no_hook};
use rejoinder::ordering::{Context, Histories, history};
use rejoinder::params::Params;
use rejoinder::types::Move;

/// A technique as a reader meets it.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
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
    /// The hook it plugs into the engine.
    pub hook: fn() -> Hook,
}

impl Variant {
    /// A form that needs a technique of the laboratory, but no other numbers.
    const fn new(name: &'static str, hook: fn() -> Hook) -> Self {
        Self {
            name,
            params: &[],
            hook,
        }
    }

    /// A form that differs from the default by its numbers alone.
    const fn of_params(name: &'static str, params: &'static [(&'static str, i32)]) -> Self {
        Self {
            name,
            params,
            hook: no_hook,
        }
    }
}

/// Those of the root and of the search, then those that the default does without, in the order in which the table shows them.
const OTHERS: [Experiment; 16] = [
    root_order::ENTRY,
    reductions::SIGNS,
    recapture::ENTRY,
    equal_captures::ENTRY,
    clear_wins::ENTRY,
    mate_killers::ENTRY,
    old_killers::ENTRY,
    relative_history::ENTRY,
    butterfly_boards::ENTRY,
    near_root::ENTRY,
    piece_square::ENTRY,
    guard::ENTRY,
    quiet_see::ENTRY,
    refutation_table::ENTRY,
    cheapest_refutation::ENTRY,
    chessmaps::ENTRY,
];

/// All techniques: those of the default, then the others.
pub fn catalogue() -> impl Iterator<Item = &'static Experiment> {
    without::ENTRIES.iter().chain(&OTHERS)
}

/// What the butterfly history of the default counts in a quiet move's score: for techniques that take its place.
fn butterfly_points(p: &Params, histories: &Histories, ctx: &Context, mv: Move) -> i32 {
    let boards = histories.history.of(ctx.board.side_to_move());
    let value = boards[history::kind(&ctx.threats, mv)][mv.from().index()][mv.to().index()];
    i32::from(value) * p.quiet_butterfly() / 1024
}
