//! Where a game ends and the next one begins.

use super::Cutter;
use crate::pgn::extent::word_length;
use crate::pgn::prose::{begins_moves, is_opening, is_prose_line};
use crate::pgn::tags;
use crate::pgn::words::{self, Body};

impl Cutter {
    /// Returns whether the next game begins with this text in brackets.
    pub(super) fn begins_game(&self, text: &[u8]) -> bool {
        let (is_clean, after_blank) = (self.is_clean, self.after_blank);
        let name = tags::name(text);
        if !self.in_movetext {
            if !self.is_tagged {
                return false;
            }
            let is_new_header = self.first_line_tags > 1 && self.tags[0] == name;
            let is_apart = after_blank || is_new_header;
            return is_clean && is_apart && self.tags.iter().any(|tag| tag == name);
        }
        let is_regular = tags::is_regular(text);
        let is_open = self.variations > 0;
        if is_clean {
            let is_apart = after_blank || self.is_over;
            let is_last = self.is_over && tags::is_tag(text) && text.trim_ascii().ends_with(b"]");
            is_regular || is_last || (is_apart && tags::is_bracketed(text))
        } else {
            is_regular && !is_open && (self.is_over || name == b"Event")
        }
    }

    /// Returns whether a round bracket begins a variation.
    pub(super) fn is_open_to_moves(&self, text: &str) -> bool {
        let is_movetext = self.in_movetext || begins_moves(text, self.is_tagged, self.is_first);
        is_movetext && !self.is_behind()
    }

    /// Returns whether prose begins with this word of the movetext, below an empty line. It belongs
    /// to the next game, unless moves go on behind it.
    pub(super) fn is_prose_below(&self, text: &str) -> bool {
        let is_below = self.in_movetext && self.after_blank && self.is_clean;
        is_below && self.variations == 0 && is_prose_line(text)
    }

    /// Returns whether the moves, or those behind prose, begin with this text.
    pub(super) fn begins(&self, text: &str, has_tags: bool) -> bool {
        let goes_on = self.is_apart && !self.is_over && self.is_first;
        begins_moves(text, has_tags || goes_on, self.is_first)
    }

    /// Takes a word of the movetext, with which a text begins. Returns whether the next game begins
    /// with it.
    pub(super) fn take_word(&mut self, text: &str, word: &words::Word) -> bool {
        self.in_movetext = true;
        if self.variations > 0 {
            return false;
        }
        let length = word_length(text);
        let is_result = match &word.body {
            Body::Result(_) => true,
            // Castling with zeros is a result only where no move follows.
            Body::Move(_) => false,
            _ => self.result.as_deref() == Some(&text[..length]),
        };
        let has_number = word.number.is_some_and(|number| number.dots > 0);
        let is_move = matches!(word.body, Body::Move(_) | Body::Unread);
        if is_result {
            (self.is_over, self.is_apart) = (true, false);
        } else if has_number || is_move || self.is_first {
            let is_first = has_number && word.number.is_some_and(|number| number.value == Some(1));
            if self.is_over && (self.is_apart || is_first) || self.begins_anew(text, word) {
                return true;
            }
            if has_number || is_move {
                (self.is_over, self.is_apart) = (false, false);
            }
            self.plies += u32::from(is_move);
            self.is_numbered |= has_number;
        }
        false
    }

    /// Returns whether another game begins with this word, though no result or empty line ends the
    /// one before: its number is that of White's first move again; or moves without numbers begin a
    /// line behind a result.
    pub(super) fn begins_anew(&self, text: &str, word: &words::Word) -> bool {
        let may_begin = match word.number {
            Some(number) => self.plies > 0 && number.value == Some(1) && number.dots <= 1,
            None => self.is_first && self.is_over && !self.is_numbered,
        };
        if !may_begin {
            return false;
        }
        let behind = text[word_length(text)..].trim_start();
        let next = words::read(&behind[..word_length(behind)]);
        let body = if word.body == Body::Nothing {
            &next.body
        } else {
            &word.body
        };
        let is_opening = matches!(body, Body::Move(san) if is_opening(san));
        is_opening && (word.number.is_some() || begins_moves(text, false, true))
    }
}

#[cfg(test)]
mod tests {
    use crate::pgn::testing::texts;

