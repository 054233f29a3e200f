//! The locks of the standard library, which WebAssembly has too. They go on after a panic of another
//! thread: a release ends with the first one, and a test has failed by then.

pub use std::sync::{Condvar, Mutex};
use std::sync::{MutexGuard, PoisonError};

/// Waits for the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Releases the lock until the condition variable is notified.
pub fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
