//! A mailbox with room for one order, through which one thread gives orders to another.
//!
//! One thread posts and one takes, so at most one of them waits at any time. tests/threads/mailbox.rs tries
//! every order of events.

use std::mem;

use super::sync::{Condvar, Mutex, lock, wait};

/// A mailbox for one order at a time.
#[derive(Debug)]
pub struct Mailbox<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
enum State<T> {
    /// The last order has been carried out, and the taker waits for the next one.
    Idle,
    /// An order waits to be taken.
    Posted(T),
    /// An order is being carried out, or the taker is not ready for its first one.
    Busy,
}

impl<T> Mailbox<T> {
    /// Creates an empty mailbox whose taker is not ready yet.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(State::Busy),
            changed: Condvar::new(),
        }
    }

    /// Posts an order as soon as the one before it has been carried out.
    pub fn post(&self, order: T) {
        let mut state = lock(&self.state);
        while !matches!(*state, State::Idle) {
            state = wait(&self.changed, state);
        }
        *state = State::Posted(order);
        self.changed.notify_one();
    }

    /// Waits until all orders have been carried out.
    pub fn wait(&self) {
        let mut state = lock(&self.state);
        while !matches!(*state, State::Idle) {
            state = wait(&self.changed, state);
        }
    }

    /// Waits for the next order. The call also reports that the order before has been carried out
    /// and its contents have been dropped.
    pub fn take(&self) -> T {
        let mut state = lock(&self.state);
        if matches!(*state, State::Busy) {
            *state = State::Idle;
            self.changed.notify_one();
        }
        loop {
            match mem::replace(&mut *state, State::Busy) {
                State::Posted(order) => return order,
                waiting => *state = waiting,
            }
            state = wait(&self.changed, state);
        }
    }
}
