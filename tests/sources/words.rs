//! Checks that no text of the repository uses a word for which the field has a better one, and that
//! the documentation of functions is written in sentences.

use std::path::PathBuf;

use crate::{at, files, read};

/// Words that have gone out of use here, and the words that replaced them. A small letter at the
/// beginning stands for both; identifiers are taken apart into their words.
const RETIRED: [(&str, &str); 18] = [
    ("ask_network", "infer"),
    ("blend", "lambda, the WDL weight"),
    ("bring_up_to_date", "update"),
    ("certificate", "report"),
    ("conclusion", "answer"),
    ("Desk", "Session"),
    ("has_pieces", "has_non_pawn_material"),
    ("LateMove", "MoveInfo"),
    ("learnt", "learned"),
    ("men", "pieces"),
    ("neighbour", "neighbor"),
    ("NodeContext", "NodeState"),
    ("opinion", "evaluation"),
    ("pace", "time control"),
    ("Paper", "Canvas"),
    ("picture", "view, image or screenshot"),
    ("refined", "tt_adjusted_eval"),
    ("search_line", "aspiration_search"),
];

/// What begins like this is named by others: instructions of a CPU.
const FOREIGN: &str = "_mm";

/// Where the source must name what older versions wrote.
const OLD_NAMES: [&str; 3] = [
    "remove(\"certificate\")",
    "versions called it a certificate",
    "alias = \"blend",
];

/// The first words of a phrase that says what a function returns without a verb.
const BARE: [&str; 6] = ["Number", "Share", "True", "What", "When", "Whether"];

/// Where people read, beside the pages at the root.
const PLACES: [&str; 9] = [
    "docs", "fuzz", "lab", "networks", "src", "study", "tests", "tools", "web",
];

/// The kinds of files that are read.
const ENDINGS: [&str; 6] = ["rs", "md", "py", "sh", "js", "mjs"];

/// Returns whether a word is the retired one, or begins an identifier with a capital where that one
/// has a small letter, or is its plural.
fn is_retired(word: &str, retired: &str) -> bool {
    let is_one = |word: &str| {
        word == retired
            || retired.starts_with(|first: char| first.is_lowercase())
                && word.to_lowercase() == retired
    };
    is_one(word) || !retired.contains('_') && word.strip_suffix('s').is_some_and(is_one)
}

/// Returns the words of an identifier: those between underscores, and those that begin with a capital.
fn parts(identifier: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for word in identifier.split('_') {
        let mut start = 0;
        for (at, pair) in word.as_bytes().windows(2).enumerate() {
            if pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase() {
                parts.push(&word[start..=at]);
                start = at + 1;
            }
        }
        parts.push(&word[start..]);
    }
    parts
}

/// Returns a line for each retired word in a text.
fn faults(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let small = line.to_lowercase();
        let may_be = |(retired, _): &&(&str, &str)| small.contains(&retired.to_lowercase());
        let retired: Vec<_> = RETIRED.iter().filter(may_be).collect();
        if retired.is_empty() || OLD_NAMES.iter().any(|old| line.contains(old)) {
            continue;
        }
        let letters = |letter: char| !letter.is_alphanumeric() && letter != '_';
        for word in line
            .split(letters)
            .filter(|word| !word.starts_with(FOREIGN))
        {
            let is_inside = |retired: &str| {
                is_retired(word, retired)
                    || parts(word).iter().any(|part| is_retired(part, retired))
            };
            if let Some((retired, instead)) =
                (retired.iter()).find(|(retired, _)| is_inside(retired))
            {
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

/// Returns the files whose words are checked.
fn texts() -> Vec<PathBuf> {
    let mut texts: Vec<PathBuf> = ["README", "CONTRIBUTING", "CHANGELOG", "SECURITY"]
        .map(|page| at(&format!("{page}.md")))
        .into();
    for place in PLACES {
        for ending in ENDINGS {
            texts.extend(files(&at(place), ending));
        }
    }
    texts.retain(|path| !path.ends_with("words.rs"));
    texts
}

#[test]
fn no_retired_word_is_used() {
    let mut found = Vec::new();
    for path in texts() {
        let (name, text) = (path.display().to_string(), read(&path));
        found.extend(faults(&name, &text));
        if path.extension().is_some_and(|ending| ending == "rs") {
            found.extend(bare_phrases(&name, &text));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_retired_word_is_found() {
    let text = "let human = 1;\nboard.has_pieces(us); // learnt\nfn two_opinions_are(old: PaperSize)\n\
        The Picture, or a4 paper\n_mm_blend_epi32(spaces)";
    assert_eq!(
        faults("a.rs", text),
        [
            "a.rs:2: has_pieces: say has_non_pawn_material",
            "a.rs:2: learnt: say learned",
            "a.rs:3: opinion: say evaluation",
            "a.rs:3: Paper: say Canvas",
            "a.rs:4: picture: say view, image or screenshot",
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
