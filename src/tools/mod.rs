//! What the engine does beside playing.

pub mod perft;
