//! Piece-square tables for the order of quiet moves: toward the centre, pawns forward, the king home.

use super::{Experiment, Variant};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Color, Move, Piece, PieceType, Square};

pub const ENTRY: Experiment = Experiment {
    name: "piece-square",
    what: "What a quiet move gains on a table of squares for its piece (our own round numbers) is added to its histories, with a small or a large weight.",
    source: "https://www.chessprogramming.org/Piece-Square_Tables",
    in_default: false,
    variants: &[
        Variant::new("small", || Box::new(PieceSquare { weight: 16 })),
        Variant::new("large", || Box::new(PieceSquare { weight: 96 })),
    ],
};

/// Points a centipawn of the tables.
#[derive(Debug)]
struct PieceSquare {
    weight: i32,
}

impl OrderingHook for PieceSquare {
    fn quiet_points(&self, _: &Params, _: &Histories, _: &Context, piece: Piece, mv: Move) -> i32 {
        if mv.is_castle() {
            // Its target is the rook's square.
            return 40 * self.weight;
        }
        (worth(piece, mv.to()) - worth(piece, mv.from())) * self.weight
    }
}

/// What a piece is worth more on one square than on another, centipawns.
fn worth(piece: Piece, square: Square) -> i32 {
    let (file, rank) = (i32::from(square.file()), i32::from(square.rank()));
    let ahead = match piece.color() {
        Color::White => rank,
        Color::Black => 7 - rank,
    };
    // 0 in the four squares of the centre, 6 in a corner.
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
    fn colours_make_no_difference() {
        mirrored::assert_alike(&PieceSquare { weight: 16 });
    }
}
