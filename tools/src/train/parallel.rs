//! Work that several threads share.

use std::thread;

use parking_lot::Mutex;

/// Calls `work` for each item. A thread that has finished one takes the next, so a slow thread
/// delays nobody; which thread does what must not matter.
pub fn each<T: Send>(
    threads: usize,
    items: impl IntoIterator<Item = T, IntoIter: Send>,
    work: impl Fn(T) + Sync,
) {
    let items = Mutex::new(items.into_iter());
    let next = || items.lock().next();
    let run = || {
        while let Some(item) = next() {
            work(item);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_visited_once() {
        for threads in [0, 1, 3, 40] {
            let mut counts = vec![0; 30];
            each(threads, &mut counts, |count| *count += 1);
            assert_eq!(counts, [1; 30]);
        }
    }
}
