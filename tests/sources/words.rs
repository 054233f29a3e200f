//! Checks that no text of the repository uses a word for which the field has a better one, and that
//! the documentation of functions is written in sentences.

use crate::{at, files, read};

/// Words that have gone out of use here, and the words that replaced them.
const RETIRED: [(&str, &str); 11] = [
    ("ask_network", "infer"),
    ("bring_up_to_date", "update"),
    ("conclusion", "answer"),
    ("has_pieces", "has_non_pawn_material"),
    ("learnt", "learned"),
    ("men", "pieces"),
    ("NodeContext", "NodeState"),
    ("LateMove", "MoveInfo"),
    ("neighbour", "neighbor"),
    ("refined", "tt_adjusted_eval"),
    ("search_line", "aspiration_search"),
];

/// The first words of a phrase that says what a function returns without a verb.
const BARE: [&str; 6] = ["Number", "Share", "True", "What", "When", "Whether"];

/// Where people read.
const PLACES: [&str; 7] = ["docs", "fuzz", "lab", "src", "study", "tests", "tools"];

/// Returns a line for each retired word in a text.
fn faults(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let letters = |letter: char| !letter.is_alphanumeric() && letter != '_';
        for word in line.split(letters) {
            let retired = RETIRED.iter().find(|(retired, _)| word == *retired);
            if let Some((retired, instead)) = retired {
                faults.push(format!("{name}:{}: {retired}: say {instead}", number + 1));
            }
        }
    }
    faults
}

/// Returns a line for each function whose documentation begins with a bare phrase: it says what the
/// function does, as in "Returns whether …".
fn bare_phrases(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let is_doc = |at: usize| lines[at].starts_with("///");
    let begins = (0..lines.len()).filter(|&at| is_doc(at) && (at == 0 || !is_doc(at - 1)));
    begins
        .filter(|&at| {
            let first = lines[at]
                .trim_start_matches("///")
                .split_whitespace()
                .next();
            let item = (lines[at..].iter()).find(|line| !line.starts_with(['/', '#']));
            first.is_some_and(|first| BARE.contains(&first))
                && item.is_some_and(|item| item.contains("fn ") && !item.starts_with("const "))
        })
        .map(|at| format!("{name}:{}: {}", at + 1, lines[at]))
        .collect()
}

#[test]
fn no_retired_word_is_used() {
    let mut found = Vec::new();
    for place in PLACES {
        for path in [files(&at(place), "rs"), files(&at(place), "md")].concat() {
            if !path.ends_with("words.rs") {
                let (name, text) = (path.display().to_string(), read(&path));
                found.extend(faults(&name, &text));
                found.extend(bare_phrases(&name, &text));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_retired_word_is_found() {
    assert_eq!(
        faults("a.rs", "let human = 1;\nboard.has_pieces(us); // learnt"),
        [
            "a.rs:2: has_pieces: say has_non_pawn_material",
            "a.rs:2: learnt: say learned"
        ]
    );
}

#[test]
fn a_bare_phrase_is_found() {
    let text =
        "/// True if it is hot.\n#[inline]\npub fn hot() {}\n\n/// Number of plies.\nplies: i32";
    assert_eq!(bare_phrases("a", text), ["a:1: /// True if it is hot."]);
    assert!(bare_phrases("a", "/// Returns whether it is hot.\nfn hot()").is_empty());
}
