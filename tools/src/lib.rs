//! What surrounds the engine: self-play games, training, matches and tuning. The program `rejoinder-tools` is a command line for it.

pub mod data;
pub mod datagen;
pub mod elo;
pub mod grow;
pub mod matches;
pub mod opener;
pub mod plot;
pub mod policy;
pub mod progress;
pub mod scaling;
pub mod selfplay;
pub mod spsa;
pub mod train;
