//! Piece-square tables for quiet moves, which favor the center, pawn advances and a safe king.

use super::experiment::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Color, Move, Piece, PieceType, Square};

pub const ENTRY: Experiment = Experiment {
    name: "piece-square",
    what: "The difference of a piece-square table between the target and the origin of a quiet \
           move is added to its histories, with a small or a large weight. The tables consist of \
           round numbers of our own.",
    source: "https://www.chessprogramming.org/Piece-Square_Tables",
    in_default: false,
    variants: &[
        Variant::new("small", || Box::new(PieceSquare { weight: 16 })),
        Variant::new("large", || Box::new(PieceSquare { weight: 96 })),
    ],
};

#[derive(Debug)]
struct PieceSquare {
    /// Points for each centipawn of the tables.
    weight: i32,
}

impl OrderingHook for PieceSquare {
    fn quiet_points(&self, _: &Params, _: &Histories, _: &Context, piece: Piece, mv: Move) -> i32 {
        if mv.is_castle() {
            // The target square of castling is that of the rook.
            return 40 * self.weight;
        }
        (worth(piece, mv.to()) - worth(piece, mv.from())) * self.weight
    }
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
        mirrored::assert_alike(&PieceSquare { weight: 16 });
    }
}
