//! Turns the text of a game into a [`Record`].

use rejoinder::board::{Board, san};
use rejoinder::types::Move;

use super::draft_line::{DraftLine, move_of};
use super::encoding;
use super::extent::word_length;
use super::lexer::{Kind, Lexed, Token, lex};
use super::numbering::Numbering;
use super::prose::is_prose;
use super::record::{Item, Record, ply_of};
use super::source::GameText;
use super::start::{self, Start};
use super::tags::Tag;
use super::variation::Variation;
use super::words::{NULL, is_dash, shown};

/// Deepest nesting of variations. Reading and writing them is recursive, so the depth must be
/// bounded.
const DEEPEST: usize = 64;

/// A game that cannot be analyzed.
#[derive(Debug)]
pub(super) struct Refused {
    /// The reason.
    pub reason: String,
    /// The game as it was, followed by an empty line.
    pub text: String,
}

/// Parses the text of a game. The moves end before the first one of the main line that is not legal
/// or cannot be read; the rest of the game becomes a comment.
///
/// # Errors
/// Fails if the engine does not play the game, or its first position is none.
pub(super) fn read(game: GameText) -> Result<Record, Refused> {
    if game.too_large {
        return Err(Refused {
            reason: "it is larger than 16 MB, and left out".to_owned(),
            text: String::new(),
        });
    }
    let text = encoding::decode(game.bytes);
    let mut found = lex(&text, game.line);
    let tags = std::mem::take(&mut found.tags);
    record_of(&text, game.line, tags, &found).map_err(|reason| Refused {
        reason,
        text: format!("{}\n\n", text.trim()),
    })
}

fn record_of(text: &str, line: u64, tags: Vec<Tag>, found: &Lexed) -> Result<Record, String> {
    let Start {
        board: start,
        chess960,
        dropped,
    } = start::of(&tags)?;
    let mut draft = Draft {
        text,
        first_line: line,
        tokens: &found.tokens,
        moves: Vec::new(),
        main: DraftLine::new(Some(start), ply_of(&start)),
        variations: Vec::new(),
        is_over: false,
        result: None,
        numbering: Numbering::default(),
        doubt: None,
        fault: (!found.faults.is_empty()).then(|| found.faults.join(", ")),
        both_lost: (tags.iter()).any(|tag| tag.is("Result") && is_zero_zero(&tag.value)),
    };
    draft.run()?;
    Ok(Record {
        tags,
        start,
        chess960,
        dropped,
        moves: draft.moves,
        line: draft.main.line,
        result: draft.result,
        fault: draft.fault,
    })
}

/// A word of the main line that is no move, as long as no move number has shown that it stands for
/// none: the moves behind it may be those of another line.
struct Doubt {
    /// Place of the word among the tokens.
    token: usize,
    /// Number of moves before it, and of items after the last of them.
    plies: usize,
    items: usize,
    /// The positions after and before the last of those moves.
    board: Option<Board>,
    before: Option<Board>,
    /// Set if there is prose among the words, so that moves without numbers may be a part of it.
    is_prose: bool,
    /// Set if one of these moves cannot be played, so that those behind it are prose as well.
    is_broken: bool,
    /// Number of moves behind the last word.
    run: usize,
}

/// Number of moves in a row behind which a word of a game without move numbers is none.
const SETTLED: usize = 3;

/// A game under construction.
struct Draft<'a> {
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

/// The reason why the moves end, and the place of the first token that is not read.
struct Stop {
    reason: String,
    token: usize,
}

/// The reason why no further token is taken.
enum End {
    /// The game is refused.
    Refused(String),
    /// The moves end; the rest of the game is kept as text.
    Moves(Stop),
}

