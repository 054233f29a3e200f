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

    #[path = "../../src/locks.rs"]
    mod sync;

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

    /// What `src/locks.rs` does, with the locks of loom.
    mod sync {
        use loom::sync::MutexGuard;
        pub use loom::sync::{Condvar, Mutex};

        pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
            mutex.lock().expect("no thread panics")
        }

        pub fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
            changed.wait(guard).expect("no thread panics")
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
