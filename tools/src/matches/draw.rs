//! The numbers of the openings that a match is played from, so that no opening is played twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use parking_lot::Mutex;

/// Hands out opening numbers to the threads until enough different openings have come up. A second
/// pair of games from an opening would only repeat the first, so of the numbers that share an
/// opening only the lowest counts, whichever thread reaches it first.
#[derive(Debug)]
pub struct Draw {
    wanted: u64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Numbers that do not count.
    repeats: u64,
    /// The lowest number of each opening, by the key of its position.
    first: HashMap<u64, u64>,
}

impl Draw {
    /// Prepares to hand out numbers until `wanted` different openings have been found.
    pub fn new(wanted: u64) -> Self {
        Self {
            wanted,
            state: Mutex::default(),
        }
    }

    /// Returns the next number, or `None` if the numbers handed out so far may be enough. A thread
    /// that has entered its number asks again: if that number was a repeat, one more is needed.
    pub fn take(&self) -> Option<u64> {
        let mut state = self.state.lock();
        let number = state.next;
        (number < self.wanted + state.repeats).then(|| {
            state.next += 1;
            number
        })
    }

    /// Records the opening of a number by its key. Returns whether the opening should be played, as
    /// far as is known by now.
    pub fn enter(&self, number: u64, key: u64) -> bool {
        let state = &mut *self.state.lock();
        match state.first.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(number);
                true
            }
            Entry::Occupied(mut entry) => {
                state.repeats += 1;
                let first = number < *entry.get();
                if first {
                    entry.insert(number);
                }
                first
            }
        }
    }

    /// Returns whether no lower number has this opening. All lower numbers must have been entered
    /// before.
    pub fn is_first(&self, number: u64, key: u64) -> bool {
        self.state.lock().first.get(&key) == Some(&number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_openings_are_skipped_whatever_the_order() {
        // The openings by number: 10, 10, 20, 10, 30, 20, 40, 50.
        let keys = [10, 10, 20, 10, 30, 20, 40, 50];
        let in_order = |draw: &Draw| {
            let mut numbers = Vec::new();
            while let Some(number) = draw.take() {
                if draw.enter(number, keys[number as usize]) {
                    numbers.push(number);
                }
            }
            numbers
        };
        let draw = Draw::new(4);
        assert_eq!(in_order(&draw), [0, 2, 4, 6]);
        // Slow threads: number 0 comes after 1, and 2 after all others.
        let draw = Draw::new(4);
        let taken: Vec<u64> = std::iter::from_fn(|| draw.take()).collect();
        assert_eq!(taken, [0, 1, 2, 3]);
        assert!(draw.enter(1, 10), "the best that is known");
        assert!(draw.enter(0, 10) && !draw.enter(3, 10));
        assert_eq!(in_order(&draw), [4, 5]);
        assert!(draw.enter(2, 20));
        assert_eq!(in_order(&draw), [6]);
        let counting = |&number: &u64| draw.is_first(number, keys[number as usize]);
        let counting: Vec<u64> = (0..7).filter(counting).collect();
        assert_eq!(counting, [0, 2, 4, 6]);
    }
}
