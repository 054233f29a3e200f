//! A directory of its own for a test, removed afterwards.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

/// A scratch directory.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new empty directory.
    ///
    /// # Panics
    /// If the system has no room for one.
    pub fn new() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("rejoinder-{}-{number}", process::id()));
        fs::create_dir_all(&path).expect("room for a scratch directory");
        Self(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind in the temporary directory harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}
