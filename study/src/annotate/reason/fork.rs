//! Forks: a piece attacks two pieces at once, each of which it would win, and takes one of them.
// Source: https://www.chessprogramming.org/Double_Attack

use rejoinder::eval::win_rate::points;
use rejoinder::types::{PieceType, Square};

use super::scene::{Scene, Shown};
use super::thing::{list, name};

/// Returns the fork that explains what the line wins.
pub fn find(scene: &Scene<'_>) -> Option<Shown> {
    let targets = scene.attacks() & scene.theirs() & !scene.after.kind(PieceType::Pawn);
    let targets = targets
        .into_iter()
        .filter(|square| scene.would_win(scene.at(), *square));
    let mut targets: Vec<Square> = targets.collect();
    if targets.len() < 2 || !targets.iter().any(|square| scene.takes(*square)) {
        return None;
    }
    let worth = |square: &Square| match scene.kind_at(*square) {
        PieceType::King => 100,
        kind => points(kind),
    };
    targets.sort_by_key(|square| -worth(square));
    let mut names: Vec<String> = Vec::new();
    for square in &targets {
        let one = name(scene.kind_at(*square));
        match names.iter_mut().find(|name| **name == one) {
            Some(known) => *known = format!("two {one}s"),
            None => names.push(one.to_owned()),
        }
    }
    Some(Shown {
        words: format!(" forks {}", list(&names)),
        arrows: targets.iter().map(|to| [scene.at(), *to]).collect(),
    })
}
