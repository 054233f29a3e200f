//! Positions and games studied with the chess engine Rejoinder, for people: [`analyze`] shows the
//! best lines of a position as they develop, and [`annotate`] writes scores, better lines and marks
//! into games. `play` is a game against the engine. The program `rejoinder-study` is their command line.

pub mod analyze;
pub mod annotate;
mod careless;
pub mod cli;
mod countdown;
pub mod json;
pub mod pgn;
mod play;
mod scale;
#[cfg(not(target_family = "wasm"))]
pub mod serve;
pub mod terminal;
#[cfg(test)]
mod testing;
