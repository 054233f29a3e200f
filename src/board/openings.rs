//! Random openings: a few random plies from the start position of standard chess or of Chess960.

use crate::board::{Board, FenError};
use crate::types::{PieceType, Rng, Score};

/// The number of start positions in Chess960.
pub const STARTS: usize = 960;

/// Maximum score, for either side, of a random opening that games begin from, in internal
/// centipawns: about 1.9 pawns as the engine shows them. Games from positions that are nearly
/// decided teach little.
pub const BALANCED: Score = 150;
/// The same for an opening from a book, whose imbalance is often on purpose: neither side is lost.
pub const UNDECIDED: Score = 1000;

/// Returns the back rank of a Chess960 start position from the a-file on, by its Scharnagl number,
/// `0..960`. Number 518 is standard chess.
// Source: Reinhard Scharnagl's numbering,
// https://en.wikipedia.org/wiki/Fischer_random_chess_numbering_scheme
pub fn back_rank(number: usize) -> [PieceType; 8] {
    use PieceType::{Bishop, King, Knight, Queen, Rook};
    let mut rank = [None; 8];
    let mut number = number % STARTS;
    let mut digit = |base| {
        let digit = number % base;
        number /= base;
        digit
    };
    rank[2 * digit(4) + 1] = Some(Bishop);
    rank[2 * digit(4)] = Some(Bishop);
    place(&mut rank, digit(6), Queen);
    // Ten pairs of the five free files for the knights, in lexicographic order.
    let mut pair = digit(10);
    let mut first = 0;
    while pair >= 4 - first {
        pair -= 4 - first;
        first += 1;
    }
    place(&mut rank, first, Knight);
    place(&mut rank, first + pair, Knight);
    for piece in [Rook, King, Rook] {
        place(&mut rank, 0, piece);
    }
    rank.map(|piece| piece.unwrap_or(Rook))
}

/// Puts the piece on the free file with this number, counted from 0.
fn place(rank: &mut [Option<PieceType>; 8], free: usize, piece: PieceType) {
    if let Some(file) = rank.iter_mut().filter(|file| file.is_none()).nth(free) {
        *file = Some(piece);
    }
}

/// Returns the start position with these Scharnagl numbers of White's and Black's back ranks. It is
/// one of double Chess960 if they differ.
///
/// # Errors
/// None in practice, since the FEN it reads is valid.
pub fn start(white: usize, black: usize) -> Result<Board, FenError> {
    let letters = |number| back_rank(number).map(PieceType::letter);
    let black: String = letters(black).iter().collect();
    let white: String = letters(white).iter().collect();
    let white = white.to_uppercase();
    Board::from_fen(&format!(
        "{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1"
    ))
}

/// Returns the position after this many random legal moves, or `None` if the game ends on the way
/// or there.
pub fn random_plies(mut board: Board, plies: usize, rng: &mut Rng) -> Option<Board> {
    for _ in 0..plies {
        let mv = rng.choose(&board.legal_moves())?;
        board.make(mv);
    }
    (!board.legal_moves().is_empty()).then_some(board)
}

/// Returns an opening of 8 or 9 random plies, so that either side may be to move. It starts from a
/// Chess960 position with probability `chess960_share`; half of these are double Chess960, where
/// the sides have different back ranks. `None` if the game ends on the way.
pub fn random(chess960_share: f64, rng: &mut Rng) -> Option<Board> {
    let board = if rng.chance(chess960_share) {
        let white = rng.below(STARTS);
        let black = if rng.chance(0.5) {
            rng.below(STARTS)
        } else {
            white
        };
        start(white, black).ok()?
    } else {
        Board::startpos()
    };
    let plies = 8 + rng.below(2);
    random_plies(board, plies, rng)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::types::{CastlingSide, Color, PieceType};

    #[test]
    fn all_starts_are_different_and_obey_the_rules() {
        let ranks: HashSet<_> = (0..STARTS)
            .map(|n| back_rank(n).map(PieceType::index))
            .collect();
        assert_eq!(ranks.len(), STARTS);
        for number in 0..STARTS {
            let rank = back_rank(number);
            let files =
                |kind| -> Vec<usize> { (0..8).filter(|&file| rank[file] == kind).collect() };
            let (rooks, king) = (files(PieceType::Rook), files(PieceType::King));
            let bishops = files(PieceType::Bishop);
            assert_eq!((rooks.len(), king.len(), bishops.len()), (2, 1, 2));
            assert!(rooks[0] < king[0] && king[0] < rooks[1], "{number}");
            assert_ne!(bishops[0] % 2, bishops[1] % 2, "{number}");
            assert_eq!(
                (
                    files(PieceType::Knight).len(),
                    files(PieceType::Queen).len()
                ),
                (2, 1)
            );
        }
    }

    #[test]
    fn numbers_are_scharnagls() {
        let letters = |n| {
            back_rank(n)
                .map(PieceType::letter)
                .iter()
                .collect::<String>()
        };
        for (number, rank) in [
            (0, "bbqnnrkr"),
            (518, "rnbqkbnr"),
            (534, "rnbkqbnr"),
            (959, "rkrnnqbb"),
        ] {
            assert_eq!(letters(number), rank);
        }
    }

    #[test]
    fn starts_have_all_their_castling_rights() {
        for number in 0..STARTS {
            let board =
                start(number, STARTS - 1 - number).expect("a Chess960 start position is invalid");
            for color in Color::ALL {
                for wing in CastlingSide::ALL {
                    let rook = board
                        .castling_rook(color, wing)
                        .expect("a castling right is missing");
                    assert_eq!(rook.relative_rank(color), 0);
                }
            }
        }
        let standard = start(518, 518).expect("a Chess960 start position is invalid");
        assert_eq!(standard.key(), Board::startpos().key());
    }

    #[test]
    fn openings_are_legal_and_varied() {
        let mut rng = Rng::new(3);
        let mut seen = HashSet::new();
        let mut to_move = [0, 0];
        let mut standard = 0;
        for _ in 0..2000 {
            let Some(board) = random(0.25, &mut rng) else {
                continue;
            };
            assert!(!board.legal_moves().is_empty());
            let again =
                Board::from_fen(&board.fen(true)).expect("a written FEN cannot be read back");
            assert_eq!(again.key(), board.key());
            assert_eq!(board.fullmove_number(), 5);
            to_move[board.side_to_move().index()] += 1;
            standard += u32::from(board.has_standard_castling());
            seen.insert(board.key());
        }
        assert!(seen.len() > 1950, "{}", seen.len());
        assert!(to_move.iter().all(|&count| count > 850), "{to_move:?}");
        assert!((1400..1700).contains(&standard), "{standard}");
    }

    #[test]
    fn a_game_that_ends_on_the_way_is_no_opening() {
        let stalemate =
            Board::from_fen("k7/8/1Q6/8/8/8/8/K7 b - - 0 1").expect("the test's FEN is invalid");
        assert!(random_plies(stalemate, 8, &mut Rng::new(1)).is_none());
    }
}
