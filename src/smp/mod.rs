//! Lazy SMP: several workers search the same root.
//!
//! They share only the transposition table and [`Shared`](crate::shared::Shared). Worker 0 checks
//! the limits and reports. The answer is voted from the published results at once; workers that are
//! slow to stop are awaited before the next order. This module prints nothing, which is up to
//! `uci`.

mod engine;
mod lengthening;
mod mailbox;
mod pool;
mod solo;
/// The locks that [`mailbox`] uses; tests/threads/mailbox.rs substitutes loom's.
mod sync {
    pub use crate::locks::{Condvar, Mutex, lock, wait};
}
mod vote;

pub use engine::{Answer, Engine, EngineError, Event, seed_from_clock};
pub use pool::Sink;
pub use solo::Solo;
