//! What is done with the engine beside playing: measuring it, matches, and data for training.

pub mod bench;
pub mod book;
pub mod data;
pub mod datagen;
pub mod elo;
pub mod filter;
pub mod genfens;
pub mod kernels;
pub mod manifest;
pub mod matches;
pub mod openings;
pub mod perft;
pub mod progress;
pub mod run;
pub mod scale;
pub mod selfplay;
pub mod shard;
pub mod tally;
pub mod train;
pub mod viri;

#[cfg(test)]
mod scratch;
