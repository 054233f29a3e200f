//! The file of the option `Debug Log File`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::Arc;

use crate::locks::{Mutex, lock};
use crate::native_text::to_path;
use env_logger::{Builder, Target};
use log::LevelFilter;

/// The current log file, if any. The logger of the process shares it.
#[derive(Clone, Debug, Default)]
pub struct DebugLog {
    file: Arc<Mutex<Option<File>>>,
    installed: bool,
}

impl DebugLog {
    /// Appends to this file from now on. An empty path closes the current file.
    ///
    /// # Errors
    /// If the file cannot be opened, or the process has another logger. The log then stays as it
    /// was.
    pub fn open(&mut self, path: &str) -> io::Result<()> {
        if path.is_empty() {
            *lock(&self.file) = None;
            log::set_max_level(LevelFilter::Off);
            return Ok(());
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(to_path(path))?;
        if !self.installed {
            Builder::new()
                .filter_level(LevelFilter::Debug)
                .format(|out, record| writeln!(out, "{} {}", out.timestamp_micros(), record.args()))
                .target(Target::Pipe(Box::new(self.clone())))
                .try_init()
                .map_err(io::Error::other)?;
            self.installed = true;
        }
        *lock(&self.file) = Some(file);
        log::set_max_level(LevelFilter::Debug);
        Ok(())
    }
}

impl Write for DebugLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match lock(&self.file).as_mut() {
            Some(file) => file.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        lock(&self.file).as_mut().map_or(Ok(()), File::flush)
    }
}
