//! Trapped pieces: a piece is attacked, and wherever it goes it is lost.
// Source: https://www.chessprogramming.org/Trapped_Pieces

use rejoinder::board::Board;
use rejoinder::eval::win_rate::points;
use rejoinder::types::{PieceType, Square};

use super::material::exchange;
use super::scene::{Scene, Shown};

/// Least points by which each way out loses.
const LEAST: i32 = 2;

/// Returns the trap that explains what the line wins.
pub fn find(scene: &Scene<'_>) -> Option<Shown> {
    if scene.after.in_check() {
        return None;
    }
    let pieces = scene.attacks() & scene.theirs() & !scene.after.kind(PieceType::Pawn);
    let mut trapped = pieces.into_iter().filter(|square| {
        scene.capture_of(*square).is_some()
            && scene.would_win(scene.at(), *square)
            && is_trapped(scene.after, *square)
    });
    trapped.next().map(|square| Shown {
        words: format!(" traps {}", scene.it(square)),
        arrows: vec![[scene.at(), square]],
    })
}

/// Returns whether every move of a piece loses it, or as much as counts.
fn is_trapped(board: &Board, square: Square) -> bool {
    let moves = board.legal_moves().into_iter();
    moves.filter(|mv| mv.from() == square).all(|mv| {
        let won = board.captured(mv).map_or(0, points);
        let mut after = *board;
        after.make(mv);
        let takes = after
            .captures()
            .into_iter()
            .filter(|take| take.to() == mv.to());
        let lost = takes.map(|take| exchange(&after, take)).max();
        lost.unwrap_or(0) - won >= LEAST
    })
}
