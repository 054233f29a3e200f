//! Guard heuristic: quiet moves to squares that we guard better than the opponent come first, and
//! so do quiet moves away from squares that the opponent guards better.

use super::experiment::{Experiment, Quiet, Variant, quiets};
use rejoinder::board::Board;
use rejoinder::types::{Color, Move, Piece, PieceType, Square};

pub const ENTRY: Experiment = Experiment {
    name: "guard",
    what: "The guard value of a square is the sum of the capture strengths of our attackers, from \
           9 for a pawn to 1 for queen and king, less that of the opponent's attackers. The points \
           of a quiet move are the difference of the guard values between its target and its \
           origin.",
    source: "Y. Ke, T. Parng, \"The Guard Heuristic\", ICCA Journal 16(2), 1993",
    in_default: false,
    variants: &[
        Variant::new("small", || quiets(|quiet| 64 * gain(quiet))),
        Variant::new("large", || quiets(|quiet| 384 * gain(quiet))),
    ],
};

/// Returns the difference of the guard values between the target and the origin of a move.
fn gain(&Quiet { ctx, piece, mv, .. }: &Quiet) -> i32 {
    if mv.is_castle() {
        return 0;
    }
    let (board, side) = (ctx.board, piece.color());
    // A piece does not guard its own target square.
    let target = guard_value(board, side, mv.to(), mv) - own_guard(board, piece, mv);
    target - guard_value(board, side, mv.from(), mv)
}

/// Returns the capture strength of a piece, roughly the inverse of its value.
const fn strength(kind: PieceType) -> i32 {
    match kind {
        PieceType::Pawn => 9,
        PieceType::Knight => 6,
        PieceType::Bishop => 5,
        PieceType::Rook => 2,
        PieceType::Queen | PieceType::King => 1,
    }
}

/// Returns the guard value of a square for a side, with the moving piece removed from the board.
fn guard_value(board: &Board, side: Color, square: Square, mv: Move) -> i32 {
    let attackers = board.attackers(square, board.occupied() ^ mv.from().bitboard());
    let sum = |side| -> i32 {
        let pieces = attackers & board.color(side);
        PieceType::ALL
            .into_iter()
            .map(|kind| strength(kind) * (pieces & board.kind(kind)).count() as i32)
            .sum()
    };
    sum(side) - sum(!side)
}

/// Returns the capture strength of the moving piece if it attacks its target square, which pawns do
/// not.
fn own_guard(board: &Board, piece: Piece, mv: Move) -> i32 {
    let attackers = board.attackers(mv.to(), board.occupied() ^ mv.from().bitboard());
    if attackers.has(mv.from()) {
        strength(piece.kind())
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::techniques::mirrored;

    #[test]
    fn both_colors_are_treated_alike() {
        mirrored::assert_alike(&*quiets(|quiet| 64 * gain(quiet)));
    }
}
