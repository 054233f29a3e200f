//! Turns the text of a game into a [`Record`].

use std::ops::ControlFlow;

use pgn_reader::shakmaty::{KnownOutcome, Outcome};
use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};

use rejoinder::board::coordinates::parse_move;
use rejoinder::board::{Board, san};
use rejoinder::types::Move;

use super::encoding;
use super::record::{Item, Line, Ply, Record, ply_of};
use super::source::GameText;
use super::tidy::tidy;

/// Deepest nesting of variations. Reading and writing them is recursive, so the depth must be
/// bounded.
const DEEPEST: usize = 64;

/// Parses the text of a game.
///
/// # Errors
/// Fails with a description of the first error.
pub(super) fn read(game: GameText) -> Result<Record, String> {
    if game.too_large {
        return Err("it is larger than 16 MB".to_owned());
    }
    let tidy = tidy(&encoding::decode(game.bytes), game.line)?;
    let mut reader = Reader::build(tidy.text.as_bytes())
        .set_supported_tag_line_length(tidy.longest_tag + 2)
        .finish();
    let read = reader
        .read_game(&mut Recorder)
        .map_err(|error| error.to_string())?;
    read.unwrap_or_else(|| Err("it is empty".to_owned()))
}

/// The visitor that builds records from the events of `pgn-reader`.
struct Recorder;

/// A line under construction.
struct Frame {
    line: Line,
    /// The positions after and before the last move; `None` after a move that cannot be played.
    board: Option<Board>,
    before: Option<Board>,
}

impl Frame {
    fn new(board: Option<Board>, start: u32) -> Self {
        Self {
            line: Line {
                start,
                ..Line::default()
            },
            board,
            before: board,
        }
    }

    /// Returns the list that a comment at this place is added to.
    fn items(&mut self) -> &mut Vec<Item> {
        match self.line.plies.last_mut() {
            Some(ply) => &mut ply.items,
            None => &mut self.line.head,
        }
    }

    fn push(&mut self, san: String, board: Option<Board>) {
        self.before = self.board;
        self.board = board;
        let items = Vec::new();
        self.line.plies.push(Ply { san, items });
    }

    /// Returns the number of the next move, such as `12...`.
    fn number(&self) -> String {
        let ply = self.line.start + self.line.plies.len() as u32;
        let dots = if ply.is_multiple_of(2) { "." } else { "..." };
        format!("{}{dots}", ply / 2 + 1)
    }
}

/// A game under construction.
struct Draft {
    tags: Vec<(String, String)>,
    start: Board,
    chess960: bool,
    moves: Vec<Move>,
    /// The main line, followed by the variations that enclose the current place.
    main: Frame,
    variations: Vec<Frame>,
    result: Option<&'static str>,
    /// The first parts of a comment that arrives in parts.
    comment: String,
}

impl Draft {
    fn frame(&mut self) -> &mut Frame {
        self.variations.last_mut().unwrap_or(&mut self.main)
    }

    /// Adds a move of the main line. A null move ends the part that can be analyzed; later moves
    /// are kept like those of a variation.
    fn play(&mut self, san: &str) -> Result<(), String> {
        let number = self.main.number();
        if self.result.is_some() {
            return Err(format!("{number} {san} comes after the result"));
        }
        if san == "--" || self.moves.len() < self.main.line.plies.len() {
            self.main.try_play(san);
            return Ok(());
        }
        let board = self.main.board.ok_or("the position is lost")?;
        let Some(mv) = move_of(&board, san) else {
            return Err(format!("{number} {san} is not one legal move there"));
        };
        let mut after = board;
        after.make(mv);
        self.moves.push(mv);
        self.main.push(san::to_san(&board, mv), Some(after));
        Ok(())
    }
}

