//! The functions that cargo-fuzz feeds (`make fuzz`). The tests feed them with a small corpus.

mod engine;
mod games;

pub use engine::{epd, fen, network, uci};
pub use games::games;
