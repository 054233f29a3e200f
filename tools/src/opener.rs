//! The engine's own openings for matches and tuning. Each depends on a seed and a number alone, and
//! neither side is much better in it.

use rejoinder::board::Board;
use rejoinder::board::openings::{self, BALANCED};
use rejoinder::clock::Limits;
use rejoinder::memory::MemoryError;
use rejoinder::search::Setup;
use rejoinder::types::{Rng, Score};

use crate::player::Player;

/// Nodes of the search that judges an opening.
const NODES: u64 = 2000;
/// Hash of the judging player in MB.
const HASH: usize = 1;

/// A generator of numbered openings. The engine always judges them with its embedded network and
/// default parameters, so that a seed gives the same openings to every match, whatever its
/// networks, parameters and nodes.
#[derive(Debug)]
pub struct Opener {
    seed: u64,
    chess960_share: f64,
    judge: Player,
}

impl Opener {
    /// Creates the openings of this seed. The share `chess960_share` of them (0 to 1) begins from a
    /// Chess960 start; half of those are double Chess960.
    ///
    /// # Errors
    /// If the hash of the judging player does not fit into memory.
    pub fn new(seed: u64, chess960_share: f64) -> Result<Self, MemoryError> {
        Ok(Self {
            seed,
            chess960_share,
            judge: Player::new(Setup::default(), HASH, Limits::default())?,
        })
    }

    /// Returns the opening with this number. Two numbers may have the same opening by chance.
    pub fn opening(&mut self, number: u64) -> Board {
        let mut rng = Rng::stream(self.seed, number);
        first_fair(
            self.chess960_share,
            &mut rng,
            &mut self.judge,
            NODES,
            BALANCED,
        )
    }
}

/// Returns the first random opening of this sequence in which neither side is better by more than
/// `limit` internal centipawns, as a search of `nodes` nodes judges it. Most of the others are
/// refused after an eighth of the nodes. The judge first forgets everything before.
pub fn first_fair(
    chess960_share: f64,
    rng: &mut Rng,
    judge: &mut Player,
    nodes: u64,
    limit: Score,
) -> Board {
    judge.forget();
    loop {
        if let Some(board) = openings::random(chess960_share, rng)
            && judge.finds_fair(board, nodes / 8, 2 * limit)
            && judge.finds_fair(board, nodes, limit)
        {
            return board;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_depends_on_its_seed_and_number_alone() {
        let mut opener = Opener::new(7, 0.5).expect("memory");
        let forward: Vec<Board> = (0..12).map(|number| opener.opening(number)).collect();
        let mut backward: Vec<Board> = (0..12).rev().map(|n| opener.opening(n)).collect();
        backward.reverse();
        assert_eq!(forward, backward);
        let standard = forward.iter().filter(|board| board.has_standard_castling());
        assert!((1..12).contains(&standard.count()));
        let mut other = Opener::new(8, 0.5).expect("memory");
        assert!((0..12).all(|number| !forward.contains(&other.opening(number))));
    }

    #[test]
    fn openings_are_fair() {
        let mut opener = Opener::new(2, 0.0).expect("memory");
        let unfair = |number: u64| {
            // If the first random opening of a number is not the result, it was refused.
            let first = openings::random(0.0, &mut Rng::stream(2, number));
            first.filter(|&board| board != opener.opening(number))
        };
        let refused: Vec<Board> = (0..60).filter_map(unfair).collect();
        assert!((10..30).contains(&refused.len()), "{}", refused.len());
        let mut judge = Player::new(Setup::default(), HASH, Limits::default()).expect("memory");
        for board in refused {
            judge.forget();
            // The long search finds what the short one before it has left in the table.
            judge.finds_fair(board, NODES / 8, 2 * BALANCED);
            assert!(!judge.finds_fair(board, NODES, BALANCED), "{board:?}");
        }
    }
}
