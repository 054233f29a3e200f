//! Checks that a module uses only modules of lower layers, so that there are no import cycles
//! between modules.

use crate::{at, files, read};

/// Every module of the engine and its layer. `lib.rs`, which lists the modules, belongs to none.
const LAYERS: [(&str, u32); 20] = [
    ("build_info", 0),
    ("native_text", 0),
    ("locks", 0),
    ("memory", 0),
    ("numa", 0),
    ("params", 0),
    ("types", 0),
    ("board", 1),
    ("clock", 2),
    ("eval", 2),
    ("shared", 2),
    ("tablebase", 2),
    ("tt", 2),
    ("ordering", 3),
    ("search", 4),
    ("smp", 5),
    ("commands", 6),
    ("uci", 7),
    ("cli", 8),
    ("main", 9),
];

fn layer(module: &str) -> Option<u32> {
    let (_, layer) = LAYERS.iter().find(|(name, _)| *name == module)?;
    Some(*layer)
}

/// Returns the modules that a source text names: those after `crate::`, `super::` or (in the
/// binary) `rejoinder::`.
fn modules_named(source: &str) -> Vec<&str> {
    let mut modules = Vec::new();
    for line in source.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        // A group may span several lines, so it is read from the whole rest of the text.
        let start = line.as_ptr() as usize - source.as_ptr() as usize;
        for root in ["crate::", "super::", "rejoinder::"] {
            for (at, _) in code.match_indices(root) {
                modules.extend(heads(&source[start + at + root.len()..]));
            }
        }
    }
    modules.retain(|name| layer(name).is_some());
    modules
}

/// Returns the first names of a path or of each path in a group: `a::b` gives a, `{a::{b, c}, d}`
/// gives a and d.
fn heads(text: &str) -> Vec<&str> {
    fn name(text: &str) -> &str {
        let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        &text[..end.unwrap_or(text.len())]
    }
    if !text.starts_with('{') {
        return vec![name(text)];
    }
    let (mut names, mut depth) = (Vec::new(), 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        match (letter, depth) {
            ('{' | ',', 1) => names.push(name(text[at + 1..].trim_start())),
            ('}', 0) => break,
            _ => {}
        }
    }
    names
}

/// Returns the faults of a source text of this module: one line for each use of a module that is
/// not in a lower layer.
fn faults(module: &str, source: &str) -> Vec<String> {
    let Some(own) = layer(module) else {
        return vec![format!("no layer is stated for the module `{module}`")];
    };
    modules_named(source)
        .into_iter()
        .filter(|other| *other != module && layer(other).is_some_and(|layer| layer >= own))
        .map(|other| format!("`{module}` uses `{other}`, which is not on a lower layer"))
        .collect()
}

#[test]
fn every_edge_leads_down() {
    let sources = at("src");
    let (mut all, mut count) = (Vec::new(), 0);
    for path in files(&sources, "rs") {
        let inside = path.strip_prefix(&sources).expect("a file inside");
        let first = inside.iter().next().expect("a name").to_string_lossy();
        let module = first.trim_end_matches(".rs");
        if module != "lib" {
            all.extend(faults(module, &read(&path)));
            count += 1;
        }
    }
    assert!(count >= LAYERS.len(), "only {count} source files");
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn an_upward_edge_is_found() {
    let group = "use crate::{\n    types::{Move, Square},\n    search::Worker,\n};";
    assert_eq!(faults("tt", group).len(), 1, "up, in a group of lines");
    assert_eq!(
        faults("eval", "let x = crate::tt::TranspositionTable;").len(),
        1,
        "level"
    );
    assert_eq!(
        faults("search", "use super::smp::Engine;").len(),
        1,
        "by super"
    );
    assert_eq!(faults("main", "use rejoinder::cli;").len(), 0, "down");
    assert_eq!(
        faults("search", "use crate::search::lmr; // crate::uci").len(),
        0
    );
    assert_eq!(faults("attic", "").len(), 1, "a module without a layer");
}
