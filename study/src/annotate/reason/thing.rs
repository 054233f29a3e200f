//! What a line wins, in words: all of it, so that no sentence names less.

use rejoinder::board::Board;
use rejoinder::types::{Color, PieceType, Square};

use super::story::Story;

/// Kinds of pieces in the order in which they are named.
const ORDER: [PieceType; 5] = [
    PieceType::Queen,
    PieceType::Rook,
    PieceType::Bishop,
    PieceType::Knight,
    PieceType::Pawn,
];

/// The material that a line wins.
pub struct Thing {
    /// In words, such as `the knight on f6` or `the queen for a rook`.
    pub words: String,
    /// The most valuable kind that is won.
    pub kind: PieceType,
    /// Where the pieces of that kind stand that are taken, before the line begins.
    pub origins: Vec<Square>,
    /// Whether it is one piece and nothing else, with its square.
    pub is_one_piece: bool,
    /// Whether it is one piece with its square, for which something may be given.
    pub names_one: bool,
}

/// Returns the name of a kind of pieces.
pub const fn name(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "pawn",
        PieceType::Knight => "knight",
        PieceType::Bishop => "bishop",
        PieceType::Rook => "rook",
        PieceType::Queen => "queen",
        PieceType::King => "king",
    }
}

/// Returns a list in words: `a`, `a and b`, `a, b and c`.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns what the side that begins a story wins of the other, from a position on, which may be one
/// before the story begins. `None` if it wins nothing, or if a pawn promotes.
pub fn of(before: &Board, story: &Story) -> Option<Thing> {
    if story.moves.iter().any(|mv| mv.is_promotion()) {
        return None;
    }
    let (us, them) = (story.us(), !story.us());
    let lost = |color: Color, kind| {
        let count = |board: &Board| board.pieces(color, kind).count() as i32;
        count(before) - count(story.last())
    };
    let mut net = ORDER.map(|kind| lost(them, kind) - lost(us, kind));
    // A bishop for a knight is a trade.
    let [_, _, bishops, knights, _] = &mut net;
    let trades = if *bishops > 0 {
        (*bishops).min(-*knights).max(0)
    } else {
        -(-*bishops).min(*knights).max(0)
    };
    *bishops -= trades;
    *knights += trades;
    let place = net.iter().position(|count| *count > 0)?;
    let kind = ORDER[place];
    let taken = story.taken.iter().filter(|taken| taken.kind == kind);
    let origins: Vec<Square> = taken.map(|taken| taken.origin).collect();
    let minors = net[2] + net[3];
    let is_exchange = net[0] == 0 && net[1] == 1 && minors == -1;
    let mut won = Vec::new();
    let mut given = Vec::new();
    for (at, (kind, count)) in ORDER.into_iter().zip(net).enumerate() {
        if is_exchange && (1..=3).contains(&at) {
            if at == 1 {
                won.push("the exchange".to_owned());
            }
            continue;
        }
        match count {
            1 => won.push(one(kind, story)),
            2.. => won.push(several(kind, count)),
            0 => {}
            -1 => given.push(format!("a {}", name(kind))),
            _ => given.push(several(kind, -count)),
        }
    }
    let mut words = list(&won);
    if !given.is_empty() {
        words = format!("{words} for {}", list(&given));
    }
    let names_one = won.len() == 1 && origins.len() == 1 && net[place] == 1 && !is_exchange;
    Some(Thing {
        words,
        kind,
        origins,
        is_one_piece: names_one && given.is_empty(),
        names_one,
    })
}

/// Names one piece, with its square if only one of its kind is taken.
fn one(kind: PieceType, story: &Story) -> String {
    let mut taken = story.taken.iter().filter(|taken| taken.kind == kind);
    match (taken.next(), taken.next()) {
        (Some(taken), None) => format!("the {} on {}", name(kind), taken.origin),
        _ => format!("a {}", name(kind)),
    }
}

fn several(kind: PieceType, count: i32) -> String {
    let number = match count {
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        4 => "four".to_owned(),
        _ => count.to_string(),
    };
    format!("{number} {}s", name(kind))
}
