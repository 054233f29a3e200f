//! Checks that no files of a package import each other in a circle, except a module and its
//! children.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use crate::{at, files, read};

/// The path of a module, as in `["uci", "session"]`.
type Module = Vec<String>;

/// The modules of a package, and the text of each without its tests.
#[derive(Default)]
struct Sources(BTreeMap<Module, String>);

impl Sources {
    /// Reads the files of a package, except those of tests.
    fn read(folder: &Path) -> Self {
        let mut sources = Self::default();
        for path in files(folder, "rs") {
            let inside = path.strip_prefix(folder).expect("a file inside");
            let name = |part: &OsStr| part.to_string_lossy().trim_end_matches(".rs").to_owned();
            let mut module: Module = inside.iter().map(name).collect();
            if module
                .iter()
                .any(|part| matches!(&**part, "lib" | "main" | "tests"))
            {
                continue;
            }
            module.retain(|part| part != "mod");
            sources.0.insert(module, without_tests(&read(&path)));
        }
        sources
    }

    /// Returns the modules that a module names in its code, without those above and below it.
    fn named_by(&self, module: &[String]) -> BTreeSet<&Module> {
        let text = &self.0[module];
        let mut named = BTreeSet::new();
        for root in ["crate::", "super::", "self::"] {
            for (at, _) in text.match_indices(root) {
                if text[..at].ends_with("::") {
                    continue;
                }
                let mut base = match root {
                    "crate::" => &[],
                    "super::" => &module[..module.len() - 1],
                    _ => module,
                };
                let mut rest = &text[at + root.len()..];
                while let Some(further) = rest.strip_prefix("super::") {
                    base = &base[..base.len() - 1];
                    rest = further;
                }
                let paths = paths(rest).into_iter();
                named.extend(paths.filter_map(|path| self.find(base, &path)));
            }
        }
        named.retain(|other| !other.starts_with(module) && !module.starts_with(other));
        named
    }

    /// Returns the deepest module on this path.
    fn find(&self, base: &[String], path: &[String]) -> Option<&Module> {
        let mut path = [base, path].concat();
        while !path.is_empty() {
            if let Some((module, _)) = self.0.get_key_value(&path) {
                return Some(module);
            }
            path.pop();
        }
        None
    }

    /// Returns the modules from which a path of imports leads back to them.
    fn circles(&self) -> Vec<String> {
        let edges: BTreeMap<&Module, BTreeSet<&Module>> = (self.0.keys())
            .map(|module| (module, self.named_by(module)))
            .collect();
        let leads_back = |start: &Module| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
            while let Some(module) = open.pop() {
                for &next in &edges[module] {
                    if next == start {
                        return true;
                    }
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
            false
        };
        let modules = self.0.keys().filter(|module| leads_back(module));
        modules.map(|module| module.join("::")).collect()
    }
}

/// Returns a text without comments and without what follows `#[cfg(test)]`, which is at the end.
fn without_tests(text: &str) -> String {
    let code = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    let code = code.take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.collect::<Vec<_>>().join("\n")
}

/// Returns the paths that begin here: `a::{b, c::d}` gives a::b and a::c::d.
fn paths(text: &str) -> Vec<Module> {
    let text = text.trim_start();
    if let Some(group) = text.strip_prefix('{') {
        let (mut found, mut depth, mut start) = (Vec::new(), 1, 0);
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if letter == ',' && depth == 1 || depth == 0 {
                found.extend(paths(&group[start..at]));
                start = at + 1;
            }
            if depth == 0 {
                break;
            }
        }
        return found;
    }
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let (name, rest) = text.split_at(end.unwrap_or(text.len()));
    if name.is_empty() {
        return Vec::new();
    }
    let further = rest.strip_prefix("::").map(paths).unwrap_or_default();
    if further.is_empty() {
        return vec![vec![name.to_owned()]];
    }
    let with_name = |mut path: Module| {
        path.insert(0, name.to_owned());
        path
    };
    further.into_iter().map(with_name).collect()
}

#[test]
fn no_files_import_each_other() {
    for package in ["src", "lab/src", "study/src", "tools/src"] {
        let sources = Sources::read(&at(package));
        assert!(sources.0.len() > 10, "{package}");
        let circles = sources.circles();
        assert!(circles.is_empty(), "{package}: {circles:?}");
    }
}

#[test]
fn a_circle_is_found() {
    let sources = |files: &[(&str, &str)]| {
        let module = |path: &str| path.split("::").map(str::to_owned).collect();
        let files = files
            .iter()
            .map(|&(path, text)| (module(path), without_tests(text)));
        Sources(files.collect())
    };
    let circle = [
        ("a", "use crate::b::{self, c::D};"),
        ("b", "mod c;"),
        ("b::c", "use super::super::e::F;"),
        ("e", "fn f() { crate::a::g() }"),
        ("h", "use crate::a;"),
    ];
    assert_eq!(sources(&circle).circles(), ["a", "b::c", "e"]);
    let children = [
        ("a", "mod b; use b::C; use self::b::D;"),
        ("a::b", "use super::E;"),
    ];
    assert!(sources(&children).circles().is_empty());
    let tests = [
        ("a", "use crate::b;"),
        (
            "b",
            "// crate::a\n#[cfg(test)]\nmod tests { use crate::a; }",
        ),
    ];
    assert!(sources(&tests).circles().is_empty());
}
