//! What is done with the engine beside playing: measuring it, matches, and data for training.

pub mod bench;
pub mod book;
pub mod genfens;
pub mod kernels;
pub mod openings;
pub mod ordering;
pub mod params;
pub mod perft;
pub mod scale;
pub mod selfplay;
pub mod settings;

// What a light build, `--no-default-features`, goes without.
#[cfg(feature = "lab")]
pub mod chessmaps;
#[cfg(feature = "tools")]
pub mod data;
#[cfg(feature = "tools")]
pub mod datagen;
#[cfg(feature = "tools")]
pub mod elo;
#[cfg(feature = "tools")]
pub mod epd;
#[cfg(feature = "tools")]
pub mod grow;
#[cfg(feature = "tools")]
pub mod matches;
#[cfg(feature = "tools")]
pub mod opener;
#[cfg(feature = "tools")]
pub mod plot;
#[cfg(feature = "tools")]
pub mod policy;
#[cfg(feature = "tools")]
pub mod progress;
#[cfg(feature = "tools")]
pub mod scaling;
#[cfg(feature = "tools")]
pub mod spsa;
#[cfg(feature = "tools")]
pub mod thinker;
#[cfg(feature = "tools")]
pub mod train;

#[cfg(test)]
mod scratch;
