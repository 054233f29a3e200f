//! Mates on the back rank, and pieces that cannot be defended because of one.
// Source: https://www.chessprogramming.org/Back_Rank_Mate

use rejoinder::board::{Board, king_attacks};
use rejoinder::types::{Bitboard, Move, PieceType};

use super::material::exchange;
use super::scene::{Scene, Shown};

/// Returns whether a position is mate on the back rank: a rook or queen gives check along it, and the
/// king's own pieces stand before it.
pub fn is_mate(board: &Board) -> bool {
    let us = board.side_to_move();
    let king = board.king(us);
    if !board.in_check() || king.relative_rank(us) != 0 || !board.legal_moves().is_empty() {
        return false;
    }
    let rank = Bitboard::rank(king.rank());
    let heavy = board.kind(PieceType::Rook) | board.kind(PieceType::Queen);
    let before = king_attacks(king) & !rank;
    let free = before & !board.color(us);
    (board.checkers() & rank & heavy).any() && free.count() <= 1 && before.count() > free.count()
}

/// Returns whether a line of mate ends on the back rank.
pub fn ends_there(board: &Board, line: &[Move]) -> bool {
    let mut board = *board;
    for mv in line {
        board.make(*mv);
    }
    is_mate(&board)
}

/// Returns the reason why a piece is won that seems to be defended: whoever takes back is mated.
pub fn find(scene: &Scene<'_>) -> Option<Shown> {
    let is_first = scene.ply == 0 && scene.mv.is_capture();
    if !is_first || exchange(scene.before, scene.mv) > 0 {
        return None;
    }
    let backs = scene.after.captures().into_iter();
    let backs: Vec<Move> = backs.filter(|back| back.to() == scene.at()).collect();
    let mates = |back: &Move| {
        let mut board = *scene.after;
        board.make(*back);
        let found = board.legal_moves().into_iter().find(|mv| {
            let mut after = board;
            after.make(*mv);
            is_mate(&after)
        });
        found.map(|mv| [mv.from(), mv.to()])
    };
    let mates: Option<Vec<_>> = backs.iter().map(mates).collect();
    let arrow = *mates?.first()?;
    Some(Shown {
        words: ", as taking back allows mate on the back rank".to_owned(),
        arrows: vec![arrow],
    })
}
