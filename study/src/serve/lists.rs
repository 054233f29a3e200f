//! What the page asks about the games of the user's files.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parking_lot::Mutex;

use super::folder::Folder;
use crate::annotate::openings;
use crate::json::Json;
use crate::library::{Card, Found, Games, Summary, exercises, files_of};
use crate::report::Library;

/// Sizes and times of the files that the lines of a file come from, which tell whether they have changed.
type Stamp = Vec<Option<(u64, SystemTime)>>;

/// The lists, which are kept as long as their files stay as they are.
#[derive(Default)]
pub struct Lists {
    /// The games of each file in lines, as JSON with commas between them.
    lines: Mutex<HashMap<String, (Stamp, String)>>,
}

impl Lists {
    /// Returns all games as JSON: an object with `name`, that of the folder, and `games`, an array of
    /// objects with the fields of [`Summary::write`] and with `file` and `number`. A file that cannot
    /// be read has no games.
    pub fn library(&self, folder: &Folder) -> String {
        let mut json = Json(String::new());
        json.object(|json| {
            json.field("name").text(&folder.name());
            json.field("games").array(|json| {
                for name in folder.games() {
                    let lines = folder.path(&name).map(|path| self.lines(&name, &path));
                    let lines = lines.filter(|lines| !lines.is_empty());
                    if let Some(lines) = lines {
                        json.field("").raw(&lines);
                    }
                }
            });
        });
        json.0
    }

    /// Returns the games of a file in lines.
    fn lines(&self, name: &str, path: &Path) -> String {
        let stamp = stamp(path);
        if let Some((known, lines)) = self.lines.lock().get(name)
            && *known == stamp
        {
            return lines.clone();
        }
        let mut lines = Json(String::new());
        for Found { number, record, .. } in games(path) {
            let mut summary = Summary::of(&record);
            if summary.opening.is_empty()
                && let Some(opening) = openings::find(&record.start, &record.moves)
            {
                summary.opening = format!("{} {}", opening.eco, opening.name);
            }
            lines.field("").object(|json| {
                summary.write(json);
                json.field("file").text(name);
                json.field("number").raw(&number.to_string());
            });
        }
        let known = (stamp, lines.0.clone());
        self.lines.lock().insert(name.to_owned(), known);
        lines.0
    }
}

fn stamp(path: &Path) -> Stamp {
    let of = |path: &Path| {
        let about = path.metadata().ok()?;
        Some((about.len(), about.modified().ok()?))
    };
    files_of(path).iter().map(|path| of(path)).collect()
}

/// Returns the mistakes of a player as JSON: an array of the objects of [`Card::write`].
pub fn mistakes(folder: &Folder, player: &str) -> String {
    let mut json = Json(String::new());
    json.array(|json| {
        for found in paths(folder).flat_map(|path| games(&path)) {
            let own = exercises(&found.record).into_iter();
            for exercise in own.filter(|exercise| exercise.player() == player) {
                Card::new(exercise).write(json.field(""));
            }
        }
    });
    json.0
}

/// Returns the report over all games as a page, each game once, by its review if there is one. A part
/// of a player's name leaves out the moves of all others.
pub fn report(folder: Option<&Folder>, player: Option<&str>) -> String {
    let mut library = Library::new(player);
    let paths = folder.into_iter().flat_map(paths);
    for found in paths.flat_map(|path| games(&path)) {
        library.add(&found.record);
    }
    library.html(true)
}

/// Returns the paths of the files with games.
fn paths(folder: &Folder) -> impl Iterator<Item = PathBuf> {
    let names = folder.games().into_iter();
    names.filter_map(|name| folder.path(&name))
}

/// Returns the text of a game of a file, with its review if there is one; `None` if there is no such
/// game.
pub fn game(path: &Path, number: u64) -> io::Result<Option<Vec<u8>>> {
    for found in Games::open(path)? {
        let found = found?;
        if found.number == number {
            return Ok(Some(found.bytes));
        }
    }
    Ok(None)
}

/// Returns the games of a file up to where it cannot be read.
fn games(path: &Path) -> impl Iterator<Item = Found> + use<> {
    let games = Games::open(path).into_iter().flatten();
    games.map_while(Result::ok)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_list_follows_its_files() {
        let place = tempfile::tempdir().expect("a folder");
        let write =
            |name: &str, text: &str| fs::write(place.path().join(name), text).expect("a file");
        write("a.pgn", "[White \"Ann\"]\n\n1. e4 e5 *\n\n1. d4 *\n\n");
        write("b.pgn", "[White \"Cid\"]\n\n1. c4 *\n\n");
        let folder = Folder::open(place.path()).expect("a folder");
        let lists = Lists::default();
        let first = lists.library(&folder);
        assert_eq!(first.matches("\"file\":\"a.pgn\"").count(), 2, "{first}");
        assert!(first.contains("\"isReviewed\":false") && first.contains("C20 King's Pawn Game"));
        assert_eq!(lists.library(&folder), first);
        let summary = "{ White: accuracy 90.0%. Black: accuracy 70.0%. }";
        write(
            "a.reviewed.pgn",
            &format!("[White \"Ann\"]\n\n{summary} 1. e4 $4 (1. d4) e5 *\n\n"),
        );
        let second = lists.library(&folder);
        assert!(
            second.contains("\"accuracy\":[90.0,70.0],\"file\":\"a.pgn\",\"number\":1"),
            "{second}"
        );
        assert!(mistakes(&folder, "Ann").contains("\"played\":\"e4\""));
        assert_eq!(mistakes(&folder, "Cid"), "[]");
        // A game and its review count once.
        let counted = report(Some(&folder), None);
        assert!(
            counted.contains("1 game. Left out: 2 games without a review."),
            "{counted}"
        );
        let text = game(&place.path().join("a.pgn"), 1)
            .expect("readable")
            .expect("a game");
        assert!(String::from_utf8_lossy(&text).contains("(1. d4)"));
        assert_eq!(
            game(&place.path().join("a.pgn"), 3).expect("readable"),
            None
        );
    }
}
