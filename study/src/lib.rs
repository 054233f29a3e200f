//! Positions and games studied with the chess engine Rejoinder, for people: [`analyze`] shows the
//! best lines of a position as they develop, and [`annotate`] writes scores, better lines and marks
//! into games. [`library`] makes lists and exercises of annotated games, and `learn` asks them. `play` is
//! a game against the engine. [`epd`] runs suites of test
//! positions. The program `rejoinder-study` is their command line.

pub mod analyze;
pub mod annotate;
mod careless;
pub mod cli;
mod countdown;
pub mod epd;
pub mod json;
#[cfg(not(target_family = "wasm"))]
mod learn;
pub mod library;
pub mod parallel;
pub mod pgn;
pub mod pgn_writer;
mod play;
pub mod report;
pub mod runner;
mod scale;
#[cfg(not(target_family = "wasm"))]
pub mod serve;
pub mod terminal;
#[cfg(test)]
mod testing;
mod typed;
