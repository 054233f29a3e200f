//! A game while its tokens are read.

mod doubt;
mod rest;
mod zeros;

use rejoinder::board::{Board, san};
use rejoinder::types::Move;

use super::draft_line::{DraftLine, move_of};
use super::lexer::{Kind, Lexed, Token};
use super::numbering::Numbering;
use super::prose::is_prose;
use super::record::{Item, Line, ply_of};
use super::tags::Tag;
use super::variation::Variation;
use super::words::{NULL, shown};
use doubt::{Doubt, SETTLED};
use rest::Stop;

/// Deepest nesting of variations. Reading and writing them is recursive, so the depth must be
/// bounded.
const DEEPEST: usize = 64;

/// What the tokens of a game have shown.
pub(super) struct Read {
    /// The moves of the main line up to the first null move, all of them legal.
    pub moves: Vec<Move>,
    pub line: Line,
    /// The result; `None` for one that PGN does not know.
    pub result: Option<&'static str>,
    /// What could not be read and was kept as text.
    pub fault: Option<String>,
}

/// A game under construction.
pub(super) struct Draft<'a> {
    text: &'a str,
    /// Number of the first line of the text in the file.
    first_line: u64,
    tokens: &'a [Token],
    moves: Vec<Move>,
    /// The main line, followed by the variations that enclose the current place.
    main: DraftLine,
    variations: Vec<Variation>,
    /// Set behind the result.
    is_over: bool,
    /// The result; `None` for one that PGN does not know.
    result: Option<&'static str>,
    numbering: Numbering,
    doubt: Option<Doubt>,
    fault: Option<String>,
    /// Set if the tag `Result` is `0-0`.
    both_lost: bool,
}

/// The reason why no further token is taken.
enum End {
    /// The game is refused.
    Refused(String),
    /// The moves end; the rest of the game is kept as text.
    Moves(Stop),
}

