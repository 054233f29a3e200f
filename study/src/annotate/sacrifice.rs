//! Whether a move gives up material, as far as the exchange on each square says.

use rejoinder::board::{Board, see_value};
use rejoinder::params::Params;
use rejoinder::types::{Move, PieceType, Square};

/// Least material that a sacrifice gives up, in centipawns of the static exchange evaluation.
const LEAST: i32 = 100;

/// Returns whether the move lets the opponent win a piece for less than it is worth, although there
/// are moves that do not. Neither pawns count nor a piece that the opponent threatened to win anyway.
pub(super) fn is_sacrifice(board: &Board, mv: Move) -> bool {
    let mut others = board.legal_moves().into_iter();
    gives_up(board, mv) && others.any(|other| !gives_up(board, other))
}

/// Returns whether the opponent can win a piece by a capture after the move, and more by at least
/// [`LEAST`] than the move wins itself.
fn gives_up(board: &Board, mv: Move) -> bool {
    let p = Params::default();
    let worth = |kind: Option<PieceType>| kind.map_or(0, |kind| see_value(&p, kind));
    let mut gained = worth(board.captured(mv));
    if mv.promotion().is_some() {
        gained += worth(mv.promotion()) - worth(Some(PieceType::Pawn));
    }
    let mut after = *board;
    after.make(mv);
    let replies = wins(&after, gained + LEAST);
    let threats = if board.in_check() {
        Vec::new()
    } else {
        let mut passed = *board;
        passed.make_null();
        wins(&passed, LEAST)
    };
    replies
        .iter()
        .any(|place| *place == mv.to() || !threats.contains(place))
}

/// Returns the places of the pieces, pawns excepted, whose capture wins so many centipawns.
fn wins(board: &Board, least: i32) -> Vec<Square> {
    let captures = board.legal_moves().into_iter().filter(|&mv| {
        let taken = board.captured(mv);
        taken.is_some_and(|kind| kind != PieceType::Pawn)
            && board.see_ge(&Params::default(), mv, least)
    });
    captures.map(Move::to).collect()
}

#[cfg(test)]
mod tests {
    use rejoinder::board::san;

    use super::*;

    #[test]
    fn sacrifices_are_told_from_trades_and_threats() {
        for (fen, mv, wanted) in [
            // Morphy's opera game: a knight for two pawns, the exchange, the queen.
            (
                "rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10",
                "Nxb5",
                true,
            ),
            (
                "4kb1r/p2rqppp/5n2/1B2p1B1/4P3/1Q6/PPP2PPP/2K4R w k - 0 14",
                "Rd1",
                false,
            ),
            (
                "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
                "Qb8+",
                true,
            ),
            // Kasparov - Topalov, Wijk aan Zee 1999.
            (
                "b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 0 24",
                "Rxd4",
                true,
            ),
            // A trade of queens, a gambit, a piece that goes where a pawn takes it only in passing.
            ("3qk3/8/8/8/8/8/8/3QK3 w - - 0 1", "Qxd8+", false),
            (
                "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
                "f4",
                false,
            ),
            // The knight in the corner was attacked before.
            (
                "b2r3r/4pp1p/pk1q1np1/N2P4/3p1Q2/P4PPB/1PP1R2P/1K6 w - - 0 26",
                "Qxd4+",
                false,
            ),
            // The knight is lost whatever White plays.
            ("6k1/8/8/8/8/p7/8/KN1r4 w - - 0 1", "Ka2", false),
        ] {
            let board = Board::from_fen(fen).expect("a position");
            let played = san::parse(&board, mv).expect("a move");
            assert_eq!(is_sacrifice(&board, played), wanted, "{mv}");
        }
    }
}
