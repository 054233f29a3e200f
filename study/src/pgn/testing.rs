//! What the tests of readers look at.

use super::reading::read;
use super::record::{Item, Line, Record};
use super::source::{GameText, Source};

/// Reads one game; fails with the reason why it is refused.
pub fn read_text(text: &str) -> Result<Record, String> {
    let read = read(GameText {
        number: 1,
        line: 1,
        end: 0,
        bytes: text.as_bytes().to_vec(),
        too_large: false,
    });
    read.map_err(|refused| refused.reason)
}

/// The comments after the moves, or before the first one.
pub fn comments(line: &Line) -> Vec<&str> {
    let items = line.plies.iter().flat_map(|ply| &ply.items);
    let comments = line.head.iter().chain(items).filter_map(|item| match item {
        Item::Comment(text) => Some(text.as_str()),
        _ => None,
    });
    comments.collect()
}

pub fn sans(line: &Line) -> Vec<&str> {
    line.plies.iter().map(|ply| ply.san.as_str()).collect()
}

/// The variations and comments of a game, each with the number of moves before it.
pub fn asides(game: &Record) -> Vec<(usize, String)> {
    let plies = game.line.plies.iter().enumerate();
    let items = plies.flat_map(|(at, ply)| ply.items.iter().map(move |item| (at + 1, item)));
    let shown = items.map(|(at, item)| match item {
        Item::Variation(line) => (at, sans(line).join(" ")),
        Item::Comment(text) => (at, format!("{{{text}}}")),
        Item::Nag(nag) => (at, format!("${nag}")),
    });
    shown.collect()
}

/// The games of a stream.
pub fn games(text: &[u8]) -> Vec<GameText> {
    let mut source = Source::new(text);
    std::iter::from_fn(|| source.next_game().expect("a readable text")).collect()
}

/// The texts of these games without white space around them.
pub fn texts(text: &[u8]) -> Vec<String> {
    let trimmed = |game: &GameText| String::from_utf8_lossy(&game.bytes).trim().to_owned();
    games(text).iter().map(trimmed).collect()
}
