//! Moves as a text, for what the tree of a game has no place for.

use rejoinder_study::pgn::{Item, Line, number_of};

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
    let number = number_of(line.start + index as u32);
    format!("{number} {}", line.plies[index].san)
}

fn item(item: &Item) -> String {
    match item {
        Item::Nag(nag) => format!("${nag}"),
        Item::Comment(text) => format!("({text})"),
        Item::Variation(line) => whole(line),
    }
}
