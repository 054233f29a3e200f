//! The progress of a long run on the standard error: a bar on a terminal, or a line now and then in
//! a log.

use std::fmt;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

/// Time between two lines if the standard error is not a terminal.
const LINE_EVERY: Duration = Duration::from_mins(1);

/// A progress bar on the standard error; any thread may advance it.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    unit: &'static str,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// Begins a run of `length` steps, which are called `unit` (a plural noun).
    pub fn new(length: u64, unit: &'static str) -> Self {
        let template = format!("{{bar:30}} {{pos}}/{{len}} {unit}, {{eta}} left, {{msg}}");
        let bar = ProgressBar::new(length);
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self {
            bar,
            unit,
            last_line: Mutex::new(Instant::now()),
        }
    }

    /// Shows that `done` steps have been finished, together with a message.
    pub fn update(&self, done: u64, message: impl fmt::Display) {
        self.bar.set_position(done);
        if !self.bar.is_hidden() {
            self.bar.set_message(message.to_string());
            return;
        }
        let mut last_line = self.last_line.lock();
        if last_line.elapsed() >= LINE_EVERY {
            *last_line = Instant::now();
            let length = self.bar.length().unwrap_or(0);
            let left = self.bar.eta().as_secs();
            eprintln!("{done}/{length} {}, {left} s left, {message}", self.unit);
        }
    }

    /// Changes the number of steps.
    pub fn set_length(&self, length: u64) {
        self.bar.set_length(length);
    }

    /// Prints a line above the bar, where it stays.
    pub fn say(&self, line: impl fmt::Display) {
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line.to_string());
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
