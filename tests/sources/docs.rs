//! README and docs: the options are those of the source, links lead somewhere, pages are short, and
//! every measured table tells of which engine it is.

use std::path::{Path, PathBuf};

use rejoinder::uci::options;

use crate::{at, entries, read};

/// The greatest number of lines of the README.
const README_LINES: usize = 100;
/// The greatest number of words of a page of docs.
const PAGE_WORDS: usize = 1_500;
/// A program writes this page.
const GENERATED: &str = "ordering-table.md";

/// Returns the pages directly inside a folder of the repository.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let mut pages = entries(&at(folder));
    pages.retain(|path| path.extension().is_some_and(|end| end == "md"));
    pages
}

/// Returns all pages for readers.
fn pages() -> Vec<PathBuf> {
    [".", "docs", "docs/log", "networks", "tests", "openbench"]
        .into_iter()
        .flat_map(pages_in)
        .collect()
}

/// Returns the anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

/// Returns the targets of the links of a page; what stands in blocks of code is none.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    // A link may be broken between two lines.
    let prose: Vec<&str> = text.split("```").step_by(2).collect();
    for part in prose.join(" ").split("](").skip(1) {
        if let Some((target, _)) = part.split_once(')') {
            links.push(target.split_whitespace().collect());
        }
    }
    links
}

/// Returns what is wrong with a link of this page.
fn fault(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (file, section) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() {
        page.to_path_buf()
    } else {
        page.parent().expect("a folder").join(file)
    };
    if !target.exists() {
        return Some(format!("{}: {link}: no such file", page.display()));
    }
    if section.is_empty() || target.extension().is_none_or(|end| end != "md") {
        return None;
    }
    let text = read(&target);
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    let found = headings.any(|line| anchor(line) == section);
    (!found).then(|| format!("{}: {link}: no such heading", page.display()))
}

/// Returns what is wrong with the captions of measured tables in this text, if the engine has this
/// signature. A caption begins "Commit 1234567 (signature N" and goes on ")" or, where the engine
/// has changed since, ", an earlier engine)".
fn stale(text: &str, signature: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for part in text.split("Commit ").skip(1) {
        let mut words = part.split_whitespace();
        let commit = words.next().unwrap_or_default().trim_end_matches(',');
        let is_commit = commit.len() == 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_commit && words.next() != Some("(signature") {
            faults.push(format!("commit {commit} without its signature"));
        }
    }
    for part in text.split("(signature ").skip(1) {
        let Some((inside, _)) = part.split_once(')') else {
            continue;
        };
        let words = inside.split_whitespace().collect::<Vec<_>>().join(" ");
        let (number, rest) = words.split_once(',').unwrap_or((&words, ""));
        let is_earlier = rest.trim() == "an earlier engine";
        if (number == signature) == is_earlier {
            faults.push(format!("signature {words}: the engine has {signature}"));
        }
    }
    faults
}

#[test]
fn the_options_are_those_of_the_source() {
    let page = read(&at("docs/usage.md"));
    let table = options::markdown();
    assert!(
        page.contains(&table),
        "put this into docs/usage.md:\n\n{table}"
    );
}

#[test]
fn pages_are_short() {
    let lines = read(&at("README.md")).lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines");
    for page in pages_in("docs") {
        let words = read(&page).split_whitespace().count();
        assert!(
            words <= PAGE_WORDS || page.ends_with(GENERATED),
            "{} has {words} words",
            page.display()
        );
    }
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    for page in pages() {
        let text = read(&page);
        faults.extend(links(&text).iter().filter_map(|link| fault(&page, link)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn measured_tables_are_of_this_engine_or_say_so() {
    let signature = read(&at("tests/data/signature"));
    for page in pages() {
        let faults = stale(&read(&page), signature.trim());
        assert!(
            faults.is_empty(),
            "{}: measure it again with tools/report.py, or say that it is of an earlier engine:\n{}",
            page.display(),
            faults.join("\n")
        );
    }
}

#[test]
fn what_is_wrong_is_found() {
    assert_eq!(
        anchor("## How to run `bench`, and why?"),
        "how-to-run-bench-and-why"
    );
    let text = "a [b](c.md#d) and [e\nf](g\n.md)\n```\n[x](y)\n```\n[h](i)";
    assert_eq!(links(text), ["c.md#d", "g.md", "i"]);
    let page = at("README.md");
    assert!(fault(&page, "docs/usage.md#options").is_none());
    assert!(fault(&page, "docs/usage.md#nothing").is_some());
    assert!(fault(&page, "docs/nothing.md").is_some());
    let now = "Commit a (signature 7), and b (signature 6, an earlier\nengine).";
    assert!(stale(now, "7").is_empty());
    assert_eq!(stale(now, "6").len(), 2);
    assert_eq!(stale(now, "5").len(), 1);
}
