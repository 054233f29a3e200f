//! A game while its tokens are read.

mod doubt;
mod rest;
mod zeros;

use rejoinder::board::Board;
use rejoinder::types::Move;

use super::draft_line::DraftLine;
use super::lexer::{Kind, Lexed, Token};
use super::numbering::Numbering;
use super::prose::is_prose;
use super::record::{Item, Line, ply_of};
use super::tags::Tag;
use super::variation::Variation;
use super::words::shown;
use doubt::{Doubt, SETTLED};
use rest::Stop;

/// Deepest nesting of variations; deeper ones are kept as text. What is done with variations is
/// recursive, so the depth must be bounded.
const DEEPEST: usize = 64;

/// Most remarks on the variations of a game.
const MOST_REMARKS: usize = 8;

/// What the tokens of a game have shown.
pub(super) struct Read {
    /// The moves of the main line up to the first null move, all of them legal.
    pub moves: Vec<Move>,
    pub line: Line,
    /// The result; `None` for one that PGN does not know.
    pub result: Option<&'static str>,
    /// What could not be read and was kept as text.
    pub fault: Option<String>,
    /// The same of variations.
    pub remarks: Vec<String>,
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
    remarks: Vec<String>,
    /// Number of tokens before the first one that is not a part of a variation kept as text.
    skipped: usize,
    /// Set if the tag `Result` is `0-0`.
    both_lost: bool,
}

