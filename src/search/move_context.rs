//! What a move looks like when its reduction is decided.

use super::Search;
use super::lmr::MoveContext;
use super::node::NodeState;
use super::pruning::LateMove;
use crate::board::{
    Board, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use crate::ordering::{Context, Picker, Stage};
use crate::types::{Bitboard, Color, Move, PieceType, Square};

/// King steps from the enemy king within which a move is near it.
const NEAR: u8 = 2;

impl Search<'_> {
    /// The signs by which a move that comes late is reduced less or more.
    #[inline(always)]
    pub(super) fn move_context(
        &self,
        ctx: &Context,
        node: &NodeState,
        picker: &Picker,
        late: LateMove,
    ) -> MoveContext {
        let LateMove {
            mv, check, history, ..
        } = late;
        let board = ctx.board;
        let side = board.side_to_move();
        let quiet = mv.is_quiet();
        let kind = board.describe(mv).piece.kind();
        let pawn = kind == PieceType::Pawn;
        MoveContext {
            quiet,
            check,
            killer: picker.stage() == Stage::Killer,
            countermove: picker.stage() == Stage::Countermove,
            reply: picker.is_lbr_reply(mv),
            good_capture: picker.stage() == Stage::GoodCapture,
            good_quiet: quiet && (!ctx.threats.has(mv.to()) || board.see(&self.p, mv, 0)),
            pawn,
            passed_pawn: pawn && is_passed(board, side, mv.to()),
            near_king: mv.to().distance(board.king(!side)) <= NEAR,
            escape: quiet && node.threatened == Some(mv.from()),
            threat: attacks_greater(board, kind, mv),
            history,
        }
    }
}

/// Whether no enemy pawn can ever stop or take a pawn of this side that stands here.
// Source: https://www.chessprogramming.org/Passed_Pawn
fn is_passed(board: &Board, side: Color, square: Square) -> bool {
    let mut ahead = square.bitboard();
    let mut span = Bitboard::EMPTY;
    while ahead.any() {
        ahead = ahead.forward(side);
        span |= ahead | ahead.forward(!side).pawn_attacks(side);
    }
    (span & board.pieces(!side, PieceType::Pawn)).is_empty()
}

/// Whether the piece attacks a greater one from where it goes.
fn attacks_greater(board: &Board, kind: PieceType, mv: Move) -> bool {
    let (to, side) = (mv.to(), board.side_to_move());
    let them = board.color(!side);
    let greater = [
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
    ]
    .into_iter()
    .filter(|&greater| worth(greater) > worth(kind))
    .fold(Bitboard::EMPTY, |all, kind| all | board.kind(kind))
        & them;
    if greater.is_empty() {
        return false;
    }
    let occupied = board.occupied() ^ mv.from().bitboard();
    let attacked = match kind {
        PieceType::Pawn => pawn_attacks(side, to),
        PieceType::Knight => knight_attacks(to),
        PieceType::Bishop => bishop_attacks(to, occupied),
        PieceType::Rook => rook_attacks(to, occupied),
        PieceType::Queen => queen_attacks(to, occupied),
        PieceType::King => king_attacks(to),
    };
    (attacked & greater).any()
}

/// Rank of a kind: bishops and knights are worth the same.
const fn worth(kind: PieceType) -> u8 {
    match kind {
        PieceType::Pawn => 0,
        PieceType::Knight | PieceType::Bishop => 1,
        PieceType::Rook => 2,
        PieceType::Queen => 3,
        PieceType::King => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::MoveKind;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a position")
    }

    fn square(name: &str) -> Square {
        Square::parse(name).expect("a square")
    }

    #[test]
    fn passed_pawns_are_told_from_others() {
        let board = board("4k3/p6p/8/8/3P3P/1p6/8/4K3 w - - 0 1");
        for (name, side, passed) in [
            ("d4", Color::White, true),
            ("d5", Color::White, true),
            ("h5", Color::White, false),
            ("a7", Color::Black, true),
            ("b3", Color::Black, true),
            ("g5", Color::Black, false),
            ("b6", Color::White, false),
        ] {
            assert_eq!(is_passed(&board, side, square(name)), passed, "{name}");
        }
    }

    #[test]
    fn threats_are_to_greater_men() {
        let board = board("4k3/8/2r5/8/8/2N5/1B6/R3K3 w - - 0 1");
        let attacks = |kind, from, to| {
            let mv = Move::new(square(from), square(to), MoveKind::Quiet);
            attacks_greater(&board, kind, mv)
        };
        assert!(attacks(PieceType::Knight, "c3", "b4"));
        assert!(!attacks(PieceType::Knight, "c3", "e4"));
        assert!(!attacks(PieceType::Rook, "a1", "a6"));
        assert!(!attacks(PieceType::King, "e1", "e2"));
    }
}
