//! Collections of games: what they are in a line each ([`Summary`]), and their mistakes as exercises
//! ([`Exercise`]) that come back at growing intervals ([`Memory`]). The page has the same code, compiled
//! for the browser.

mod deck;
mod exercise;
mod memory;
#[cfg(not(target_family = "wasm"))]
mod reviewed;
mod summary;

pub use deck::{Answers, Card, Deck};
pub use exercise::{Exercise, exercises};
pub use memory::{Grade, Memory};
#[cfg(not(target_family = "wasm"))]
pub(crate) use reviewed::{Found, Games, files_of, reviews_of};
pub use summary::Summary;