impl Frame {
    /// Adds a move of a variation, which may be a null move. A move that cannot be played is kept
    /// as written.
    fn try_play(&mut self, san: &str) {
        let Some(board) = self.board else {
            return self.push(san.to_owned(), None);
        };
        let mut after = board;
        if san == "--" && !board.in_check() {
            after.make_null();
            self.push(san.to_owned(), Some(after));
        } else if let Some(mv) = move_of(&board, san) {
            after.make(mv);
            self.push(san::to_san(&board, mv), Some(after));
        } else {
            self.push(san.to_owned(), None);
        }
    }
}

/// Parses a move in SAN or in coordinate notation (`g1f3`, `e7e8=Q`; castling as the king's move or
/// as king takes rook).
fn move_of(board: &Board, text: &str) -> Option<Move> {
    san::parse(board, text).or_else(|| parse_move(board, &text.replacen('=', "", 1)))
}

type Step<T = ()> = ControlFlow<Result<Record, String>, T>;

fn refuse<T>(reason: impl Into<String>) -> Step<T> {
    ControlFlow::Break(Err(reason.into()))
}

impl Visitor for Recorder {
    type Tags = Vec<(String, String)>;
    type Movetext = Draft;
    type Output = Result<Record, String>;

    fn begin_tags(&mut self) -> Step<Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> Step {
        let name = String::from_utf8_lossy(name).into_owned();
        if !name.is_empty() {
            tags.push((name, value.decode_utf8_lossy().into_owned()));
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> Step<Draft> {
        match start_of(&tags) {
            Ok((start, chess960)) => ControlFlow::Continue(Draft {
                tags,
                start,
                chess960,
                moves: Vec::new(),
                main: Frame::new(Some(start), ply_of(&start)),
                variations: Vec::new(),
                result: None,
                comment: String::new(),
            }),
            Err(reason) => refuse(reason),
        }
    }

    fn san(&mut self, draft: &mut Draft, san_plus: SanPlus) -> Step {
        let san = san_plus.san.to_string();
        match draft.variations.last_mut() {
            Some(frame) => frame.try_play(&san),
            None => {
                if let Err(reason) = draft.play(&san) {
                    return refuse(reason);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, draft: &mut Draft, nag: Nag) -> Step {
        draft.frame().items().push(Item::Nag(nag.0));
        ControlFlow::Continue(())
    }

    fn partial_comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> Step {
        draft.comment += &String::from_utf8_lossy(comment.as_bytes());
        ControlFlow::Continue(())
    }

    fn comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> Step {
        let mut text = std::mem::take(&mut draft.comment);
        text += &String::from_utf8_lossy(comment.as_bytes());
        draft.frame().items().push(Item::Comment(text));
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, draft: &mut Draft) -> Step<Skip> {
        if draft.variations.len() == DEEPEST {
            return refuse("its variations are nested too deeply");
        }
        let around = draft.frame();
        let start = around.line.start + (around.line.plies.len() as u32).saturating_sub(1);
        let frame = Frame::new(around.before, start);
        draft.variations.push(frame);
        ControlFlow::Continue(Skip(false))
    }

    fn end_variation(&mut self, draft: &mut Draft) -> Step {
        if let Some(frame) = draft.variations.pop() {
            draft.frame().items().push(Item::Variation(frame.line));
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, draft: &mut Draft, outcome: Outcome) -> Step {
        // A result inside a variation says nothing about the game.
        if draft.variations.is_empty() && draft.result.is_none() {
            draft.result = Some(match outcome {
                Outcome::Known(KnownOutcome::Draw) => "1/2-1/2",
                Outcome::Known(KnownOutcome::Decisive { winner }) if winner.is_white() => "1-0",
                Outcome::Known(KnownOutcome::Decisive { .. }) => "0-1",
                Outcome::Unknown => "*",
            });
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, draft: Draft) -> Self::Output {
        Ok(Record {
            tags: draft.tags,
            start: draft.start,
            chess960: draft.chess960,
            moves: draft.moves,
            line: draft.main.line,
            result: draft.result,
        })
    }
}

/// Returns the position that a game starts from, and whether it is a Chess960 game.
fn start_of(tags: &[(String, String)]) -> Result<(Board, bool), String> {
    let tag = |name: &str| {
        let tag = tags
            .iter()
            .find(|(other, _)| other.eq_ignore_ascii_case(name));
        tag.map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    };
    let variant = tag("Variant").unwrap_or("standard");
    let plain: String = variant.to_ascii_lowercase().replace([' ', '-', '_'], "");
    let is_chess960 = ["960", "fischer", "random", "freestyle"]
        .iter()
        .any(|word| plain.contains(word));
    let is_standard = [
        "standard",
        "chess",
        "normal",
        "fromposition",
        "?",
        "classic",
    ]
    .contains(&plain.as_str());
    if !is_chess960 && !is_standard {
        return Err(format!("this engine does not play the variant '{variant}'"));
    }
    let fen = tag("FEN").filter(|fen| *fen != "?");
    let start = match fen {
        Some(fen) => Board::from_fen(fen).map_err(|error| format!("its FEN: {error}"))?,
        None if tag("SetUp") == Some("1") => {
            return Err("SetUp promises a position, but there is no FEN".to_owned());
        }
        None => Board::startpos(),
    };
    Ok((start, is_chess960 || !start.has_standard_castling()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Record, String> {
        read(GameText {
            number: 1,
            line: 1,
            end: 0,
            bytes: text.as_bytes().to_vec(),
            too_large: false,
        })
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
        let Item::Variation(line) = &game.line.plies[1].items[0] else {
            panic!("{game:?}");
        };
        assert_eq!(sans(line), ["e4"]);
    }

    #[test]
    fn moves_behind_a_null_move_are_kept_but_not_analyzed() {
        let game = read_text("1. e4 -- 2. d4 e5 3. Kf7 1-0\n").expect("a game");
        assert_eq!(sans(&game.line), ["e4", "--", "d4", "e5", "Kf7"]);
        assert_eq!((game.moves.len(), game.outcome()), (1, "1-0"));
    }

    #[test]
    fn positions_and_variants() {
        let shredder = "[Variant \"Chess 960\"]\n[SetUp \"1\"]\n[FEN \"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\"]\n\n9. O-O *\n";
        assert!(read_text(shredder).is_err_and(|reason| reason.contains("9. O-O")));
        let legal = shredder.replace("9. O-O", "9. g3 g6 10. Ng2");
        assert!(read_text(&legal).is_ok_and(|game| game.chess960 && game.line.start == 16));
        let x_fen = "[FEN \"1k6/8/8/8/8/8/8/1K1R4 w K - 0 1\"]\n\n1. O-O *\n";
        assert!(read_text(x_fen).is_ok_and(|game| game.chess960));
        let black = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30\"]\n\n30... Kd7 31. Kf7 *\n";
        assert!(read_text(black).is_err_and(|reason| reason.starts_with("31. Kf7")));
        for (tags, says) in [
            ("[Variant \"Atomic\"]", "the variant 'Atomic'"),
            ("[Variant \"Crazyhouse\"]\n\n1. e4 P@d5", "'Crazyhouse'"),
            ("[SetUp \"1\"]", "there is no FEN"),
            ("[FEN \"8/8 w - -\"]", "its FEN: "),
        ] {
            let error = read_text(&format!("{tags}\n\n*\n")).expect_err(tags);
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        for (text, says) in [
            ("1. e4 e5 2. Ke3 *", "2. Ke3 is not one legal move"),
            ("1. e4 Ke7 *", "1... Ke7 is not"),
            ("1. e4 N@f6 *", "1... N@f6 is not"),
            ("1. e4 1-0 e5", "1... e5 comes after the result"),
            (&"(".repeat(80), "does not end"),
            (
                &format!("e4 {}{}", "(d4 ".repeat(80), ")".repeat(80)),
                "too deeply",
            ),
        ] {
            let error = read_text(&format!("{text}\n")).expect_err(text);
            assert!(error.contains(says), "{error}");
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
