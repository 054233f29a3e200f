//! The tools around the engine: self-play games, training, matches and tuning. The program
//! `rejoinder-tools` is their command line.

pub mod data;
pub mod datagen;
mod differences;
mod elo;
pub mod files;
pub mod grow;
pub mod matches;
mod opener;
mod opening_args;
mod player;
pub mod plot;
pub mod policy;
pub mod print;
pub mod progress;
pub mod scale;
pub mod scaling;
mod score_text;
mod selfplay;
pub mod spsa;
#[cfg(test)]
mod testing;
pub mod time_control;
pub mod train;
mod values;
