//! The functions that cargo-fuzz feeds (`make fuzz`). The tests feed them with a small corpus.

mod engine;
mod games;
mod pgn;
mod request;
mod suites;

pub use engine::{fen, network, uci};
pub use games::games;
pub use pgn::pgn;
pub use request::request;
pub use suites::epd;
