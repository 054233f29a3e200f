//! Pins: a piece is lost because it cannot leave a line, or because its defender cannot.
// Source: https://www.chessprogramming.org/Pin

use rejoinder::params::Params;
use rejoinder::types::{PieceType, Square};

use super::material::exchange;
use super::scene::{Scene, Shown, attacks, pinned};
use super::thing::name;

/// Returns the pin that explains what the line wins.
pub fn find(scene: &Scene<'_>) -> Option<Shown> {
    of_the_piece(scene).or_else(|| of_its_defender(scene))
}

fn of_the_piece(scene: &Scene<'_>) -> Option<Shown> {
    let pieces = scene.theirs() & !scene.after.kind(PieceType::Pawn);
    let won = |square: &Square| scene.capture_of(*square).is_some();
    pieces.into_iter().filter(won).find_map(|square| {
        let [slider, back] = pinned(scene.after, scene.us, square)?;
        let it = scene.it(square);
        let to = name(scene.kind_at(back));
        let to = if to == "king" {
            "the king".to_owned()
        } else {
            format!("the {to} on {back}")
        };
        let attacks = scene.attacks() & square.bitboard();
        if slider == scene.at() {
            return Some(Shown {
                words: format!(" pins {it} to {to}"),
                arrows: vec![[slider, back]],
            });
        }
        let was_pinned = pinned(scene.before, scene.us, square).is_some();
        (was_pinned && attacks.any()).then(|| Shown {
            words: format!(" attacks {it}, which is pinned to {to}"),
            arrows: vec![[scene.at(), square], [slider, back]],
        })
    })
}

/// A piece that would take back must not.
fn of_its_defender(scene: &Scene<'_>) -> Option<Shown> {
    let is_first = scene.ply == 0;
    let wins = is_first && scene.mv.is_capture() && exchange(scene.before, scene.mv) > 0;
    if !wins || scene.before.see_ge(&Params::default(), scene.mv, 1) {
        return None;
    }
    let at = scene.at();
    let defenders = scene.theirs().into_iter().filter(|square| {
        attacks(scene.after, *square, scene.after.occupied()).has(at)
            && scene.kind_at(*square) != PieceType::King
    });
    let moves = scene.after.legal_moves();
    let mut held =
        defenders.filter(|square| moves.iter().all(|mv| mv.from() != *square || mv.to() != at));
    held.find_map(|square| {
        let [slider, back] = pinned(scene.after, scene.us, square)?;
        let is_king = scene.kind_at(back) == PieceType::King;
        is_king.then(|| Shown {
            words: format!(
                ", as the {} on {square} is pinned",
                name(scene.kind_at(square))
            ),
            arrows: vec![[slider, back]],
        })
    })
}
