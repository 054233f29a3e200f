//! The user's files that the page may read: those of a folder, or a single one.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf, is_separator};

use anyhow::Context;

use crate::json::Json;
use crate::library::reviews_of;

/// Endings of the names of files with games or positions.
const ENDINGS: [&str; 3] = ["pgn", "epd", "fen"];
const PGN_ENDING: &str = ".pgn";
/// Folders within folders are looked into down to this depth.
const DEEPEST: u32 = 8;

/// The files. Nothing else can be read by an address: its path must be one of the list.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The folder, without links in its path.
    root: PathBuf,
    /// The name of the single file in the folder that may be read.
    only: Option<String>,
}

/// A file of the list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// The path from the folder, with slashes.
    name: String,
    /// Size in bytes.
    bytes: u64,
}

impl Folder {
    /// Takes a folder, or a file of any ending.
    ///
    /// # Errors
    /// If there is no such file or folder, or its name is not Unicode.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let name = || path.display().to_string();
        let whole = path.canonicalize().with_context(name)?;
        if whole.is_dir() {
            return Ok(Self {
                root: whole,
                only: None,
            });
        }
        let only = whole.file_name().and_then(|name| name.to_str());
        let only = only.with_context(|| format!("{}: the name is not Unicode", path.display()))?;
        Ok(Self {
            root: whole.parent().unwrap_or(&whole).to_path_buf(),
            only: Some(only.to_owned()),
        })
    }

    /// Returns the list as JSON: an object with `open`, the name of a single file that was given, else
    /// null, and `files`, an array of objects with `name` and `bytes`. A folder that cannot be read
    /// has no files.
    pub fn list(&self) -> String {
        let mut json = Json(String::new());
        json.object(|json| {
            json.field("open");
            match &self.only {
                Some(only) => json.text(only),
                None => json.raw("null"),
            }
            json.field("files").array(|json| {
                for Entry { name, bytes } in self.entries() {
                    json.field("").object(|json| {
                        json.field("name").text(&name);
                        json.field("bytes").number(bytes as f64, 0);
                    });
                }
            });
        });
        json.0
    }

    /// Returns a file of the list; `None` if the list has none of this name.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.path(name).map(fs::read).transpose()
    }

    /// Returns the path of a file of the list; `None` if the list has none of this name. Only the folders
    /// on the way to it are looked at.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let is_listed = match &self.only {
            Some(only) => name == only,
            None => self.leads_to(name),
        };
        let entry = is_listed.then(|| self.entry(name.to_owned())).flatten()?;
        Some(self.root.join(entry.name))
    }

    /// Returns whether [`collect`](Self::collect) comes to a file of this name, if it is there.
    fn leads_to(&self, name: &str) -> bool {
        let mut parts: Vec<&str> = name.split('/').collect();
        let Some(file) = parts.pop().filter(|file| has_games(file)) else {
            return false;
        };
        let is_plain = |part: &&str| {
            !part.is_empty() && !part.starts_with('.') && !part.contains(is_separator)
        };
        let mut folder = self.root.clone();
        let is_folder = |part: &&str| {
            folder.push(part);
            folder.symlink_metadata().is_ok_and(|about| about.is_dir())
        };
        parts.len() <= DEEPEST as usize
            && parts.iter().chain([&file]).all(is_plain)
            && parts.iter().all(is_folder)
    }

    /// Returns the names of the files with games, without those that are reviews of others.
    pub fn games(&self) -> Vec<String> {
        let mut names: Vec<String> = self.entries().into_iter().map(|entry| entry.name).collect();
        let is_pgn =
            |name: &String| self.only.is_some() || name.to_ascii_lowercase().ends_with(PGN_ENDING);
        names.retain(is_pgn);
        let reviews: HashSet<PathBuf> =
            names.iter().map(|name| reviews_of(name.as_ref())).collect();
        names.retain(|name| !reviews.contains(Path::new(name)));
        names
    }

    /// Returns what the browser knows the folder by.
    pub fn name(&self) -> String {
        let only = self.only.as_deref().unwrap_or_default();
        self.root.join(only).display().to_string()
    }

    fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        match &self.only {
            Some(only) => entries.extend(self.entry(only.clone())),
            None => self.collect("", DEEPEST, &mut entries),
        }
        entries.sort();
        entries
    }

    /// Adds the files below a folder, the path of which ends with a slash.
    fn collect(&self, folder: &str, depth: u32, entries: &mut Vec<Entry>) {
        let Ok(listed) = fs::read_dir(self.root.join(folder)) else {
            return;
        };
        for found in listed.flatten() {
            let Ok(name) = found.file_name().into_string() else {
                continue;
            };
            // Folders that a link leads to may lead back.
            let is_folder = found.file_type().is_ok_and(|kind| kind.is_dir());
            if name.starts_with('.') {
                continue;
            }
            let path = format!("{folder}{name}");
            if is_folder && depth > 0 {
                self.collect(&format!("{path}/"), depth - 1, entries);
            } else if has_games(&name) {
                entries.extend(self.entry(path));
            }
        }
    }

    /// Returns a file within the folder, also where a link leads to it; `None` for anything else.
    fn entry(&self, name: String) -> Option<Entry> {
        let path = self.root.join(&name).canonicalize().ok()?;
        let about = path.metadata().ok()?;
        (about.is_file() && path.starts_with(&self.root)).then_some(Entry {
            name,
            bytes: about.len(),
        })
    }
}

