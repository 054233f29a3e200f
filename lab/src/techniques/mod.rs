//! The catalogue of experiments: techniques that are not part of the default order, one file each,
//! and the techniques of the default, which `without` leaves out one by one.

mod butterfly_boards;
mod clear_wins;
mod equal_captures;
mod experiment;
mod guard;
mod mate_killers;
#[cfg(test)]
mod mirrored;
mod old_killers;
mod piece_square;
mod quiet_see;
mod recapture;
mod reductions;
mod relative_history;
mod without;

pub use experiment::{Experiment, Variant};

/// The experiments other than those of [`without`], in the order of the list in
/// docs/ordering-table.md: first those of the search, then the techniques that the
/// default does not have.
const OTHERS: [Experiment; 11] = [
    reductions::SIGNS,
    recapture::ENTRY,
    equal_captures::ENTRY,
    clear_wins::ENTRY,
    mate_killers::ENTRY,
    old_killers::ENTRY,
    relative_history::ENTRY,
    butterfly_boards::ENTRY,
    piece_square::ENTRY,
    guard::ENTRY,
    quiet_see::ENTRY,
];

/// Returns all experiments: first those that leave out a technique of the default, then the others.
pub fn catalogue() -> impl Iterator<Item = &'static Experiment> {
    without::ENTRIES.iter().chain(&OTHERS)
}
