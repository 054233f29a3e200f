//! Reads PGN as people and programs write it. What cannot be read stays as a comment, so that nothing
//! of a text is lost.
//!
//! [`Source`] cuts a stream into games, and [`read`] turns the text of each into a [`Record`].

mod cutter;
mod draft;
mod draft_line;
mod encoding;
mod extent;
pub mod games;
mod identity;
mod lexer;
mod numbering;
mod prose;
mod reading;
mod record;
mod source;
mod start;
mod tags;
#[cfg(test)]
mod testing;
mod variation;
mod window;
mod words;

pub use identity::Identity;
pub use reading::{Refused, read};
pub use record::{Item, Line, Ply, Record, number_of, ply_of};
pub use source::{GameText, Source};
pub use tags::Tag;
pub use words::known_result;
