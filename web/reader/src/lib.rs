//! Reads games for the analysis page, by the reader of `rejoinder-study`. The linker leaves out what
//! reading does not need: the search, the evaluation and its network.
//!
//! The page writes a text to the place that [`input`] returns, and calls [`next`] for each game; its
//! JSON lies at [`output`] until the next call. [`Games`] is the same for Rust.

mod headers;
mod tree;
mod written;

use std::cell::RefCell;
use std::io::Cursor;

use rejoinder_study::json::Json;
use rejoinder_study::library::{Answers, Card, Deck, Grade, Summary, exercises};
use rejoinder_study::pgn::{self, GameText, Source};

use headers::Headers;
use tree::Tree;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static GAMES: RefCell<Option<Games>> = const { RefCell::new(None) };
    static OUTPUT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a text of so many bytes, and returns its place.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *const u8 {
    GAMES.take();
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_ptr()
    })
}

/// Reads the next game of the text and returns the length of its JSON in bytes; 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn next() -> usize {
    let game = GAMES.with_borrow_mut(|games| {
        games
            .get_or_insert_with(|| Games::of(INPUT.take()))
            .next()
            .unwrap_or_default()
    });
    put(game)
}

/// Returns the place of the JSON of the last game.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|text| text.as_ptr())
}

/// Reads the text as exercises, a line each, and returns the length of a JSON array of them in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn cards() -> usize {
    let text = INPUT.take();
    let mut json = Json(String::new());
    json.array(|json| {
        for card in Deck::read(&String::from_utf8_lossy(&text)).cards() {
            card.write(json.field(""));
        }
    });
    put(json.0)
}

/// Takes an answer to the exercise of the text, with a grade from 1 to 4 and the time in seconds since
/// 1970. Returns the length of its JSON with what is known then; 0 if there is no such exercise or grade.
#[unsafe(no_mangle)]
pub extern "C" fn answer(grade: u32, now: f64) -> usize {
    let text = INPUT.take();
    let card = Card::read(&String::from_utf8_lossy(&text));
    let Some((card, grade)) = card.zip(Grade::of(grade)) else {
        return put(String::new());
    };
    let answers = Answers::add(card.answers, grade, now as i64);
    let card = Card {
        answers: Some(answers),
        ..card
    };
    let mut json = Json(String::new());
    card.write(&mut json);
    put(json.0)
}

/// Puts a text where the page looks for it, and returns its length.
fn put(text: String) -> usize {
    let length = text.len();
    OUTPUT.set(text);
    length
}

/// The games of a text, each as a JSON object:
///
/// - `refused`: why the game cannot be shown, in a sentence. It is all that such an object has.
/// - `headers`: the tags, as pairs of name and value; no name is there twice
/// - `fen`: the first position
/// - `comments`: those before the first move
/// - `nodes`: the moves, each with its place in the tree: the number of the move before it, 0 for
///   the first position; the move in UCI notation, castling as king takes rook; its glyphs; and the
///   comments before and behind it. The first move behind another one is that of the main line.
/// - `faults`: sentences about what was not read as it is written
/// - `summary`: the game in a line of a list, as [`Summary::write`] says
/// - `cards`: its mistakes as exercises, as [`Card::write`] says
#[derive(Debug)]
pub struct Games {
    source: Source<Cursor<Vec<u8>>>,
    is_over: bool,
}

impl Games {
    /// Reads a text in UTF-8 or Windows-1252.
    pub fn of(text: Vec<u8>) -> Self {
        Self {
            source: Source::new(Cursor::new(text)),
            is_over: false,
        }
    }
}

impl Iterator for Games {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        if self.is_over {
            return None;
        }
        match self.source.next_game() {
            Ok(game) => Some(describe(game?)),
            Err(error) => {
                self.is_over = true;
                Some(refusal(&sentence(1, &error.to_string())))
            }
        }
    }
}

