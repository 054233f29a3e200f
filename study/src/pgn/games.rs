//! The games of PGN as data: tags, the moves of the main line with a comment each, and the result. What
//! `annotate` would keep as text is damage here.

use rejoinder::board::Board;
use rejoinder::types::Move;

use super::encoding;
use super::lexer::{Kind, Lexed, Token, lex};
use super::reading;
use super::record::{Item, Record};
use super::source::GameText;
use super::tags::Tag;
use super::words::{KEPT_AS_TEXT, known_result, shown};

/// A game without damage.
#[derive(Clone, Debug)]
pub struct PgnGame {
    tags: Vec<Tag>,
    /// The position that the game starts from.
    pub start: Board,
    /// The moves of the main line, all of them legal, with the comment right behind each; empty if
    /// there is none.
    pub moves: Vec<(Move, String)>,
    /// The result behind the moves: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'static str,
}

/// Reads a game.
///
/// # Errors
/// The damage, with its line in the input: a word of the moves that is none, an illegal move, a
/// comment or variation without end, a result that is missing or another one than that of the
/// tag, or a first position or variant that this engine does not play.
pub fn read(game: &GameText) -> Result<PgnGame, String> {
    let line = game.line;
    let at_game = |reason| format!("line {line}: {reason}");
    if game.too_large {
        return Err(at_game("the game is larger than 16 MB".to_owned()));
    }
    let text = encoding::decode(game.bytes.clone());
    let mut found = lex(&text, line);
    if let Some(damage) = first_stray_word(&text, line, &found) {
        return Err(damage);
    }
    let tags = std::mem::take(&mut found.tags);
    let record = reading::record_of(&text, line, tags, &found).map_err(at_game)?;
    let fault = record.fault.as_deref().map(|fault| {
        let plain = fault.replace(KEPT_AS_TEXT, "");
        if plain.starts_with("line ") {
            plain
        } else {
            at_game(plain)
        }
    });
    match fault {
        Some(fault) => Err(fault),
        None => checked(record).map_err(at_game),
    }
}

impl PgnGame {
    /// Returns the value of the first tag of this name, in whatever case.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let tag = self.tags.iter().find(|tag| tag.is(name));
        tag.map(|tag| tag.value.trim())
    }
}

/// Returns what is wrong with the first word that is neither a move nor a comment.
fn first_stray_word(text: &str, first_line: u64, found: &Lexed) -> Option<String> {
    found.tokens.iter().find_map(|Token { kind, at }| {
        let (Kind::Words(word) | Kind::Unread(word)) = kind else {
            return None;
        };
        let line = first_line + text[..*at].matches('\n').count() as u64;
        Some(format!("line {line}: '{}' is not a move", shown(word)))
    })
}

/// Makes a game of a record, unless something is missing or contradicts itself.
fn checked(record: Record) -> Result<PgnGame, String> {
    if let Some(error) = record.dropped.first() {
        return Err(format!("its FEN: {error}"));
    }
    let plies = record.line.plies;
    if plies.len() > record.moves.len() {
        return Err("a null move is no move of a game".to_owned());
    }
    let result = record.result.ok_or("its result is missing")?;
    let tag = record.tags.iter().find(|tag| tag.is("Result"));
    let tag = tag.and_then(|tag| known_result(tag.value.trim()));
    if let Some(other) = tag.filter(|tag| *tag != result) {
        return Err(format!("its result is {result}, but the tag says {other}"));
    }
    let comments = plies.into_iter().map(|ply| {
        match ply
            .items
            .into_iter()
            .find(|item| !matches!(item, Item::Nag(_)))
        {
            Some(Item::Comment(text)) => text,
            _ => String::new(),
        }
    });
    Ok(PgnGame {
        tags: record.tags,
        start: record.start,
        moves: record.moves.into_iter().zip(comments).collect(),
        result,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pgn::Source;

    /// Reads all games; of a damaged one, the damage.
    fn games(text: &str) -> Vec<Result<PgnGame, String>> {
        let mut source = Source::new(text.as_bytes());
        let next = || source.next_game().expect("a readable text");
        std::iter::from_fn(next).map(|text| read(&text)).collect()
    }

    #[test]
    fn a_move_has_the_comment_right_behind_it() {
        let text = "[White \"A\"]\n[Result \"1-0\"]\n\ne4 {+0.35/12, n=5} e5 $1 {-0.30/9} \
                    Nf3 (Nc3 {0.1}) {late} Nc6 {a} {b} Bb5 1-0\n";
        let game = games(text).remove(0).expect("a game");
        assert_eq!((game.tag("white"), game.tag("FEN")), (Some("A"), None));
        let comments: Vec<&str> = game.moves.iter().map(|(_, text)| &**text).collect();
        assert_eq!(comments, ["+0.35/12, n=5", "-0.30/9", "", "a", ""]);
        assert_eq!(game.result, "1-0");
    }

    #[test]
    fn damage_is_told_with_its_line() {
        let moves = "1. e4 {x}\ne5 {y}\n2. Nf3 {z} Nc6 1-0";
        for (from, to, damage) in [
            ("Nf3", "N#f3", "line 5: 'N#f3' is not a move"),
            ("Nf3", "Nf4", "line 5: 2. Nf4 is not one legal move there"),
            ("e5", "@@ e5", "line 4: '@@' is not a move"),
            ("{z}", "{z", "line 5: this comment does not end"),
            (
                "{z}",
                "({z}",
                "line 1: a variation of this game does not end",
            ),
            ("Nf3", "--", "line 1: a null move is no move of a game"),
            ("Nc6 1-0", "Nc6", "line 1: its result is missing"),
            (
                "Nc6 1-0",
                "Nc6 0-1",
                "line 1: its result is 0-1, but the tag says 1-0",
            ),
            ("A", "B\"]\n[FEN \"8/8 w", "line 1: its FEN: "),
            (
                "A",
                "B\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w KQkq - 0 1",
                "line 1: its FEN: ",
            ),
            (
                "A",
                "B\"]\n[Variant \"Atomic",
                "line 1: this engine does not play",
            ),
        ] {
            let sound = format!("[Event \"A\"]\n[Result \"1-0\"]\n{moves}\n\n");
            let text = sound.replacen(from, to, 1) + &sound;
            let read = games(&text);
            assert_eq!(read.len(), 2, "{text}");
            let error = read[0].as_ref().expect_err(damage);
            assert!(error.starts_with(damage), "{error} instead of {damage}");
            assert_eq!(read[1].as_ref().expect("a game").moves.len(), 4);
        }
    }
}
