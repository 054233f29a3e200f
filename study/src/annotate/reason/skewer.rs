//! Skewers: a piece on a line must move, and the one behind it is taken.
// Source: https://www.chessprogramming.org/Skewer

use rejoinder::eval::win_rate::points;
use rejoinder::types::PieceType;

use super::scene::{Scene, Shown, lined_up};
use super::thing::name;

/// Returns the skewer that explains what the line wins.
pub fn find(scene: &Scene<'_>) -> Option<Shown> {
    let worth = |square| points(scene.kind_at(square));
    let [front, back] = lined_up(scene.after, scene.at())
        .into_iter()
        .find(|[front, back]| {
            let is_king = scene.kind_at(*front) == PieceType::King;
            let is_pawn = scene.kind_at(*back) == PieceType::Pawn;
            let moves_away =
                scene.story.moves.get(scene.ply + 1).map(|mv| mv.from()) == Some(*front);
            (is_king || worth(*front) >= worth(*back))
                && !is_pawn
                && scene.would_win(scene.at(), *front)
                && moves_away
                && scene.takes(*back)
        })?;
    let names = [front, back].map(|square| name(scene.kind_at(square)));
    let words = if names[0] == names[1] {
        format!(" skewers the {}s", names[0])
    } else {
        format!(" skewers {} and {}", names[0], names[1])
    };
    Some(Shown {
        words,
        arrows: vec![[scene.at(), back]],
    })
}
