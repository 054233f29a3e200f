//! `0-0` at the end of a game: both sides have lost, or the last move is castling.

use super::Draft;
use crate::pgn::extent::word_length;
use crate::pgn::lexer::Kind;
use crate::pgn::tags::Tag;
use crate::pgn::words::is_dash;

/// Returns whether the tag `Result` says that both sides have lost.
pub(super) fn are_result(tags: &[Tag]) -> bool {
    (tags.iter()).any(|tag| tag.is("Result") && is_zero_zero(&tag.value))
}

impl Draft<'_> {
    /// Returns whether this token is `0-0` behind all moves of the game, which may be a result: both
    /// sides have lost.
    pub(super) fn is_end(&self, index: usize) -> bool {
        let mut depth = 0;
        let goes_on = self.tokens[index + 1..].iter().any(|token| {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                Kind::Move(_) | Kind::Unread(_) => return depth == 0,
                _ => {}
            }
            false
        });
        let text = &self.text[self.tokens[index].at..];
        is_zero_zero(&text[..word_length(text)]) && !goes_on
    }
}

/// Returns whether a text is the result of a game that both sides have lost, or castling.
fn is_zero_zero(text: &str) -> bool {
    let plain = text.replace(is_dash, "-").replace(char::is_whitespace, "");
    plain.trim_end_matches('.') == "0-0"
}

#[cfg(test)]
mod tests {
    use crate::pgn::testing::{comments, read_text, sans};

    #[test]
    fn castling_and_a_result_are_told_apart() {
        let moves = "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4.";
        for (tag, text, played, result) in [
            ("1-0", "4. 0-0 1-0", 7, "1-0"),
            ("*", "4. 0-0", 7, "*"),
            ("*", "4. 0-0 {both castle} 0-0 5. d3 *", 9, "*"),
            ("0-0", "4. 0-0 0-0 5. d3 0-0", 9, "*"),
            ("0-0", "4. 0-0", 6, "*"),
            ("0-0", "4. d3 d6 0-0 {both lost}", 8, "*"),
            ("?", "4. Qe2 d6 5. d3 0-0 6. Nc3 0-0", 11, "*"),
        ] {
            let moves = moves.trim_end_matches(" 4.");
            let text = format!("[Result \"{tag}\"]\n\n{moves} {text}\n");
            let game = read_text(&text).expect("a game");
            assert_eq!(
                (game.moves.len(), game.outcome()),
                (played, result),
                "{text}"
            );
            assert_eq!((game.fault, game.tags[0].value.as_str()), (None, tag));
        }
        for result in ["1/2-0", "0-½", "+:-", "+/-", "adjourned"] {
            let text = format!("[Result \"{result}\"]\n\n1. e4 e5 {result}\n");
            let game = read_text(&text).expect("a game");
            assert_eq!(
                (sans(&game.line), game.outcome()),
                (vec!["e4", "e5"], "*"),
                "{text}"
            );
            assert!(comments(&game.line).is_empty(), "{text}");
        }
        let game = read_text("1. e4 e5 1/2-0\n").expect("a game");
        assert_eq!(comments(&game.line), ["1/2-0"]);
    }
}
