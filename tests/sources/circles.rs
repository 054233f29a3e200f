//! Checks that no files of a package import each other in a circle. In the engine and in study, a
//! module and its children may.

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
    /// Reads the files of a package, except those of tests; the path of `lib.rs` is empty.
    fn read(folder: &Path) -> Self {
        let mut sources = Self::default();
        for path in files(folder, "rs") {
            let inside = path.strip_prefix(folder).expect("a file inside");
            let name = |part: &OsStr| part.to_string_lossy().trim_end_matches(".rs").to_owned();
            let mut module: Module = inside.iter().map(name).collect();
            if module
                .iter()
                .any(|part| matches!(&**part, "main" | "tests"))
            {
                continue;
            }
            module.retain(|part| !matches!(&**part, "lib" | "mod"));
            sources.0.insert(module, without_tests(&read(&path)));
        }
        sources
    }

    /// Returns the modules that a module names in its code. Those above and below it count only if
    /// `family` is set.
    fn named_by(&self, module: &[String], family: bool) -> BTreeSet<&Module> {
        let text = &self.0[module];
        let below = self.0.keys().filter(|other| other.starts_with(module));
        let children = below.filter(|other| other.len() == module.len() + 1);
        let children = children.map(|child| format!("{}::", child[module.len()]));
        let roots = ["crate::", "super::", "self::"].map(str::to_owned);
        let mut named = BTreeSet::new();
        for root in roots.into_iter().chain(children) {
            for (at, _) in text.match_indices(&root) {
                if text[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c)) {
                    continue;
                }
                let (mut base, skipped) = match &*root {
                    "crate::" => (&[][..], root.len()),
                    "super::" => (&module[..module.len().saturating_sub(1)], root.len()),
                    "self::" => (module, root.len()),
                    _ => (module, 0),
                };
                let mut rest = &text[at + skipped..];
                while let Some(further) = rest.strip_prefix("super::") {
                    base = &base[..base.len() - 1];
                    rest = further;
                }
                let paths = paths(rest).into_iter();
                named.extend(paths.filter_map(|path| self.find(base, &path)));
            }
        }
        let is_family = |other: &Module| other.starts_with(module) || module.starts_with(other);
        named.retain(|other| *other != module && (family || !is_family(other)));
        named
    }

    /// Returns the deepest module on this path.
    fn find(&self, base: &[String], path: &[String]) -> Option<&Module> {
        let mut path = [base, path].concat();
        loop {
            if let Some((module, _)) = self.0.get_key_value(&path) {
                return Some(module);
            }
            path.pop()?;
        }
    }

    /// Returns the modules from which a path of imports leads back to them; imports between a
    /// module and those above and below it count only if `family` is set.
    fn circles(&self, family: bool) -> Vec<String> {
        let edges: BTreeMap<&Module, BTreeSet<&Module>> = (self.0.keys())
            .map(|module| (module, self.named_by(module, family)))
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

/// Returns a text without comments and without its module of tests, which is at the end.
fn without_tests(text: &str) -> String {
    let begins = ["", "pub(super) "].map(|by| text.find(&format!("#[cfg(test)]\n{by}mod tests")));
    let end = begins.into_iter().flatten().min().unwrap_or(text.len());
    let lines = text[..end].lines();
    let code = lines.map(|line| line.split("//").next().unwrap_or(""));
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
    for (package, least, family) in [
        ("src", 100, false),
        ("study/src", 30, false),
        ("lab/src", 20, true),
        ("tools/src", 60, true),
    ] {
        let sources = Sources::read(&at(package));
        let count = sources.0.len();
        assert!(count >= least, "{package}: {count} files");
        let named: usize = (sources.0.keys())
            .map(|module| sources.named_by(module, family).len())
            .sum();
        assert!(named > count, "{package}: {named} imports");
        let circles = sources.circles(family);
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
    assert_eq!(sources(&circle).circles(false), ["a", "b::c", "e"]);
    let children = [
        ("a", "mod b; use b::C; use self::b::D;"),
        ("a::b", "use super::E;"),
    ];
    assert!(sources(&children).circles(false).is_empty());
    assert_eq!(sources(&children).circles(true), ["a", "a::b"]);
    let by_name = [("a", "use b::Thing;"), ("a::b", "use super::Error;")];
    assert_eq!(sources(&by_name).circles(true), ["a", "a::b"]);
    let fixtures = [
        ("a", "#[cfg(test)]\nmod fixtures;\nuse crate::b;"),
        ("b", "use crate::{c::{d, e}, a};"),
    ];
    assert_eq!(sources(&fixtures).circles(false), ["a", "b"]);
    let tests = [
        ("a", "use crate::b;"),
        (
            "b",
            "// crate::a\n#[cfg(test)]\nmod tests { use crate::a; }",
        ),
    ];
    assert!(sources(&tests).circles(false).is_empty());
}
