//! Material in points, and what captures make of it: whole positions are quiet when no capture gains,
//! and an exchange is what the captures on one square win. Both play legal moves, so that pins and
//! checks count.

use rejoinder::board::Board;
use rejoinder::eval::win_rate::points;
use rejoinder::types::{Color, Move, PieceType};

/// Plies of captures, or of moves out of check, that are looked at behind a position.
const DEEPEST: u32 = 10;
/// Most positions that are looked at behind one.
const MOST: u32 = 20_000;
/// The points of a mate, above all material.
const MATE: i32 = 1000;

/// Returns the material of a side minus that of the other, in points.
pub fn balance(board: &Board, us: Color) -> i32 {
    let of = |color| -> i32 {
        let count = |kind| points(kind) * board.pieces(color, kind).count() as i32;
        PieceType::ALL.into_iter().map(count).sum()
    };
    of(us) - of(!us)
}

/// Returns the captures after which neither side gains by another one, from the position on. `None` if
/// there are too many to look at, or one side is mated.
pub fn captures_to_rest(board: &Board) -> Option<Vec<Move>> {
    let mut left = MOST;
    let (score, line) = rest(board, -MATE, MATE, DEEPEST, &mut left)?;
    (score.abs() < MATE / 2).then_some(line)
}

/// Returns the balance for the side to move at rest, within the bounds, and the captures that lead
/// there.
fn rest(
    board: &Board,
    mut least: i32,
    most: i32,
    depth: u32,
    left: &mut u32,
) -> Option<(i32, Vec<Move>)> {
    *left = left.checked_sub(1)?;
    let now = balance(board, board.side_to_move());
    if depth == 0 {
        return Some((now, Vec::new()));
    }
    let mut best = (now, Vec::new());
    let mut moves = if board.in_check() {
        best.0 = -MATE;
        board.legal_moves()
    } else {
        board.captures()
    };
    let value = |mv: Move| {
        let taken = board.captured(mv).map_or(0, points);
        let with = board
            .piece_on(mv.from())
            .map_or(0, |piece| points(piece.kind()));
        16 * taken - with
    };
    moves.sort_unstable_by_key(|mv| -value(*mv));
    for mv in moves {
        least = least.max(best.0);
        if least >= most {
            break;
        }
        let mut after = *board;
        after.make(mv);
        let (score, line) = rest(&after, -most, -least, depth - 1, left)?;
        if -score > best.0 {
            best = (-score, line);
            best.1.insert(0, mv);
        }
    }
    Some(best)
}

/// Returns the points that a capture wins if both sides go on capturing on its square as long as that
/// gains.
pub fn exchange(board: &Board, mv: Move) -> i32 {
    let promoted = mv.promotion().map_or(0, |kind| points(kind) - 1);
    let taken = board.captured(mv).map_or(0, points) + promoted;
    let mut after = *board;
    after.make(mv);
    let back = after.captures().into_iter();
    let back = back.filter(|back| back.is_capture() && back.to() == mv.to());
    let back = back.map(|back| exchange(&after, back)).max();
    taken - back.unwrap_or(0).max(0)
}

#[cfg(test)]
mod tests {
    use rejoinder::board::san;

    use super::*;

    #[test]
    fn an_exchange_knows_pins() {
        for (fen, mv, points) in [
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5", 1),
            ("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1", "exd5", 0),
            ("4k3/8/4p3/3n4/8/8/3R4/4K3 w - - 0 1", "Rxd5", -2),
            // The pawn is pinned to its king.
            ("4k3/8/4p3/3n4/8/8/3RR3/4K3 w - - 0 1", "Rxd5", 3),
        ] {
            let board = Board::from_fen(fen).expect("a position");
            let mv = san::parse(&board, mv).expect("a move");
            assert_eq!(exchange(&board, mv), points, "{fen}");
        }
    }

    #[test]
    fn captures_end_where_none_gains() {
        let line = |fen: &str| {
            let board = Board::from_fen(fen).expect("a position");
            captures_to_rest(&board).map(|line| san::words(&board, &line).join(" "))
        };
        let defended = "4k3/8/4p3/3p4/8/8/3R4/4K3 w - - 0 1";
        assert_eq!(line(defended).as_deref(), Some(""));
        let loose = "4k3/8/8/3p4/8/8/3R4/4K3 w - - 0 1";
        assert_eq!(line(loose).as_deref(), Some("1. Rxd5"));
        assert_eq!(line("7k/5KQ1/8/8/8/8/8/8 b - - 0 1"), None, "mate");
    }
}