impl Draft<'_> {
    /// Reads the tokens of a text whose first line has this number in the file. The moves end before
    /// the first one of the main line that is not legal or cannot be read; the rest of the game becomes
    /// a comment.
    pub fn read(text: &str, first_line: u64, tags: &[Tag], found: &Lexed, start: Board) -> Read {
        let mut draft = Draft {
            text,
            first_line,
            tokens: &found.tokens,
            moves: Vec::new(),
            main: DraftLine::new(start, ply_of(&start)),
            variations: Vec::new(),
            is_over: false,
            result: None,
            numbering: Numbering::default(),
            doubt: None,
            fault: (!found.faults.is_empty()).then(|| found.faults.join(", ")),
            remarks: Vec::new(),
            skipped: 0,
            both_lost: zeros::are_result(tags),
        };
        draft.run();
        Read {
            moves: draft.moves,
            line: draft.main.line,
            result: draft.result,
            fault: draft.fault,
            remarks: draft.remarks,
        }
    }

    /// Reads the tokens.
    fn run(&mut self) {
        let tokens = self.tokens;
        for (index, token) in tokens.iter().enumerate() {
            if index < self.skipped {
                continue;
            }
            if let Err(stop) = self.take(index, token) {
                self.stop(&stop);
                break;
            }
        }
        // A result that a variation without end has swallowed is that of the game.
        if !self.variations.is_empty()
            && let Some(Kind::Result(result)) = tokens.last().map(|token| &token.kind)
        {
            self.end(*result);
        }
        while !self.variations.is_empty() {
            self.close(self.text_end(), false);
        }
        self.keep_prose();
    }

    /// Returns where the text of the game ends but for its result.
    fn text_end(&self) -> usize {
        match self.tokens.last() {
            Some(token) if matches!(token.kind, Kind::Result(_)) => token.at,
            _ => self.text.len(),
        }
    }

    /// Takes a token. Fails where the moves of the game end.
    fn take(&mut self, index: usize, token: &Token) -> Result<(), Stop> {
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
            Kind::Move(san) => {
                let at = self.tokens[self.number_of(index)].at;
                match self.variations.last_mut() {
                    Some(variation) => variation.play(san, at, &self.numbering),
                    None => return self.play(index, san),
                }
            }
            Kind::Unread(word) if is_main && !self.is_over && !self.is_in_prose() => {
                let reason = format!("'{}' is not a move", shown(word));
                return Err(self.doubted(reason, index));
            }
            Kind::Words(text) | Kind::Unread(text) => {
                let is_unread = matches!(&token.kind, Kind::Unread(_));
                let at = self.tokens[self.number_of(index)].at;
                match self.variations.last_mut() {
                    None => {
                        let doubt = self.doubt_at(index);
                        doubt.is_prose |= is_prose(text);
                        doubt.is_broken |= is_unread;
                        doubt.run = 0;
                        self.add(Item::Comment(text.clone()));
                    }
                    Some(variation) if is_unread => variation.take_unread(text, at),
                    Some(variation) => variation.take_words(text, at),
                }
            }
            Kind::Nag(nag) => self.add(Item::Nag(*nag)),
            Kind::Comment(text) => self.add(Item::Comment(text.clone())),
            Kind::Result(result) if is_main => self.end(*result),
            // A result inside a variation says nothing about the game.
            Kind::Result(Some(result)) if *result != "*" && index + 1 < self.tokens.len() => {
                self.add(Item::Comment((*result).to_owned()));
            }
            Kind::Result(_) => {}
            Kind::Open if self.variations.len() == DEEPEST => self.skip(index),
            Kind::Open => {
                let variation = Variation::of(self.innermost(), token.at);
                self.variations.push(variation);
            }
            Kind::Close => self.close(token.at + 1, true),
        }
        Ok(())
    }

    /// Adds a move of the main line. A null move ends the part that can be analyzed.
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
        let Some(step) = self.main.step(san) else {
            if self.is_end(index) {
                self.end(None);
                return Ok(());
            }
            let reason = format!("{number} {san} is not one legal move there");
            return Err(self.doubted(reason, index));
        };
        let is_analyzed = self.moves.len() == self.main.line.plies.len();
        match step.mv.filter(|_| is_analyzed) {
            Some(mv) => self.moves.push(mv),
            None => self.numbering.forget(),
        }
        let is_settled = |doubt: &Doubt| doubt.run >= SETTLED;
        if self.numbering.confirm(self.main.ply())
            || (!self.numbering.is_counted() && self.doubt.as_ref().is_some_and(is_settled))
        {
            self.doubt = None;
        }
        self.main.push(step);
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

    /// Ends the innermost variation, whose text ends there, behind its bracket if it has one.
    fn close(&mut self, end: usize, has_bracket: bool) {
        let Some(variation) = self.variations.pop() else {
            return;
        };
        let has_room = self.remarks.len() < MOST_REMARKS;
        if has_room && variation.is_kept() && !self.variations.iter().any(Variation::is_kept) {
            let line = self.line_of(variation.at);
            let remark = format!("line {line}: a variation is kept as text");
            self.remarks.push(remark);
        }
        self.add(variation.close(self.text, end, has_bracket));
    }

    /// Keeps a variation that begins at this token as text, with all that it holds.
    fn skip(&mut self, index: usize) {
        let mut depth = 0;
        let close = self.tokens[index..].iter().position(|token| {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let end = close.map(|close| self.tokens[index + close].at + 1);
        self.skipped = close.map_or(self.tokens.len(), |close| index + close + 1);
        let text = &self.text[self.tokens[index].at..end.unwrap_or(self.text_end())];
        self.add(Item::kept(text));
    }
}

#[cfg(test)]
mod tests {
    use crate::pgn::record::Item;
    use crate::pgn::testing::{asides, comments, read_text, sans};

    #[test]
    fn a_variation_ends_before_what_cannot_be_played() {
        for (variation, moves, rest, remarks) in [
            (
                "1. -- e5 2. -- Qh4 3. Nf6 e9 Nc3",
                "-- e5 -- Qh4",
                "3. Nf6 e9 Nc3",
                1,
            ),
            (
                "1. d4 Sf6 2. c4 {x [%eval 1]} (2. g3)",
                "d4",
                "Sf6 2. c4 (x [eval 1]) (2. g3)",
                1,
            ),
            ("1. d4 Springer 2. c4", "d4", "Springer 2. c4", 1),
            ("1. d4 d5 2. Lf4 Lf5", "d4 d5", "2. Lf4 Lf5", 1),
            (
                "1. d4 d5 2. c4 (2. Sc3 Sf6) 2... e6",
                "d4 d5 c4 e6",
                "(2. Sc3 Sf6)",
                1,
            ),
            (
                "1. d4 d5 with the d4-square 2. Bf4",
                "d4 d5 Bf4",
                "with the d4-square",
                0,
            ),
            ("1. d4 RR d5 2. c4", "d4 d5 c4", "RR", 0),
            (
                "1. d4 d5 2. c4 e6?! 3. Nc3 Ke8",
                "d4 d5 c4 e6 Nc3",
                "Ke8",
                1,
            ),
        ] {
            let game = read_text(&format!("1. e4 ({variation}) e5 *\n")).expect("a game");
            let Item::Variation(line) = &game.line.plies[0].items[0] else {
                panic!("{game:?}");
            };
            assert_eq!(sans(line).join(" "), moves, "{variation}");
            assert_eq!(comments(line).join(" "), rest, "{variation}");
            assert_eq!(
                (game.remarks.len(), game.fault),
                (remarks, None),
                "{variation}"
            );
            assert_eq!(sans(&game.line), ["e4", "e5"]);
        }
        for variation in ["1. Qz7 x", "1. e5 d4", "1. Sf3 d5", "Sf3 d5", "2. Sf3 d6"] {
            let game = read_text(&format!("1. e4 ({variation}) e5 (1... e4 2. d4) *\n"));
            let game = game.expect("a game");
            let wanted = [
                (1, format!("{{({variation})}}")),
                (2, "{(1... e4 2. d4)}".to_owned()),
            ];
            assert_eq!(asides(&game), wanted);
            assert_eq!(game.remarks[0], "line 1: a variation is kept as text");
        }
    }

    #[test]
    fn variations_that_are_too_deep_are_kept_as_text() {
        for depth in [63, 64, 65, 80, 10_000] {
            let text = format!(
                "1. e4 {}{}e5 1-0",
                "(1. d4 ".repeat(depth),
                ")".repeat(depth)
            );
            let game = read_text(&text).expect("a game");
            let mut line = &game.line;
            let mut found = 0;
            while let Some(Item::Variation(inner)) = line.plies[0].items.first() {
                (line, found) = (inner, found + 1);
            }
            assert_eq!(found, depth.min(64));
            let kept: usize = comments(line)
                .iter()
                .map(|text| text.matches("1. d4").count())
                .sum();
            assert_eq!(kept, depth - found);
            assert_eq!(
                (sans(&game.line), game.outcome()),
                (vec!["e4", "e5"], "1-0")
            );
        }
        let game = read_text(&format!("1. e4 {} 1-0", "(1. d4 ".repeat(100))).expect("a game");
        assert_eq!((sans(&game.line), game.outcome()), (vec!["e4"], "1-0"));
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
    }

    #[test]
    fn moves_behind_a_null_move_are_kept_but_not_analyzed() {
        for null in ["--", "Z0", "0000", "<>", "1... 0000", "null"] {
            let game = read_text(&format!("1. e4 {null} 2. d4 e5 3. Kf7 1-0\n")).expect("a game");
            assert_eq!(sans(&game.line), ["e4", "--", "d4", "e5"], "{null}");
            assert_eq!((game.moves.len(), game.outcome()), (1, "1-0"));
            assert_eq!(comments(&game.line), ["3. Kf7"]);
            assert!(
                game.fault
                    .is_some_and(|fault| fault.contains("3. Kf7 is not one legal move"))
            );
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
        // The move that it would replace turns out to be prose.
        let game = read_text("1. e4 e5 2. Nf3 hoping for d6 (2... Nc6 3. Bb5 1-0\n");
        let game = game.expect("a game");
        let wanted = [(3, "{hoping for d6 (2... Nc6 3. Bb5}".to_owned())];
        assert_eq!((asides(&game), game.outcome()), (wanted.to_vec(), "1-0"));
        let game = read_text("1. e4 (1. d4 d5 1-0\n").expect("a game");
        assert_eq!((game.line.plies[0].items.len(), game.outcome()), (1, "1-0"));
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
            ("1.0 - 0.0", "1-0"),
            (".5-.5", "1/2-1/2"),
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
            ("1. e4 e5 White resigned (0 - 1)", "0-1"),
            ("1. e4 [1-0] {by forfeit}", "1-0"),
            ("[Result \"*\"]\n\n1. e4 (1-0)", "1-0"),
            ("[Result \"1-0\"]\n\n1. e4 (0-1)", "1-0"),
            ("[Result \"1/2-1/2\"]\n\n1. e4 [1-0]", "1/2-1/2"),
            ("1. e4 (1-0) e5", "*"),
            ("1. e4 (1-0) *", "*"),
        ] {
            assert_eq!(
                read_text(&format!("{text}\n")).expect(text).outcome(),
                result
            );
        }
    }
}
