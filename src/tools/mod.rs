//! What the engine does beside playing.

pub mod bench;
pub mod perft;
