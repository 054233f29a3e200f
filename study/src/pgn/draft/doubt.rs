//! Words among the moves that may be moves, and moves that may be words of prose.

use rejoinder::board::Board;

use super::rest::Stop;
use super::{Draft, Item};
use crate::pgn::lexer::Kind;
use crate::pgn::words::shown;

/// A word of the main line that is no move, as long as no move number has shown that it stands for
/// none: the moves behind it may be those of another line.
pub(super) struct Doubt {
    /// Place of the word among the tokens.
    pub token: usize,
    /// Number of moves before it, and of items after the last of them.
    plies: usize,
    items: usize,
    /// The positions after and before the last of those moves.
    board: Board,
    before: Board,
    /// Set if there is prose among the words, so that moves without numbers may be a part of it.
    pub is_prose: bool,
    /// Set if one of these moves cannot be played, so that those behind it are prose as well.
    pub is_broken: bool,
    /// Number of moves behind the last word.
    pub run: usize,
}

/// Number of moves in a row behind which a word of a game without move numbers is none.
pub(super) const SETTLED: usize = 3;

impl Draft<'_> {
    /// The doubt at this token, or the one before it.
    pub(super) fn doubt_at(&mut self, token: usize) -> &mut Doubt {
        let main = &mut self.main;
        let plies = main.line.plies.len();
        self.doubt.get_or_insert_with(|| Doubt {
            token,
            plies,
            items: main.items().len(),
            board: main.board,
            before: main.before,
            is_prose: false,
            is_broken: false,
            run: 0,
        })
    }

    pub(super) fn is_in_prose(&self) -> bool {
        self.doubt.as_ref().is_some_and(|doubt| doubt.is_prose)
    }

    /// Returns whether a move of the main line is a word of the prose before it. A number decides:
    /// of the next move, or of the move before which the prose stands.
    pub(super) fn is_prose(&mut self, index: usize, san: &str) -> bool {
        let ply = self.main.ply();
        let has_number = self.numbering.is_pending();
        let is_playable = !self.is_over && self.main.can_play(san);
        let Some(doubt) = self.doubt.as_mut().filter(|doubt| doubt.is_prose) else {
            return false;
        };
        if has_number {
            let start = self.main.line.start + doubt.plies as u32;
            let fits = |ply| !self.numbering.contradicts(ply);
            let goes_on = !doubt.is_broken && fits(ply);
            if !goes_on && !self.is_over && fits(start) {
                self.take_back(index);
            }
            return false;
        }
        doubt.run += 1;
        doubt.is_broken |= !is_playable;
        doubt.is_broken
    }

    /// Makes all from the word in doubt up to the number of this move a comment.
    pub(super) fn take_back(&mut self, index: usize) {
        let end = self.tokens[self.number_of(index)].at;
        if let Some(doubt) = self.doubt.take() {
            self.cut(&doubt);
            let text = &self.text[self.tokens[doubt.token].at..end];
            self.add(Item::kept(text));
        }
    }

    /// Drops all moves and items behind a word.
    pub(super) fn cut(&mut self, doubt: &Doubt) {
        self.main.cut(doubt.plies, doubt.items);
        (self.main.board, self.main.before) = (doubt.board, doubt.before);
        self.moves.truncate(doubt.plies);
    }

    /// Makes moves at the end of the game a comment if they stand in prose that no number follows.
    pub(super) fn keep_prose(&mut self) {
        let is_kept = |doubt: &Doubt| {
            doubt.is_prose && (doubt.is_broken || self.main.line.plies.len() > doubt.plies)
        };
        if self.doubt.as_ref().is_some_and(is_kept)
            && let Some(doubt) = self.doubt.take()
        {
            self.cut(&doubt);
            self.keep_rest(doubt.token);
            if doubt.run > 0 {
                let reason = "a move behind words has no number".to_owned();
                self.blame(doubt.token, &reason);
            }
        }
    }

    /// Returns where the moves end if one of them cannot be played: before a word that may have been
    /// a move, if there is one.
    pub(super) fn doubted(&mut self, reason: String, index: usize) -> Stop {
        let Some(doubt) = self.doubt.take() else {
            return self.stop_at(reason, index);
        };
        self.cut(&doubt);
        let reason = match &self.tokens[doubt.token].kind {
            Kind::Words(word) if self.main.line.plies.len() + 1 < index => {
                format!("'{}' is not a move, or {reason}", shown(word))
            }
            _ => reason,
        };
        self.stop_at(reason, doubt.token)
    }
}