/// Returns a game as JSON.
fn describe(game: GameText) -> String {
    let number = game.number;
    let record = match pgn::read(game) {
        Ok(record) => record,
        Err(refused) => return refusal(&sentence(number, &refused.reason)),
    };
    let mut headers = Headers::of(&record);
    let mut tree = Tree::of(&record);
    tree.nodes[0].comments.append(&mut headers.comments);
    if headers.list.is_empty() && tree.nodes.len() == 1 {
        // Without a tag or a move, comments are no game.
        headers.list.push(("Result".to_owned(), "*".to_owned()));
    }
    let dropped = record.dropped.iter();
    let dropped = dropped.map(|fault| format!("dropped from the FEN: {fault}"));
    let faults = (dropped.chain(record.fault.clone()))
        .chain(record.remarks.iter().cloned())
        .chain(tree.remarks)
        .chain(headers.contradiction);
    let mut json = Json(String::new());
    json.object(|json| {
        json.field("headers").array(|json| {
            for (name, value) in &headers.list {
                json.field("").array(|json| {
                    json.field("").text(name);
                    json.field("").text(value);
                });
            }
        });
        json.field("fen").text(&record.start.fen(record.chess960));
        write_texts(json.field("comments"), &tree.nodes[0].comments);
        json.field("nodes").array(|json| {
            for node in &tree.nodes[1..] {
                json.field("").array(|json| {
                    json.field("").raw(&node.parent.to_string());
                    json.field("").text(&node.mv);
                    json.field("").array(|json| {
                        for nag in &node.nags {
                            json.field("").raw(&nag.to_string());
                        }
                    });
                    write_texts(json.field(""), &node.before);
                    write_texts(json.field(""), &node.comments);
                });
            }
        });
        let faults: Vec<_> = faults.map(|fault| sentence(number, &fault)).collect();
        write_texts(json.field("faults"), &faults);
        json.field("summary")
            .object(|json| Summary::of(&record).write(json));
        json.field("cards").array(|json| {
            for exercise in exercises(&record) {
                Card::new(exercise).write(json.field(""));
            }
        });
    });
    json.0
}

fn refusal(reason: &str) -> String {
    let mut json = Json(String::new());
    json.object(|json| json.field("refused").text(reason));
    json.0
}

fn write_texts(json: &mut Json, texts: &[String]) {
    json.array(|json| {
        for text in texts {
            json.field("").text(text);
        }
    });
}

