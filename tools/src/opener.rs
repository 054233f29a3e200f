//! Openings of our own for matches and tuning: each depends on a seed and a number alone, and neither side has lost it already.

use rejoinder::board::Board;
use rejoinder::clock::Limits;
use rejoinder::memory::MemoryError;
use rejoinder::search::Setup;
use rejoinder::types::Rng;

use rejoinder::board::openings;
use rejoinder::commands::player::Player;

/// Nodes that judge an opening. One that is lost by ten pawns is seen to be lost at once.
const NODES: u64 = 2000;
/// Hash of the judge, MB.
const HASH: usize = 1;

/// Makes numbered openings. The judge is always the engine as it was built, with its own network, so that all who play from the openings
/// of a seed get the same ones, whatever their networks, numbers and nodes.
#[derive(Debug)]
pub struct Opener {
    seed: u64,
    chess960_share: f64,
    judge: Player,
}

impl Opener {
    /// The openings of this seed, of which this share (0 to 1) begins from a Chess960 start, half of them double Chess960.
    ///
    /// # Errors
    /// If there is no memory for the judge.
    pub fn new(seed: u64, chess960_share: f64) -> Result<Self, MemoryError> {
        Ok(Self {
            seed,
            chess960_share,
            judge: Player::new(Setup::default(), HASH, Limits::default())?,
        })
    }

    /// The opening with this number. Two numbers may by chance have the same one.
    pub fn opening(&mut self, number: u64) -> Board {
        let mut rng = Rng::stream(self.seed, number);
        first_fair(self.chess960_share, &mut rng, &mut self.judge, NODES)
    }
}

/// The first random opening of this sequence that neither side has lost already, by a search of so many nodes.
pub fn first_fair(chess960_share: f64, rng: &mut Rng, judge: &mut Player, nodes: u64) -> Board {
    judge.forget();
    loop {
        if let Some(board) = openings::random(chess960_share, rng)
            && judge.finds_fair(board, nodes)
        {
            return board;
        }
    }
}

/// A share as the user writes it.
///
/// # Errors
/// If it is no number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("must be a number from 0 to 1".to_string()),
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
        let lost = |number: u64| {
            // The first try of a number; what becomes of it shows whether the judge was asked.
            let first = openings::random(0.0, &mut Rng::stream(2, number));
            first.filter(|&board| board != opener.opening(number))
        };
        let refused: Vec<Board> = (0..60).filter_map(lost).collect();
        assert!(
            !refused.is_empty() && refused.len() < 30,
            "{}",
            refused.len()
        );
        let mut judge = Player::new(Setup::default(), HASH, Limits::default()).expect("memory");
        for board in refused {
            judge.forget();
            assert!(!judge.finds_fair(board, NODES), "{board:?}");
        }
    }

    #[test]
    fn shares_are_from_0_to_1() {
        assert_eq!(
            [share("0"), share("0.15"), share("1")],
            [Ok(0.0), Ok(0.15), Ok(1.0)]
        );
        for text in ["", "-0.1", "1.1", "nan", "all"] {
            assert!(share(text).is_err(), "{text}");
        }
    }
}
