//! How an order reaches a thread that waits for it: a box with room for one.
//!
//! One thread posts and one takes; at any moment at most one of them waits. tests/mailbox.rs tries every order of events.

use std::mem;

use super::sync::{Condvar, Mutex};

/// A box for one order at a time.
#[derive(Debug)]
pub struct Mailbox<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
enum State<T> {
    /// The last order is carried out, and the taker waits for the next.
    Idle,
    /// An order lies in the box.
    Posted(T),
    /// An order is being carried out, or the taker is not ready for its first.
    Busy,
}

impl<T> Mailbox<T> {
    /// An empty box whose taker is not ready yet.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(State::Busy),
            changed: Condvar::new(),
        }
    }

    /// Puts an order into the box, once the order before it is carried out.
    pub fn post(&self, order: T) {
        let mut state = self.state.lock();
        self.changed
            .wait_while(&mut state, |state| !matches!(state, State::Idle));
        *state = State::Posted(order);
        self.changed.notify_one();
    }

    /// Waits until every order is carried out.
    pub fn wait(&self) {
        let mut state = self.state.lock();
        self.changed
            .wait_while(&mut state, |state| !matches!(state, State::Idle));
    }

    /// The next order. To ask for it says that the one before is carried out, and whatever came with it dropped.
    pub fn take(&self) -> T {
        let mut state = self.state.lock();
        if matches!(*state, State::Busy) {
            *state = State::Idle;
            self.changed.notify_one();
        }
        loop {
            match mem::replace(&mut *state, State::Busy) {
                State::Posted(order) => return order,
                waiting => *state = waiting,
            }
            self.changed.wait(&mut state);
        }
    }
}
