//! The file with the answers to exercises, which stays between two runs.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::annotate::write_whole;
use crate::library::{Card, Deck};

/// The path below the folder where programs keep their state.
const NAME: &str = "rejoinder/exercises.epd";

/// A deck in its file.
pub(super) struct Store {
    path: PathBuf,
    pub deck: Deck,
}

impl Store {
    /// Opens a file, which need not be there; without a path the one in the user's state folder.
    ///
    /// # Errors
    /// If it cannot be read, or the system names no such folder.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let path = match path {
            Some(path) => path.to_path_buf(),
            None => (state_folder().map(|folder| folder.join(NAME)))
                .context("where are the exercises to be kept? Name a file with --exercises")?,
        };
        let deck = read(&path)?;
        Ok(Self { path, deck })
    }

    /// Returns where the deck is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a card. What another program has kept meanwhile stays.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep(&mut self, card: Card) -> anyhow::Result<()> {
        for other in read(&self.path)?.cards() {
            self.deck.add(other.clone());
        }
        self.deck.add(card);
        if let Some(folder) = self.path.parent() {
            let made = fs::create_dir_all(folder);
            made.with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        write_whole(&self.path, &self.deck.write())
    }
}

fn read(path: &Path) -> anyhow::Result<Deck> {
    match fs::read(path) {
        Ok(bytes) => Ok(Deck::read(&String::from_utf8_lossy(&bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Deck::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Returns the folder where programs keep what they know of a user.
// Source: https://specifications.freedesktop.org/basedir-spec/latest/
fn state_folder() -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return Some(folder("HOME")?.join("Library/Application Support"));
    }
    folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))
}
