//! The locks of the engine: those of `parking_lot`, and on WebAssembly, where that crate cannot
//! wait with a stable compiler, the ones of the standard library behind the same functions.

#[cfg(not(target_family = "wasm"))]
pub use parking_lot::{Condvar, Mutex};
#[cfg(target_family = "wasm")]
pub use standard::{Condvar, Mutex};

/// The part of `parking_lot` that the engine uses, on top of the standard library.
#[cfg(any(target_family = "wasm", test))]
mod standard {
    use std::ops::{Deref, DerefMut};
    use std::sync::{self, PoisonError};
    use std::time::Instant;

    /// A mutex that ignores poisoning.
    #[derive(Debug, Default)]
    pub struct Mutex<T>(sync::Mutex<T>);

    /// The right to use what a [`Mutex`] protects.
    #[derive(Debug)]
    pub struct MutexGuard<'a, T>(Option<sync::MutexGuard<'a, T>>);

    /// A condition variable.
    #[derive(Debug, Default)]
    pub struct Condvar(sync::Condvar);

    /// The result of a wait with a limit.
    #[derive(Clone, Copy, Debug)]
    pub struct WaitTimeoutResult(bool);

    impl<T> Mutex<T> {
        pub const fn new(value: T) -> Self {
            Self(sync::Mutex::new(value))
        }

        pub fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(Some(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
        }
    }

    const HELD: &str = "the guard holds its lock except during a wait";

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_ref().expect(HELD)
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().expect(HELD)
        }
    }

    impl WaitTimeoutResult {
        pub fn timed_out(self) -> bool {
            self.0
        }
    }

    impl Condvar {
        pub const fn new() -> Self {
            Self(sync::Condvar::new())
        }

        pub fn notify_one(&self) {
            self.0.notify_one();
        }

        pub fn notify_all(&self) {
            self.0.notify_all();
        }

        pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            let held = guard.0.take().expect(HELD);
            guard.0 = Some(self.0.wait(held).unwrap_or_else(PoisonError::into_inner));
        }

        pub fn wait_while<T>(
            &self,
            guard: &mut MutexGuard<'_, T>,
            mut condition: impl FnMut(&mut T) -> bool,
        ) {
            while condition(&mut *guard) {
                self.wait(guard);
            }
        }

        pub fn wait_until<T>(
            &self,
            guard: &mut MutexGuard<'_, T>,
            end: Instant,
        ) -> WaitTimeoutResult {
            let held = guard.0.take().expect(HELD);
            let left = end.saturating_duration_since(Instant::now());
            let waited = self.0.wait_timeout(held, left);
            let (held, result) = waited.unwrap_or_else(PoisonError::into_inner);
            guard.0 = Some(held);
            WaitTimeoutResult(result.timed_out())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::standard::{Condvar, Mutex};

    #[test]
    fn two_threads_take_turns() {
        const TURNS: u32 = 1000;
        let (turn, changed) = (Mutex::new(0_u32), Condvar::new());
        let play = |parity| {
            let mut turn = turn.lock();
            for _ in 0..TURNS {
                changed.wait_while(&mut turn, |turn| *turn % 2 != parity);
                *turn += 1;
                changed.notify_one();
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| play(0));
            scope.spawn(|| play(1));
        });
        assert_eq!(*turn.lock(), 2 * TURNS);
    }

    #[test]
    fn a_wait_ends_in_time() {
        let (value, changed) = (Mutex::new(7), Condvar::default());
        changed.notify_all();
        let mut guard = value.lock();
        let start = Instant::now();
        let end = start + Duration::from_millis(20);
        while !changed.wait_until(&mut guard, end).timed_out() {}
        assert!(start.elapsed() >= Duration::from_millis(20));
        assert_eq!(*guard, 7);
    }
}
