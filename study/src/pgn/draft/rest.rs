//! The rest of a game behind its last move that can be read.

use super::{Draft, Item};
use crate::pgn::lexer::{Kind, Token};
use crate::pgn::words::KEPT_AS_TEXT;

/// The reason why the moves end, and the place of the first token that is not read.
pub(super) struct Stop {
    pub reason: String,
    pub token: usize,
}

impl Draft<'_> {
    /// Ends the moves with a fault.
    pub(super) fn stop(&mut self, stop: &Stop) {
        self.keep_rest(stop.token);
        self.blame(stop.token, &stop.reason);
    }

    /// Adds the reason why the rest of the game from this token on is kept as text.
    pub(super) fn blame(&mut self, token: usize, reason: &str) {
        let at = self
            .tokens
            .get(token)
            .map_or(self.text.len(), |token| token.at);
        let line = self.line_of(at);
        let fault = format!("line {line}: {reason}{KEPT_AS_TEXT}");
        self.fault = Some(match self.fault.take() {
            Some(other) => format!("{other}, {fault}"),
            None => fault,
        });
    }

    /// Returns the number of the line in the file that a place of the text is in.
    pub(super) fn line_of(&self, at: usize) -> u64 {
        self.first_line + self.text[..at].matches('\n').count() as u64
    }

    /// Keeps the rest of the game from this token on as a comment, and its result.
    pub(super) fn keep_rest(&mut self, token: usize) {
        let rest = &self.tokens[token..];
        let begin = rest.first().map_or(self.text.len(), |token| token.at);
        let is_text = |token: &&Token| matches!(token.kind, Kind::Comment(_) | Kind::Words(_));
        let behind = rest.iter().rev().take_while(is_text).count();
        let (rest, behind) = rest.split_at(rest.len() - behind);
        let (end, behind) = match rest.last().map(|token| (token.at, &token.kind)) {
            Some((at, Kind::Result(result))) => {
                self.end(*result);
                (at, behind)
            }
            _ => (self.text.len(), &[][..]),
        };
        self.main.items().push(Item::kept(&self.text[begin..end]));
        for token in behind {
            if let Kind::Comment(text) | Kind::Words(text) = &token.kind {
                self.main.items().push(Item::Comment(text.clone()));
            }
        }
    }

    /// Returns the place of the number of a move, or of the move if it has none.
    pub(super) fn number_of(&self, index: usize) -> usize {
        let numbers = self.tokens[..index].iter().rev();
        let numbers = numbers.take_while(|token| matches!(token.kind, Kind::Number(_)));
        index - numbers.count()
    }

    pub(super) fn stop_at(&self, reason: String, index: usize) -> Stop {
        // The number of a move is a part of the rest.
        Stop {
            reason,
            token: self.number_of(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pgn::testing::{comments, read_text};

    #[test]
    fn a_game_ends_before_what_cannot_be_played() {
        for (text, played, rest, says) in [
            (
                "1. e4 e5 2. Ke3 Ke7 {x} 1-0",
                2,
                "2. Ke3 Ke7 (x)",
                "2. Ke3 is not one legal move",
            ),
            ("1. e4 Ke7 2. d4 *", 1, "Ke7 2. d4", "1... Ke7 is not"),
            (
                "1. e4 N@f6 (1... d5 2. c4)",
                1,
                "N@f6 (1... d5 2. c4)",
                "'N@f6' is not a move",
            ),
            (
                "1. e4 Sf6 2. e5 1/2-1/2",
                1,
                "Sf6 2. e5",
                "'Sf6' is not a move",
            ),
            ("1. P-K4 P-K4 *", 0, "1. P-K4 P-K4", "'P-K4' is not a move"),
            ("1. e4 1-0 e5", 1, "e5", "1... e5 comes after the result"),
            ("1. Ke2 *", 0, "1. Ke2", "1. Ke2 is not"),
            // Without the word, e5 would be White's move, and the line another one.
            (
                "1. e4 Zug 2. d4 d5 *",
                1,
                "Zug 2. d4 d5",
                "'Zug' is not a move",
            ),
            (
                "1. e4 e5 Foo Bar 3. Nf3 *",
                2,
                "Foo Bar 3. Nf3",
                "'Foo Bar' is not a move",
            ),
            ("1. e4 Zug e5 2. d4 d5 *", 4, "", ""),
        ] {
            let text = format!("[White \"a\"]\n[Result \"*\"]\n\n{text}\n");
            let game = read_text(&text).expect("a game");
            assert_eq!(game.moves.len(), played, "{text}");
            let fault = game.fault.clone().unwrap_or_default();
            assert!(fault.contains(says), "{text}: {fault}");
            if !says.is_empty() {
                assert_eq!(comments(&game.line).last(), Some(&rest), "{text}");
            }
            assert_eq!(
                game.outcome() == "*",
                text.ends_with("*\n") || text.contains("N@f6")
            );
        }
    }
}
