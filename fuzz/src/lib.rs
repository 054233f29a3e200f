//! The functions that cargo-fuzz feeds (`make fuzz`). The tests feed them with a small corpus.

mod engine;
mod games;
mod suites;

pub use engine::{fen, network, uci};
pub use games::games;
pub use suites::epd;
