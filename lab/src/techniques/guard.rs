//! Guard heuristic: a quiet move to a square that we guard better than they do comes first, and so does one away from a square
//! that they guard better.

use super::{Experiment, Variant};
use rejoinder::board::Board;
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Color, Move, Piece, PieceType, Square};

pub const ENTRY: Experiment = Experiment {
    name: "guard",
    what: "A square's guard value is the sum of the capture strengths (9 for a pawn down to 1 for queen and king) of our pieces that attack it, less theirs; a quiet move counts what it gains from its square to its target.",
    source: "Y. Ke, T. Parng, \"The Guard Heuristic\", ICCA Journal 16(2), 1993",
    in_default: false,
    variants: &[
        Variant::new("small", || Box::new(Guard { weight: 64 })),
        Variant::new("large", || Box::new(Guard { weight: 384 })),
    ],
};

/// Points of a quiet move for each of the guard value.
#[derive(Debug)]
struct Guard {
    weight: i32,
}

impl OrderingHook for Guard {
    fn quiet_points(
        &self,
        _: &Params,
        _: &Histories,
        ctx: &Context,
        piece: Piece,
        mv: Move,
    ) -> i32 {
        if mv.is_castle() {
            return 0;
        }
        let (board, side) = (ctx.board, piece.color());
        // Where it goes it does not guard itself.
        let target = guard_value(board, side, mv.to(), mv) - own_guard(board, piece, mv);
        (target - guard_value(board, side, mv.from(), mv)) * self.weight
    }
}

/// How strongly a piece takes, roughly by the inverse of its worth.
const fn strength(kind: PieceType) -> i32 {
    match kind {
        PieceType::Pawn => 9,
        PieceType::Knight => 6,
        PieceType::Bishop => 5,
        PieceType::Rook => 2,
        PieceType::Queen | PieceType::King => 1,
    }
}

/// The guard value of a square for a side, seen through the piece that moves.
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

/// What the piece itself counts among the guards of its target: it attacks it, unless it is a pawn.
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
    fn colours_make_no_difference() {
        mirrored::assert_alike(&Guard { weight: 64 });
    }
}