/// Returns whether a file holds games or positions, by its name.
fn has_games(name: &str) -> bool {
    let ending = Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| {
        ENDINGS
            .iter()
            .any(|known| ending.eq_ignore_ascii_case(known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Folder) -> Vec<String> {
        let entries = folder.entries();
        entries.into_iter().map(|entry| entry.name).collect()
    }

    #[test]
    fn only_listed_files_can_be_read() {
        let outside = tempfile::tempdir().expect("a folder");
        let root = outside.path().join("games");
        fs::create_dir_all(root.join("old/.hidden")).expect("folders");
        for (name, text) in [
            ("games/a.pgn", "1. e4 *"),
            ("games/old/B.PGN", "1. d4 *"),
            ("games/old/.hidden/c.pgn", "*"),
            ("games/notes.txt", "secret"),
            ("other.pgn", "secret"),
        ] {
            fs::write(outside.path().join(name), text).expect("a file");
        }
        let folder = Folder::open(&root).expect("a folder");
        assert_eq!(names(&folder), ["a.pgn", "old/B.PGN"]);
        let files = r#"[{"name":"a.pgn","bytes":7},{"name":"old/B.PGN","bytes":7}]"#;
        let expected = format!(r#"{{"open":null,"files":{files}}}"#);
        assert_eq!(folder.list(), expected);
        let text = folder.read("old/B.PGN").expect("readable");
        assert_eq!(text.as_deref(), Some(&b"1. d4 *"[..]));
        // What is in the list is found by its name, and nothing else is.
        for name in names(&folder) {
            assert!(folder.path(&name).is_some(), "{name}");
        }
        let absolute = outside.path().join("other.pgn").display().to_string();
        let absent = [
            "notes.txt",
            "../other.pgn",
            "old/../../other.pgn",
            "old",
            "old/",
            "old//B.PGN",
            "./a.pgn",
            "/a.pgn",
            "old/.hidden/c.pgn",
            "",
            &absolute,
        ];
        for name in absent {
            assert!(folder.read(name).expect("no error").is_none(), "{name}");
        }
    }

    #[test]
    fn a_file_opens_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["one.txt", "two.pgn"] {
            fs::write(folder.path().join(name), "1. e4 *").expect("a file");
        }
        let one = Folder::open(&folder.path().join("one.txt")).expect("a file");
        let list = r#"{"open":"one.txt","files":[{"name":"one.txt","bytes":7}]}"#;
        assert_eq!(one.list(), list);
        assert!(one.read("two.pgn").expect("no error").is_none());
        let error = Folder::open(&folder.path().join("three.pgn")).expect_err("no file");
        assert!(error.to_string().contains("three.pgn"), "{error}");
    }

    #[test]
    fn reviews_are_no_games_of_their_own() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.pgn", "a.reviewed.pgn", "b.reviewed.pgn", "c.epd"] {
            fs::write(folder.path().join(name), "*").expect("a file");
        }
        let opened = Folder::open(folder.path()).expect("a folder");
        assert_eq!(opened.games(), ["a.pgn", "b.reviewed.pgn"]);
        let alone = Folder::open(&folder.path().join("c.epd")).expect("a file");
        assert_eq!(alone.games(), ["c.epd"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().expect("a folder");
        let root = outside.path().join("games");
        fs::create_dir(&root).expect("a folder");
        fs::write(outside.path().join("secret.pgn"), "*").expect("a file");
        fs::write(root.join("a.pgn"), "*").expect("a file");
        symlink("../secret.pgn", root.join("out.pgn")).expect("a link");
        symlink("a.pgn", root.join("in.pgn")).expect("a link");
        symlink("..", root.join("up")).expect("a link");
        let folder = Folder::open(&root).expect("a folder");
        assert_eq!(names(&folder), ["a.pgn", "in.pgn"]);
        for name in ["up/secret.pgn", "up/games/a.pgn", "out.pgn"] {
            assert!(folder.read(name).expect("no error").is_none(), "{name}");
        }
        assert!(folder.path("in.pgn").is_some());
    }
}
