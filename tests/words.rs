//! Checks that no text of the repository uses a word for which the field has a better one.

use std::fs;
use std::path::Path;

/// Words that have gone out of use here, and the words that replaced them.
const RETIRED: [(&str, &str); 6] = [
    ("has_pieces", "has_non_pawn_material"),
    ("learnt", "learned"),
    ("men", "pieces"),
    ("neighbour", "neighbor"),
    ("refined", "tt_adjusted_eval"),
    ("search_line", "aspiration_search"),
];

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

/// Adds the faults of the Rust files and pages under a folder.
fn read(dir: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.to_string_lossy().into_owned();
        let is_text = path
            .extension()
            .is_some_and(|end| end == "md" || end == "rs");
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("data") {
            read(&path, found);
        } else if is_text && !path.ends_with("words.rs") {
            found.extend(faults(&name, &fs::read_to_string(&path).expect("a text")));
        }
    }
}

#[test]
fn no_retired_word_is_used() {
    let mut found = Vec::new();
    for place in PLACES {
        read(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join(place),
            &mut found,
        );
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
