//! Turns the text of a game into a [`Record`].

use super::draft::Draft;
use super::encoding;
use super::lexer::{Lexed, lex};
use super::record::Record;
use super::source::GameText;
use super::start::{self, Start};
use super::tags::Tag;

/// A game that cannot be analyzed.
#[derive(Debug)]
pub struct Refused {
    pub reason: String,
    /// The game as it was, followed by an empty line.
    pub text: String,
}

/// Parses the text of a game. The moves end before the first one of the main line that is not legal
/// or cannot be read; the rest of the game becomes a comment.
///
/// # Errors
/// Fails if the engine does not play the game, or its first position is none.
pub fn read(game: GameText) -> Result<Record, Refused> {
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

/// Makes a game of its tags and tokens; `line` is the number of the first line of its text.
///
/// # Errors
/// As [`read`], with the reason alone.
pub(super) fn record_of(
    text: &str,
    line: u64,
    tags: Vec<Tag>,
    found: &Lexed,
) -> Result<Record, String> {
    let Start {
        board: start,
        chess960,
        dropped,
    } = start::of(&tags)?;
    let read = Draft::read(text, line, &tags, found, start);
    Ok(Record {
        tags,
        start,
        chess960,
        dropped,
        moves: read.moves,
        line: read.line,
        result: read.result,
        fault: read.fault,
        remarks: read.remarks,
    })
}

#[cfg(test)]
mod tests {
    use crate::pgn::record::Item;
    use crate::pgn::testing::{comments, read_text, sans};

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
    fn a_game_may_have_no_moves() {
        for text in ["*", "{x} *", "{x}\n\n1-0"] {
            let game = read_text(&format!("[White \"a\"]\n\n{text}\n")).expect("a game");
            let said = comments(&game.line);
            assert!(said.is_empty() || said == ["x"], "{text}: {said:?}");
            assert_eq!(game.result, text.split_whitespace().last());
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
}
