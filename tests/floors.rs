//! The house stands: a room of the crate uses only rooms on lower floors, so there is no circle either.

use std::fs;
use std::path::Path;

/// Every room and its floor. `lib.rs` is the list of the rooms and stands on none.
const FLOORS: [(&str, u32); 17] = [
    ("build_info", 0),
    ("memory", 0),
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
    ("tools", 6),
    ("uci", 7),
    ("cli", 8),
    ("main", 9),
];

fn floor(room: &str) -> Option<u32> {
    let (_, floor) = FLOORS.iter().find(|(name, _)| *name == room)?;
    Some(*floor)
}

/// The rooms a source text names: what follows `crate::`, `super::` or (in the binary) `rejoinder::`.
fn rooms_named(source: &str) -> Vec<&str> {
    let mut rooms = Vec::new();
    for line in source.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        // A group may go on for lines, so its parts are read from the whole rest of the text.
        let start = line.as_ptr() as usize - source.as_ptr() as usize;
        for root in ["crate::", "super::", "rejoinder::"] {
            for (at, _) in code.match_indices(root) {
                rooms.extend(heads(&source[start + at + root.len()..]));
            }
        }
    }
    rooms.retain(|name| floor(name).is_some());
    rooms
}

/// The first names of a path or of each path in a group: `a::b` gives a, `{a::{b, c}, d}` gives a and d.
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

/// What is wrong with a source text of this room, a line for each edge that does not lead down.
fn faults(room: &str, source: &str) -> Vec<String> {
    let Some(own) = floor(room) else {
        return vec![format!("no floor is stated for the room `{room}`")];
    };
    rooms_named(source)
        .into_iter()
        .filter(|other| *other != room && floor(other).is_some_and(|floor| floor >= own))
        .map(|other| format!("`{room}` uses `{other}`, which is not on a lower floor"))
        .collect()
}

/// Calls `visit` with room and text of every source file under `folder`.
fn each_source(folder: &Path, room: Option<&str>, visit: &mut impl FnMut(&str, &str)) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let room = room.unwrap_or(&name);
        if path.is_dir() {
            each_source(&path, Some(room), visit);
        } else if path.extension().is_some_and(|end| end == "rs") && room != "lib" {
            visit(room, &fs::read_to_string(&path).expect("readable text"));
        }
    }
}

#[test]
fn every_edge_leads_down() {
    let (mut all, mut files) = (Vec::new(), 0);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    each_source(&sources, None, &mut |room, source| {
        all.extend(faults(room, source));
        files += 1;
    });
    assert!(
        files >= FLOORS.len(),
        "only {files} source files were found"
    );
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn an_upward_edge_is_found() {
    let group = "use crate::{\n    types::{Move, Square},\n    search::Worker,\n};";
    assert_eq!(faults("tt", group).len(), 1, "up, in a group of lines");
    assert_eq!(
        faults("eval", "let x = crate::tt::Table;").len(),
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
    assert_eq!(faults("attic", "").len(), 1, "a room without a floor");
}
