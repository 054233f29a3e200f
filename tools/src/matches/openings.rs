//! The positions that a match starts from.

use std::path::Path;

use anyhow::bail;
use rejoinder::board::Board;
use rejoinder::board::book;
use rejoinder::memory::MemoryError;
use rejoinder::types::Rng;

use crate::opener::Opener;

/// The positions that a match starts from; each is played twice with colors reversed.
#[derive(Clone, Debug)]
pub enum Openings {
    /// These different positions, in this order.
    Book(Vec<Board>),
    /// Different random positions in which neither side is much better. A seed and a share give the
    /// same positions in every match.
    Own {
        /// Seed of the random plies.
        seed: u64,
        /// Number of openings.
        count: u64,
        /// Share of the openings that begin from a Chess960 start, 0 to 1; half of those are double
        /// Chess960.
        chess960_share: f64,
    },
}

impl Openings {
    /// Returns the number of openings.
    pub fn count(&self) -> u64 {
        match self {
            Self::Book(openings) => openings.len() as u64,
            Self::Own { count, .. } => *count,
        }
    }

    /// Returns the generator of the engine's own openings, or `None` for a book.
    pub(super) fn opener(&self) -> Result<Option<Opener>, MemoryError> {
        match *self {
            Self::Book(_) => Ok(None),
            Self::Own {
                seed,
                chess960_share,
                ..
            } => Opener::new(seed, chess960_share).map(Some),
        }
    }
}

/// Returns the openings of a book that `games` games need, half as many as games, in an order that
/// depends on the seed.
///
/// # Errors
/// If the book cannot be read or has too few different positions.
pub fn from_book(book: &Path, games: u64, seed: u64) -> anyhow::Result<Vec<Board>> {
    let mut openings = book::read(book)?;
    let needed = games.div_ceil(2);
    if (openings.len() as u64) < needed {
        // Playing an opening a second time would only repeat the same games.
        bail!(
            "the book has only {} different openings, enough for {} games, not for {games}",
            openings.len(),
            2 * openings.len()
        );
    }
    Rng::new(seed).shuffle(&mut openings);
    openings.truncate(needed as usize);
    Ok(openings)
}
