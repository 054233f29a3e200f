//! Processes many items in parallel.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Calls `work` for each item, with one thread per core. The results are in the order of the items.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_with(&mut vec![(); num_cpus::get()], items, |(), item| work(item))
}

/// Calls `work` for each item, with one thread per worker, which is passed to `work`. The results
/// are in the order of the items.
///
/// # Panics
/// If `work` panics.
pub fn map_with<W: Send, T: Sync, R: Send>(
    workers: &mut [W],
    items: &[T],
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let share = |worker: &mut W| {
        let mut results = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            results.push((index, work(worker, item)));
        }
        results
    };
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let share = &share;
        let handles: Vec<_> = workers
            .iter_mut()
            .map(|worker| scope.spawn(move || share(worker)))
            .collect();
        let join = |handle: thread::ScopedJoinHandle<_>| {
            handle.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        handles.into_iter().flat_map(join).collect()
    });
    results.sort_unstable_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        let items: Vec<u64> = (0..1000).collect();
        let results = map(&items, |item| item * 2);
        assert!(results.into_iter().eq((0..1000).map(|item| item * 2)));
    }
}
