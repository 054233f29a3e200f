//! A status line with the time that is left.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::epd::StatusLine;

/// A status line is not drawn again before so long.
const PAUSE: Duration = Duration::from_millis(100);

/// A status line with the share that is done and the time that is left. The unit of the work is the
/// caller's.
#[derive(Debug)]
pub struct Countdown {
    status: StatusLine,
    start: Instant,
    total: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Work that was done before the start, and by now.
    before: u64,
    done: u64,
    drawn: Option<Instant>,
}

impl Countdown {
    /// Starts the clock with this much of the work done.
    pub fn new(before: u64, total: u64) -> Self {
        Self {
            status: StatusLine::default(),
            start: Instant::now(),
            total,
            state: Mutex::new(State {
                before,
                done: before,
                drawn: None,
            }),
        }
    }

    /// Adds some work, and shows how far that is.
    pub fn add(&self, work: u64) {
        let mut state = self.state.lock();
        state.done += work;
        if state.drawn.is_some_and(|drawn| drawn.elapsed() < PAUSE) {
            return;
        }
        state.drawn = Some(Instant::now());
        let percent = 100 * state.done.min(self.total) / self.total.max(1);
        let (done, total) = (
            state.done - state.before,
            self.total.saturating_sub(state.before),
        );
        let left = match time_left(self.start.elapsed(), done, total) {
            Some(left) => format!(", {} left", rough(left)),
            None => String::new(),
        };
        self.status.show(&format!("{percent}% done{left}"));
    }

    /// Removes the line until more work is done.
    pub fn clear(&self) {
        self.status.clear();
    }
}

/// Returns the time that the rest of the work takes if it goes on like this; `None` before anything
/// is done.
fn time_left(elapsed: Duration, done: u64, total: u64) -> Option<Duration> {
    let rest = total.saturating_sub(done);
    (done > 0).then(|| elapsed.mul_f64(rest as f64 / done as f64))
}

/// Returns a duration for people, in its two largest units.
fn rough(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3600..86400 => format!("{} h {:02} min", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{} d {:02} h", seconds / 86400, seconds % 86400 / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done() {
        let elapsed = Duration::from_secs(30);
        assert_eq!(time_left(elapsed, 10, 40), Some(Duration::from_secs(90)));
        assert_eq!(time_left(elapsed, 50, 40), Some(Duration::ZERO));
        assert_eq!(time_left(elapsed, 0, 40), None);
    }

    #[test]
    fn durations_have_two_units() {
        for (seconds, text) in [
            (0, "0 s"),
            (59, "59 s"),
            (61, "1 min 01 s"),
            (7_320, "2 h 02 min"),
            (90_000, "1 d 01 h"),
        ] {
            assert_eq!(rough(Duration::from_secs(seconds)), text);
        }
    }
}