impl Draft<'_> {
    /// Reads the tokens of a text whose first line has this number in the file. The moves end before
    /// the first one of the main line that is not legal or cannot be read; the rest of the game becomes
    /// a comment.
    ///
    /// # Errors
    /// Returns why the game is refused.
    pub fn read(
        text: &str,
        first_line: u64,
        tags: &[Tag],
        found: &Lexed,
        start: Board,
    ) -> Result<Read, String> {
        let mut draft = Draft {
            text,
            first_line,
            tokens: &found.tokens,
            moves: Vec::new(),
            main: DraftLine::new(Some(start), ply_of(&start)),
            variations: Vec::new(),
            is_over: false,
            result: None,
            numbering: Numbering::default(),
            doubt: None,
            fault: (!found.faults.is_empty()).then(|| found.faults.join(", ")),
            both_lost: zeros::are_result(tags),
        };
        draft.run()?;
        Ok(Read {
            moves: draft.moves,
            line: draft.main.line,
            result: draft.result,
            fault: draft.fault,
        })
    }

    /// Reads the tokens.
    ///
    /// # Errors
    /// Returns why the game is refused.
    fn run(&mut self) -> Result<(), String> {
        let tokens = self.tokens;
        for (index, token) in tokens.iter().enumerate() {
            match self.take(index, token) {
                Ok(()) => {}
                Err(End::Moves(stop)) => {
                    self.stop(&stop);
                    break;
                }
                Err(End::Refused(reason)) => return Err(reason),
            }
        }
        self.keep_prose();
        // A result that a variation without end has swallowed is that of the game.
        if !self.variations.is_empty()
            && let Some(Kind::Result(result)) = tokens.last().map(|token| &token.kind)
        {
            self.end(*result);
        }
        let end = match tokens.last() {
            Some(token) if matches!(token.kind, Kind::Result(_)) => token.at,
            _ => self.text.len(),
        };
        while !self.variations.is_empty() {
            self.close(end);
        }
        Ok(())
    }

    fn take(&mut self, index: usize, token: &Token) -> Result<(), End> {
        let is_main = self.variations.is_empty();
        match &token.kind {
            Kind::Number(number) => match self.variations.last_mut() {
                Some(variation) => variation.take_number(*number),
                None if self.numbering.is_other(*number, self.main.ply()) => {
                    let text = number.value.unwrap_or_default().to_string();
                    self.add(Item::Comment(text));
                }
                None => self.numbering.take(*number),
            },
            Kind::Move(san) => match self.variations.last_mut() {
                Some(variation) => variation.play(san, &self.numbering),
                None => return self.play(index, san).map_err(End::Moves),
            },
            Kind::Unread(word) if is_main && !self.is_over && !self.is_in_prose() => {
                let reason = format!("'{}' is not a move", shown(word));
                return Err(End::Moves(self.doubted(reason, index)));
            }
            Kind::Words(text) | Kind::Unread(text) => {
                let is_unread = matches!(&token.kind, Kind::Unread(_));
                match self.variations.last_mut() {
                    None => {
                        let doubt = self.doubt_at(index);
                        doubt.is_prose |= is_prose(text);
                        doubt.is_broken |= is_unread;
                        doubt.run = 0;
                    }
                    Some(variation) if is_unread => variation.forget_number(),
                    Some(variation) => variation.take_words(text),
                }
                self.add(Item::Comment(text.clone()));
            }
            Kind::Nag(nag) => self.add(Item::Nag(*nag)),
            Kind::Comment(text) => self.add(Item::Comment(text.clone())),
            Kind::Result(result) if is_main => self.end(*result),
            // A result inside a variation says nothing about the game.
            Kind::Result(Some(result)) if *result != "*" && index + 1 < self.tokens.len() => {
                self.add(Item::Comment((*result).to_owned()));
            }
            Kind::Result(_) => {}
            Kind::Open => {
                if self.variations.len() == DEEPEST {
                    let reason = "its variations are nested too deeply";
                    return Err(End::Refused(reason.to_owned()));
                }
                let variation = Variation::of(self.innermost(), token.at);
                self.variations.push(variation);
            }
            Kind::Close => self.close(token.at + 1),
        }
        Ok(())
    }

    /// Adds a move of the main line. A null move ends the part that can be analyzed; later moves
    /// are kept like those of a variation.
    fn play(&mut self, index: usize, san: &str) -> Result<(), Stop> {
        if self.is_prose(index, san) {
            self.add(Item::Comment(san.to_owned()));
            return Ok(());
        }
        let number = self.main.number();
        if self.is_over {
            let reason = format!("{number} {san} comes after the result");
            return Err(self.stop_at(reason, index));
        }
        if self.both_lost && self.is_end(index) {
            self.end(None);
            return Ok(());
        }
        if self.doubt.is_some() && self.numbering.contradicts(self.main.ply()) {
            return Err(self.doubted("a word before it is not a move".to_owned(), index));
        }
        if san == NULL || self.moves.len() < self.main.line.plies.len() {
            self.numbering.forget();
            self.main.try_play(san);
            return Ok(());
        }
        let mv = self
            .main
            .board
            .and_then(|board| Some((board, move_of(&board, san)?)));
        let Some((board, mv)) = mv else {
            if self.is_end(index) {
                self.end(None);
                return Ok(());
            }
            let reason = format!("{number} {san} is not one legal move there");
            return Err(self.doubted(reason, index));
        };
        let is_settled = |doubt: &Doubt| doubt.run >= SETTLED;
        if self.numbering.confirm(self.main.ply())
            || (!self.numbering.is_counted() && self.doubt.as_ref().is_some_and(is_settled))
        {
            self.doubt = None;
        }
        let mut after = board;
        after.make(mv);
        self.moves.push(mv);
        self.main.push(san::to_san(&board, mv), Some(after));
        Ok(())
    }

    /// Ends the game, if it is not over yet.
    fn end(&mut self, result: Option<&'static str>) {
        if !self.is_over {
            (self.is_over, self.result) = (true, result);
        }
    }

    fn innermost(&mut self) -> &mut DraftLine {
        match self.variations.last_mut() {
            Some(variation) => &mut variation.line,
            None => &mut self.main,
        }
    }

    fn add(&mut self, item: Item) {
        self.innermost().items().push(item);
    }

    /// Ends the innermost variation, whose text ends there.
    fn close(&mut self, end: usize) {
        if let Some(variation) = self.variations.pop() {
            self.add(variation.close(self.text, end));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::pgn::record::Item;
    use crate::pgn::testing::{asides, comments, read_text, sans};

    #[test]
    fn variations_may_go_astray() {
        let game =
            read_text("1. e4 (1. -- e5 2. -- Qh4 3. Nf6 e9 Nc3) e5 (1... e4) *\n").expect("a game");
        let Item::Variation(line) = &game.line.plies[0].items[0] else {
            panic!("{game:?}");
        };
        assert_eq!(sans(line), ["--", "e5", "--", "Qh4", "Nf6", "Nc3"]);
        assert_eq!(comments(line), ["e9"]);
        let Item::Variation(line) = &game.line.plies[1].items[0] else {
            panic!("{game:?}");
        };
        assert_eq!(sans(line), ["e4"]);
    }

    #[test]
    fn a_variation_behind_the_move_it_would_replace_is_kept_as_text() {
        let rooks = "[FEN \"3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\"]\n\n";
        for (text, wanted) in [
            (
                "1. h3 h6 (2. Rxd8+ Kh7) 2. g3 (3. Rd1) g6 *",
                vec![(2, "{(2. Rxd8+ Kh7)}"), (3, "{(3. Rd1)}")],
            ),
            // Both sides could move there.
            ("1. h3 h6 (2. Rd5) *", vec![(2, "{(2. Rd5)}")]),
            ("1. h3 (1... Rd5) h6 *", vec![(1, "{(1... Rd5)}")]),
            ("1. h3 ( ... Rd5) h6 *", vec![(1, "{( ... Rd5)}")]),
            (
                "1. h3 h6 (2. Rd5 {[%clk 1:00] a\nplan} (2. g3 $1) Kh7) *",
                vec![(2, "{(2. Rd5 ([clk 1:00] a plan) (2. g3 $1) Kh7)}")],
            ),
            ("1. h3 h6 (2. Rd5 1-0", vec![(2, "{(2. Rd5}")]),
            // Inside another one, the text is a comment there.
            ("1. h3 (1. g3 (1... g6) h6) *", vec![(1, "g3 h6")]),
            // The game's own numbers may differ from those of the file.
            ("31. h3 h6 (31... g6) *", vec![(2, "g6")]),
            ("31. h3 h6 (1... g6) *", vec![(2, "g6")]),
            ("31. h3 h6 (30... g6) *", vec![(2, "{(30... g6)}")]),
            ("1. h3 h6 3. g3 (2. g4) *", vec![(3, "g4")]),
        ] {
            let game = read_text(&format!("{rooks}{text}\n")).expect(text);
            let found = asides(&game);
            let found: Vec<_> = found.iter().map(|(at, text)| (*at, &**text)).collect();
            assert_eq!(found, wanted, "{text}");
            assert_eq!(game.fault.is_none(), text.ends_with('*'), "{text}");
        }
        let spanish = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 (4. Ba4 Nf6 5. O-O {main line}) 4. Bxc6 *";
        let game = read_text(spanish).expect("a game");
        let wanted = "{(4. Ba4 Nf6 5. O-O (main line))}";
        assert_eq!(asides(&game), [(6, wanted.to_owned())]);
    }

    #[test]
    fn a_variation_may_have_its_number_in_many_forms_or_none() {
        for number in ["1...", "1..", "1…", "1. ...", "1", "1.", "...", ""] {
            let text = format!("1. e4 e5 ({number} c5 2. Nf3) 2. Nf3 ({{x}} 2. {{y}} Nc3) *\n");
            let game = read_text(&text).expect("a game");
            let wanted = [(2, "c5 Nf3".to_owned()), (3, "Nc3".to_owned())];
            assert_eq!(asides(&game), wanted, "{text}");
        }
        for number in ["1.", "2...", "2", "3."] {
            let text = format!("1. e4 e5 ({number} d4) *\n");
            let game = read_text(&text).expect("a game");
            assert_eq!(asides(&game), [(2, format!("{{({number} d4)}}"))]);
        }
        // The number is that of the move that is not read.
        let game = read_text("1. e4 e5 (2. Sf3 d6) *\n").expect("a game");
        assert_eq!(asides(&game), [(2, "d6".to_owned())]);
    }

    #[test]
    fn moves_behind_a_null_move_are_kept_but_not_analyzed() {
        for null in ["--", "Z0", "0000", "<>", "1... 0000", "null"] {
            let game = read_text(&format!("1. e4 {null} 2. d4 e5 3. Kf7 1-0\n")).expect("a game");
            assert_eq!(sans(&game.line), ["e4", "--", "d4", "e5", "Kf7"], "{null}");
            assert_eq!((game.moves.len(), game.outcome()), (1, "1-0"));
        }
    }

    #[test]
    fn what_does_not_end_is_closed() {
        let game = read_text("1. e4 (1. d4 d5 e5 { open 1-0\n").expect("a game");
        assert_eq!((sans(&game.line), game.outcome()), (vec!["e4"], "*"));
        assert!(
            game.fault
                .is_some_and(|fault| fault.contains("this comment does not end"))
        );
        let game = read_text("1. e4 (1. d4 d5 1-0\n").expect("a game");
        assert_eq!((game.line.plies[0].items.len(), game.outcome()), (1, "1-0"));
        for (depth, refused) in [(60, false), (80, true)] {
            let text = format!("e4 {}{}", "(d4 ".repeat(depth), ")".repeat(depth));
            assert_eq!(read_text(&text).is_err(), refused);
        }
    }

    #[test]
    fn a_result_is_found_in_every_spelling() {
        for (result, wanted) in [
            ("1 - 0", "1-0"),
            ("1- 0", "1-0"),
            ("0 : 1", "0-1"),
            ("0.5 - 0.5", "1/2-1/2"),
            ("½ - ½", "1/2-1/2"),
            ("1-0.", "1-0"),
        ] {
            for text in [
                format!("[Result \"{result}\"]\n\n1. e4 e5 {result}"),
                format!("[Result \"{result}\"]\n\n1. e4 e5"),
                format!("1. e4 e5 {result}"),
            ] {
                let game = read_text(&text).expect("a game");
                assert_eq!(
                    (game.outcome(), comments(&game.line)),
                    (wanted, vec![]),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn results_are_found_where_they_are() {
        for (text, result) in [
            ("1. e4 0-1", "0-1"),
            ("[Result \"1-0\"]\n\n1. e4", "1-0"),
            ("[Result \"won\"]\n\n1. e4", "*"),
            ("[Result \"1-0\"]", "1-0"),
            ("1. e4 (1. d4 1-0) 1/2-1/2", "1/2-1/2"),
        ] {
            assert_eq!(
                read_text(&format!("{text}\n")).expect(text).outcome(),
                result
            );
        }
    }
}
