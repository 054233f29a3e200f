//! Tests the mailbox of the workers' pool, with real threads and in every possible order of events.

#![allow(
    clippy::duplicate_mod,
    reason = "the same text with other locks is what this is about"
)]

/// The mailbox with the locks that the engine uses.
#[path = "."]
mod real {
    #[path = "../../src/smp/mailbox.rs"]
    mod mailbox;

    mod sync {
        pub use parking_lot::{Condvar, Mutex};
    }

    use std::sync::Arc;
    use std::thread;

    use mailbox::Mailbox;

    #[test]
    fn orders_arrive_once_and_in_order() {
        let mailbox = Arc::new(Mailbox::new());
        let taker = {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || {
                let mut taken = Vec::new();
                while taken.last() != Some(&1000) {
                    taken.push(mailbox.take());
                }
                taken
            })
        };
        for order in 1..=1000 {
            mailbox.post(order);
        }
        let taken = taker.join().expect("the taking thread panicked");
        assert!(taken.into_iter().eq(1..=1000));
    }

    #[test]
    fn waiting_ends_when_the_order_is_dropped() {
        let mailbox = Arc::new(Mailbox::<Option<Arc<()>>>::new());
        let taker = {
            let mailbox = Arc::clone(&mailbox);
            thread::spawn(move || while mailbox.take().is_some() {})
        };
        let baggage = Arc::new(());
        for _ in 0..1000 {
            mailbox.post(Some(Arc::clone(&baggage)));
            mailbox.wait();
            assert_eq!(Arc::strong_count(&baggage), 1);
        }
        mailbox.post(None);
        taker.join().expect("the taking thread panicked");
    }
}

/// The mailbox with locks that let loom try every order of events.
#[path = "."]
mod model {
    #[path = "../../src/smp/mailbox.rs"]
    mod mailbox;

    /// The part of `parking_lot` that the mailbox uses.
    mod sync {
        use std::ops::{Deref, DerefMut};

        use loom::sync;

        #[derive(Debug)]
        pub struct Mutex<T>(sync::Mutex<T>);

        pub struct Guard<'a, T>(Option<sync::MutexGuard<'a, T>>);

        #[derive(Debug)]
        pub struct Condvar(sync::Condvar);

        impl<T> Mutex<T> {
            pub fn new(value: T) -> Self {
                Self(sync::Mutex::new(value))
            }

            pub fn lock(&self) -> Guard<'_, T> {
                Guard(Some(
                    self.0
                        .lock()
                        .expect("a thread panicked while it held the lock"),
                ))
            }
        }

        impl<T> Deref for Guard<'_, T> {
            type Target = T;

            fn deref(&self) -> &T {
                self.0.as_ref().expect("the guard is empty")
            }
        }

        impl<T> DerefMut for Guard<'_, T> {
            fn deref_mut(&mut self) -> &mut T {
                self.0.as_mut().expect("the guard is empty")
            }
        }

        impl Condvar {
            pub fn new() -> Self {
                Self(sync::Condvar::new())
            }

            pub fn notify_one(&self) {
                self.0.notify_one();
            }

            pub fn wait<T>(&self, guard: &mut Guard<'_, T>) {
                let inner = guard.0.take().expect("the guard is empty");
                guard.0 = Some(
                    self.0
                        .wait(inner)
                        .expect("a thread panicked while it held the lock"),
                );
            }

            pub fn wait_while<T>(
                &self,
                guard: &mut Guard<'_, T>,
                mut condition: impl FnMut(&mut T) -> bool,
            ) {
                while condition(guard) {
                    self.wait(guard);
                }
            }
        }
    }

    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use loom::thread;

    use mailbox::Mailbox;

    /// Every order is executed once and in turn, `wait` returns after the last, and no thread waits
    /// forever.
    #[test]
    fn every_order_of_events_is_right() {
        for waits_between in [false, true] {
            loom::model(move || {
                let mailbox = Arc::new(Mailbox::new());
                let done = Arc::new(AtomicUsize::new(0));
                let taker = {
                    let (mailbox, done) = (Arc::clone(&mailbox), Arc::clone(&done));
                    thread::spawn(move || {
                        for number in 1..=2 {
                            assert_eq!(mailbox.take(), number);
                            done.store(number, Relaxed);
                        }
                        // The last order ends the thread, as in the pool.
                        assert_eq!(mailbox.take(), 3);
                    })
                };
                for number in 1..=2 {
                    mailbox.post(number);
                    if waits_between {
                        mailbox.wait();
                        assert_eq!(done.load(Relaxed), number);
                    }
                }
                mailbox.wait();
                assert_eq!(done.load(Relaxed), 2);
                mailbox.post(3);
                taker.join().expect("the taking thread panicked");
            });
        }
    }
}
