//! Coordinate notation: moves as UCI has them, by the squares they begin and end on.
// Source: https://www.chessprogramming.org/Algebraic_Chess_Notation#Pure_coordinate_notation

use crate::board::Board;
use crate::types::{CastlingSide, Move, PieceType, Square};

/// Writes a move in coordinate notation, as in `e2e4` or `e7e8q`; `0000` is the null move.
///
/// Castling is written as a king's move of two squares. It is written as king takes rook if
/// `chess960`, or if the position's castling rights are not those of standard chess.
pub fn move_to_uci(board: &Board, mv: Move, chess960: bool) -> String {
    if mv.is_null() {
        return "0000".to_owned();
    }
    let to = if mv.is_castle() && !chess960 && board.has_standard_castling() {
        king_target(mv)
    } else {
        mv.to()
    };
    let promotion = mv.promotion().map(|piece| piece.letter().to_string());
    format!("{}{}{}", mv.from(), to, promotion.unwrap_or_default())
}

/// Parses a legal move in coordinate notation. `None` if the text is not a legal move.
///
/// Castling may be written either way in every variant. If the text is also another legal move, it
/// stands for that one.
pub fn parse_move(board: &Board, text: &str) -> Option<Move> {
    let from = Square::parse(text.get(..2)?)?;
    let to = Square::parse(text.get(2..4)?)?;
    let promotion = match text.as_bytes() {
        [_, _, _, _] => None,
        [_, _, _, _, letter] => Some(char::from(letter.to_ascii_lowercase())),
        _ => return None,
    };
    let letter = |mv: Move| mv.promotion().map(PieceType::letter);
    let moves = board.legal_moves();
    let mut of_piece = moves
        .into_iter()
        .filter(|mv| mv.from() == from && letter(*mv) == promotion);
    let king_steps = of_piece
        .clone()
        .find(|mv| mv.is_castle() && king_target(*mv) == to);
    of_piece.find(|mv| mv.to() == to).or(king_steps)
}

/// Returns the square of the king after castling.
fn king_target(mv: Move) -> Square {
    let wing = if mv.to().file() > mv.from().file() {
        CastlingSide::King
    } else {
        CastlingSide::Queen
    };
    Square::at(wing.king_file(), mv.from().rank())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("the test's FEN is invalid")
    }

    #[test]
    fn castling_has_two_spellings_in_and_one_out() {
        let board = board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
        for (steps, rook) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
            let mv = parse_move(&board, steps).expect("castling is illegal");
            assert!(mv.is_castle());
            assert_eq!(parse_move(&board, rook), Some(mv));
            assert_eq!(move_to_uci(&board, mv, false), steps);
            assert_eq!(move_to_uci(&board, mv, true), rook);
        }
    }

    #[test]
    fn kings_that_stand_elsewhere_castle_by_taking_the_rook() {
        // Kf1-g1 is a normal move here; castling is f1h1 even if UCI_Chess960 is off.
        let board = board("5k2/8/8/8/8/8/8/R4K1R w HA - 0 1");
        assert!(
            !parse_move(&board, "f1g1")
                .expect("f1g1 is illegal")
                .is_castle()
        );
        let castling = parse_move(&board, "f1h1").expect("castling is illegal");
        assert!(castling.is_castle());
        assert_eq!(move_to_uci(&board, castling, false), "f1h1");
    }

    #[test]
    fn promotions_need_their_letter() {
        let board = board("8/P6k/8/8/8/8/8/K7 w - - 0 1");
        let mv = parse_move(&board, "a7a8N").expect("the promotion is illegal");
        assert_eq!(move_to_uci(&board, mv, false), "a7a8n");
        for bad in ["a7a8", "a7a8k", "", "0000", "a1a1", "é1a2", "a7a8nn"] {
            assert_eq!(parse_move(&board, bad), None, "{bad}");
        }
    }
}
