//! Piece-square tables for quiet moves, which favor the center, pawn advances and a safe king.

use super::experiment::{Experiment, Quiet, Variant, quiets};
use rejoinder::types::{Color, Piece, PieceType, Square};

pub const ENTRY: Experiment = Experiment {
    name: "piece-square",
    what: "The difference of a piece-square table between the target and the origin of a quiet \
           move is added to its histories, with a small or a large weight. The tables consist of \
           round numbers of our own.",
    source: "https://www.chessprogramming.org/Piece-Square_Tables",
    in_default: false,
    variants: &[
        Variant::new("small", || quiets(|quiet| 16 * gain(quiet))),
        Variant::new("large", || quiets(|quiet| 96 * gain(quiet))),
    ],
};

/// Returns the difference of the tables between the target and the origin of a move, in centipawns.
fn gain(&Quiet { piece, mv, .. }: &Quiet) -> i32 {
    if mv.is_castle() {
        // The target square of castling is that of the rook.
        return 40;
    }
    worth(piece, mv.to()) - worth(piece, mv.from())
}

/// Returns the value of a square for a piece in centipawns.
fn worth(piece: Piece, square: Square) -> i32 {
    let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
    let ahead = match piece.color() {
        Color::White => rank,
        Color::Black => 7 - rank,
    };
    // The distance is 0 on the four central squares and 6 in a corner.
    let away = (2 * file - 7).abs() / 2 + (2 * rank - 7).abs() / 2;
    match piece.kind() {
        PieceType::Pawn => 8 * ahead - 2 * away,
        PieceType::Knight => -10 * away,
        PieceType::Bishop => -6 * away,
        PieceType::Rook => 15 * i32::from(ahead == 6) - 2 * ((2 * file - 7).abs() / 2),
        PieceType::Queen => -3 * away,
        PieceType::King => 6 * away - 10 * ahead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::techniques::mirrored;

    #[test]
    fn both_colors_are_treated_alike() {
        mirrored::assert_alike(&*quiets(gain));
    }
}
