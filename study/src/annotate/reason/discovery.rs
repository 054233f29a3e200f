//! Discovered attacks: a piece leaves a line, on which another one then attacks.
// Source: https://www.chessprogramming.org/Discovered_Attack

use rejoinder::params::Params;
use rejoinder::types::{PieceType, Square};

use super::scene::{Scene, Shown, attacks};

/// Returns the discovered attack that explains what the line wins.
pub fn find(scene: &Scene<'_>) -> Option<Shown> {
    let ours = scene.after.color(scene.us) & !scene.at().bitboard();
    ours.into_iter().find_map(|slider| {
        let now = attacks(scene.after, slider, scene.after.occupied());
        let then = attacks(scene.before, slider, scene.before.occupied());
        let targets = now & !then & scene.theirs();
        targets
            .into_iter()
            .find_map(|target| on(scene, slider, target))
    })
}

fn on(scene: &Scene<'_>, slider: Square, target: Square) -> Option<Shown> {
    let arrows = vec![[slider, target]];
    if scene.kind_at(target) != PieceType::King {
        let wins = scene.would_win(slider, target) && scene.capture_of(target).is_some();
        return wins.then(|| Shown {
            words: format!(" uncovers an attack on {}", scene.it(target)),
            arrows,
        });
    }
    // The check gives the piece that moves a move of its own, or spares it from being taken.
    let takes_later = (scene.attacks() & scene.theirs())
        .into_iter()
        .any(|at| scene.takes(at));
    let is_won = |square| {
        let mut taken = scene.story.taken.iter();
        let taken = taken.find(|taken| taken.ply == scene.ply);
        taken.is_some_and(|taken| {
            taken.kind == scene.thing.kind && scene.thing.origins.contains(&taken.origin)
        }) && scene.mv.to() == square
    };
    let takes_now = is_won(scene.at()) && !scene.before.see_ge(&Params::default(), scene.mv, 1);
    (takes_later || takes_now).then(|| Shown {
        words: " is a discovered check".to_owned(),
        arrows,
    })
}
