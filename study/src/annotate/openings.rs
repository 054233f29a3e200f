//! The names of openings.
//!
//! A game has the name of its last position that the list knows, so that transpositions find it.
// Source: https://github.com/lichess-org/chess-openings (CC0), which proposes that.

use std::collections::HashMap;
use std::sync::OnceLock;

use rejoinder::board::{Board, san};
use rejoinder::types::Move;

/// The list: ECO code, name and moves, separated by tabs; comments begin with a number sign.
const LIST: &str = include_str!("../../data/openings.tsv");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Code in the Encyclopaedia of Chess Openings, such as `C41`.
    pub eco: &'static str,
    pub name: &'static str,
}

/// Returns the opening of a game; `None` if it starts from another position than usual, or if no
/// position of it is known.
pub(crate) fn find(start: &Board, moves: &[Move]) -> Option<Opening> {
    if start.key() != Board::startpos().key() {
        return None;
    }
    let known = names();
    let mut board = *start;
    let mut last = None;
    for &mv in moves.iter().take(known.longest) {
        board.make(mv);
        last = known.by_key.get(&board.key()).or(last);
    }
    last.copied()
}

struct Names {
    by_key: HashMap<u64, Opening>,
    /// Number of plies of the longest line.
    longest: usize,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = Names {
            by_key: HashMap::new(),
            longest: 0,
        };
        for line in LIST.lines().filter(|line| !line.starts_with('#')) {
            if let Some((opening, board, plies)) = entry(line) {
                names.by_key.insert(board.key(), opening);
                names.longest = names.longest.max(plies);
            }
        }
        names
    })
}

/// Returns an opening, its position, and the number of plies to it.
fn entry(line: &'static str) -> Option<(Opening, Board, usize)> {
    let mut fields = line.split('\t');
    let (eco, name) = (fields.next()?, fields.next()?);
    let (mut board, mut plies) = (Board::startpos(), 0);
    for word in fields.next()?.split(' ') {
        board.make(san::parse(&board, word)?);
        plies += 1;
    }
    Some((Opening { eco, name }, board, plies))
}

#[cfg(test)]
mod tests {
    use rejoinder::board::notation;

    use super::*;

    fn opening(moves: &str) -> Option<(&'static str, &'static str)> {
        let start = Board::startpos();
        let played = notation::parse_line(&start, moves.split(' ')).expect("legal moves");
        find(&start, &played).map(|opening| (opening.eco, opening.name))
    }

    #[test]
    fn every_line_of_the_list_is_read() {
        let lines = LIST.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            assert!(entry(line).is_some(), "{line}");
        }
    }

    #[test]
    fn openings_are_found_by_their_positions() {
        let philidor = opening("e4 e5 Nf3 d6 d4 Bg4");
        assert_eq!(philidor, Some(("C41", "Philidor Defense")));
        // By transposition, and still after the book has ended.
        let caro_kann = Some(("B10", "Caro-Kann Defense"));
        assert_eq!(opening("e4 c6"), caro_kann);
        assert_eq!(opening("e4 c6 a3 a6 h3"), caro_kann);
        let indian = opening("c4 Nf6 d4 g6 Nc3 d5");
        assert!(
            indian.is_some_and(|(eco, name)| eco == "D80" && name.contains("Grünfeld")),
            "{indian:?}"
        );
        let other = Board::from_fen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").expect("a position");
        assert_eq!(find(&other, &[]), None);
    }
}
