//! The position that a game starts from, and its variant.

use rejoinder::board::{Board, FenError};

use super::tags::Tag;

/// The beginning of a game.
pub(crate) struct Start {
    pub board: Board,
    /// True if the game is one of Chess960.
    pub chess960: bool,
    /// What was dropped from the FEN.
    pub dropped: Vec<FenError>,
}

/// Returns the position that a game starts from.
pub(crate) fn of(tags: &[Tag]) -> Result<Start, String> {
    let tag = |name: &str| {
        let tag = tags.iter().find(|tag| tag.is(name));
        tag.map(|tag| tag.value.trim())
            .filter(|value| !value.is_empty())
    };
    let variant = tag("Variant").unwrap_or("standard");
    let is_chess960 = is_chess960(variant)
        .ok_or_else(|| format!("this engine does not play the variant '{variant}'"))?;
    let fen = tag("FEN").filter(|fen| *fen != "?");
    let (board, dropped) = match fen {
        Some(fen) => Board::from_careless_fen(fen).map_err(|error| format!("its FEN: {error}"))?,
        None if tag("SetUp") == Some("1") => {
            return Err("SetUp promises a position, but there is no FEN".to_owned());
        }
        None => (Board::startpos(), Vec::new()),
    };
    Ok(Start {
        board,
        chess960: is_chess960 || !board.has_standard_castling(),
        dropped,
    })
}

/// Words that name Chess960.
const CHESS960: [&str; 8] = [
    "960",
    "9lx",
    "fischerandom",
    "fischer",
    "fisher",
    "freestyle",
    "dfrc",
    "frc",
];
/// Words that may stand beside them.
const BESIDE: [&str; 3] = ["double", "random", "chess"];
/// Words that name standard chess.
const STANDARD: [&str; 8] = [
    "standard",
    "orthodox",
    "regular",
    "normal",
    "classical",
    "classic",
    "fromposition",
    "chess",
];

/// Returns whether a variant is Chess960 rather than standard chess; `None` if it is neither.
fn is_chess960(variant: &str) -> Option<bool> {
    let mut plain = variant.to_lowercase();
    plain.retain(char::is_alphanumeric);
    let without = |words: &[&str]| {
        let remove = |rest: String, word: &&str| rest.replace(word, "");
        words.iter().fold(plain.clone(), remove)
    };
    if without(&STANDARD).is_empty() {
        Some(false)
    } else if without(&CHESS960) != plain && without(&[&CHESS960[..], &BESIDE].concat()).is_empty()
    {
        Some(true)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_of_chess960_are_chess960() {
        for (names, wanted) in [
            (
                &[
                    "Chess960",
                    "chess 960",
                    "CHESS-960",
                    "960",
                    "Fischerandom",
                    "Fischer Random",
                    "FRC",
                    "Fischer-Random Chess",
                    "Freestyle",
                    "freestyle chess",
                    "DFRC",
                    "Double Chess960",
                    "Chess9LX",
                    "Chess 960 (Fischer Random)",
                ][..],
                Some(true),
            ),
            (
                &[
                    "Standard",
                    "chess",
                    "Normal",
                    "From Position",
                    "?",
                    "Classical Chess",
                ][..],
                Some(false),
            ),
            (
                &[
                    "Atomic960",
                    "Atomic",
                    "Crazyhouse 960",
                    "Antichess",
                    "Random",
                    "Three-check",
                    "Xiangqi",
                    "Capablanca Random Chess",
                    "Horde",
                    "King of the Hill",
                    "Bughouse",
                    "Chess Variant",
                ][..],
                None,
            ),
        ] {
            for name in names {
                assert_eq!(is_chess960(name), wanted, "{name}");
            }
        }
    }
}
