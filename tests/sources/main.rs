//! Checks of the repository itself: its layers, its words, its pages and its commits.

#[cfg(unix)]
mod all;
mod circles;
#[cfg(unix)]
mod commit_message;
mod docs;
mod layers;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

/// Returns a path inside the repository.
fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Reads a text.
fn read(path: &Path) -> String {
    let text = fs::read_to_string(path);
    text.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .replace('\r', "")
}

/// Returns what is directly inside a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

/// Returns the files with this ending in a folder and in those inside it, except in `target` and
/// `node_modules`.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with("node_modules") {
                found.extend(files(&path, ending));
            }
        } else if path.extension().is_some_and(|end| end == ending) {
            found.push(path);
        }
    }
    found
}
