//! Mop-up evaluation: how far a side that has only its king left is from being mated.
//!
//! Games for training are adjudicated before such endings, so a network knows little of them. The
//! search mates where every move forward is rewarded: the king is driven to the edge, or with
//! bishop and knight to a corner that the bishop attacks, and the other king approaches.
// Source: Slate and Atkin, Chess 4.5 (1977)

use crate::board::Board;
use crate::types::{Bitboard, Color, PieceType, Score, Square};

/// The evaluation of a won ending without its pieces, in centipawns: more than a network gives to
/// one with pawns on the board, so that it is entered.
const WON: Score = 1000;
/// The worth of each piece in centipawns, to promote and to keep what is there.
const VALUES: [(PieceType, Score); 5] = [
    (PieceType::Pawn, 100),
    (PieceType::Knight, 300),
    (PieceType::Bishop, 300),
    (PieceType::Rook, 500),
    (PieceType::Queen, 900),
];
/// What each square is worth on the lone king's way to the edge, in centipawns.
const EDGE: Score = 20;
/// What each square is worth on the lone king's way to the right corner, in centipawns.
const CORNER: Score = 40;
/// What each square is worth on the other king's way to the lone king, in centipawns.
const APPROACH: Score = 20;

/// Evaluates a position in which one side has only its king and the other can force mate without
/// promoting, in centipawns for the side to move; `None` in any other position.
#[inline]
pub(super) fn evaluate(board: &Board) -> Option<Score> {
    let alone = |color| !board.color(color).more_than_one();
    let lone = if alone(Color::White) {
        Color::White
    } else if alone(Color::Black) {
        Color::Black
    } else {
        return None;
    };
    let score = mop_up(board, lone)?;
    Some(if board.side_to_move() == lone {
        -score
    } else {
        score
    })
}

/// Returns the evaluation for the side with the pieces.
#[cold]
fn mop_up(board: &Board, lone: Color) -> Option<Score> {
    let (king, other) = (board.king(lone), board.king(!lone));
    let bishops = board.kind(PieceType::Bishop);
    let (light, dark) = (bishops & Bitboard::LIGHT, bishops & !Bitboard::LIGHT);
    let corner = if (board.kind(PieceType::Rook) | board.kind(PieceType::Queen)).any()
        || (light.any() && dark.any())
    {
        0
    } else if bishops.any() && board.kind(PieceType::Knight).any() {
        CORNER * (7 - to_corner(king, light.any()))
    } else {
        return None;
    };
    let place =
        EDGE * from_center(king) + corner + APPROACH * (7 - Score::from(king.distance(other)));
    let pieces: Score = VALUES
        .iter()
        .map(|&(kind, value)| board.kind(kind).count() as Score * value)
        .sum();
    Some(WON + pieces + place)
}

/// Returns the number of rook steps between a square and the four in the center, 0 to 6.
fn from_center(square: Square) -> Score {
    let steps = |line: u8| Score::from(if line < 4 { 3 - line } else { line - 4 });
    steps(square.file()) + steps(square.rank())
}

/// Returns the number of rook steps between a square and the nearer of the two corners of a color,
/// 0 to 7.
fn to_corner(square: Square, light: bool) -> Score {
    let file = if light {
        7 - square.file()
    } else {
        square.file()
    };
    let steps = Score::from(file + square.rank());
    steps.min(14 - steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(fen: &str) -> Option<Score> {
        evaluate(&Board::from_fen(fen).expect(fen))
    }

    #[test]
    fn only_won_endings_against_a_lone_king_are_evaluated() {
        for fen in [
            "8/8/8/4k3/8/8/8/4K3 w - - 0 1",
            "8/8/8/4k3/8/8/4N3/4K1N1 w - - 0 1",
            "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1",
            "8/8/8/4k3/8/8/4P3/4KB2 w - - 0 1",
            "8/8/8/k7/8/6B1/8/4K1B1 w - - 0 1",
            "8/8/4p3/4k3/8/8/8/1Q2K3 w - - 0 1",
        ] {
            assert_eq!(score(fen), None, "{fen}");
        }
        for fen in [
            "8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1",
            "8/8/8/4k3/8/8/4P3/R3K3 w - - 0 1",
            "8/8/8/4k3/8/8/8/4KBB1 w - - 0 1",
            "8/8/8/4k3/8/8/8/4KBN1 w - - 0 1",
        ] {
            assert!(score(fen) > Some(WON), "{fen}");
            let for_the_other = fen.replace(" w ", " b ");
            assert_eq!(score(&for_the_other), score(fen).map(|score| -score));
        }
    }

    #[test]
    fn the_edge_and_a_king_nearby_are_good() {
        let in_the_center = score("8/8/8/4k3/8/8/8/4K2R w - - 0 1");
        let at_the_edge = score("8/8/8/k7/8/8/8/4K2R w - - 0 1");
        let with_the_king = score("8/8/8/k7/2K5/8/8/7R w - - 0 1");
        assert!(in_the_center < at_the_edge && at_the_edge < with_the_king);
    }

    #[test]
    fn the_corner_has_the_color_of_the_bishop() {
        // The bishop on f1 stands on a light square, so mate is possible on a8 and h1.
        let right = score("k7/8/8/4K3/8/8/8/5BN1 w - - 0 1");
        let between = score("3k4/8/8/4K3/8/8/8/5BN1 w - - 0 1");
        let wrong = score("7k/8/8/4K3/8/8/8/5BN1 w - - 0 1");
        assert!(right > between && between > wrong);
        let dark = score("7k/8/8/4K3/8/8/8/4B1N1 w - - 0 1");
        assert!(dark > wrong);
    }
}