    #[test]
    fn a_line_may_hold_a_whole_game_or_several() {
        let one = "[Event \"a\"] [Result \"1-0\"] 1. e4 e5 { [Event \"x\"] 1-0 1. } 1-0";
        for between in ["\n", "\n\n", " "] {
            let text = [one, one, one].join(between);
            assert_eq!(texts(text.as_bytes()), [one, one, one], "{between:?}");
        }
        assert_eq!(
            texts(b"1. e4 1-0 1. d4 0-1\n1.c4 *\n"),
            ["1. e4 1-0", "1. d4 0-1", "1.c4 *"]
        );
        let twice = "[Event \"a\"]\n[Result \"1-0\"]\n[Event \"b\"]\n[White \"c\"]\n[White \"d\"]";
        assert_eq!(texts(twice.as_bytes()), [twice], "tags may be given twice");
        let bare = b"[Event \"a\"] [Result \"1-0\"]\n[Event \"b\"] [Result \"0-1\"]\n";
        assert_eq!(texts(bare).len(), 2);
    }

    #[test]
    fn a_game_begins_at_the_first_move_though_the_last_one_has_no_result() {
        for games in [
            &["1. e4 e5", "1. d4 d5", "1. c4 c5"][..],
            &["1.e4 e5", "1.d4", "1.Nf3 d5 2.g3"],
            &["1. e4", "1. d4 d5", "1.\u{200b}c4"],
            &["1 e4 e5 2 Nf3", "1 d4 d5"],
            &["[A \"1\"]\n\n1. e4 e5 (1... c5)", "1. d4 d5 {x}", "1. c4"],
        ] {
            for between in ["\n", "\n\n", "\r\n"] {
                let text = games.join(between);
                let found: Vec<_> = texts(text.as_bytes())
                    .iter()
                    .map(|text| text.replace("\r\n", "\n"))
                    .collect();
                assert_eq!(found, games, "{text}");
            }
        }
        assert_eq!(texts(b"1. e4 e5 1. d4 d5 1.c4").len(), 3);
        assert_eq!(texts(b"[A \"1\"]\n\n{x} *\n\n[B \"2\"]\n\n1. e4").len(), 2);
        for one in [
            "1. e4 1. e5 2. Nf3 2. Nc6 *",
            "1. e4\n1... e5\n2. Nf3",
            "1. e4 (1. d4 d5) e5",
            "1. e4 e5 {1. d4 d5} ; 1. c4\n2. Nf3 1-0",
            "1. e4\n1. ... e5",
        ] {
            assert_eq!(texts(one.as_bytes()), [one]);
        }
    }

    #[test]
    fn a_line_of_moves_behind_a_result_is_a_game() {
        let games = ["e4 e5 Nf3 1-0", "d4 d5 0 - 1", "c4 1/2-1/2", "Nf3 d5 *"];
        assert_eq!(texts(games.join("\n").as_bytes()), games);
        for one in [
            "e4 e5 1-0\na4 paper was used",
            "e4 e5 1-0\nWhite played d4 d5",
            "1. e4 e5 1-0\nd5 d4",
        ] {
            assert_eq!(texts(one.as_bytes()), [one]);
        }
    }

    #[test]
    fn prose_below_the_moves_belongs_to_the_next_game() {
        let prose = [
            "Game 2\nHere Black might have replied\na6 at once! They met again (in March).",
            "a6 was played later",
            "Nf3 was his favourite;\nhe won 1-0 with it\n\nand lost none",
        ];
        for (prose, result) in prose
            .iter()
            .flat_map(|prose| [(prose, ""), (prose, " 1-0")])
        {
            let first = format!("[White \"A\"]\n\n1. e4 e5 2. Nf3{result}");
            let second = format!("{prose}\n\n[White \"B\"]\n\n1. d4 d5");
            let found = texts(format!("{first}\n\n{second}\n").as_bytes());
            assert_eq!(found, [first, second]);
        }
        for one in [
            "1. e4 e5\n\nNow Black may choose.\n\n2. Nf3 Nc6\n\nd6 is passive.\n2... Nc6 *",
            "1. e4 e5\n\nWhite resigned.\n\n0-1",
        ] {
            assert_eq!(
                texts(format!("{one}\n\n[A \"1\"]\n").as_bytes())[0].replace('\n', ""),
                one.replace('\n', "")
            );
        }
    }

    #[test]
    fn brackets_among_the_moves_begin_no_game() {
        for text in [
            "1. e4 e5\n[#]\n2. Nf3 [Diagram]\n[%eval 0.1]\n\n[Diagram 2]\n2... Nc6 *",
            "[Event \"a\"]\n[Result \"0-0\"]\n\n1. e4 e5 2. 0-0",
            "1. e4 1-0 (forfeit) e5",
        ] {
            assert_eq!(texts(text.as_bytes()), [text]);
        }
        // In Latin-1, the half is a byte of its own.
        let latin = texts(b"1. e4 \xbd-\xbd 1. d4 *");
        assert_eq!(latin.len(), 2);
        assert_eq!(latin[1], "1. d4 *");
    }
}