/// Makes a sentence of what is wrong with a game; behind the first game it names the number.
fn sentence(number: u64, fault: &str) -> String {
    if number > 1 {
        return format!("Game {number}: {fault}.");
    }
    let mut letters = fault.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    format!("{}{}.", first.collect::<String>(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn games(text: &str) -> Vec<String> {
        Games::of(text.as_bytes().to_vec()).collect()
    }

    #[test]
    fn a_game_is_described_with_all_that_it_says() {
        let text = "[White \"A\"]\n[white \"B\"]\n[Result \"½-½\"]\n\n{x} 1. e4! {y} (1. d4 {z}) ({v} 1. d4 d5) {late} 1... e5 1-0";
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let wanted = format!(
            "{{\"headers\":[[\"White\",\"A\"],[\"Result\",\"1-0\"]],\"fen\":\"{start}\",\
             \"comments\":[\"x\",\"[white \\\"B\\\"]\"],\
             \"nodes\":[[0,\"e2e4\",[1],[],[\"y\"]],[1,\"e7e5\",[],[\"late\"],[]],\
             [0,\"d2d4\",[],[\"v\"],[\"z\"]],[3,\"d7d5\",[],[],[]]],\
             \"faults\":[\"The result behind the moves is 1-0, and that of the tag was 1/2-1/2.\"]"
        );
        let [game] = &games(text)[..] else {
            panic!("not one game")
        };
        assert!(game.starts_with(&wanted), "{game}");
        let summary = "\"white\":\"A\",\"black\":\"?\",\"result\":\"1-0\",\"date\":\"\"";
        assert!(
            game.contains(summary) && game.ends_with("\"cards\":[]}"),
            "{game}"
        );
    }

    #[test]
    fn what_is_refused_is_told() {
        for (text, reason) in [
            (
                "[Variant \"Atomic\"]\n\n*",
                "This engine does not play the variant 'Atomic'.",
            ),
            (
                "\u{0}\u{1}\u{2}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
                "This is no text.",
            ),
        ] {
            assert_eq!(games(text), [format!("{{\"refused\":\"{reason}\"}}")]);
        }
        assert!(games("good day").is_empty());
        let second = &games("1. e4 *\n\n[FEN \"8/8 w - -\"]\n\n*")[1];
        assert!(
            second.starts_with("{\"refused\":\"Game 2: its FEN: "),
            "{second}"
        );
    }

    #[test]
    fn what_has_no_place_in_the_tree_is_a_comment() {
        for (text, comment) in [
            ("1. e4 (1. -- d5) *", "[\"(1. -- d5)\"]"),
            (
                "1. e4 -- 2. d4 $1 (2. c4) *",
                "[\"1... -- 2. d4 $1 (2. c4)\"]",
            ),
            (
                "1. e4 e5 2. Nf3 (2. Nf3 d6 {[%eval 1] x}) *",
                "[\"2... d6 ([eval 1] x)\"]",
            ),
        ] {
            let game = &games(text)[0];
            assert!(game.contains(comment), "{game}");
            assert!(
                game.contains("is kept as a comment.\"],\"summary\""),
                "{game}"
            );
        }
    }

    #[test]
    fn answers_to_exercises_are_counted() {
        let ask = |text: &str, grade| {
            INPUT.set(text.as_bytes().to_vec());
            let length = answer(grade, 1e9);
            let json = OUTPUT.take();
            assert_eq!(json.len(), length);
            json
        };
        let line = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; am e3; pv e4 Kd7;";
        let first = ask(line, 3);
        assert!(
            first.contains("\"last\":1000000000,\"due\":1000259200"),
            "{first}"
        );
        assert_eq!(ask(line, 5), "");
        assert_eq!(ask("4k3/8/8/8/8/8/4P3/4K3 w - -", 3), "");
        INPUT.set(format!("{line}\nnonsense\n").into_bytes());
        let length = cards();
        let json = OUTPUT.take();
        assert_eq!(json.len(), length);
        assert!(json.contains("\"better\":[\"e4\",\"Kd7\"]"), "{json}");
        assert!(json.ends_with("\"last\":null,\"due\":null}]"), "{json}");
    }

    #[test]
    fn no_word_of_a_game_is_lost() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/pgn");
        let mut count = 0;
        for file in std::fs::read_dir(folder).expect("a folder") {
            let bytes = std::fs::read(file.expect("a file").path()).expect("a file");
            let mut source = Source::new(&*bytes);
            let read = std::iter::from_fn(|| source.next_game().expect("a text"));
            for (game, json) in read.zip(Games::of(bytes.clone())) {
                count += 1;
                let Ok(record) = pgn::read(game) else {
                    assert!(json.starts_with("{\"refused\""), "{json}");
                    continue;
                };
                for word in words(&record.line) {
                    let mut escaped = Json(String::new());
                    escaped.text(&word);
                    assert!(json.contains(escaped.0.trim_matches('"')), "{word}: {json}");
                }
            }
        }
        assert!(count > 20, "{count} games");
    }

    /// The words of all comments in a line.
    fn words(line: &pgn::Line) -> Vec<String> {
        let items = line.plies.iter().flat_map(|ply| &ply.items);
        let words = line.head.iter().chain(items).flat_map(|item| match item {
            pgn::Item::Nag(_) => Vec::new(),
            pgn::Item::Comment(text) => text.split(' ').map(str::to_owned).collect(),
            pgn::Item::Variation(line) => words(line),
        });
        words.collect()
    }
}
