//! The files of the tools and of the lab import each other without circles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The source files of a package by their module paths, such as `["train", "loader"]`; the path of
/// `lib.rs` is empty.
type Modules = BTreeMap<Vec<String>, String>;

/// Reads the source files below `folder`, except `main.rs` and files of unit tests.
fn modules(folder: &Path) -> Modules {
    let mut modules = Modules::new();
    let mut folders = vec![(folder.to_path_buf(), Vec::new())];
    while let Some((folder, path)) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let file: PathBuf = entry.expect("a readable entry").path();
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let mut path: Vec<String> = path.clone();
            if !["mod", "lib"].contains(&&*name) {
                path.push(name.clone().into_owned());
            }
            if file.is_dir() {
                folders.push((file, path));
            } else if !["main", "tests"].contains(&&*name) {
                let text = fs::read_to_string(&file).expect("readable text");
                modules.insert(path, without_tests(&text));
            }
        }
    }
    modules
}

/// A source text without its unit tests and comments.
fn without_tests(text: &str) -> String {
    let ends = ["", "pub(super) "].map(|by| text.find(&format!("#[cfg(test)]\n{by}mod tests")));
    let end = ends.into_iter().flatten().next().unwrap_or(text.len());
    let lines = text[..end].lines();
    let code = lines.map(|line| line.split("//").next().unwrap_or_default());
    code.collect::<Vec<_>>().join("\n")
}

/// The paths in a source text that begin with one of `roots`, with groups such as `a::{b, c::d}`
/// written out.
fn paths(text: &str, roots: &[&str]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for root in roots {
        for (at, _) in text.match_indices(&format!("{root}::")) {
            let before = text[..at].chars().next_back();
            if !before.is_some_and(|letter| letter.is_alphanumeric() || "_:".contains(letter)) {
                write_out(&text[at..], &[], &mut found);
            }
        }
    }
    found
}

/// Adds the path or the group of paths that a text begins with, behind `prefix`; returns the rest
/// of the text.
fn write_out<'a>(text: &'a str, prefix: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut text = text.trim_start();
    let mut path = prefix.to_vec();
    if let Some(group) = text.strip_prefix('{') {
        text = group.trim_start();
        while !text.is_empty() && !text.starts_with('}') {
            text = write_out(text, prefix, found).trim_start();
            text = text.strip_prefix(',').unwrap_or(text).trim_start();
        }
        return text.strip_prefix('}').unwrap_or(text);
    }
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    if name.is_empty() {
        // This is neither a path nor a group, for example `*`.
        found.push(path);
        let mut letters = rest.chars();
        letters.next();
        return letters.as_str();
    }
    path.push(name.to_owned());
    if let Some(rest) = rest.strip_prefix("::") {
        return write_out(rest, &path, found);
    }
    found.push(path);
    rest
}

/// The other files that a file uses: those that its paths lead to.
fn uses(modules: &Modules, own: &[String]) -> BTreeSet<Vec<String>> {
    let text = &modules[own];
    let children: Vec<&str> = modules
        .keys()
        .filter(|path| path.len() == own.len() + 1 && path.starts_with(own))
        .map(|path| path[own.len()].as_str())
        .collect();
    let roots = [&["crate", "super", "self"], children.as_slice()].concat();
    let mut uses = BTreeSet::new();
    for path in paths(text, &roots) {
        let mut target = match path[0].as_str() {
            "crate" => Vec::new(),
            "super" => own[..own.len().saturating_sub(1)].to_vec(),
            "self" => own.to_vec(),
            _ => [own, &path[..1]].concat(),
        };
        for name in &path[1..] {
            if name == "super" {
                target.pop();
                continue;
            }
            target.push(name.clone());
            if !modules.contains_key(&target) {
                target.pop();
                break;
            }
        }
        uses.insert(target);
    }
    uses.remove(own);
    uses
}

/// A circle of files, each of which uses the next one; `None` if there is no circle.
fn circle(modules: &Modules) -> Option<Vec<String>> {
    let graph: BTreeMap<_, _> = (modules.keys())
        .map(|path| (path, uses(modules, path)))
        .collect();
    let mut left: BTreeSet<&Vec<String>> = graph.keys().copied().collect();
    // Files that use no remaining file are not part of a circle.
    while let Some(&end) =
        (left.iter()).find(|path| graph[*path].iter().all(|to| !left.contains(to)))
    {
        left.remove(end);
    }
    let mut path = *left.first()?;
    let mut walk = Vec::new();
    while !walk.contains(&path) {
        walk.push(path);
        path = graph[path].iter().find_map(|to| left.get(to))?;
    }
    let start = walk.iter().position(|step| *step == path)?;
    Some(walk[start..].iter().map(|step| step.join("::")).collect())
}

#[test]
fn files_import_each_other_without_circles() {
    for (package, least) in [("tools", 40), ("lab", 20)] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(package);
        let modules = modules(&folder.join("src"));
        assert!(modules.len() >= least, "{package}: {} files", modules.len());
        let uses_of_all: usize = modules.keys().map(|path| uses(&modules, path).len()).sum();
        assert!(uses_of_all > modules.len(), "{package}: {uses_of_all} uses");
        assert_eq!(circle(&modules), None, "{package}");
    }
}

#[test]
fn circles_are_found() {
    let modules = |files: &[(&str, &str)]| -> Modules {
        let path = |name: &str| name.split_terminator("::").map(String::from).collect();
        let files = files.iter();
        files
            .map(|(name, text)| (path(name), without_tests(text)))
            .collect()
    };
    let a = "use crate::{\n    b::{c, d::Thing},\n    e,\n};";
    let straight = modules(&[
        ("", "pub mod a;"),
        ("a", a),
        ("b", "pub use c::Other; // crate::a"),
        ("b::c", "use super::d::Thing;"),
        ("b::d", "#[cfg(test)]\nmod tests { use crate::a; }"),
        ("e", ""),
    ]);
    assert_eq!(circle(&straight), None);
    let uses: Vec<String> = uses(&straight, &["a".to_owned()])
        .iter()
        .map(|path| path.join("::"))
        .collect();
    assert_eq!(uses, ["b::c", "b::d", "e"]);

    let mut bent = straight.clone();
    bent.insert(vec!["e".to_owned()], "fn f() { crate::a::g() }".to_owned());
    assert_eq!(circle(&bent), Some(vec!["a".to_owned(), "e".to_owned()]));
    let up = modules(&[("a", "use b::Thing;"), ("a::b", "use super::Error;")]);
    assert_eq!(circle(&up).map(|files| files.len()), Some(2));
}
