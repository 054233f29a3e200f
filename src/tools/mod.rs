//! What is done with the engine beside playing: measuring it, matches, and data for training.

pub mod bench;
pub mod book;
pub mod data;
pub mod datagen;
pub mod elo;
pub mod epd;
pub mod genfens;
pub mod kernels;
pub mod matches;
pub mod openings;
mod ordering;
pub mod params;
pub mod perft;
pub mod plot;
pub mod progress;
pub mod scale;
pub mod scaling;
pub mod selfplay;
pub mod spsa;
pub mod thinker;
pub mod train;

#[cfg(test)]
mod scratch;