#[cfg(test)]
mod tests {
    use crate::pgn::record::Item;
    use crate::pgn::testing::{comments, read_text, sans};

    #[test]
    fn words_among_the_moves_become_comments() {
        let text = "1. e4 [#] e5 N 2. Nf3 TN ⨀ Nc6 RR 3. Bb5 Diagram 3... a6 [%csl Ra1] *";
        let game = read_text(&format!("[White \"a\"]\n\n{text}")).expect("a game");
        assert_eq!(sans(&game.line), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]);
        assert_eq!(
            comments(&game.line),
            ["[#]", "TN ⨀", "RR", "Diagram", "[%csl Ra1]"]
        );
        assert_eq!(game.line.plies[1].items, [Item::Nag(146)]);
        assert_eq!((game.fault, game.moves.len()), (None, 6));
    }

    #[test]
    fn prose_is_no_move() {
        for (text, played, says) in [
            (
                "White resigns here, as d6 would hold everything",
                3,
                "White resigns here, as d6 would hold everything",
            ),
            (
                "and Black, who saw that d6 2... d6 3. h4 failed, resigned",
                5,
                "and Black, who saw that d6",
            ),
            ("hoping for d6 2... Nc6 3. Bb5", 5, "hoping for d6"),
            (
                "attacks the e5-pawn; see p. 12.\n2... Nc6",
                4,
                "attacks the e5-pawn",
            ),
            ("a fine move. Nc6 3. Bb5 a6", 6, "a fine move."),
            (
                "Black lost -- the clock stood at 0.15 s!",
                3,
                "Black lost -- the clock stood at 0.15 s!",
            ),
            ("see (in March) or d6 (after Nc3 he holds), well", 3, "see"),
            ("白认输，因为 d6 不行", 3, "白认输，因为 d6 不行"),
            (
                "he is lost in 20 moves: N or D",
                3,
                "he is lost in 20 moves: N or D",
            ),
        ] {
            for result in ["", "0-1", "*"] {
                let text = format!("[White \"a\"]\n\n1. e4 e5 2. Nf3 {text} {result}");
                let game = read_text(&text).expect("a game");
                assert_eq!(
                    (game.moves.len(), game.fault.as_deref()),
                    (played, None),
                    "{text}"
                );
                assert!(
                    comments(&game.line)
                        .iter()
                        .any(|found| found.starts_with(says)),
                    "{game:?}"
                );
                assert_eq!(game.outcome(), if result == "0-1" { "0-1" } else { "*" });
            }
        }
        // A move at the end may be one of the game, so that it is told.
        let game = read_text("1. e4 e5 2. Nf3 good Nc6 1-0\n").expect("a game");
        assert_eq!(
            (game.moves.len(), comments(&game.line), game.outcome()),
            (3, vec!["good Nc6"], "1-0")
        );
        assert!(
            game.fault
                .is_some_and(|fault| fault.starts_with("line 1: a move behind words"))
        );
        let unnumbered = read_text("e4 e5 Nf3 good Nc6 Bb5 a6 Ba4 1-0\n").expect("a game");
        assert_eq!((unnumbered.moves.len(), unnumbered.fault), (7, None));
    }

    #[test]
    fn numbers_and_brackets_among_the_moves_stay_as_they_are() {
        let text = "1. e4 0.15 (0:05) e5 12.5% (D) 2. Nf3 15 (in March) Nc6 3.20s ({only this}) 3. Bb5 a6 () *";
        let game = read_text(text).expect("a game");
        assert_eq!(sans(&game.line), ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]);
        let wanted = [
            "0.15",
            "(0:05)",
            "12.5%",
            "(D)",
            "15",
            "(in March)",
            "3.20s",
            "((only this))",
            "()",
        ];
        assert_eq!((comments(&game.line), game.fault), (wanted.to_vec(), None));
    }
}
