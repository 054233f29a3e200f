//! Hanging pieces: a piece can simply be taken.
// Source: https://www.chessprogramming.org/Hanging_Piece

use rejoinder::params::Params;

use super::material::exchange;
use super::scene::{Scene, Shown};

/// Returns whether the first move takes the piece that the line wins, by no more than the exchange on
/// its square.
pub fn find(scene: &Scene<'_>) -> Option<Shown> {
    let mut taken = scene.story.taken.iter().filter(|taken| taken.ply == 0);
    let is_won = taken
        .next()
        .is_some_and(|taken| scene.thing.origins.contains(&taken.origin));
    let wins = scene.ply == 0
        && is_won
        && scene.before.see_ge(&Params::default(), scene.mv, 1)
        && exchange(scene.before, scene.mv) >= scene.story.gain.min(9);
    wins.then(Shown::default)
}