impl Draft<'_> {
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

    /// The doubt at this token, or the one before it.
    fn doubt_at(&mut self, token: usize) -> &mut Doubt {
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

    fn is_in_prose(&self) -> bool {
        self.doubt.as_ref().is_some_and(|doubt| doubt.is_prose)
    }

    /// Returns whether a move of the main line is a word of the prose before it. A number decides:
    /// of the next move, or of the move before which the prose stands.
    fn is_prose(&mut self, index: usize, san: &str) -> bool {
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
    fn take_back(&mut self, index: usize) {
        let end = self.tokens[self.number_of(index)].at;
        if let Some(doubt) = self.doubt.take() {
            self.cut(&doubt);
            let text = &self.text[self.tokens[doubt.token].at..end];
            self.add(Item::kept(text));
        }
    }

    /// Drops all moves and items behind a word.
    fn cut(&mut self, doubt: &Doubt) {
        self.main.line.plies.truncate(doubt.plies);
        self.main.items().truncate(doubt.items);
        (self.main.board, self.main.before) = (doubt.board, doubt.before);
        self.moves.truncate(doubt.plies);
    }

    /// Makes moves at the end of the game a comment if they stand in prose that no number follows.
    fn keep_prose(&mut self) {
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

    /// Returns whether this token is `0-0` behind all moves of the game, which may be a result: both
    /// sides have lost.
    fn is_end(&self, index: usize) -> bool {
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

    /// Returns the place of the number of a move, or of the move if it has none.
    fn number_of(&self, index: usize) -> usize {
        let numbers = self.tokens[..index].iter().rev();
        let numbers = numbers.take_while(|token| matches!(token.kind, Kind::Number(_)));
        index - numbers.count()
    }

    fn stop_at(&self, reason: String, index: usize) -> Stop {
        // The number of a move is a part of the rest.
        Stop {
            reason,
            token: self.number_of(index),
        }
    }

    /// Returns where the moves end if one of them cannot be played: before a word that may have been
    /// a move, if there is one.
    fn doubted(&mut self, reason: String, index: usize) -> Stop {
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

    /// Ends the moves with a fault.
    fn stop(&mut self, stop: &Stop) {
        self.keep_rest(stop.token);
        self.blame(stop.token, &stop.reason);
    }

    /// Adds the reason why the rest of the game from this token on is kept as text.
    fn blame(&mut self, token: usize, reason: &str) {
        let at = self
            .tokens
            .get(token)
            .map_or(self.text.len(), |token| token.at);
        let line = self.first_line + self.text[..at].matches('\n').count() as u64;
        let fault = format!("line {line}: {reason}; the game is kept as text from there on");
        self.fault = Some(match self.fault.take() {
            Some(other) => format!("{other}, {fault}"),
            None => fault,
        });
    }

    /// Keeps the rest of the game from this token on as a comment, and its result.
    fn keep_rest(&mut self, token: usize) {
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
}

/// Returns whether a text is the result of a game that both sides have lost, or castling.
fn is_zero_zero(text: &str) -> bool {
    let plain = text.replace(is_dash, "-").replace(char::is_whitespace, "");
    plain.trim_end_matches('.') == "0-0"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotate::record::Line;

    fn read_text(text: &str) -> Result<Record, String> {
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
    fn comments(line: &Line) -> Vec<&str> {
        let items = line.plies.iter().flat_map(|ply| &ply.items);
        let comments = line.head.iter().chain(items).filter_map(|item| match item {
            Item::Comment(text) => Some(text.as_str()),
            _ => None,
        });
        comments.collect()
    }

    fn sans(line: &Line) -> Vec<&str> {
        line.plies.iter().map(|ply| ply.san.as_str()).collect()
    }

    #[test]
    fn everything_between_the_moves_is_kept() {
        let long = "words ".repeat(300);
        let text = format!(
            "[White \"A\"]\n\n{{before}} 1. e4! {{{long}}} (1. d4 d5 (1... Nf6 $5) 2. c4) (1. Qz7 x) 1... e5 ; end\n2. Ke2 *\n"
        );
        let game = read_text(&text).expect("a game");
        assert_eq!(game.player("White"), "A");
        assert_eq!(game.line.head, [Item::Comment("before".into())]);
        assert_eq!(sans(&game.line), ["e4", "e5", "Ke2"]);
        let items = &game.line.plies[0].items;
        assert_eq!(
            items[..2],
            [Item::Nag(1), Item::Comment(long.trim().into())]
        );
        let Item::Variation(line) = &items[2] else {
            panic!("{items:?}");
        };
        assert_eq!((line.start, sans(line)), (0, vec!["d4", "d5", "c4"]));
        let Item::Variation(inner) = &line.plies[1].items[0] else {
            panic!("{line:?}");
        };
        assert_eq!((inner.start, sans(inner)), (1, vec!["Nf6"]));
        assert_eq!(game.line.plies[1].items, [Item::Comment("end".into())]);
        assert_eq!(game.outcome(), "*");
    }

    #[test]
    fn moves_may_be_written_as_engines_do() {
        let text = "1. e2e4 e7e5 2. g1f3 b8c6 3. Bf1-c4 g8f6 4. e1g1 f6e4 *\n";
        let game = read_text(text).expect("a game");
        let wanted = ["e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6", "O-O", "Nxe4"];
        assert_eq!(sans(&game.line), wanted);
        let promotion = "[FEN \"3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. c7d8q *\n";
        let game = read_text(promotion).expect("a game");
        assert_eq!(sans(&game.line), ["cxd8=Q+"]);
    }

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

    /// The variations and comments of a game, each with the number of moves before it.
    fn asides(game: &Record) -> Vec<(usize, String)> {
        let plies = game.line.plies.iter().enumerate();
        let items = plies.flat_map(|(at, ply)| ply.items.iter().map(move |item| (at + 1, item)));
        let shown = items.map(|(at, item)| match item {
            Item::Variation(line) => (at, sans(line).join(" ")),
            Item::Comment(text) => (at, format!("{{{text}}}")),
            Item::Nag(nag) => (at, format!("${nag}")),
        });
        shown.collect()
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
    fn positions_and_variants() {
        let shredder = "[Variant \"Chess 960\"]\n[SetUp \"1\"]\n[FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n9. O-O *\n";
        assert!(read_text(shredder).is_ok_and(|game| {
            game.moves.is_empty()
                && game
                    .fault
                    .is_some_and(|fault| fault.starts_with("line 5: 9. O-O is not"))
        }));
        let legal = shredder.replace("9. O-O", "9. g3 g6 10. Ng2");
        assert!(read_text(&legal).is_ok_and(|game| game.chess960 && game.line.start == 16));
        let x_fen = "[FEN \"1k6/8/8/8/8/8/8/1K1R4 w K - 0 1\"]\n\n1. O-O *\n";
        assert!(read_text(x_fen).is_ok_and(|game| game.chess960));
        let black = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30\"]\n\n30... Kd7 31. Kf7 *\n";
        let black = read_text(black).expect("a game");
        assert!(
            black
                .fault
                .is_some_and(|fault| fault.starts_with("line 3: 31. Kf7"))
        );
        assert_eq!(sans(&black.line), ["Kd7"]);
        for (tags, says) in [
            ("[Variant \"Atomic\"]", "the variant 'Atomic'"),
            ("[Variant \"Crazyhouse\"]\n\n1. e4 P@d5", "'Crazyhouse'"),
            ("[Variant \"Atomic960\"]", "the variant 'Atomic960'"),
            ("[SetUp \"1\"]", "there is no FEN"),
            ("[FEN \"8/8 w - -\"]", "its FEN: "),
        ] {
            let error = read_text(&format!("{tags}\n\n*\n")).expect_err(tags);
            assert!(error.contains(says), "{error}");
        }
    }

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

    #[test]
    fn promotions_are_read_in_every_form() {
        for spelling in [
            "a8=Q",
            "a8Q",
            "a8q",
            "a8(Q)",
            "a8/Q",
            "a8=(Q)",
            "a8:Q",
            "a7a8q",
            "a7-a8(Q)+",
            "A8Q",
            "a8=♕",
        ] {
            let text = format!(
                "[FEN \"8/P6k/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. {spelling} Kg6 (1... Kh6) *\n"
            );
            let game = read_text(&text).expect("a game");
            assert_eq!(sans(&game.line), ["a8=Q", "Kg6"], "{spelling}");
        }
    }

    #[test]
    fn text_before_the_tags_is_kept() {
        let game =
            read_text("{one}\n; two\n% three\nPrinted on a4.\n[White \"A\"]\n{four}\n1. e4 *")
                .expect("a game");
        let wanted = ["one", "two", "% three", "Printed on a4.", "four"];
        assert_eq!(
            (comments(&game.line), game.player("White")),
            (wanted.to_vec(), "A")
        );
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
