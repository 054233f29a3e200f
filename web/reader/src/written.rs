//! Moves as a text, for what the tree of a game has no place for.

use rejoinder_study::pgn::{Item, Line};

/// Returns a variation as a comment.
pub(crate) fn whole(line: &Line) -> String {
    format!("({})", from(line, 0))
}

/// Returns a line from one of its moves on as a comment.
pub(crate) fn from(line: &Line, first: usize) -> String {
    let mut words = Vec::new();
    if first == 0 {
        words.extend(line.head.iter().map(item));
    }
    let mut is_apart = true;
    for (index, ply) in line.plies.iter().enumerate().skip(first) {
        let is_white = (line.start as usize + index).is_multiple_of(2);
        words.push(if is_white || is_apart {
            step(line, index)
        } else {
            ply.san.clone()
        });
        words.extend(ply.items.iter().map(item));
        is_apart = !ply.items.is_empty();
    }
    words.join(" ").replace("[%", "[")
}

/// Returns a move of a line with its number.
pub(crate) fn step(line: &Line, index: usize) -> String {
    let ply = line.start as usize + index;
    let dots = if ply.is_multiple_of(2) { "." } else { "..." };
    format!("{}{dots} {}", ply / 2 + 1, line.plies[index].san)
}

fn item(item: &Item) -> String {
    match item {
        Item::Nag(nag) => format!("${nag}"),
        Item::Comment(text) => format!("({text})"),
        Item::Variation(line) => whole(line),
    }
}
