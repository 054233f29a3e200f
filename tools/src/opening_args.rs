//! The options for the openings of games between two settings of the engine.

use std::path::PathBuf;

use crate::values;

/// Where the games of `match` and `spsa` begin.
#[derive(Clone, Debug, clap::Args)]
pub struct OpeningArgs {
    /// Opening book: a file with one EPD or FEN a line. Without a book, the engine makes its own
    /// openings: 8 or 9 random plies that leave neither side much better, chosen by --seed
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Share of the engine's own openings that begin from a Chess960 start, 0 to 1; half of those
    /// are double Chess960
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "book", value_parser = values::share)]
    pub chess960_share: f64,
}
